"""Calls without Python: what is compiled is described to the native dispatcher, with the arguments that it is for.

A description is made of a call that took the long way, argument by argument. For what cannot be told to
native code it asks Python, or leaves such calls to the long way, which decides what calls mean.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.cpu.dispatch.copying import prepare_copies
from ...backend.cpu.dispatch.descriptors import MOST_VALUES, READY, Descriptor, Program
from ...backend.cpu.dispatch.native_code import NativeCode
from ...backend.cpu.execution.executable import Executable, RuntimeFailure
from ...backend.cpu.native_python.layout import WRITABLE, Array
from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.errors import InternalError, PythonNumberError
from ...dialect.types import TensorType
from ..guards.handles import Bound
from ..guards.inputs import NUMBERS
from ..signature.composite_arrays import ArrayParts, part_with, parts_of_array
from ..signature.feed_keys import FeedParts
from ..signature.foreign_arrays import reader
from ..signature.generators import GeneratorParts, parts_of_generator, words_with
from ..signature.layout_keys import lies_as, row_major_key
from ..signature.packed_numbers import PackedNumbers
from ..signature.signature import Leaf, Node, Static, Structure, is_array, packed_leaves
from ..source.own_attributes import has_fields
from ..tracing.needed_numbers import LengthNumber
from .concrete import ConcreteFunction, exception_of
from .native_device_calls import (
    check_device,
    contiguous,
    device_code,
    device_of,
    gives_arrays,
    has_device,
    is_copied_by_machine,
    runs_on_device,
    taken,
)
from .native_guards import Guards, compare
from .native_results import Builder, is_plain, is_ready, returned_arguments, scalars_of, without_own_frames
from .native_updates import Stores, change_arguments, containers_outside, kept_entries, updates_of
from .packed_lists import packed_in
from .parameters import Arguments, Parameters, Unknown
from .plain_values import BY_COMPARISON, has_plain_members, has_plain_value, stands_for

if TYPE_CHECKING:
    from ...backend.gpu.arrays.native_words import DeviceWords
    from ...backend.gpu.runtime.native_code import DeviceCode


def describe(concrete: ConcreteFunction, arguments: Arguments, parameters: Parameters) -> Descriptor | None:
    """The descriptor of a compiled function for a call, None where there cannot be one."""
    try:
        slots = list(parameters.sorted(arguments))
        return _Description(concrete, arguments.leaves, len(slots), parameters).make(slots, arguments.bound)
    except Unknown:
        return None


class _Description:
    """Describes one call; what is made of it must not refer to it, or else the arguments would stay alive."""

    def __init__(
        self, concrete: ConcreteFunction, leaves: Sequence[Any], slots: int, parameters: Parameters
    ) -> None:
        self._concrete = concrete
        self._leaves = leaves
        self._parameters = parameters
        self._program = Program(slots)
        self._objects: list[int] = [0] * len(leaves)
        """Where the objects of the leaves are."""
        self._given: list[int] = [0] * len(leaves)
        """Where what was passed for them is, which they may have been read of."""
        self._data: list[int] = [0] * len(leaves)
        """Where what machine code gets for them is."""
        self._containers: dict[int, int] = {}
        """Where the containers among the arguments are, and other objects that are no data, by identity."""
        self._items: dict[int, Sequence[int]] = {}
        """Where the items of lists are."""
        self._with_items: set[int] = set()
        """The lists whose items are needed themselves."""
        self._changeable: list[int] = []
        """Where the containers are that may change."""
        self._device = device_of(concrete)
        """Where the program runs, if not on the processor."""
        are_ready = all(map(is_ready, concrete._captured)) and all(
            is_ready(leaf) or (not concrete._written and is_copied_by_machine(leaf)) for leaf in leaves
        )
        self._by_machine = (
            are_ready
            and not concrete._stores_early
            and not concrete._states
            and (NativeCode.fits(concrete._executable) or runs_on_device(concrete, leaves))
        )

    def make(self, slots: Sequence[tuple[Any, Structure]], call: Bound) -> Descriptor:
        program, concrete = self._program, self._concrete
        self._with_items = kept_entries(updates_of(concrete) or (), call)
        for slot, (value, node) in enumerate(slots):
            self._check(value, node, program.slot(slot))
        guards = Guards(program)
        guards.add_all(concrete.guards)
        for handle, position in concrete._shared:
            program.same(guards.place(handle), self._objects[position])
        for position, extra in enumerate(concrete._extra, len(self._leaves)):
            self._objects.append(place := guards.input(extra))
            self._data.append(self._check_array(place, extra.type, self._flags(position), has_device(extra)))
            self._check_layout(position, place, self._flags(position))
        self._check_aliases(guards)
        check_device(program)
        if not self._by_machine:
            run = _runner(concrete, self._parameters)
            return self._finished(program.finish, None, (), self._objects, run)
        self._check_written(guards)
        if self._changeable and concrete.updates is not None:  # where some are one, Python refuses the call
            program.distinct([*self._changeable, *containers_outside(concrete, guards, call)])
        self._stores = Stores(program, guards, call, self._containers, self._items)
        self._build()
        inputs = [self._data[source] for source in concrete._sources]
        return self._finished(program.finish, native_code(concrete), inputs, self._objects)

    def _finished(self, finish: Callable[..., Descriptor], *arguments: Any) -> Descriptor:
        if self._program.size > MOST_VALUES:
            raise Unknown
        return finish(self._concrete, *arguments, takes_turns=self._concrete.takes_turns)

    def _flags(self, position: int) -> int:
        """What an array of the call must be like in memory; Python looks after that where it runs the call."""
        if not self._by_machine:
            return Array.ANY_LAYOUT
        return READY | (WRITABLE if position in self._concrete._written else 0)

    def _check_layout(self, position: int, place: int, flags: int) -> None:
        """Let Python look at how an array lies in memory, where the program depends on it and flags do not tell."""
        for known, key in self._concrete._layouts:
            if known == position and (flags < 0 or key != row_major_key(len(key[0] or ()))):
                self._program.holds(place, functools.partial(lies_as, key))

    # Arguments

    def _check(self, value: Any, node: Structure, place: int) -> None:
        if isinstance(node, Leaf):
            self._check_leaf(value, node.index, place)
        elif isinstance(node, Static):
            self._containers[id(value)] = place
            compare(self._program, place, value)
        elif node.kind is PackedNumbers:
            self._check_packed(value, node, place)
        else:
            self._containers[id(value)] = place
            if not isinstance(value, tuple) and node.kind not in (ArrayParts, GeneratorParts):
                self._changeable.append(place)
            if self._check_numbers(value, node, place):
                return
            for part, child, where in self._parts(value, node, place):
                self._check(part, child, where)

    def _check_packed(self, value: Any, node: Node, place: int) -> None:
        """Let native code gather the numbers of lists, or Python where others than machine code get the array."""
        self._containers[id(value)] = place
        if change_arguments(updates_of(self._concrete) or ()) or self._concrete._result.found:
            self._note_lists(value, place)
        for column, child in enumerate(node.children):
            index = child.index
            is_alone = index in self._data_alone
            where = packed_in(self._program, place, node.keys[0], column, is_alone)
            if not is_alone:
                self._check_array(where, self._concrete.argument_types[index], READY, False)
            self._given[index] = place
            self._objects[index] = self._data[index] = where

    def _note_lists(self, value: Any, place: int) -> None:
        """Note where the lists in a container are, which change."""
        self._containers[id(value)] = place
        has_inner = any(isinstance(item, (list, tuple)) for item in value)
        if type(value) is list:
            self._changeable.append(place)
            if has_inner or id(value) in self._with_items:
                self._items[id(value)] = self._program.list_items(place, len(value))
        if has_inner:
            places = self._items.get(id(value)) or self._program.tuple_items(place, tuple, len(value))
            for item, where in zip(value, places, strict=True):
                self._note_lists(item, where)

    def _check_numbers(self, value: Any, node: Node, place: int) -> bool:
        """Let native code walk a list or tuple of numbers of one type, which are data for machine code alone."""
        indices = [child.index for child in node.children if isinstance(child, Leaf)]
        kinds = set(map(self._kind_of_number, indices))
        if node.kind not in (list, tuple) or len(kinds) != 1 or len(indices) != len(node.children):
            return False
        kind = kinds.pop()
        if (
            kind not in (int, float)
            or id(value) in self._with_items
            or not self._data_alone.issuperset(indices)
        ):
            return False
        for index, where in zip(
            indices, self._program.numbers(place, node.kind, kind, len(value)), strict=True
        ):
            self._given[index] = self._objects[index] = self._data[index] = where
        return True

    def _kind_of_number(self, index: int) -> type | None:
        """The type of a number of Python's that is data; None for another leaf."""
        kind = self._concrete.numbers.get(index)
        return int if kind is LengthNumber else kind

    def _check_leaf(self, value: Any, index: int, place: int) -> None:
        number = self._kind_of_number(index)
        if number is not None:
            self._objects[index], self._data[index] = place, self._program.python_number(place, number)
            return
        expected = self._concrete.argument_types[index]
        leaf = self._leaves[index]
        self._given[index] = place
        if isinstance(leaf, OnDevice):
            place = self._objects[index] = taken(self._program, place, value, leaf)
            flags = self._flags(index) if is_ready(leaf) else Array.OTHER_LAYOUT
            self._data[index] = self._check_array(place, expected, flags, True)
            self._check_layout(index, place, flags)
            if self._by_machine and flags == Array.OTHER_LAYOUT:
                copy = self._program.made(place, contiguous)
                self._data[index] = self._check_array(copy, expected, READY, True)
            return
        if value is not leaf and index in self._data_alone and stands_for(value, leaf):
            write = self._program.python_number if type(value) in NUMBERS else self._program.scalar
            # One number may come twice, what stands for it may not.
            self._given[index] = self._objects[index] = self._data[index] = write(place, type(value))
            return
        if value is not leaf:
            place = self._read(value, leaf, place)
            if isinstance(value, np.generic) or not is_array(value):
                self._given[index] = place  # equal numbers are no array that comes twice
            value = leaf
        self._objects[index] = self._data[index] = place
        if type(value) is np.ndarray:
            other = Array.STRIDED if self._by_machine else Array.OTHER_LAYOUT
            flags = self._flags(index) if is_ready(value) else other
            self._check_array(place, expected, flags, False)
            self._check_layout(index, place, flags)
            if flags == Array.STRIDED:
                prepare_copies(expected)
                self._data[index] = self._program.copied(place)
        elif index in self._concrete._written:
            raise Unknown
        elif isinstance(value, np.generic) and has_plain_value(value):
            self._data[index] = self._program.scalar(place, value.__class__)
        else:
            raise Unknown

    def _check_array(self, place: int, type: TensorType, flags: int, is_on_device: bool) -> int:
        """Check an array; returns the place of what machine code gets for it."""
        if not is_on_device:
            self._program.array(place, type.dtype, type.shape, flags)
            return place
        if self._device is None:
            raise Unknown
        return self._program.device_array(place, self._device.address, type.dtype, type.shape, flags)

    @functools.cached_property
    def _data_alone(self) -> set[int]:
        """The arguments of which nothing but machine code gets what is made of them."""
        concrete = self._concrete
        if not self._by_machine or self._device is not None or not is_plain(concrete):
            return set()
        return set(range(len(self._leaves))) - returned_arguments(concrete) - set(concrete._written)

    def _read(self, value: Any, leaf: Any, place: int) -> int:
        """Where the array is that is read of an object which carries it, or made of what an input signature takes."""
        if type(leaf) is not np.ndarray:
            raise Unknown  # it lies on a GPU
        self._program.kind(place, type(value))
        return self._program.made(place, reader(value, leaf.dtype))

    def _parts(self, value: Any, node: Node, place: int) -> Iterable[tuple[Any, Structure, int]]:
        """What is in a container, its structure, and where it is."""
        program, kind, keys = self._program, node.kind, node.keys
        if kind is list:
            places = self._items[id(value)] = program.list_items(place, len(value))
            return zip(value, node.children, places, strict=True)
        if kind is FeedParts:
            raise Unknown  # whose items a call of Python looks at first
        if kind is GeneratorParts:
            parts = parts_of_generator(value)
            assert parts is not None
            words = functools.partial(words_with, parts.algorithm)
            return [(parts.words, node.children[1], program.made(place, words))]
        if kind is ArrayParts:
            composite = parts_of_array(value)
            assert composite is not None
            return [
                (part, child, program.made(place, functools.partial(part_with, composite.dtype, number)))
                for number, (part, child) in enumerate(zip(composite.arrays, node.children[1:], strict=True))
            ]
        if issubclass(kind, tuple):
            if hasattr(value, "__dict__"):
                raise Unknown  # whose attributes Python looks at
            return zip(value, node.children, program.tuple_items(place, kind, len(value)), strict=True)
        if not all(type(key) in BY_COMPARISON for key in keys):
            raise Unknown
        if kind is dict:
            return zip(map(value.get, keys), node.children, program.dict_items(place, keys), strict=True)
        members = getattr(value, "__dict__", None) if has_fields(kind) else None
        if type(members) is not dict or set(members) != set(keys) or not has_plain_members(kind, keys):
            raise Unknown
        return zip(map(members.get, keys), node.children, program.members(place, kind, keys), strict=True)

    def _check_aliases(self, guards: Guards) -> None:
        concrete = self._concrete
        aliases = concrete._aliases
        for index, first in enumerate(aliases):
            if first != index:
                self._program.same(self._given[index], self._given[first])
        own = {*concrete.numbers, *(index for index, _ in packed_leaves(concrete.argument_structure))}
        own |= {i for i in concrete._scalars if concrete.argument_types[i].dtype == np.bool_}
        distinct = [i for i, first in enumerate(aliases) if first == i and i not in own]
        places = [*map(self._given.__getitem__, distinct), *self._objects[len(aliases) :]]
        if concrete._written:
            known = {id(extra.array) for extra in concrete._extra if hasattr(extra, "array")}
            places += [guards.constant(array) for array in concrete._captured if id(array) not in known]
        self._program.distinct(places)

    def _check_written(self, guards: Guards) -> None:
        """What is written must not overlap other arrays, nor those from outside."""
        concrete = self._concrete
        if not concrete._written:
            return
        captured = [(guards.constant(array), array.nbytes, False) for array in concrete._captured]
        known = {self._objects[source] for source in concrete._sources}
        arrays = [
            (self._data[source], self._size(source), source in concrete._written)
            for source in concrete._sources
            if source not in concrete.numbers and not isinstance(self._leaf(source), np.generic)
        ]
        self._program.separate([*arrays, *(array for array in captured if array[0] not in known)])

    def _leaf(self, index: int) -> Any:
        return self._leaves[index] if index < len(self._leaves) else None

    def _size(self, index: int) -> int:
        """The bytes of an array; those of an item, times -1, if its shape is not known."""
        own = len(self._leaves)
        type = (
            self._concrete.argument_types[index] if index < own else self._concrete._extra[index - own].type
        )
        size = type.dtype.itemsize
        if None in type.shape:
            return -size
        for extent in type.shape:
            size *= extent or 0
        return size

    # Results

    def _build(self) -> None:
        """Say how the result is built, and what is stored besides."""
        concrete, program = self._concrete, self._program
        updates = updates_of(concrete)
        if is_plain(concrete) and (self._device is None or (gives_arrays(concrete) and not updates)):
            builder = Builder(program, concrete, self._leaves, self._objects, self._stores, self._device)
            builder.build(concrete._result)
            if updates:
                self._stores.add(updates, builder.build)
        else:
            finish = _finisher(concrete, self._parameters, self._device)
            program.build_by_python(finish, len(concrete._computed_types))


