"""What a compiled function gives back: which outputs of the machine code make up its result, and how.

A result is built anew at each call from computed arrays, from the caller's own arguments, and from constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import setitem
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.records import NamedTuple
from ...dialect.types import RefType, TensorType
from ..signature.composite_arrays import ArrayParts
from ..signature.generators import GeneratorParts
from ..signature.packed_numbers import PackedNumbers
from ..signature.signature import Leaf, Node, Structure, unflatten
from ..source.own_attributes import set_own_attribute

if TYPE_CHECKING:
    from ..tracing.view_steps import ViewStep

Array: TypeAlias = "np.ndarray[Any, Any]"


Bounds: TypeAlias = "tuple[tuple[int, ...] | None, ...]"
"""For each step of a path the outputs that are its run-time operands; None where these are the place that is given."""


def _viewed(
    value: Any, path: Sequence[ViewStep], bounds: Bounds, outputs: Sequence[Array], place: int = 0
) -> Any:
    """The view of an array that the steps of a path make, whose operands are outputs or a place."""
    if isinstance(value, OnDevice):
        return value.viewed(lambda array: _viewed(array, path, bounds, outputs, place)) if path else value
    if path:
        from ...dialect.ops.indexing import Gather  # which results that are no views do without
    for number, step in enumerate(path):
        fields = len(step.op_class.operand_fields()) - 1
        positions = bounds[number] if bounds else ()
        operands = (
            places_of(place, [value.shape[axis] for axis in step.attributes["axes"]])
            if positions is None
            else tuple(outputs[position] for position in positions)
        )
        if step.op_class is Gather:
            places = dict(zip(step.attributes["axes"], operands, strict=True))
            index = (int(places[axis]) if axis in places else slice(None) for axis in range(value.ndim))
            with_ellipsis = (*index, ...)  # a view also without dimensions
            value = value[with_ellipsis]
            continue
        was_writable = value.flags.writeable
        value = step.op_class.evaluate(value, *((operands,) * fields), **step.attributes)
        if step.writable and was_writable and not value.flags.writeable:
            value.flags.writeable = True  # a diagonal that `np.einsum` gives, unlike that of `np.diagonal`
    return value


class ComputedResult(NamedTuple):
    """A result that compiled code computes into a fresh array."""

    position: int
    is_scalar: bool
    """Whether NumPy would give a scalar where the rank is 0."""
    is_python: bool = False
    """Whether it is an extent, or made of extents, which are Python numbers in NumPy."""

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        output = outputs[self.position]
        if self.is_python:
            return output.item()
        return output[()] if self.is_scalar else output


class ArgumentResult(NamedTuple):
    """A result that is an argument, or a view of one: made again on the caller's array, as in NumPy."""

    argument: int
    path: tuple[ViewStep, ...]
    bounds: Bounds = ()
    """Empty where no step has run-time operands."""

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any], place: int = 0) -> Any:
        """The value of a call; with the place of the view, if that came with its number."""
        return _viewed(leaves[self.argument], self.path, self.bounds, outputs, place)

    def viewed(self, path: tuple[ViewStep, ...], bounds: Bounds) -> ArgumentResult:
        """A view of it."""
        own = self.bounds or ((),) * len(self.path) if bounds else self.bounds
        further = bounds or ((),) * len(path) if own else bounds
        return self._replace(path=self.path + path, bounds=own + further)


class ViewResult(NamedTuple):
    """A result that is a view of an array that compiled code computes, of which other results are views, too."""

    position: int
    path: tuple[ViewStep, ...]
    bounds: Bounds = ()
    """As those of an argument."""

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return _viewed(outputs[self.position], self.path, self.bounds, outputs)


MANY_NUMBERS = 64
"""From so many numbers on native code makes lists of them."""

COMPUTED = 0
"""The choice of a `SelectedResult` for what compiled code computed."""

PLACES = 1 << 16
"""A number that tells which of several views something is: its remainder says which, and what is left where it lies."""


