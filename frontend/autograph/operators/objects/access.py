"""Attributes and items of what may be traced, or indexed by something traced."""

from __future__ import annotations

import functools
import operator
import weakref
from enum import Enum
from functools import partial
from types import FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np

from .....backend.gpu.devices.on_device import ARRAYS
from .....dialect.errors import UnsupportedError
from ....indexing.python_sequences import place_in
from ....indexing.views import get_item
from ....indexing.views import set_item as assign_item
from ....numpy_api import lookup
from ....numpy_api.array_memory import change_in_place
from ....reach.links import link
from ....reach.walks import attributes_of
from ....runtime_values import kept_texts, strings
from ....runtime_values.kept_exceptions import number_of
from ....runtime_values.objects import attribute_of
from ....runtime_values.results import RuntimeContainer, RuntimeLength, RuntimeTable
from ....runtime_values.values import holds_traced
from ....signature.traced_value import CompositeValue, StandIn
from ....source.modules import is_own_module, is_users_module
from ....source.own_attributes import own_attributes
from ....tracing.array import TracedArray
from ....tracing.current import current_trace, required_trace
from ....tracing.needed_numbers import need_number
from ....tracing.number_types import number_type
from ....tracing.recorder import Recorder
from ....tracing.several_types import SeveralTypes, as_promoted, by_type, first_of_several
from ..builtins.random_functions import are_generators
from ..calls.calls import call
from ..lists import computed_lengths, text_parts
from ..lists.kept_items import require_no_copy
from ..lists.looked_for import look_for
from ..lists.mixed_containers import joined_of_chosen
from ..statements import dict_lookups
from ..statements.dict_lookups import are_constants, is_looked_up, look_up
from ..tables import becoming, dict_tables
from ..tables.keys import is_run_time_key
from ..values import looked_up
from ..values.array_parts import ArrayParts
from ..values.control_flow_state import snapshot_of
from ..values.hidden_state import require_own
from ..values.iterables import Sequence, is_text
from ..values.known_arrays import compute_item, writable, write_followed
from ..values.looked_up import lookups, note_special
from ..values.made_objects import is_made
from ..values.object_handles import handle_of, pool_of_all, row_of
from ..values.optional import Chosen, ChosenText, MaybeUnbound, Optional
from ..values.program_locations import Attribute
from ..values.ranges import Range
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.special_methods import users_method
from ..values.unfollowed_changes import require_followed, require_followed_attribute
from .arithmetic import update
from .changed_classes import require_state_of_class
from .chosen_objects import ChosenAttributes, are_objects, called_on_chosen, class_in_python
from .keys import plain_key, there
from .members import first_member, is_of_class, looked_in, member_of

_OF_THE_LAYOUT = ("shape", "dtype", "strides", "data")
"""The attributes of arrays that say how elements are laid out."""


class _Index:
    """`index[1:n, ...]` is what stands in the brackets."""

    def __getitem__(self, key: Any) -> Any:
        return key


index = _Index()


def attr(owner: Any, name: str) -> Any:
    """`owner.name`; a property is a function, which is converted."""
    if isinstance(owner, SeveralTypes) and not owner.is_written:
        return _of_several(owner, name)
    if isinstance(owner, Optional):
        return call(type, owner) if name == "__class__" else attr(owner.owner_of(name), name)
    if is_text(owner) and name in text_parts.METHODS:
        return text_parts.parts_of_text(owner, name)
    if isinstance(owner, ChosenText) and not (
        name in ("name", "value") and isinstance(owner.options[0], Enum)
    ):
        return owner.__getattr__(name)  # its own attributes are not those of a text
    return _attribute(owner, name)


