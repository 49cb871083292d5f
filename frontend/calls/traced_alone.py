"""Functions that are traced, but not compiled: for their types, or for programs that are made of what was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...dialect.held_interrupts import interrupts_held
from ..guards.inputs import Decisions
from ..settings import settings
from .compile_lock import COMPILE_LOCK
from .specialisations import decided


@contextmanager
def traced_alone(function: Any, signature: Any, leaves: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """The trace of a function for arguments, and what it recorded; Python's state is as it was."""
    from ..compiling.array_behaviour import install_behaviour
    from ..compiling.record_function import record_function  # which loads MLIR

    install_behaviour()
    strict = function.strict or settings.strict_conversion
    with COMPILE_LOCK, interrupts_held(), settings.scope(strict_conversion=strict):
        trace, recorded = decided(
            lambda decisions: record_function(
                function.python_function, function._traced_function, signature, leaves, decisions
            ),
            Decisions(),
        )
        try:
            yield trace, recorded
        finally:
            recorded.state.forget()
