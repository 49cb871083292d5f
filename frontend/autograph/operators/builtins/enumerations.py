"""Members of enumerations that are looked up by a value which only the program knows: `Color(x[i])`."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....source.modules import is_users_module
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ....tracing.staging import raise_where
from ..interface import operators
from ..statements.dict_lookups import place_of
from ..statements.expressions import in_, not_
from ..tables.keys import is_run_time_key
from ..values.optional import Chosen
from .converted_functions import Function


def member_of(kind: Any) -> Function | None:
    """What to call instead of an enumeration whose members are told by their values alone; None for other classes."""
    if not isinstance(kind, enum.EnumMeta) or current_trace() is None:
        return None
    members: list[Any] = list(kind)
    values = [member.value for member in members]

    def call(*args: Any, **named: Any) -> Any:
        if len(args) != 1 or named or not is_run_time_key(args[0]):
            return kind(*args, **named)
        (value,) = args
        if isinstance(value, Chosen) and all(isinstance(option, kind) for option in value.options):
            return value  # a member is looked up by itself, too
        is_number = isinstance(value, TracedArray) and value.ndim == 0
        if not _is_told_by_values(kind, values) or not (is_number or isinstance(value, Chosen)):
            raise UnsupportedError(
                f"a {kind.__qualname__} is looked up by a value which only the program knows, and which may be that of "
                f"no member: compare it, and choose among members (if v == 1: m = {kind.__qualname__}...)"
            )
        _require_member(kind, values, value)
        place = place_of(values, value)
        return Chosen(place, tuple(members)) if isinstance(place, TracedArray) else members[place]

    return call


def _is_told_by_values(kind: enum.EnumMeta, values: list[Any]) -> bool:
    """Whether only the members' own numbers or texts are values of members."""
    looks_further = any(
        "_missing_" in vars(base) for base in kind.__mro__ if is_users_module(base.__module__)
    )
    is_plain = bool(values) and all(isinstance(value, (int, float, str)) for value in values)
    return is_plain and not looks_further and not issubclass(kind, enum.Flag)


def _require_member(kind: enum.EnumMeta, values: list[Any], value: Any) -> None:
    """Raise `ValueError` when the program runs where no member has a value."""
    complaint = f"{{}} is not a valid {kind.__qualname__}"
    if isinstance(value, TracedArray):
        is_missing = not_(in_(value, dict.fromkeys(values)))
        for case, shown in _shown(value):
            raise_where(np.logical_and(is_missing, case), ValueError, complaint.replace("{}", shown), value)
        return
    for option in dict.fromkeys(value.options):
        if option not in values:
            raise_where(operators().compare("==", value, option), ValueError, complaint.format(repr(option)))


def _shown(value: TracedArray) -> list[tuple[Any, str]]:
    """How a message shows a number, as its type does, by cases."""
    is_of_python = bool(value._python_type)
    if value.dtype.kind == "b":
        return [
            (case, repr(truth if is_of_python else np.bool_(truth)))
            for truth, case in ((True, value), (False, np.logical_not(value)))
        ]
    number = f"{{0:{value.dtype.name}}}" if value.dtype.kind == "f" else "{0}"
    return [(np.bool_(True), number if is_of_python else f"np.{value.dtype.name}({number})")]