def _attribute(owner: Any, name: str) -> Any:
    if isinstance(owner, BaseException) and number_of(owner) is not None and not is_of_class(owner, name):
        return attribute_of(owner, name)
    if isinstance(owner, TracedArray) and owner._python_type is not None:
        _need_number(owner, name)
    trace, noting = current_trace(), lookups()
    owner = _behind_proxy(owner)
    if isinstance(owner, Chosen) and trace is not None and _have_attributes(trace, owner, name):
        return _of_chosen(owner, name)
    _require_attribute(owner, name)
    if not isinstance(owner, TracedArray):
        if noting is not None:
            noting.attribute(owner, name)
        holder, classes = looked_in(owner)
        member = first_member(classes, name)
        if isinstance(member, property) and isinstance(member.fget, FunctionType):
            return call(member.fget, holder)
        if trace is not None and (found := _of_descriptor(member, holder, name)) is not None:
            return found
    method = None if trace is None else _asked_last(owner)
    try:
        value = getattr(owner, name) if method is None else _own_value(owner, name)
    except AttributeError:
        if noting is not None and not (trace is not None and is_made(trace, owner)):
            noting.absent(owner, name)
        if method is None:
            raise
        return call(method, name)
    return _as_program_has_it(trace, owner, name, value)


def _as_program_has_it(trace: Recorder | None, owner: Any, name: str, value: Any) -> Any:
    """What stands for an attribute in compiled code."""
    if trace is None:
        return value
    if isinstance(owner, ModuleType):
        trace.dependencies.read(owner, name)
    if isinstance(value, MaybeUnbound):
        return looked_up.bound(owner, name, value)
    if name == "__dict__":
        looked_up.require_bound(owner)
    state = trace.python_state
    return resolve_grown_list(value if state is None else state.attribute(owner, name, value))


def _need_number(owner: TracedArray, name: str) -> None:
    """Take note that an attribute of a number of Python's is asked for, which has not all those of arrays."""
    need_number(owner, f"the attribute {name}")
    number = number_type(owner)
    if number is not None and not hasattr(number, name):
        raise AttributeError(f"'{number.__name__}' object has no attribute '{name}'")


def _of_several(owner: SeveralTypes, name: str) -> Any:
    """An attribute of a number or array that is of several types: a method is called by type.

    Arrays are written as those of the dtype that the types promote to.
    """
    if name in _WRITING and all(type_.is_array for type_ in owner.types):
        return attr(as_promoted(owner), name)
    kinds = [type_.number if type_.number is not None else np.ndarray for type_ in owner.types]
    if any(callable(getattr(kind, name, None)) for kind in kinds):
        return lambda *args, **kwargs: by_type(
            lambda value, *given, **named: call(attr(value, name), *given, **named), owner, *args, **kwargs
        )
    return by_type(lambda value: attr(value, name), owner)


_NAMES = frozenset({"__name__", "__qualname__", "__module__"})
"""What one of several classes tells of itself."""


def _have_attributes(trace: Recorder, owner: Chosen, name: str) -> bool:
    """Whether the options are generators, classes that tell their names, members of enumerations, objects that are
    followed, or not alike.
    """
    return (
        are_generators(owner.options)
        or _are_named(owner, name)
        or bool(owner.held)
        or all(isinstance(option, Enum) for option in owner.options)
        or are_objects(trace, owner.options)
    )


def _are_named(owner: Chosen, name: str) -> bool:
    return name in _NAMES and all(isinstance(option, type) for option in owner.options)


def _of_chosen(owner: Chosen, name: str) -> Any:
    """An attribute of what was chosen: that of each of several generators or classes, or that of the object."""
    if are_generators(owner.options) or _are_named(owner, name):
        return Chosen(owner.index, tuple(attr(option, name) for option in owner.options))
    if any(callable(getattr(class_in_python(option), name, None)) for option in owner.options):
        return lambda *args, **kwargs: called_on_chosen(
            owner, lambda one, *given: call(attr(one, name), *given, **kwargs), *args
        )
    if len(owner.options) >= _MANY and not owner.held and all(_is_kept(one, name) for one in owner.options):
        found = owner.of_known([attr(option, name) for option in owner.options])
        if found is not NotImplemented:
            return found
    held = (resolve_grown_list((attributes_of(option) or {}).get(name)) for option in owner.options)
    trace = required_trace()
    if trace.choices.own_chosen and all(
        isinstance(value, (list, dict, set, RuntimeContainer)) for value in held
    ):
        found = tuple(attr(option, name) for option in owner.options)
        return Chosen(owner.index, found, frozenset(range(len(found))))
    return joined_of_chosen(trace, lambda: owner.each(partial(attr, name=name)))


