"""Strings that are known only when the compiled function runs: what f-strings of traced values are.

They can be printed, be the message of an exception or an assertion, and be joined and changed as strings are, all at
run time, where Python makes their text: it is what the function would make eagerly.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from ...dialect.callbacks import name_of
from ...dialect.errors import ConcreteValueError
from ..signature.traced_value import COMPARISONS, Compared
from ..tracing.array import TracedArray
from ..tracing.current import current_trace
from .digits import length_of_text, ones_of
from .python_calls import call_python
from .values import Frozen, RuntimeValue, holds_traced

if TYPE_CHECKING:
    from ...dialect.mlir import ir
    from ..tracing.recorder import Recorder

Part: TypeAlias = "str | tuple[Any, str | None, Any]"
"""A part of an f-string: a text, or a value with its conversion ('r', 's', 'a' or None) and its format or None."""

_CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {
    None: lambda value: value,
    "": lambda value: value,
    "r": repr,
    "s": str,
    "a": ascii,
}


class RuntimeString(Compared, RuntimeValue):
    """A string that is made at run time, of values as they were where it was written."""

    __slots__ = ("_frozen", "_render", "_shown", "joined", "kept", "number", "pieces")
    __hash__ = None  # type: ignore[assignment]
    __weft_text__ = True
    is_made_text = True
    python_type = str

    def __init__(
        self,
        trace: Recorder,
        values: tuple[Any, ...],
        render: Callable[..., str],
        shown: str,
        pieces: list[Any] | None = None,
    ) -> None:
        """The text is `render(*values)`; `shown` is for people who look while tracing.

        `pieces` are texts and values, if the text is what `str` makes of each of them.
        """
        self.pieces = pieces
        self.number: tuple[TracedArray, int, bool] | None = None
        """The integer, the base and whether that is told, where the text is that of an integer."""
        self.kept: TracedArray | None = None
        """The number of the text, where the program carries that."""
        self.joined: tuple[Any, Any] | None = None
        """The two texts that it is one behind the other, if it is."""
        self._frozen = Frozen(trace, values, as_text=True)
        self._render = render
        self._shown = shown

    def at_run_time(self) -> tuple[Frozen, Callable[[Any], str]]:
        """The frozen values, and what makes the text of them."""
        render = self._render
        return self._frozen, lambda values: render(*values)

    @property
    def is_usable(self) -> bool:
        """Whether what it is made of was made where it can be used now."""
        return self._frozen.section.is_usable

    @property
    def operands(self) -> tuple[ir.Value, ...]:
        """The traced values that it is made of."""
        return tuple(self._frozen.operands)

    def __repr__(self) -> str:
        return f"<string known at run time: {self._shown!r}>"

    # What strings can do

    def __add__(self, other: Any) -> Any:
        return concatenated(self, other) if isinstance(other, (str, RuntimeString)) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return concatenated(other, self) if isinstance(other, (str, RuntimeString)) else NotImplemented

    def __mod__(self, values: Any) -> RuntimeString:
        return _made(lambda text, values: text % values, (self, values), self._shown)

    def __mul__(self, count: Any) -> RuntimeString:
        return _made(lambda text, count: text * count, (self, count), self._shown)

    __rmul__ = __mul__

    # Questions, which Python answers when the program runs

    def ask(self, kind: type, function: Callable[..., Any], *args: Any) -> Any:
        """What a function tells about the text, a number of a type of Python's."""
        trace = current_trace()
        return self._refuse() if trace is None else call_python(trace, function, (self, *args), kind)

    @property
    def length(self) -> Any:
        """How many characters there are."""
        return self.ask(int, len) if self.number is None else length_of_text(*self.number)

    def holds(self, part: Any) -> Any:
        """`part in text`."""
        return self.ask(bool, operator.contains, part)

    def __weft_truth__(self) -> Any:
        return self.length != 0

    def __getitem__(self, key: Any) -> RuntimeString:
        return _made(operator.getitem, (self, key), f"{self._shown}[...]")

    def _compared(self, symbol: str, other: Any) -> Any:
        is_text = isinstance(other, (str, RuntimeString))
        return self.ask(bool, COMPARISONS[symbol], other) if is_text else NotImplemented

    # What needs the text now

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ConcreteValueError(
            f"{self!r} is made of traced values: its text is there only when the compiled function runs. Print it, "
            "raise it, or pass it to weft.py_call"
        )

    __str__ = __bool__ = __len__ = __iter__ = __contains__ = __format__ = __int__ = __float__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(str, name):
            raise AttributeError(f"'str' object has no attribute {name!r}")
        if name in QUESTIONS:
            kind = QUESTIONS[name]
            if name == "count" and self.number is not None and self.number[1] == 2:
                return lambda *args: (
                    ones_of(self.number[0]) if args == ("1",) else self._asked(kind, name, args)
                )
            return lambda *args: self._asked(kind, name, args)
        if name not in STRING_METHODS:
            self._refuse()
        shown = f"{self._shown}.{name}()"
        return lambda *args, **kwargs: _made(
            lambda text, args, kwargs: getattr(text, name)(*args, **kwargs), (self, args, kwargs), shown
        )

    def _asked(self, kind: type, name: str, args: tuple[Any, ...]) -> Any:
        return self.ask(kind, lambda text, *given: getattr(text, name)(*given), *args)


