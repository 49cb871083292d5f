"""How the body of a statement ends: it falls through, or leaves a loop or function, perhaps only at run time."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from .....dialect.records import dataclass
from ....tracing.array import TracedArray

BREAK, CONTINUE, RETURN = 1, 2, 3
"""What a body returns that ends with such a statement; None when it falls through, which counts as 0."""

RAISE = 4
"""How an iteration of a loop ends that is left with an exception which a `try` around the loop takes."""

FALLS_THROUGH = 0


@dataclass(frozen=True)
class StagedExit:
    """An exit that is decided at run time."""

    status: TracedArray
    """An i64[]: 0 or one of the codes."""
    codes: frozenset[int]
    """Those that it may be."""

    def among(self, *codes: int) -> Any:
        """A bool[]: whether the exit is one of the codes; a Python bool when that is known."""
        possible = self.codes & set(codes)
        if not possible:
            return False
        if self.codes <= set(codes):
            return True
        tests = [self.status == code for code in sorted(possible)]
        found = tests[0]
        for test in tests[1:]:
            found = np.logical_or(found, test)
        return found


Exit: TypeAlias = "int | StagedExit | None"


def codes_of(exit_: Exit) -> frozenset[int]:
    """The codes that an exit may have."""
    if isinstance(exit_, StagedExit):
        return exit_.codes
    return frozenset({exit_ or FALLS_THROUGH})


def status_of(exit_: Exit) -> Any:
    """The status: a number, or a traced one."""
    return exit_.status if isinstance(exit_, StagedExit) else np.int64(exit_ or FALLS_THROUGH)


def exit_from(status: Any, codes: frozenset[int]) -> Exit:
    """The exit with a status that is one of some codes."""
    if len(codes) == 1:
        (code,) = codes
        return code or None
    return StagedExit(status, codes)


def without_continue(exit_: Exit) -> Exit:
    """The exit of an iteration for its loop: `continue` is as good as the end of the body."""
    return _falling_through(exit_, CONTINUE)


def without_break(exit_: Exit) -> Exit:
    """The exit of a loop for the statements around it: after `break` these go on."""
    return _falling_through(exit_, BREAK)


def _falling_through(exit_: Exit, code: int) -> Exit:
    """The exit where one with a code is none."""
    if not isinstance(exit_, StagedExit):
        return None if exit_ == code else exit_
    if code not in exit_.codes:
        return exit_
    status = np.where(exit_.among(code), np.int64(FALLS_THROUGH), exit_.status)
    return exit_from(status, (exit_.codes - {code}) | {FALLS_THROUGH})


def without_raise(exit_: Exit) -> Exit:
    """The exit of a loop where it is known that no exception left it."""
    if not isinstance(exit_, StagedExit):
        return None if exit_ == RAISE else exit_
    codes = exit_.codes - {RAISE}
    return exit_ if codes == exit_.codes else exit_from(exit_.status, codes)
