"""Results without Python: native code is told how it builds what a call gives back, and what it stores."""

from __future__ import annotations

import functools
import operator
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.cpu.dispatch.descriptors import Program
from ...backend.cpu.dispatch.lists import KINDS, checked_lists
from ...backend.cpu.native_python.layout import PLAIN
from ...backend.gpu.devices.on_device import OnDevice
from ..runtime_values.result_spec import (
    ArgumentResult,
    ChosenResult,
    ComputedResult,
    ConstantResult,
    FoundResult,
    HolderResult,
    KeptResult,
    ListResult,
    OptionalResult,
    OutsideResult,
    PooledResult,
    PoolResult,
    Result,
    SelectedResult,
    SharedResult,
    ThawedResult,
    TypedResult,
    ViewResult,
    lists_of,
)
from ..signature.named_tuples import is_plain_record, record_of
from ..signature.signature import Leaf, Node, Static, Structure
from .native_updates import Stores, built_by, updates_of

if TYPE_CHECKING:
    from ...backend.gpu.arrays.native_words import DeviceWords
    from .concrete import ConcreteFunction


_LEAVES = (
    ArgumentResult,
    ChosenResult,
    ComputedResult,
    ConstantResult,
    FoundResult,
    HolderResult,
    KeptResult,
    ListResult,
    OptionalResult,
    OutsideResult,
    PooledResult,
    SelectedResult,
    SharedResult,
    ThawedResult,
    TypedResult,
    ViewResult,
)
"""What a nested result may be made of: what else chosen values are is constant."""


