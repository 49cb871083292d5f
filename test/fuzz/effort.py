"""How much work a program may be: half of the time went to one of a hundred, whose nests are recorded many times.

Operations are counted and not seconds, so that a seed is judged the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from weft.frontend.tracing.trace import Trace

MOST_OPS = 1500
"""A tenth of a second to a quarter: the longest twentieth of the programs record more."""


class LongRecordingError(BaseException):
    """A recording has become too long; no handler of the program's is for that."""


@contextmanager
def recording_at_most(most: int | None) -> Iterator[None]:
    """End recordings of more than `most` operations, also of such that were thrown away and begun again."""
    create = Trace.create

    def counted(trace: Trace, *arguments: Any, **named: Any) -> Any:
        if most is not None and trace.created > most:
            raise LongRecordingError
        return create(trace, *arguments, **named)

    if most is None:
        yield
        return
    with mock.patch.object(Trace, "create", counted):
        yield


__all__ = ["MOST_OPS", "LongRecordingError", "recording_at_most"]