_MANY = 4
"""So many options are looked up in a table, where fewer are told apart by conditions."""


def _is_kept(owner: Any, name: str) -> bool:
    """Whether an object itself has an attribute, which nothing computes."""
    kind: Any = type(owner)
    is_usual = kind.__getattribute__ is object.__getattribute__
    return is_usual and name in own_attributes(owner) and not hasattr(member_of(kind, name), "__get__")


def _behind_proxy(owner: Any) -> Any:
    """The object that a `weakref.proxy` stands for."""
    is_proxy = type(owner) in (weakref.ProxyType, weakref.CallableProxyType)
    return link("what it stands for").get(owner) if is_proxy else owner


def _asked_last(owner: Any) -> Any:
    """What a user has written to answer for attributes that are not there; None where nobody has."""
    if isinstance(owner, ModuleType):
        found = vars(owner).get("__getattr__")
        return found if isinstance(found, FunctionType) and is_users_module(owner.__name__) else None
    found = users_method(owner, "__getattr__")
    return None if found is None else found.__get__(owner)


def _own_value(owner: Any, name: str) -> Any:
    """An attribute that is there, without asking `__getattr__`."""
    if isinstance(owner, ModuleType):
        if name not in vars(owner):
            raise AttributeError(f"module {owner.__name__!r} has no attribute {name!r}")
        return vars(owner)[name]
    getter: Any = type(owner).__getattribute__
    return getter(owner, name)


def _of_descriptor(member: Any, owner: Any, name: str) -> Any:
    """What a class's attribute gives whose `__get__` a user has written, or that is computed once; None for others."""
    method = users_method(member, "__get__")
    if method is not None and (
        hasattr(type(member), "__set__") or name not in getattr(owner, "__dict__", ())
    ):
        return call(method, member, owner, type(owner))
    if isinstance(member, functools.cached_property) and name not in vars(owner):
        setattr(owner, name, call(member.func, owner))
    return None


def update_attr(owner: Any, name: str, symbol: str, value: Any, late: bool = False) -> None:
    """`owner.name symbol value`, as in `o.x += 1`; a late value is a function, called after the attribute is read."""
    target = changed(owner, name)
    if isinstance(target, ChosenAttributes) and required_trace().choices.own_chosen:
        owner.with_others(lambda one, new: update_attr(one, name, symbol, new, late), value)
        return
    owner = owner if isinstance(target, (_Attributes, ChosenAttributes)) else target
    old = attr(owner, name)
    new = update(symbol, old, value() if late else value)
    if isinstance(target, (_Attributes, ChosenAttributes)):
        setattr(target, name, new)
        return
    is_input = new is old and isinstance(new, TracedArray) and getattr(owner, name) is not new
    if not is_input:  # what was written in place is there already
        setattr(owner, name, new)


def changed(owner: Any, name: str) -> Any:
    """The owner of an attribute that is about to be set or deleted; classes and modules are refused."""
    owner = resolve_grown_list(_behind_proxy(owner))
    if isinstance(owner, Optional):
        return changed(owner.owner_of(name), name)
    if isinstance(owner, (RuntimeLength, RuntimeTable)) and name != "default_factory":
        _refuse_attribute(owner.python_type, name)
    if isinstance(owner, Chosen) and (trace := current_trace()):
        if not are_objects(trace, owner.options):
            raise owner._refusal(f"its attribute {name!r} is changed")
        return ChosenAttributes(owner, changed)
    trace = current_trace()
    if trace is not None and isinstance(owner, type) and require_state_of_class(trace, owner, name):
        return owner
    if isinstance(owner, (type, ModuleType)) and trace is not None:
        kind = "class" if isinstance(owner, type) else "module"
        raise UnsupportedError(
            f"the attribute {name!r} of the {kind} {owner.__name__!r} is changed, which compiled code would do once, "
            "while it is traced: keep it in an object, a dict or a global variable of the function's module"
            + (", or in an attribute that the class itself has before" if isinstance(owner, type) else "")
        )
    if trace is not None and trace.python_state is not None and type(owner).__module__ == "decimal":
        trace.python_state.require_own_context(owner, name)
    if trace is not None and not isinstance(owner, (np.ndarray, TracedArray)):
        require_followed_attribute(trace, owner, name)
        if trace.python_state is not None:
            trace.python_state.stored.note(owner, name)
    if trace is None or not isinstance(owner, (np.ndarray, TracedArray)):
        return owner if trace is None or not _is_set_otherwise(owner, name) else _Attributes(owner)
    if name in _OF_THE_LAYOUT:
        return _Laid(owner)
    return writable(trace, owner) if isinstance(owner, ARRAYS) else owner


