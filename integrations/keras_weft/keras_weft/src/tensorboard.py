"""What Keras's `TensorBoard` callback takes of TensorFlow elsewhere: `summary`, and a message of TensorBoard's."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import weft


class _Experimental:
    """`summary.experimental`."""

    get_step = staticmethod(weft.summary.get_step)
    set_step = staticmethod(weft.summary.set_step)

    @staticmethod
    @contextlib.contextmanager
    def summary_scope(
        name: str, default_name: str = "summary", values: Sequence[Any] = ()
    ) -> Iterator[tuple[str, str]]:
        """The tag of a summary and its scope: there are no scopes of names around it."""
        yield name or default_name, name or default_name


class _Summary:
    """`tensorflow.summary`, by names of `weft.summary`."""

    experimental = _Experimental

    @staticmethod
    def histogram(name: str, data: Any, step: Any = None) -> None:
        """Write how the finite elements are distributed, if any is: a training that diverges is shown, too."""
        elements = np.asarray(data)
        finite = elements[np.isfinite(elements)]
        if finite.size > 0:
            weft.summary.histogram(name, finite, step)

    def __getattr__(self, name: str) -> Any:
        return getattr(weft.summary, name)


summary = _Summary()


def __getattr__(name: str) -> Any:
    if name == "SummaryMetadata":  # which needs the package tensorboard
        return importlib.import_module("tensorboard.compat.proto.summary_pb2").SummaryMetadata
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["summary"]
