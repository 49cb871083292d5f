"""Comparisons of tuples, lists and dicts that hold values of the run time: entry by entry, as far as Python looks."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from .....dialect.bit_generators import is_generator
from ....guards.generated import is_generated
from ....signature.traced_value import COMPARISONS, held
from ....source.modules import is_users_object
from ....source.own_attributes import is_compared_by_fields
from ....source.plain_items import compound
from ....tracing.current import current_trace
from ..branches.conditions import is_staged, truth_of
from ..interface import operators
from ..lists.looked_for import holds_object, is_told_by_identity
from ..tables import table_walks
from ..values.hidden_state import of_own
from ..values.identities import told_by_class
from ..values.optional import Chosen
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.special_methods import call_operator, has_users_operator
from .expressions import and_, as_bool, if_exp, is_, is_not_, not_
from .expressions import holds_staged as holds_staged


def compare(symbol: str, left: Any, right: Any) -> Any:
    """`left symbol right`.

    >>> compare("<", (1, 2), (1, 3))
    True
    """
    left, right = held(resolve_grown_list(left)), held(resolve_grown_list(right))
    if current_trace() is not None and has_users_operator(symbol, left, right):
        return call_operator(symbol, left, right)
    if current_trace() is not None and (fields := _fields(symbol, left, right)) is not None:
        left, right = fields
    if symbol in ("==", "!=") and (
        (is_generator(left) and is_generator(right))
        or (current_trace() is not None and is_told_by_identity(left) and is_told_by_identity(right))
    ):
        return (is_ if symbol == "==" else is_not_)(left, right)
    if symbol in ("==", "!=") and type(left) is type(right) is dict and _is_open(left, right):
        equal = left.keys() == right.keys() and _equal([*left.values()], [right[key] for key in left])
        return equal if symbol == "==" else not_(equal)
    if not _goes_by_entry(left, right):
        if (never := told_by_class(COMPARISONS[symbol], left, right)) is not None:
            return never
        return of_own(current_trace(), COMPARISONS[symbol], *table_walks.as_sets(left, right))
    if symbol == "==":
        return _equal(left, right)
    if symbol == "!=":
        return not_(_equal(left, right))
    return _ordered(symbol, left, right)


_GENERATED = {
    "==": "__eq__", "!=": "__eq__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__",
}  # fmt: skip


def _fields(symbol: str, left: Any, right: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """What two objects of one dataclass are compared by, where nobody has written the method."""
    kind = _class_of(left)
    if kind is None or _class_of(right) is not kind or not is_compared_by_fields(kind):
        return None
    if not is_generated(getattr(kind, _GENERATED[symbol], None)):
        return None
    names = [field.name for field in dataclasses.fields(kind) if field.compare]
    one, other = (tuple(operators().attr(value, name) for name in names) for value in (left, right))
    return one, other


def _class_of(value: Any) -> type | None:
    """The class of a value, or of all that a chosen one may be."""
    return value.python_type if isinstance(value, Chosen) else type(value)


def _goes_by_entry(left: Any, right: Any) -> bool:
    """Whether two values are tuples, or lists, of which one holds what the program alone knows, or both objects."""
    for kind in (tuple, list):
        if isinstance(left, kind) and isinstance(right, kind):
            return _is_open(left, right) or (holds_object(left) and holds_object(right))
    return False


def _is_open(left: Any, right: Any) -> bool:
    """Whether one of two containers holds what the program alone can compare."""
    if holds_staged(left) or holds_staged(right):
        return True
    return current_trace() is not None and (_holds_comparing(left) or _holds_comparing(right))


def _holds_comparing(value: Any) -> bool:
    """Whether a value is an object of whose class somebody has said when two are equal, or holds one."""
    if type(value) in (list, tuple, dict):
        return any(map(_holds_comparing, compound(value.values() if type(value) is dict else value)))
    return is_users_object(value) and (
        is_compared_by_fields(type(value)) or has_users_operator("==", value, value)
    )


def _equal(left: Sequence[Any], right: Sequence[Any]) -> Any:
    """Whether all entries are equal; those behind one that is not are not looked at."""
    if len(left) != len(right):
        return False
    if not left:
        return True
    return and_(_truth(_same(left[0], right[0])), lambda: _equal(left[1:], right[1:]))


def _same(one: Any, other: Any) -> Any:
    return True if one is other else compare("==", one, other)


def _ordered(symbol: str, left: Sequence[Any], right: Sequence[Any]) -> Any:
    """The order of the first entries that differ, or that of the lengths."""
    if not left or not right:
        return COMPARISONS[symbol](len(left), len(right))
    rest = lambda: _ordered(symbol, left[1:], right[1:])  # noqa: E731
    here = lambda: compare(symbol, left[0], right[0])  # noqa: E731
    return if_exp(_truth(_same(left[0], right[0])), rest, here)


def _truth(compared: Any) -> Any:
    return as_bool(truth_of(compared).copy()) if is_staged(compared) else bool(compared)
