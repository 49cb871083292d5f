"""What the expressions of converted code do: choices, logic and comparisons whose operands may be arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, KeysView
from functools import partial
from typing import Any

import numpy as np

from ....random.generator import TracedSource, traced_generator
from ....signature.traced_value import CompositeValue, StandIn
from ....source.plain_items import compound
from ....tracing.array import TracedArray
from ....tracing.current import current_trace, required_trace
from ....tracing.number_types import number_type
from ....tracing.several_types import ToldApart, by_type
from ....tracing.staging import asarray, raise_if
from ..branches.branches import stage_if
from ..branches.conditions import is_staged, truth_of
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..lists.kept_items import compare_identity
from ..lists.looked_for import holds_object, look_for
from ..lists.mixed_containers import require_told_apart
from ..tables import becoming
from ..tables.constant_tables import found_among
from ..tables.keys import require_hashable
from ..values.control_flow_state import Facts
from ..values.hidden_state import require_own
from ..values.identities import same_number
from ..values.iterables import OneByOne, Sequence, is_text
from ..values.known_arrays import is_plain
from ..values.looked_up import as_input, lookups
from ..values.narrowing import facts_of, is_there, narrowed, note_facts
from ..values.object_handles import PooledObject, are_one
from ..values.optional import Chosen, MaybeUnbound, Optional
from ..values.program_locations import UNBOUND
from ..values.ranges import Range
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.sequence_iterators import SequenceIterator, left_of, walked
from ..values.special_methods import tested, users_method

Thunk = Callable[[], Any]


def if_exp(test: Any, body: Thunk, orelse: Thunk) -> Any:
    """`body() if test else orelse()`."""
    test = tested(resolve_grown_list(test))
    if not is_staged(test):
        return body() if test else orelse()
    trace, watched = required_trace(), (body, orelse)
    present, absent = facts_of(trace, test)
    bodies = (narrowed(body, present, watched), narrowed(orelse, absent, watched))
    return stage_if(trace, truth_of(test), bodies, watched, wants_result=True)[1]


def and_(left: Any, *others: Thunk, tested: bool = False) -> Any:
    """`left and others[0]() and ...`: the value of the operand that decides, as in Python; its truth if `tested`."""
    return _decided(left, others, goes_on_if=True, is_test=tested)


def or_(left: Any, *others: Thunk, tested: bool = False) -> Any:
    """`left or others[0]() or ...`."""
    return _decided(left, others, goes_on_if=False, is_test=tested)


def _decided(left: Any, others: tuple[Thunk, ...], *, goes_on_if: bool, is_test: bool) -> Any:
    """The first operand whose truth is another one, or else the last."""
    left = resolve_grown_list(left)
    if is_test:
        left = _truth_for_test(tested(left))
    if not others:
        return left

    def following() -> Any:
        return _decided(others[0](), others[1:], goes_on_if=goes_on_if, is_test=is_test)

    decides = left if is_test else tested(left)
    if not is_staged(decides):
        return following() if bool(decides) is goes_on_if else left
    trace = required_trace()
    known = facts_of(trace, decides)[0 if goes_on_if else 1]
    rest_known: Facts = ()

    def rest() -> Any:
        nonlocal rest_known
        value = following()
        rest_known = facts_of(trace, value)[0 if goes_on_if else 1]
        return value

    go_on, stop = narrowed(rest, known, others), lambda: left
    bodies = (go_on, stop) if goes_on_if else (stop, go_on)
    result = stage_if(trace, truth_of(decides), bodies, others, wants_result=True)[1]
    both = (*known, *rest_known)
    note_facts(trace, result, if_true=both if goes_on_if else (), if_false=() if goes_on_if else both)
    return result


def _truth_for_test(value: Any) -> Any:
    """The truth of an operand, with what is known where it holds and where it does not."""
    if not is_staged(value):
        return bool(value)
    trace = required_trace()
    truth = as_bool(truth_of(value).copy())
    if truth is not value:
        if_true, if_false = facts_of(trace, value)
        note_facts(trace, truth, if_true=if_true, if_false=if_false)
    return truth


def not_(value: Any) -> Any:
    """`not value`."""
    value = tested(resolve_grown_list(value))
    if not is_staged(value):
        return not value
    trace = required_trace()
    opposite = as_bool(np.logical_not(truth_of(value)))
    if_true, if_false = facts_of(trace, value)
    note_facts(trace, opposite, if_true=if_false, if_false=if_true)
    return opposite


def as_bool(truth: Any) -> TracedArray:
    """A truth that was just computed, a traced one, as Python's bool."""
    number: TracedArray = truth._like_python(bool)
    return number