def _runner(concrete: ConcreteFunction, parameters: Parameters) -> Callable[..., Any]:
    """What runs a compiled function on arrays that were found right."""
    return without_own_frames(lambda leaves, slots: concrete.run(leaves, parameters.bound(slots)))


def _finisher(
    concrete: ConcreteFunction, parameters: Parameters, device: DeviceWords | None
) -> Callable[..., Any]:
    """What makes the result of computed arrays, the arrays of the call and the arguments."""

    def finish(outputs: list[Any], leaves: list[Any], slots: list[Any]) -> Any:
        if device is not None:
            outputs = list(map(device.array, outputs))
        bound = parameters.bound(slots)
        if concrete.updates is not None:
            concrete.updates.require_apart(bound)  # of lists whose numbers alone native code has looked at
        outputs = concrete._result.with_places(outputs)
        result = concrete._result.build(outputs, concrete._result.with_found(leaves, bound))
        if concrete._write_back is not None:
            concrete._write_back(outputs, leaves, bound)
        return result

    return without_own_frames(finish)


def native_code(concrete: ConcreteFunction) -> NativeCode | DeviceCode:
    """What native code runs for a compiled function."""
    known: NativeCode | DeviceCode | None = concrete.native_code
    if known is None:
        executable, failed = concrete._executable, functools.partial(_failed, concrete)
        if device_of(concrete) is not None:
            known = device_code(concrete, failed)
        elif isinstance(executable, Executable):
            known = NativeCode(executable, scalars_of(concrete), failed)
        else:
            raise InternalError(f"native code does not run {concrete!r}")
        concrete.native_code = known
    return known


def _failed(concrete: ConcreteFunction, failure: RuntimeFailure) -> BaseException | None:
    """The exception that ends a call; None where it is made again with constants, which Python sees to."""
    error = exception_of(failure)
    return None if concrete.may_run_again and isinstance(error, PythonNumberError) else error