class Builder:
    """Writes the steps that build results; `objects` are the places of the arguments' arrays, which are `leaves`."""

    def __init__(
        self,
        program: Program,
        concrete: ConcreteFunction,
        leaves: Sequence[Any],
        objects: Sequence[int],
        stores: Stores,
        device: DeviceWords | None,
    ) -> None:
        self._program, self._concrete, self._leaves = program, concrete, leaves
        self._objects, self._stores, self._device = objects, stores, device

    def build(self, result: Result) -> None:
        """Write the steps for a nested value."""
        self._build_structure(result.structure, result.leaves)

    def _build_structure(self, structure: Structure, leaves: Sequence[Any]) -> None:
        program = self._program
        if isinstance(structure, Leaf):
            self._build_leaf(leaves[structure.index])
        elif isinstance(structure, Static):
            program.build_constant(structure.value)
        else:
            for child in structure.children:
                self._build_structure(child, leaves)
            count = len(structure.children)
            if structure.kind is tuple:
                program.build_tuple(count)
            elif structure.kind is list:
                program.build_list(count)
            elif structure.kind is dict:
                program.build_dict(structure.keys)
            elif issubclass(structure.kind, tuple) and is_plain_record(structure.kind, structure.keys):
                program.build_call(structure.kind, count)
            else:
                program.build_call(_maker(structure), count)

    def _build_leaf(self, leaf: Any) -> None:
        program = self._program
        if isinstance(leaf, FoundResult):
            program.build_leaf(self._stores.place(self._concrete._result.found[-1 - leaf.place]))
        elif isinstance(leaf, (ChosenResult, SelectedResult, TypedResult)):
            self._build_choice(leaf.choice, leaf.options)
        elif isinstance(leaf, OptionalResult):
            self._build_choice(leaf.is_none, (leaf.value, None))
        elif isinstance(leaf, ArgumentResult):
            self._build_argument(leaf)
        elif isinstance(leaf, ConstantResult):
            program.build_constant(leaf.value)
        elif isinstance(leaf, ListResult):
            self._build_items(leaf)
        elif isinstance(leaf, HolderResult):
            self.build(leaf.parts)
            program.build_call(without_own_frames(leaf.make), 1)
        elif isinstance(leaf, PooledResult):
            self._build_pooled(leaf)
        elif isinstance(leaf, ThawedResult):
            for position in range(leaf.first, leaf.last):
                program.build_output(position)
            program.build_list(leaf.last - leaf.first)
            program.build_call(without_own_frames(leaf.thaw), 1)
        else:
            self._build_computed(leaf)

    def _build_choice(self, choice: ComputedResult, options: Sequence[Any]) -> None:
        kind = KINDS[self._concrete._computed_types[choice.position].dtype]
        self._program.build_choice(
            choice.position, kind, [functools.partial(self._build_option, option) for option in options]
        )

    def _build_option(self, option: Any) -> None:
        if isinstance(option, Result):
            self.build(option)
        elif isinstance(option, _LEAVES):
            self._build_leaf(option)
        else:
            self._program.build_constant(option)

    def _build_items(self, leaf: ListResult) -> None:
        numbers = _numbers_in(leaf, self._concrete)
        if numbers is not None:
            self._program.build_numbers(*numbers)
            return
        for column, _ in leaf.columns:
            self._program.build_output(column.position)
        self._program.build_call(leaf.made_of, len(leaf.columns))

    def _build_pooled(self, leaf: PooledResult) -> None:
        """A value with the numbers of lists in it, then all lists: Python puts these in the places of their numbers."""
        self.build(leaf.numbered)
        for pool in leaf.pools:
            assert isinstance(pool, PoolResult), "what native code builds"
            self._build_pool(*pool.parts.leaves)
        make = leaf.make
        self._program.build_call(
            without_own_frames(lambda numbered, *pools: make(numbered, [*map(checked_lists, pools)])),
            1 + len(leaf.pools),
        )

    def _build_pool(self, items: Any, starts: Any, counts: Any) -> None:
        numbers = _numbers_in(items, self._concrete)
        if numbers is not None:
            self._program.build_lists(*numbers, starts.position, counts.position)
            return
        self._build_leaf(items)
        for places in (starts, counts):
            self._program.build_output(places.position)
        self._program.build_call(lists_of, 3)

    def _build_computed(self, leaf: ComputedResult) -> None:
        """Say how what compiled code computes is given back."""
        program = self._program
        type = self._concrete._computed_types[leaf.position]
        if self._device is not None:
            program.build_device_output(leaf.position, self._device.address)
        elif leaf.is_python and type.dtype == np.int64:
            program.build_integer(leaf.position)
        elif leaf.is_python and type.dtype == np.float64:
            program.build_float(leaf.position)
        elif leaf.is_python and type.dtype == np.bool_:
            program.build_truth(leaf.position)
        elif leaf.is_python:
            program.build_scalar(leaf.position, type.dtype)
            program.build_call(operator.methodcaller("item"), 1)
        elif leaf.is_scalar:
            program.build_scalar(leaf.position, type.dtype)
        else:
            program.build_output(leaf.position)

    def _build_argument(self, leaf: ArgumentResult) -> None:
        """Say how an argument, or a view of it, is given back: by native code where every call's view lies alike."""
        program, place = self._program, self._objects[leaf.argument]
        array = self._leaves[leaf.argument] if leaf.argument < len(self._leaves) else None
        if leaf.path and type(array) is np.ndarray and is_ready(array):
            type_ = self._concrete.argument_types[leaf.argument]
            if type_.is_static and self._device is None:
                like = np.empty(array.shape, array.dtype)
                view = ArgumentResult(0, leaf.path).build((), (like,))
                # A view may be more than its memory: of the class of its array, or one that NumPy warns of writing to.
                if type(view) is np.ndarray and view.base is like and not view.flags.num & ~PLAIN:
                    program.build_view(place, view, view.ctypes.data - like.ctypes.data)
                    return
        program.build_leaf(place)
        if leaf.path:
            program.build_call(_viewer(leaf), 1)


def is_plain(concrete: ConcreteFunction) -> bool:
    """Whether native code can build the result, and what is stored."""
    updates = updates_of(concrete)
    has_found = updates is None or any(result.found for result in built_by(updates))
    parts = [] if has_found else list(_built_parts(concrete))
    pools = Counter(pool.place for part in parts if isinstance(part, PooledResult) for pool in part.pools)
    is_each_once = all(count == 1 for count in pools.values())
    return not has_found and is_each_once and all(_is_plain_part(part, concrete) for part in parts)


def _is_plain_part(part: Any, concrete: ConcreteFunction) -> bool:
    """Whether native code can build a result, as far as this is not told by what that is built of."""
    if isinstance(part, (ChosenResult, SelectedResult, TypedResult)):
        return _chooses(part.choice, concrete)
    if isinstance(part, OptionalResult):
        return _chooses(part.is_none, concrete)
    if isinstance(part, ArgumentResult):
        return not part.bounds
    if isinstance(part, ListResult):
        return part.origins is None
    if isinstance(part, PooledResult):
        return all(isinstance(pool, PoolResult) and not pool.found for pool in part.pools)
    return isinstance(part, (ComputedResult, ConstantResult, FoundResult, HolderResult, ThawedResult))