def is_(left: Any, right: Any) -> Any:
    """`left is right`; of values that only the program knows, as far as Python has one object of each."""
    if left is right and isinstance(left, (Optional, Chosen)):
        return True
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Optional):
            return _is_optional(one, other)
        if isinstance(one, Chosen):
            if isinstance(other, TracedArray) and other.ndim and _may_be_array(one):
                raise one._refusal("it is asked whether it is another array")
            return one.is_one_for(partial(is_, other))
    left, right = resolve_grown_list(left), resolve_grown_list(right)
    left, right = traced_generator(left), traced_generator(right)
    if isinstance(left, TracedSource):
        return left == right
    left, right = as_input(left), as_input(right)
    if (noting := lookups()) is not None:
        noting.compared(left, right)
    if left is None or right is None or current_trace() is None:
        return left is right
    if isinstance(left, ToldApart) or isinstance(right, ToldApart):
        told = (one.by_type() if isinstance(one, ToldApart) else one for one in (left, right))
        return left is right or by_type(is_, *told)
    if isinstance(left, GrowingList) and isinstance(right, GrowingList):
        require_told_apart(required_trace(), left, right)
        return left.is_one_with(right)
    if isinstance(left, PooledObject):
        return are_one(left, right)
    compare_identity(left, right)
    require_told_apart(required_trace(), left, right)
    return left is right or same_number(left, right)


def _may_be_array(chosen: Chosen) -> bool:
    """Whether one of several values is an array, of which a choice has a copy."""
    return any(isinstance(option, TracedArray) and option.ndim for option in chosen.options)


def _is_optional(value: Optional, other: Any) -> Any:
    """Whether a value that may be None is another one, which may be None, too."""
    absent = as_bool(value.is_none.copy())
    if other is None:
        note_facts(required_trace(), absent, if_false=is_there(value))
        return absent
    others_absence: Any = other.is_none if isinstance(other, Optional) else False
    present = np.logical_not(np.logical_or(absent, others_absence))
    is_same = is_(value.value, other.value if isinstance(other, Optional) else other)
    either = np.logical_or(np.logical_and(present, is_same), np.logical_and(absent, others_absence))
    truth = as_bool(either)
    if not isinstance(other, Optional):
        note_facts(required_trace(), truth, if_true=is_there(value))
    return truth


def is_not_(left: Any, right: Any) -> Any:
    """`left is not right`."""
    return not_(is_(left, right))


def in_(item: Any, container: Any) -> Any:
    """`item in container`; among arrays whether any element is equal, as in NumPy."""
    if isinstance(item, Chosen) and item.held:
        return item.each(lambda one: in_(one, container))
    if isinstance(container, Chosen) and container.held:
        return container.each(lambda one: in_(item, one))
    return _in(item, container)


def _in(item: Any, container: Any) -> Any:
    if isinstance(container, SequenceIterator):
        return _is_in_turn(item, container)
    container = container if is_text(container) else resolve_grown_list(left_of(container, "in"))
    if isinstance(container, Chosen) and not is_text(container):
        return container.each(lambda one: in_(item, one))
    if isinstance(container, _HASHED):
        require_hashable(item)
    return _in_one(item, container)


def _in_one(item: Any, container: Any) -> Any:
    require_own(current_trace(), container, changes=False)
    if isinstance(container, (TracedArray, CompositeValue)):
        return _is_element(item, container)
    method = users_method(container, "__contains__")
    if method is not None and current_trace() is not None:
        return operators().call(bool, operators().call(method, container, item))
    if isinstance(container, (StandIn, Range)) or is_text(container):
        return container.holds(item)
    if is_text(item) and (isinstance(container, str) or not isinstance(item, Chosen)):
        return item.ask(bool, _is_among, container)
    if isinstance(container, (OneByOne, Sequence)):
        return _is_in_turn(item, container)
    if isinstance(container, (str, bytes)) and isinstance(item, CompositeValue) and item.is_one_text:
        return as_bool(item.is_in(container))
    if isinstance(container, _HASHED) and isinstance(item, (TracedArray, Chosen, Optional, CompositeValue)):
        return holds_key(container, item)
    if becoming.becomes(container, item):
        return becoming.looked_into(container).holds(item)
    if isinstance(item, (TracedArray, CompositeValue)) and isinstance(container, np.ndarray):
        return _is_element(item, asarray(container) if isinstance(item, TracedArray) else container)
    is_compound = isinstance(item, (list, tuple)) and holds_object(item)
    if isinstance(container, (list, tuple, range, set, frozenset)) and (
        is_compound or isinstance(item, PooledObject) or any(map(holds_staged, (item, *container)))
    ):
        return _is_item(item, container)
    look_for(container, item)
    trace = current_trace()
    if trace is not None and is_plain(container):
        trace.watch(container)
    return item in container


