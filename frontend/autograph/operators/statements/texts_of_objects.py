"""Texts that methods of the program make of its objects: in f-strings, by `%` and by `str.format`."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from typing import Any

from ....runtime_values.strings import format_string, string_of
from ....signature.traced_value import held
from ..values.optional import Chosen
from ..values.resolve_grown_lists import resolve_for_reading
from ..values.special_methods import is_shown_by_program, shown, users_method

Part = tuple[Any, "str | None", Any]
"""A value of a text, with its conversion and its format."""


def shown_parts(parts: tuple[Any, ...]) -> Iterator[Any]:
    """The parts of an f-string, with texts in the places of what methods of the program show."""
    return (_shown(*part) if isinstance(part, tuple) else part for part in parts)


def _shown(value: Any, conversion: str | None, spec: Any) -> Part:
    value = held(resolve_for_reading(value))
    text = shown(value, conversion, spec)
    if text is value:
        return value, conversion, spec
    by_format = not conversion and (
        isinstance(value, Chosen) or users_method(value, "__format__") is not None
    )
    return text, None, "" if by_format else spec


_FIRST = re.compile(r"[^.\[]*")
"""The name or place in a field of `str.format`, in front of attributes and items."""

_CONVERSION = re.compile(
    r"%(\((?P<key>[^)]*)\))?(?P<spec>[#0\- +]*(\*|\d+)?(\.(\*|\d+))?)[hlL]?(?P<kind>[a-zA-Z%])"
)
"""A conversion of `%`: https://docs.python.org/3/library/stdtypes.html#printf-style-string-formatting"""


def for_percent(text: Any, values: Any) -> tuple[Any, Any]:
    """The text and the values of `text % values`, with texts in the places of what methods of the program show."""
    listed = values if isinstance(values, tuple) else (values,)
    named = values if isinstance(values, dict) else {}
    if not isinstance(text, str) or not any(map(is_shown_by_program, named.values() if named else listed)):
        return text, values
    given = dict(named or enumerate(listed))
    shown_ones: dict[Any, Any] = {} if named else dict(given)
    place = 0

    def convert(found: re.Match[str]) -> str:
        nonlocal place
        spec, kind, key = found["spec"], found["kind"], found["key"]
        if kind == "%":
            return found[0]
        place += spec.count("*")
        at: Any = place if key is None else key
        place += 1
        if at not in given:
            return found[0]  # which is an error, as it is in Python
        if kind not in "sra" or not is_shown_by_program(given[at]):
            shown_ones[at] = given[at]
            return found[0]
        name = at if key is None else f"{key}%{kind}"
        shown_ones[name] = shown(given[at], "s" if kind == "s" else "r", "")
        return f"%{spec}s" if key is None else f"%({name}){spec}s"

    text = _CONVERSION.sub(convert, text)
    return text, shown_ones if named else tuple(shown_ones.values())


def formatted(method: Callable[..., str], /, *args: Any, **named: Any) -> Any:
    """`text.format(*args, **named)`."""
    args, named = resolve_for_reading((args, named))
    if not any(map(is_shown_by_program, (*args, *named.values()))):
        return string_of(method, *args, **named)
    text: Any = method.__self__  # type: ignore[attr-defined]
    return format_string(*shown_parts(tuple(_fields(text, args, named, iter(range(len(args)))))))


def _fields(text: str, args: Any, named: Any, places: Iterator[int]) -> Iterator[Any]:
    """The parts of a text as `str.format` has them."""
    for literal, field, spec, conversion in string.Formatter().parse(text):
        if literal:
            yield literal
        if field is None:
            continue
        written = _FIRST.match(field)[0]  # type: ignore[index]
        first = written or str(next(places, len(args)))
        if first.isdigit() and int(first) >= len(args):
            raise IndexError(f"Replacement index {first} out of range for positional args tuple")
        value, _ = string.Formatter().get_field(first + field[len(written) :], args, named)
        inner = "".join(
            part if isinstance(part, str) else format(*part[::2])
            for part in _fields(spec or "", args, named, places)
        )
        yield value, conversion, inner