_WRITING = frozenset({"fill", "partition", "put", "sort"})
"""The methods of arrays that write them."""


def _refuse_attribute(kind: type, name: str) -> NoReturn:
    """Raise what Python does where an attribute of a list, dict or set is set, and else that it cannot be kept."""
    setattr(kind(), name, None)
    raise UnsupportedError(
        f"the attribute {name!r} of a {kind.__name__} is set whose size the program decides on: keep it in a variable"
    )


def _require_attribute(owner: Any, name: str) -> None:
    """Raise what Python raises for an attribute that its own lists, dicts, sets and views of dicts do not have.

    What hangs on a value that only the program knows is refused.
    """
    if isinstance(owner, CompositeValue) and owner.is_one_text and name in ("dtype", "itemsize", "nbytes"):
        raise UnsupportedError(
            f"{name} of one text tells how long it is, which only the program knows: ask the array (x.{name}), "
            "or len(x[i])"
        )
    if name.startswith("__"):
        return
    if isinstance(owner, StandIn):
        getattr(owner.in_python, name)


class _Laid:
    """An array whose attributes that say how its elements are laid out are set."""

    __slots__ = ("_array",)
    _array: Any

    def __init__(self, array: Any) -> None:
        object.__setattr__(self, "_array", array)

    def __setattr__(self, name: str, value: Any) -> None:
        change_in_place(self._array, name, value)

    def __getattr__(self, name: str) -> Any:
        return attr(self._array, name)


class _Attributes:
    """An object whose attributes are set and deleted by methods that a user has written, which are converted.

    So is one of an attribute that is there on some paths only.
    """

    __slots__ = ("_owner",)
    _owner: Any

    def __init__(self, owner: Any) -> None:
        object.__setattr__(self, "_owner", owner)

    def __setattr__(self, name: str, value: Any) -> None:
        owner = self._owner
        if isinstance(setter := _setter(owner, name), partial):
            setter(value)
        else:
            setattr(owner, name, value)

    def __delattr__(self, name: str) -> None:
        owner, member = self._owner, member_of(type(self._owner), name)
        method = users_method(owner, "__delattr__")
        if method is not None:
            call(method, owner, name)
        elif isinstance(member, property) and isinstance(member.fdel, FunctionType):
            call(member.fdel, owner)
        elif (method := users_method(member, "__delete__")) is not None:
            call(method, member, owner)
        else:
            own = Attribute(name, owner, name).get()
            if isinstance(own, MaybeUnbound):
                looked_up.require_there(owner, name, own)
            delattr(owner, name)


def _is_set_otherwise(owner: Any, name: str) -> bool:
    """Whether setting or deleting an attribute is not what Python does with what is there on every path."""
    return _setter(owner, name) is not None or isinstance(Attribute(name, owner, name).get(), MaybeUnbound)


def _setter(owner: Any, name: str) -> Any:
    """What a user has written to set or delete an attribute of an object; None for what Python does by itself."""
    member = member_of(type(owner), name)
    method = users_method(owner, "__setattr__")
    if method is not None:
        return partial(call, method, owner, name)
    if isinstance(member, property):
        return partial(call, member.fset, owner) if isinstance(member.fset, FunctionType) else member.fdel
    if (method := users_method(member, "__set__")) is not None:
        return partial(call, method, member, owner)
    return users_method(owner, "__delattr__") or users_method(member, "__delete__")


