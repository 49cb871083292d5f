"""Run functions eagerly and compiled, and compare everything a caller can see: one line in a test.

Both runs get fresh deep copies of the arguments; in the last call their arrays lie in memory in another way. Compared
are the nested results (types, dtypes, values), what was printed, exceptions (type, message, attributes, cause), the
arguments as the call left them (arrays, containers, attributes of objects), and the number of traces. A result shares
memory with an argument only if it does so eagerly; what a branch chose is a copy.
"""

from __future__ import annotations

import contextlib
import copy
import io
import os
import types
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.layouts import other_layout, shares_no_more
from support.reference import compiling, interpreting
from weft.dialect.errors import WeftError

_NUMBERS = (bool, int, float, complex)


@dataclass(frozen=True)
class Observation:
    """What one call did."""

    result: Any
    error: BaseException | None
    output: str
    arguments: tuple[Any, ...]


def observe(function: Callable[..., Any], arguments: tuple[Any, ...], layout: str = "") -> Observation:
    """Call a function on a deep copy of the arguments, and keep what it did.

    `layout` is the seed of how their arrays lie in memory.
    """
    arguments = copy.deepcopy(arguments)
    if layout:
        arguments = other_layout(arguments, layout)
    output = io.StringIO()
    result, error = None, None
    with contextlib.redirect_stdout(output), np.errstate(all="ignore"):
        try:
            result = function(*arguments)
        except Exception as raised:
            error = raised
    return Observation(result, error, output.getvalue(), arguments)


@dataclass(frozen=True)
class Comparison:
    """How strictly values are compared."""

    rtol: float = 0.0
    atol: float = 0.0
    joined: bool = False
    """Accept a number of the type that the values of all paths join to, where eager Python has that of one path."""

    def values(self, got: Any, expected: Any, seen: frozenset[tuple[int, int]] = frozenset()) -> None:
        """Compare two values through containers and the attributes of objects; cycles are followed once."""
        if (id(got), id(expected)) in seen or got is expected:
            return
        seen |= {(id(got), id(expected))}
        if self.joined and isinstance(expected, (*_NUMBERS, np.generic)):
            assert isinstance(got, (*_NUMBERS, np.generic)), (type(got), type(expected))
            np.testing.assert_allclose(got, expected, rtol=self.rtol, atol=self.atol)
            return
        if isinstance(expected, (np.ndarray, np.generic)):
            assert_same(got, expected, self.rtol, self.atol)
            return
        assert type(got) is type(expected), f"{got!r} is not of the type of {expected!r}"
        if isinstance(expected, (float, complex)):
            np.testing.assert_allclose(got, expected, rtol=self.rtol, atol=self.atol)
        else:
            self._parts(got, expected, seen)

    def _parts(self, got: Any, expected: Any, seen: frozenset[tuple[int, int]]) -> None:
        if isinstance(expected, Mapping):
            assert list(got) == list(expected), (list(got), list(expected))
            self._types_of_keys(got, expected)
            for key in expected:
                self.values(got[key], expected[key], seen)
        elif isinstance(expected, (list, tuple, deque)):
            assert len(got) == len(expected), (got, expected)
            for one, other in zip(got, expected, strict=True):
                self.values(one, other, seen)
        elif isinstance(expected, (set, frozenset)):
            assert got == expected, (got, expected)
            self._types_of_keys(got, expected)
        elif _attributes(expected) is not None:
            self.values(_attributes(got), _attributes(expected), seen)
        else:
            assert got == expected, (got, expected)

    def _types_of_keys(self, got: Any, expected: Any) -> None:
        """Keys that are equal may be of other types; one table has one type of keys, which is among the expected."""
        assert self.joined or {*map(type, got)} <= {*map(type, expected)}, (list(got), list(expected))

    def errors(self, got: BaseException | None, expected: BaseException | None) -> None:
        """Compare exceptions; one of weft's own must inherit the expected type and begin with its message."""
        if expected is None:
            if got is not None:
                raise AssertionError(f"only the compiled function raised {got!r}") from got
            return
        assert got is not None, f"only the eager function raised {expected!r}"
        if isinstance(got, WeftError):
            assert isinstance(got, type(expected)), (got, expected)
            assert str(got).startswith(str(expected)), (got, expected)
            return
        if type(got) is not type(expected) or str(got) != str(expected):
            raise AssertionError(f"the compiled function raised {got!r}, the eager one {expected!r}") from got
        self.values(got.args, expected.args)
        self.values(_own_attributes(got), _own_attributes(expected))
        assert type(got.__cause__) is type(expected.__cause__), (got.__cause__, expected.__cause__)
        assert str(got.__cause__) == str(expected.__cause__)

    def observations(self, got: Observation, expected: Observation) -> None:
        """Compare everything that two calls did."""
        self.errors(got.error, expected.error)
        self.values(got.result, expected.result)
        assert got.output == expected.output, (got.output, expected.output)
        self.values(got.arguments, expected.arguments)
        assert shares_no_more(got.result, got.arguments, expected.result, expected.arguments)


