"""What patterns of `match` look at: the attributes of `case Point(x, y=0)`, and what Python takes apart itself."""

from __future__ import annotations

from typing import Any, NoReturn

from .....dialect.errors import UnsupportedError
from ....runtime_values.example_values import example_of
from ....runtime_values.results import RuntimeLength, RuntimeTable, present
from ....source.plain_items import contents
from ....tracing.array import TracedArray
from ..interface import operators
from ..values.optional import Chosen, Optional
from ..values.resolve_grown_lists import resolve_grown_list
from .access import attr

_MATCH_SELF = 1 << 22
"""The flag of classes (`Py_TPFLAGS_MATCH_SELF`) whose only positional part is the value itself, as of int."""


def class_parts(subject: Any, kind: Any, count: int, names: tuple[str, ...]) -> tuple[Any, ...] | None:
    """What a pattern with `count` positional parts and named ones asks for; None where the value does not match.

    >>> class_parts(2 + 3j, complex, 0, ("real", "imag")), class_parts(7, int, 1, ()), class_parts("7", int, 1, ())
    ((2.0, 3.0), (7,), None)
    """
    if not isinstance(kind, type):
        raise TypeError("called match pattern must be a class")
    subject = resolve_grown_list(subject)
    parts: tuple[Any, ...] | None
    if isinstance(subject, Optional):
        parts = operators().if_exp(
            subject == None,  # noqa: E711  (which is traced)
            lambda: class_parts(None, kind, count, names),
            lambda: class_parts(subject.value, kind, count, names),
        )
        return parts
    if isinstance(subject, Chosen):
        parts = subject.each(lambda one: class_parts(one, kind, count, names))
        return parts
    example = example_of(subject) if isinstance(subject, TracedArray) else subject
    if not (issubclass(subject.python_type, kind) if _is_of_run_time(subject) else isinstance(example, kind)):
        return None
    has_positional = hasattr(kind, "__match_args__")
    positional = attr(kind, "__match_args__") if has_positional else ()
    if count == 1 and not has_positional and kind.__flags__ & _MATCH_SELF:
        return subject, *_attributes(subject, names)
    if count > len(positional):
        raise TypeError(
            f"{kind.__name__}() accepts {len(positional)} positional sub-pattern{'s' * (len(positional) != 1)} "
            f"({count} given)"
        )
    wanted = (*positional[:count], *names)
    for name in names:
        if name in positional[:count]:
            raise TypeError(f"{kind.__name__}() got multiple sub-patterns for attribute {name!r}")
    found = _attributes(subject, wanted)
    return tuple(found) if len(found) == len(wanted) else None


def taken_apart(subject: Any, is_mapping: bool, is_nested: bool) -> Any:
    """A value that Python compares with the structure of a pattern; refused where only the program knows its size.

    >>> taken_apart([1, 2], is_mapping=False, is_nested=False)
    [1, 2]
    """
    value = present(resolve_grown_list(subject))  # the pattern has been asked whether it is None
    if isinstance(value, Chosen) and value.held:
        raise UnsupportedError(
            f"{value!r} is taken apart by a case of `match` that names no class, which Python decides while it is "
            "traced: name the class (case Point(x=x, y=y))"
        )
    if _is_of_run_time(value):
        is_dict = isinstance(value, RuntimeTable) and issubclass(value.python_type, dict)
        if is_dict if is_mapping else isinstance(value, RuntimeLength):
            _refuse(value)
    elif is_nested and isinstance(value, (tuple, list, dict)):
        for part in map(resolve_grown_list, contents(value)):
            if _is_of_run_time(part):
                _refuse(part)
            taken_apart(part, is_mapping, is_nested)
    return value


def _is_of_run_time(value: Any) -> bool:
    return isinstance(value, (RuntimeTable, RuntimeLength))


def _refuse(value: Any) -> NoReturn:
    instead = (
        "if len(items) == 2: a, b = items"
        if isinstance(value, RuntimeLength)
        else "if key in d: value = d[key]"
    )
    raise UnsupportedError(
        f"a {value.python_type.__name__} whose size is known only at run time is taken apart by a case of `match`, "
        f"which Python decides while it is traced: write conditions instead ({instead})"
    )


def _attributes(subject: Any, names: tuple[str, ...]) -> list[Any]:
    """The attributes up to the first that is not there."""
    values = []
    for name in names:
        try:
            values.append(attr(subject, name))
        except AttributeError:
            break
    return values