def places_of(place: int, extents: Sequence[int]) -> tuple[int, ...]:
    """The indices of axes with some extents that a place stands for, in row-major order; the first may be negative."""
    indices = []
    for extent in reversed(extents[1:]):
        place, index = divmod(place, extent)
        indices.append(index)
    return (place, *reversed(indices))


class SelectedResult(NamedTuple):
    """A result that is one of the caller's arrays, or a computed one, as a branch or loop decided."""

    choice: ComputedResult
    options: tuple[ComputedResult | ViewResult | ArgumentResult, ...]

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        place, option = divmod(int(self.choice.build(outputs, leaves)), PLACES)
        chosen = self.options[option]
        if isinstance(chosen, ArgumentResult):
            return chosen.build(outputs, leaves, place)
        return chosen.build(outputs, leaves)


class ConstantResult(NamedTuple):
    """A result that is the same number whenever it is looked at."""

    value: Any

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return self.value


class TypedResult(NamedTuple):
    """A number or array that is of one of several types, as a branch decided."""

    choice: ComputedResult
    options: tuple[ComputedResult | ConstantResult | ViewResult | ArgumentResult | SelectedResult, ...]
    """The value of each type."""
    promoted: ComputedResult
    """The value as one of the dtype that they promote to, for callers that know one type only."""

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return self.options[int(self.choice.build(outputs, leaves))].build(outputs, leaves)


