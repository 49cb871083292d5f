"""Keras runs on weft in these tests, without the disk cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

os.environ["WEFT_CACHE"] = "0"
os.environ["KERAS_HOME"] = os.devnull  # settings are not read from the user's, nor written there

if find_spec("keras") is None:  # which needs a newer Python than weft does
    collect_ignore_glob = ["*"]
else:
    import keras_weft  # noqa: F401


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Compile in a third of the time."""
    from support.quick_code import quick_code

    with quick_code():
        return (yield)