def _writable(trace: Recorder, container: Any) -> Any:
    """What to write an item to: an array from outside, and `flat` of one, is written at each call."""
    if isinstance(container, np.flatiter):
        return writable(trace, container.base).flat
    return writable(trace, container) if isinstance(container, ARRAYS) else container


def item(container: Any, key: Any) -> Any:
    """`container[key]`."""
    container = resolve_grown_list(container)
    if isinstance(container, SeveralTypes) or (isinstance(key, SeveralTypes) and key.dtype.kind not in "biu"):
        return by_type(item, container, key)
    if isinstance(container, Chosen) and container.held:
        return container.with_others(item, key)
    if isinstance(key, Chosen) and key.held:
        return key.each(lambda one: item(container, one))
    return _item(container, key)


def _holds_constants_or_texts(container: Any) -> bool:
    if isinstance(container, str) or are_constants(container) or pool_of_all(container) is not None:
        return True
    return (
        type(container) in (list, tuple) and bool(container) and all(map(computed_lengths.is_text, container))
    )


def _one_of(container: Any, place: TracedArray) -> Any:
    """The constant, text or object of a pool at a place that only the program knows."""
    if len(container) == 1:
        return container[0]
    if (pool := pool_of_all(container)) is not None:
        numbers = lookup("stack")([handle_of(one)[1] for one in container])
        return row_of(pool, numbers[place]._like_python(int))
    if isinstance(container, str) or are_constants(container):
        return Chosen(place, tuple(container))
    trace = place._storage.trace
    numbers = [kept_texts.number_of_text(trace, text) for text in container]
    return kept_texts.text_of_number(trace, lookup("stack")(numbers)[place])


def _item(container: Any, key: Any) -> Any:
    require_own(current_trace(), container, changes=False)
    look_for(container, key)
    method = member_of(type(container), "__getitem__")
    if isinstance(method, FunctionType) and not is_own_module(method.__module__):
        note_special(type(container), "__getitem__")
        return call(method, container, key)
    if isinstance(container, type) and isinstance(member_of(container, "__class_getitem__"), classmethod):
        return call(container.__class_getitem__, key)  # type: ignore[attr-defined]
    if isinstance(container, dict) and not is_run_time_key(key):
        method = users_method(
            container, "__missing__"
        )  # whether the key is there costs a call of its __hash__
        if method is not None and key not in container:
            return call(method, container, key)
    if isinstance(container, Sequence) and not isinstance(container, (Range, ArrayParts)):
        raise TypeError(f"'{type(container).__name__.lower()}' object is not subscriptable")
    if is_looked_up(container, key):
        return look_up(container, key)
    if becoming.becomes(container, key):
        return becoming.become_table(container)[key]
    if isinstance(key, TracedArray) and _holds_constants_or_texts(container):
        return _one_of(container, place_in(container, key))
    if (
        isinstance(key, TracedArray)
        and not computed_lengths.is_of_lists(container, key)
        and (columns := computed_lengths.columns_to_choose_from(container)) is not None
    ):
        entries = [item(column, key) for column in columns]
        return type(container[0])(*entries) if hasattr(container[0], "_fields") else tuple(entries)
    return _item_at(container, plain_key(container, key))


def _item_at(container: Any, key: Any) -> Any:
    if isinstance(container, str) and isinstance(key, slice) and holds_traced(key, depth=2):
        return strings.string_of(operator.getitem, container, key)
    if isinstance(container, (list, tuple)) and computed_lengths.is_of_lists(container, key):
        return computed_lengths.part(container, key)
    if isinstance(container, (Range, ArrayParts)):
        return resolve_grown_list(container[key])
    trace = current_trace()
    if trace is None or not _is_of_numpy(container):
        return resolve_grown_list(get_item(container, key))
    return resolve_grown_list(compute_item(trace, container, key))


def _is_of_numpy(container: Any) -> bool:
    if isinstance(container, TracedArray):
        return container._storage.known is not None
    return isinstance(container, np.ndarray) or type(container).__module__.startswith("numpy.lib")