class OutsideResult(NamedTuple):
    """A result that is an array from outside whose elements tracing looked at, or a view of one."""

    array: Array

    def build(self, outputs: Sequence[Any], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return self.array if self.array.base is None else self.array[...]


class KeptResult(NamedTuple):
    """A result that is one object with others of a call: the first that is made is kept behind the outputs."""

    place: int
    """Counted from the end."""
    result: ArgumentResult | ViewResult | SelectedResult

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        assert isinstance(outputs, list)
        if outputs[self.place] is None:
            outputs[self.place] = self.result.build(outputs, leaves)
        return outputs[self.place]


class SharedResult(NamedTuple):
    """A container or object that is in several places of what a call returns and stores: it is kept as views are."""

    place: int
    """Counted from the end."""
    result: Result | None
    """What it is made of; None inside of itself."""

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        assert isinstance(outputs, list)
        if outputs[self.place] is None:
            assert self.result is not None
            keep = partial(outputs.__setitem__, self.place)
            outputs[self.place] = self.result.build(outputs, leaves, keep)
        return outputs[self.place]


class FoundResult(NamedTuple):
    """A result that is a container or object which was there before: it comes behind the arrays of a call."""

    place: int
    """Counted from the end."""
    kind: str
    """What it is, for people."""

    def build(self, outputs: Sequence[Any], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return leaves[self.place]


class OptionalResult(NamedTuple):
    """A result that is None where an output is true."""

    is_none: ComputedResult
    value: Result

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return None if self.is_none.build(outputs, leaves) else self.value.build(outputs, leaves)


class ChosenResult(NamedTuple):
    """One of several constants, and of objects that are made at each call."""

    choice: ComputedResult
    options: tuple[Any, ...]

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        chosen = self.options[int(self.choice.build(outputs, leaves))]
        return chosen.build(outputs, leaves) if isinstance(chosen, Result) else chosen


class ListResult(NamedTuple):
    """A list whose length is known at run time: its items are entries of arrays."""

    item: Structure
    columns: tuple[tuple[ComputedResult, bool], ...]
    """For every array in an item all of them in one output, and whether they are Python numbers."""
    origins: ComputedResult | None = None
    """Which of the options each item is, counted from 1; 0 for one that was computed."""
    options: tuple[ArgumentResult, ...] = ()

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        if len(self.columns) == 1 and type(self.item) is Leaf:  # a list of numbers
            ((column, is_python),) = self.columns
            array = column.build(outputs, leaves)
            made = array.tolist() if is_python else list(array)
        else:
            made = self.made_of(*(column.build(outputs, leaves) for column, _ in self.columns))
        if self.origins is not None:
            for place, number in enumerate(self.origins.build(outputs, leaves)):
                if number:
                    where, option = divmod(int(number), PLACES)
                    made[place] = self.options[option - 1].build(outputs, leaves, where)
        return made

    def numbers(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Array | None:
        """The items where all are ints, floats or bools of Python's in one array; None for others."""
        if not self.is_of_numbers:
            return None
        from ...backend.cpu.dispatch.lists import KINDS

        array = self.columns[0][0].build(outputs, leaves)
        return array if array.dtype in KINDS else None

    @property
    def is_of_numbers(self) -> bool:
        """Whether all items are numbers of Python's of one type."""
        is_alone = len(self.columns) == 1 and type(self.item) is Leaf and self.origins is None
        return is_alone and self.columns[0][1]

    def made_of(self, *arrays: Array) -> list[Any]:
        """The list of items that lie in arrays."""
        return list_of(self.item, arrays, [is_python for _, is_python in self.columns])


class HolderResult(NamedTuple):
    """A result that holds others, as a slice or a partial function does."""

    parts: Result
    make: Callable[[Any], Any]

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return self.make(self.parts.build(outputs, leaves))


class PoolResult(NamedTuple):
    """The lists that lie together: each is made once, or is one that was there before the call."""

    place: int
    """Where they are kept behind the outputs, counted from the end."""
    parts: Result
    """The items of all lists, where these begin, and how many items they have."""
    found: tuple[tuple[ComputedResult, FoundResult], ...]
    """The numbers of those that were there before, and these."""

    def lists(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> list[Any]:
        """All of them."""
        assert isinstance(outputs, list)
        lists: list[Any] | None = outputs[self.place]
        if lists is None:
            lists = outputs[self.place] = self._made(outputs, leaves)
            for number, found in self.found:
                lists[number.build(outputs, leaves)] = found.build(outputs, leaves)
        return lists

    def _made(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> list[Any]:
        """The same, each made now."""
        items, *places = self.parts.leaves
        numbers = items.numbers(outputs, leaves) if isinstance(items, ListResult) else None
        if numbers is None or len(numbers) < MANY_NUMBERS:
            return lists_of(*self.parts.build(outputs, leaves))
        from ...backend.cpu.dispatch.lists import lists_of_numbers  # most programs return no such lists

        return lists_of_numbers(numbers, *(place.build(outputs, leaves) for place in places))


class ObjectsResult(NamedTuple):
    """The objects of a class that the program makes: each is made once, before what its attributes hold."""

    place: int
    """Where they are kept behind the outputs, counted from the end."""
    kind: type
    number: ComputedResult
    """How many there are."""
    attributes: Result | None
    """For each attribute its name, all objects' values, and which do not have it; None while they are being made."""
    found: tuple[Any, ...] = ()

    def lists(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> list[Any]:
        """All of them."""
        assert isinstance(outputs, list)
        objects: list[Any] | None = outputs[self.place]
        if objects is None:
            assert self.attributes is not None, "what holds objects is made behind them"
            number = self.number.build(outputs, leaves)
            is_dict = self.kind is dict
            fill, new = getattr(self.kind, "fill", None), getattr(self.kind, "python_type", None)
            if fill is not None and new is not None:  # what is in the place of a class of Python's
                return self._in_python(new, fill, number, outputs, leaves)
            objects = outputs[self.place] = [
                {} if is_dict else object.__new__(self.kind) for _ in range(number)
            ]
            put = setitem if is_dict else set_own_attribute
            for name, values, absent in self.attributes.build(outputs, leaves):
                there = [True] * number if absent is None else np.logical_not(absent).tolist()
                for one, value, has_it in zip(objects, values, there, strict=True):
                    if has_it:
                        put(one, name, value)
        return objects

    def _in_python(
        self, new: Any, fill: Any, number: int, outputs: list[Any], leaves: Sequence[Any]
    ) -> list[Any]:
        """All of them, where Python has something else in their places."""
        assert self.attributes is not None
        objects = outputs[self.place] = [new() for _ in range(number)]
        attributes: list[dict[str, Any]] = [{} for _ in range(number)]
        for name, values, _ in self.attributes.build(outputs, leaves):
            for held, value in zip(attributes, values, strict=True):
                held[name] = value
        for one, held in zip(objects, attributes, strict=True):
            fill(one, held)
        return objects


class PooledResult(NamedTuple):
    """One of the lists or objects that lie together, or a container that holds some."""

    numbered: Result
    """The same with numbers of lists in their places."""
    pools: tuple[PoolResult | ObjectsResult, ...]
    make: Callable[[Any, Sequence[Any]], Any]

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return self.make(
            self.numbered.build(outputs, leaves), [pool.lists(outputs, leaves) for pool in self.pools]
        )


class ThawedResult(NamedTuple):
    """A Python value that is made of outputs, as a string is."""

    first: int
    last: int
    thaw: Callable[[Sequence[Array]], Any]

    def build(self, outputs: Sequence[Array], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return self.thaw(outputs[self.first : self.last])


class Result(NamedTuple):
    """A nested value whose leaves are made at run time."""

    structure: Structure
    leaves: tuple[
        ComputedResult
        | ArgumentResult
        | ViewResult
        | OptionalResult
        | OutsideResult
        | PooledResult
        | ChosenResult
        | ConstantResult
        | FoundResult
        | HolderResult
        | KeptResult
        | ListResult
        | SelectedResult
        | SharedResult
        | ThawedResult
        | TypedResult,
        ...,
    ]
    kept: int = 0
    """How many objects are kept behind the outputs while a call's results are made."""
    found: tuple[Any, ...] = ()
    """How the objects that come behind the arrays of a call are found in it (`guards/handles.py`), the last first."""

    def with_found(self, leaves: Sequence[Any], bound: Any) -> Sequence[Any]:
        """The arrays of a call, with what is found in it."""
        return [*leaves, *(found.get(bound) for found in reversed(self.found))] if self.found else leaves

    def with_places(self, outputs: list[Any]) -> list[Any]:
        """The outputs of a call, with places for what is kept."""
        return [*outputs, *[None] * self.kept] if self.kept else outputs

    def build(
        self,
        outputs: Sequence[Array],
        leaves: Sequence[Any],
        keep: Callable[[Any], None] = lambda made: None,
    ) -> Any:
        """The value of a call; a container or object is given to `keep` before it is filled."""
        if (
            type(self.structure) is Leaf
        ):  # the only one, as rows of a table have: their equality takes as long as they do
            return self.leaves[self.structure.index].build(outputs, leaves)
        return unflatten(self.structure, lambda i: self.leaves[i].build(outputs, leaves), keep)


def mapped(leaf: Any, change: Callable[[Any], Any]) -> Any:
    """A result with what it is made of changed; itself where it is made of no others."""
    if isinstance(leaf, Result):
        return leaf._replace(leaves=tuple(map(change, leaf.leaves)))
    if isinstance(leaf, KeptResult):
        return leaf._replace(result=change(leaf.result))
    if isinstance(leaf, SharedResult):
        return leaf if leaf.result is None else leaf._replace(result=mapped(leaf.result, change))
    if isinstance(leaf, OptionalResult):
        return leaf._replace(value=mapped(leaf.value, change))
    if isinstance(leaf, HolderResult):
        return leaf._replace(parts=mapped(leaf.parts, change))
    if isinstance(leaf, PooledResult):
        return leaf._replace(numbered=mapped(leaf.numbered, change))
    if isinstance(leaf, (SelectedResult, TypedResult)):
        return leaf._replace(options=tuple(map(change, leaf.options)))
    if isinstance(leaf, ChosenResult):
        made = (mapped(each, change) if isinstance(each, Result) else each for each in leaf.options)
        return leaf._replace(options=tuple(made))
    return leaf


def of_one_type(leaf: Any) -> Any:
    """A result for a caller that knows one type of each."""
    return leaf.promoted if isinstance(leaf, TypedResult) else mapped(leaf, of_one_type)


def list_of(item: Structure, arrays: Sequence[Array], are_python: Sequence[bool]) -> list[Any]:
    """A list of items with the structure of one, whose arrays are stacked in `arrays`; some hold Python numbers."""
    return _unflatten_rows(item, list(zip(arrays, are_python, strict=True)))


def lists_of(items: list[Any], starts: Array, counts: Array) -> list[list[Any]]:
    """The lists of which all items lie together, each from its start on."""
    return [items[s : s + n] for s, n in zip(starts.tolist(), counts.tolist(), strict=True)]


def view_type(
    base: TensorType, path: Sequence[ViewStep], operands: Sequence[Sequence[TensorType] | None]
) -> TensorType:
    """The type of a view of an array, with the types of the operands of steps, or none where no step has any."""
    for number, step in enumerate(path):
        given = operands[number] if operands else ()
        if given is None:  # a place
            given = [TensorType((), np.dtype(np.int64))] * len(step.attributes["axes"])
        types = [base, *given]
        (result,) = step.op_class.result_types(types, step.attributes)
        if isinstance(result, RefType):
            break
        base = result
    return base


class OfNumber(tuple[Any, ...]):
    """What a number and other parts make, all rows of them at once: a base of classes in the structure of items."""

    number: ClassVar[int] = 0
    """Which of the parts is the number; it comes as Python's."""
    shown_as: ClassVar[str] = "one of several values"
    """What it makes, in words."""

    def __new__(cls, *parts: Any) -> Any:
        return cls.listed(*([part] for part in parts))[0]

    @classmethod
    def listed(cls, *columns: list[Any]) -> list[Any]:
        """What rows of parts make, given column by column."""
        raise NotImplementedError

    @classmethod
    def alike(cls, number: int, column: Callable[[int], list[Any]]) -> list[Any] | None:
        """What rows with one number make, given any column that is asked for; None where all are needed."""
        return None


def _unflatten_rows(structure: Structure, columns: Sequence[tuple[Array, bool]]) -> list[Any]:
    """As many nested values as the columns have entries, each as `unflatten` builds it of a row of them."""
    if isinstance(structure, Leaf):
        array, is_python = columns[structure.index]
        listed: list[Any] = array.tolist() if is_python else list(array)
        return listed
    kind = structure.kind if isinstance(structure, Node) and structure.children else None
    is_made_of_items = kind is list or (
        isinstance(kind, type) and issubclass(kind, tuple) and kind not in _PARTS
    )
    if not isinstance(structure, Node) or not is_made_of_items:
        rows = zip(*(_unflatten_rows(Leaf(i), columns) for i in range(len(columns))), strict=True)
        return [unflatten(structure, row.__getitem__) for row in rows]
    if issubclass(structure.kind, OfNumber):
        number = structure.children[structure.kind.number]
        assert isinstance(number, Leaf)
        numbers = columns[number.index][0]
        if len(numbers) and (numbers == numbers[0]).all():
            alike: list[Any] | None = structure.kind.alike(
                int(numbers[0]), lambda place: _unflatten_rows(structure.children[place], columns)
            )
            if alike is not None:
                return alike
        columns = [(array, is_python or i == number.index) for i, (array, is_python) in enumerate(columns)]
    children = [_unflatten_rows(child, columns) for child in structure.children]
    if issubclass(structure.kind, OfNumber):
        made: list[Any] = structure.kind.listed(*children)
        return made
    if kind is list:
        return list(map(list, zip(*children, strict=True)))
    return list(zip(*children, strict=True)) if kind is tuple else list(map(structure.kind, *children))


_PARTS = (ArrayParts, GeneratorParts, PackedNumbers)
"""What stands for something else than the tuple that it is."""