def _is_in_turn(item: Any, items: Any) -> Any:
    """Whether something is among items that are taken one after the other, up to the one that it is."""

    def equals(one: Any) -> Any:
        return one is item or operators().compare("==", one, item)

    found = operators().comprehension("any", walked(items), equals)
    return as_bool(found) if isinstance(found, TracedArray) else found


def _is_element(item: Any, array: Any) -> Any:
    """Whether an array has an element; of a text, whether another one is part of it."""
    if isinstance(array, CompositeValue) and array.is_one_text:
        return as_bool(array.holds(item))
    if (number := number_type(array)) is not None:
        operator.contains(number(0), 0)  # raises what Python does
    equal: Any = np.equal
    return as_bool(np.any(equal(array, item)))


def _is_item(item: Any, container: Iterable[Any]) -> Any:
    """Whether something is among items that only the program knows, or is such itself."""
    found: Any = False
    for candidate in container:
        found = or_(found, _truth(item is candidate or operators().compare("==", candidate, item)))
    return as_bool(found.copy()) if isinstance(found, TracedArray) else found


_HASHED = (dict, KeysView, set, frozenset)


def _is_among(item: Any, container: Any) -> bool:
    return item in container


NUMBERS = (bool, int, float, complex, np.number, np.bool_)


def possible_keys(container: Iterable[Any], key: Any) -> list[Any]:
    """The keys of a dict that one may equal which only the program knows: a number, or one of several constants."""
    if isinstance(key, Chosen):
        return [known for known in container if known in key.options]
    if isinstance(key, CompositeValue):
        kind = str if key.dtype.kind == "U" else bytes
        return [known for known in container if key.is_one_text and isinstance(known, kind)]
    return [known for known in container if isinstance(known, NUMBERS)]


def holds_key(container: Iterable[Any], key: Any) -> Any:
    """Whether a key that only the program knows is one of a dict or set."""
    if isinstance(key, Optional):
        value = key.value
        return if_exp(is_(key, None), lambda: None in container, lambda: in_(value, container))
    keys = possible_keys(container, key)
    if isinstance(key, Chosen):
        return key.is_one_of(keys)
    if (found := found_among(keys, key)) is not None:
        return as_bool(found.is_there)
    return as_bool(np.any(np.equal(keys, key))) if keys else False


def not_in_(item: Any, container: Any) -> Any:
    """`item not in container`."""
    return not_(in_(item, container))


def _truth(equal: Any) -> Thunk:
    return lambda: truth_of(equal) if is_staged(equal) else bool(equal)


def holds_staged(value: Any) -> bool:
    """Whether a value is known at run time only, or a tuple, list or dict with such a value in it."""
    value = resolve_grown_list(value)
    if is_staged(value) or isinstance(value, CompositeValue):
        return True
    held = value.values() if type(value) is dict else value
    return isinstance(value, (tuple, list, dict)) and any(map(holds_staged, compound(held)))


def load(read: Thunk, name: str) -> Any:
    """The value of a variable that may be unbound; `UnboundLocalError` where it is."""
    try:
        value = read()
    except NameError as error:
        if isinstance(error, UnboundLocalError) or getattr(error, "name", name) != name:
            raise
        raise UnboundLocalError(unbound_message(name)) from None
    return _loaded(value, "UnboundLocalError", unbound_message, name)


def load_free(read: Thunk, name: str) -> Any:
    """The value of a variable of a function around the one that runs; `NameError` where it has none."""
    return _loaded(read(), "NameError", unbound_free_message, name)


def _loaded(value: Any, error: str, message: Callable[[str], str], name: str) -> Any:
    if not isinstance(value, MaybeUnbound):
        return value
    raise_if(value.unbound, error, message(name).replace("{", "{{"))
    return value.value


def bound(value: Any) -> Any:
    """The value of a variable that surely has one here, although it has none on some paths that end before."""
    return resolve_grown_list(value.value if isinstance(value, MaybeUnbound) else value)


def unbound_message(name: str) -> str:
    """What Python says about a variable without a value."""
    try:
        _unbound()
    except UnboundLocalError as error:
        return str(error).replace("variable_", name)
    raise AssertionError("reading an unbound variable raises")


def unbound_free_message(name: str) -> str:
    """What Python says about a variable without a value of a function around the one that reads it."""
    try:
        _unbound(read_free=True)
    except NameError as error:
        return str(error).replace("variable_", name)
    raise AssertionError("reading an unbound variable raises")


def _unbound(read_free: bool = False) -> Any:
    if UNBOUND is None:
        variable_ = None
    return (lambda: variable_)() if read_free else variable_