QUESTIONS: dict[str, type] = {
    **dict.fromkeys(("count", "find", "index", "rfind", "rindex"), int),
    **dict.fromkeys(
        (
            *(
                "startswith",
                "endswith",
                "isalnum",
                "isalpha",
                "isascii",
                "isdecimal",
                "isdigit",
                "isidentifier",
            ),
            *("islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper"),
        ),
        bool,
    ),
}
"""The methods of strings that tell something, with the type of that."""

_BASES = {"": (10, False), "d": (10, False)} | {
    f"{prefix}{letter}": (base, bool(prefix))
    for letter, base in {"b": 2, "o": 8, "x": 16, "X": 16}.items()
    for prefix in ("", "#")
}
"""By the formats of integers: the base, and whether the text says it (0b101)."""


STRING_METHODS = (
    "capitalize", "casefold", "center", "expandtabs", "format", "join", "ljust", "lower", "lstrip", "removeprefix",
    "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title", "translate", "upper", "zfill",
)  # fmt: skip
"""The methods of strings that return a string."""


def format_string(*parts: Part) -> Any:
    """What an f-string of these parts is: a string, or a `RuntimeString` where a part is known at run time only.

    >>> format_string("x = ", (1.5, "", ".3f"))
    'x = 1.500'
    """
    pieces: list[str | int] = []
    values: list[Any] = []
    shown = ""
    for part in parts:
        if isinstance(part, str):
            text: Any = part
        elif current_trace() is None or not any(map(_is_late, part)):
            value, conversion, spec = part
            note_text(value)
            text = _format(value, conversion, spec)
        else:
            pieces.append(len(values))
            values.append(part)
            shown += f"{{{_shown(part[0])}}}"
            continue
        pieces.append(text)
        shown += text
    if not values:
        return "".join(map(str, pieces))

    def render(*values: tuple[Any, str | None, Any]) -> str:
        texts = [_format(*values[piece]) if isinstance(piece, int) else piece for piece in pieces]
        return "".join(texts)

    is_joined = all(conversion in (None, "", "s") and not spec for _, conversion, spec in values)
    joined = [values[piece][0] if isinstance(piece, int) else piece for piece in pieces]
    made = _made(render, tuple(values), shown, joined if is_joined else None)
    if len(parts) == 1:
        made.number = _integer(*parts[0])
    return made


def _integer(value: Any, conversion: str | None, spec: Any) -> tuple[TracedArray, int, bool] | None:
    """What tells the digits of a text of one value, where that is an integer."""
    is_integer = isinstance(value, TracedArray) and value._is_scalar and value.dtype.kind in "iu"
    if not is_integer or conversion == "r" or (spec or "") not in _BASES:
        return None
    return (value.copy(), *_BASES[spec or ""])


def string_of(function: Callable[..., str], /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, a string, now or at run time: `string_of(operator.mod, "%d items", count)`.

    >>> string_of("{:.1f}|{}".format, 1.25, "a")
    '1.2|a'
    """
    if current_trace() is None or not _is_late([args, kwargs]):
        note_text(args, kwargs)
        return function(*args, **kwargs)
    return _made(lambda args, kwargs: function(*args, **kwargs), (args, kwargs), name_of(function))


def answer_of(method: Callable[..., Any], kind: type, /, *args: Any) -> Any:
    """What a method of a string tells about it, a number of a type of Python's, now or at run time."""
    trace = current_trace()
    if trace is None or not _is_late(args):
        return method(*args)
    return call_python(trace, lambda *given: method(*given), args, kind)


def concatenated(one: Any, other: Any) -> RuntimeString:
    """`one + other`, texts of which one is known at run time only."""
    made = _made(operator.add, (one, other), _shown(one) + _shown(other))
    made.joined = (one, other)
    return made


def note_text(*values: Any) -> None:
    """Take note that the texts of values are made while a trace is recorded."""
    trace = current_trace()
    if trace is not None:
        trace.dependencies.shows(*values)


def to_string(value: Any, conversion: str = "s") -> Any:
    """`str(value)`, or `repr` or `ascii` for the conversions "r" and "a", now or at run time."""
    return format_string((value, conversion, ""))


def _format(value: Any, conversion: str | None, spec: str | None) -> str:
    return format(_CONVERSIONS[conversion](value), spec or "")


def _is_late(value: Any) -> bool:
    """Whether the text of a value may be another one at each run."""
    return isinstance(value, np.ndarray) or holds_traced(value, depth=8)


def _made(
    render: Callable[..., str], values: tuple[Any, ...], shown: str, pieces: list[Any] | None = None
) -> RuntimeString:
    trace = current_trace()
    if trace is None:
        raise ConcreteValueError(
            f"the string {shown!r} is made of traced values, and used after the tracing has ended"
        )
    return RuntimeString(trace, values, render, shown, pieces)


def _shown(value: Any) -> str:
    if isinstance(value, RuntimeString):
        return value._shown
    return str(value.type) if isinstance(value, TracedArray) else str(value)