def _chooses(choice: ComputedResult, concrete: ConcreteFunction) -> bool:
    return concrete._computed_types[choice.position].dtype in (np.int64, np.bool_)


def _numbers_in(items: Any, concrete: ConcreteFunction) -> tuple[int, int] | None:
    """The output of a list of Python's numbers, and what native code calls their kind; None for another result."""
    if not isinstance(items, ListResult) or not items.is_of_numbers:
        return None
    ((column, _),) = items.columns
    kind = KINDS.get(concrete._computed_types[column.position].dtype)
    return None if kind is None else (column.position, kind)


def returned_arguments(concrete: ConcreteFunction) -> set[int]:
    """The arguments that a call gives back or stores, or of which it does so with views."""
    return {part.argument for part in _built_parts(concrete) if isinstance(part, ArgumentResult)}


def scalars_of(concrete: ConcreteFunction) -> set[int]:
    """The computed results that are needed as scalars only."""
    if not is_plain(concrete):
        return set()
    parts = list(_built_parts(concrete))
    computed = [part for part in parts if isinstance(part, ComputedResult)]
    arrays = {leaf.position for leaf in computed if not (leaf.is_scalar or leaf.is_python)}
    arrays.update(
        position
        for part in parts
        if isinstance(part, ThawedResult)
        for position in range(part.first, part.last)
    )
    return {leaf.position for leaf in computed if leaf.position not in arrays}


def _built_parts(concrete: ConcreteFunction) -> Iterator[Any]:
    """What the results that a call gives back or stores are built of."""
    for result in (concrete._result, *built_by(updates_of(concrete) or ())):
        yield from _parts_of(result)


def _parts_of(part: Any) -> Iterator[Any]:
    """A result and all that it is built of."""
    inner: Sequence[Any] = ()
    if isinstance(part, Result):
        inner = part.leaves
    elif isinstance(part, (ChosenResult, SelectedResult, TypedResult)):
        inner = (part.choice._replace(is_python=True), *part.options)
    elif isinstance(part, OptionalResult):
        inner = (part.is_none._replace(is_python=True), part.value)
    elif isinstance(part, HolderResult):
        inner = (part.parts,)
    elif isinstance(part, PooledResult):
        lists = [pool.parts.leaves[0] for pool in part.pools if isinstance(pool, PoolResult)]
        inner = (part.numbered, *lists)
    if isinstance(part, _LEAVES):
        yield part
    for each in inner:
        if isinstance(each, (Result, *_LEAVES)):
            yield from _parts_of(each)


def _maker(node: Node) -> Callable[..., Any]:
    """What makes an ordered dict or a dataclass of its parts; a dataclass without its `__init__`, as `unflatten`."""
    kind, keys = node.kind, node.keys
    if issubclass(kind, tuple):
        return lambda *parts: record_of(kind, keys, parts)
    if issubclass(kind, dict):
        return lambda *parts: kind(zip(keys, parts, strict=True))

    def make(*parts: Any) -> Any:
        instance = object.__new__(kind)
        for name, part in zip(keys, parts, strict=True):
            object.__setattr__(instance, name, part)
        return instance

    return make


def _viewer(leaf: ArgumentResult) -> Callable[[Any], Any]:
    """What makes a view of an array that is an argument."""
    of_first = ArgumentResult(0, leaf.path)
    return without_own_frames(lambda value: of_first.build((), (value,)))


def without_own_frames(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose exceptions show the user's frames only."""

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        try:
            return function(*args)
        except BaseException as error:
            from ..compiling.diagnostics import user_traceback

            error.__traceback__ = user_traceback(error.__traceback__)
            if sys.version_info < (3, 11):
                raise error
            raise

    return call


def is_ready(value: Any) -> bool:
    """Whether machine code takes an array as it is."""
    if not isinstance(value, np.ndarray):
        return not isinstance(value, OnDevice) or bool(value.described.flags.c_contiguous)
    flags = value.flags
    return bool(flags.c_contiguous and flags.aligned and value.dtype.isnative)
