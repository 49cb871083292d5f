"""The package `tensorboard`, which is not there with every weft: its messages, and the form of its files."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from ...dialect.errors import MissingPackageError


@cache
def tensorboard(module: str) -> Any:
    """A module of the package, by its name there."""
    try:
        return importlib.import_module(f"tensorboard.{module}")
    except ImportError as error:
        raise MissingPackageError(
            "weft.summary needs the package tensorboard, which cannot be imported "
            f'({error}): pip install "weft[tensorboard]"'
        ) from error


def messages(name: str) -> Any:
    """The messages of one file of TensorBoard's, as `event` or `graph`."""
    return tensorboard(f"compat.proto.{name}_pb2")