def _attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object; None when it has none to compare."""
    if isinstance(value, (type, types.FunctionType, types.ModuleType)):
        return None
    attributes: dict[str, Any] | None = getattr(value, "__dict__", None)
    return attributes


def _own_attributes(error: BaseException) -> dict[str, Any]:
    """The attributes of an exception without its notes, which may say where in the function it was raised."""
    return {name: value for name, value in (_attributes(error) or {}).items() if name != "__notes__"}


COMPILED = 8
"""Lowering, code generation and LLVM take more than half of the time, and have tests of their own."""


def all_are_compiled() -> bool:
    """Whether tests of values compile all functions, as in `make soak` and on devices, and interpret none."""
    return os.environ.get("WEFT_TEST_COMPILED") == "1" or bool(os.environ.get("WEFT_DEVICE"))


def mostly_interpreted(name: str) -> contextlib.AbstractContextManager[None]:
    """Optimise what is called in the block as always, and then interpret it: all but one of `COMPILED`, by name."""
    return interpreting("optimized") if _is_interpreted(name) else compiling()


def _is_interpreted(name: str) -> bool:
    return not all_are_compiled() and zlib.crc32(name.encode()) % COMPILED != 0


def same(
    function: Callable[..., Any],
    *calls: Any,
    traces: int | None = 1,
    rtol: float = 0.0,
    atol: float = 0.0,
    joined: bool = False,
    compile: Callable[[Callable[..., Any]], weft.Function] | None = None,
) -> weft.Function:
    """Compare compiled calls with eager ones, each on a tuple of arguments (or on its only argument), twice.

    All calls go to one function that `compile` makes, which must have traced `traces` times in the end (None: any
    number). Without one, most functions are optimised and then interpreted, as `mostly_interpreted` says: where they
    are traced once, only the first call is made again, as the others would run nothing that it does not.
    With WEFT_DISABLE_JIT=1 both sides run eagerly, which shows whether a test itself is right.
    """
    comparison = Comparison(rtol, atol, joined)
    compiled = (compile or weft.function)(function)
    name = f"{function.__module__}.{getattr(function, '__qualname__', '')}"
    traced = 0
    again = calls[:1] if compile is None and traces == 1 and _is_interpreted(name) else calls
    for call, layout in [
        *((call, "") for call in (*calls, *again)),
        (calls[-1], getattr(function, "__qualname__", "function")),
    ]:
        arguments = call if type(call) is tuple else (call,)
        if layout:
            traced = compiled.trace_count
        expected = observe(function, arguments, layout)
        with mostly_interpreted(name) if compile is None else contextlib.nullcontext():
            got = observe(compiled, arguments, layout)
        try:
            comparison.observations(got, expected)
        except AssertionError as error:
            error.add_note(f"in the call with {arguments!r}") if hasattr(error, "add_note") else None
            raise
    if traces is not None and not weft.settings.disable_jit:
        assert traced == traces, f"traced {traced} times, not {traces}"
    return compiled


def refused(
    function: Callable[..., Any],
    *arguments: Any,
    error: type[BaseException] = NotImplementedError,
    match: str | None = None,
    place: bool = True,
) -> None:
    """Require that a compiled call is refused by an error of weft's own, at a `place` in this function's file."""
    if weft.settings.disable_jit:
        return
    with pytest.raises(error, match=match) as caught:
        weft.function(function)(*copy.deepcopy(arguments))
    assert isinstance(caught.value, WeftError), f"{caught.value!r} is not an error of weft"
    if place:
        assert function.__code__.co_filename in str(caught.value), (
            f"no place of the user's in: {caught.value}"
        )


@contextlib.contextmanager
def printed() -> Iterator[io.StringIO]:
    """What the block prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        yield output


__all__ = [
    "Comparison",
    "Observation",
    "all_are_compiled",
    "mostly_interpreted",
    "observe",
    "printed",
    "refused",
    "same",
]