def set_item(container: Any, key: Any, value: Any) -> None:
    """`container[key] = value`; an array from outside is written at each call."""
    container = there(container, "'NoneType' object does not support item assignment")
    if isinstance(container, Chosen) and container.held:
        container.with_others(set_item, key, value)
        return
    if isinstance(container, (np.ndarray, TracedArray)) and first_of_several((key, value)) is not None:
        owner = as_promoted(container)
        by_type(lambda at, new: set_item(owner, at, new), key, value)
        return
    trace = current_trace()
    if isinstance(value, Optional) and isinstance(container, (np.ndarray, TracedArray)):
        value = value.stored(container.dtype)
    method = users_method(container, "__setitem__")
    if method is not None and trace is not None:
        call(method, container, key, value)
        return
    require_own(trace, container)
    require_followed(trace, container)
    if trace is not None:
        container = _writable(trace, container)
    if isinstance(key, Chosen) and is_looked_up(container, key) and dict_lookups.holds_all(container, key):
        dict_lookups.assign(container, key, value)
        return
    if becoming.becomes(container, key):
        becoming.put(container, key, value)
        return
    key = plain_key(container, key)
    if type(container) is list and _put_in_list(container, key, value):
        return
    if trace is not None and isinstance(container, TracedArray):
        write_followed(trace, operator.setitem, container, key, value)
    else:
        assign_item(container, key, value)


def _put_in_list(items: list[Any], key: Any, value: Any) -> bool:
    """Put something where only the program knows the place, or how much it is; False for what is known."""
    if computed_lengths.has_computed_bounds(key):
        assign_item(computed_lengths.growing(items, key), key, value)
        return True
    if isinstance(key, slice) and isinstance(resolve_grown_list(value), RuntimeLength):
        computed_lengths.replace_part(items, key, resolve_grown_list(value))
        return True
    if not isinstance(key, TracedArray):
        return False
    require_no_copy(items)  # there would be one for each place
    written = computed_lengths.as_written(items, value)
    if not computed_lengths.puts_array(written, key, value):
        assign_item(written, key, value)
    return True


def del_item(container: Any, key: Any) -> None:
    """`del container[key]`."""
    container = there(container, "'NoneType' object does not support item deletion")
    if isinstance(container, Chosen) and container.held:
        container.with_others(del_item, key)
        return
    method = users_method(container, "__delitem__")
    if method is not None and current_trace() is not None:
        call(method, container, key)
        return
    if becoming.becomes(container, key):
        container = becoming.become_table(container)
    if type(container) is list and (
        isinstance(key, TracedArray) or computed_lengths.has_computed_bounds(key)
    ):
        if isinstance(key, slice):
            container = computed_lengths.growing(container, key)
        else:
            call(container.pop, key)
            return
    del container[key]


def update_item(container: Any, key: Any, symbol: str, value: Any, late: bool = False) -> None:
    """`container[key] symbol value`, as in `x[i] += 1`; a late value is a function, called after the item is read."""
    trace = current_trace()
    container = there(container, "'NoneType' object is not subscriptable")
    if isinstance(container, Chosen) and container.held:
        container.with_others(lambda one, at, new: update_item(one, at, symbol, new, late), key, value)
        return
    if trace is not None:
        container = _writable(trace, container)
    if becoming.becomes(container, key) and not dict_lookups.is_short(container, key):
        container = becoming.become_table(container)
    if isinstance(container, dict_tables.DictTable):
        is_read = late and trace is not None and snapshot_of(trace, (value,)).knows(container)
        container.update_item(key, lambda old: update(symbol, old, value() if late else value), is_read)
        return
    if is_looked_up(container, key):
        dict_lookups.update(container, key, lambda old: update(symbol, old, value() if late else value))
        return
    if isinstance(container, SeveralTypes):
        container = as_promoted(container)  # of a list it makes another one
    old = item(container, key)
    new = update(symbol, old, value() if late else value)
    if new is not old or not isinstance(old, TracedArray) or type(container) is not list:
        set_item(container, key, new)
