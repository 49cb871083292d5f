"""What a trace gives back: which values compiled code has to return, and how the result is made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...dialect.bit_generators import is_generator
from ...dialect.errors import UnsupportedError
from ...dialect.ops.indexing import Gather
from ...dialect.ops.shape import BroadcastTo, Reshape, Stretch, Transpose
from ...dialect.ops.slicing import INT64_MAX, DynamicSlice, Slice
from ...dialect.records import replace
from ...dialect.types import TensorType
from ..signature.composite_arrays import is_composite_value
from ..signature.generators import GeneratorStandIn
from ..signature.signature import Leaf
from ..source.own_attributes import has_fields
from ..source.plain_items import compound
from ..tracing.array import TracedArray, wrap
from ..tracing.behaviour import behaviour
from ..tracing.recorder import ABSENT, Storage
from ..tracing.several_types import ToldApart
from ..tracing.staging import value_of
from ..tracing.view_steps import ViewStep
from .holders import parts_of_changeable
from .joined_containers import JoinedContainer, JoinedContainers
from .listed_arrays import ListedArrays, Place, place_of, returned
from .result_spec import (
    COMPUTED,
    ArgumentResult,
    Bounds,
    ChosenResult,
    ComputedResult,
    ConstantResult,
    FoundResult,
    HolderResult,
    KeptResult,
    ListResult,
    ObjectsResult,
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
)
from .results import (
    RuntimeChoice,
    RuntimeContainer,
    RuntimeLength,
    RuntimeNone,
    RuntimeObject,
    RuntimeTable,
    RuntimeTuple,
    flatten_results,
)
from .values import Frozen, FrozenException, RuntimeValue, holder_of, holds_traced

if TYPE_CHECKING:
    from ..tracing.recorder import Recorder

_Search: TypeAlias = "tuple[Callable[[Any], bool], Callable[[Any], FoundResult | None]]"
_NOWHERE: _Search = (lambda _: False, lambda _: None)


class Outputs:
    """Collects the values that compiled code has to return; what is given back twice is computed once."""

    def __init__(self, trace: Recorder, argument_of: Callable[[int], int]) -> None:
        self._trace = trace
        self._argument_of = argument_of
        """For the arguments of the trace the positions among the arrays of a call."""
        self.values: list[Any] = []
        self.types: list[TensorType] = []
        self._known: dict[int, tuple[int, TracedArray]] = {}
        self._keeps_views = False
        """Whether views are kept once: what is collected later may show the same arrays."""
        self._seen: Counter[Storage] = Counter()
        """How often the results show an array, or a view of it."""
        from .origins import Origins  # loads MLIR, which programs from the disk cache need not

        self._origins = Origins(trace, self._number_of, self._number_of_view)
        self._options = [self._as_argument(array) for array in trace.state(ListedArrays).arrays]
        """The arrays of the caller's, or views of these, that branches, loops and lists may hand on."""
        self._tell_handed_items()
        self._kept: dict[int, tuple[int, Any]] = {}
        """What is given back more than once and is one object, with its place behind the outputs: views, containers."""
        self._met: Counter[int] = Counter()
        """How often what is returned and stored holds each container and object that the trace has made."""
        self._keeps_shared = False
        self._around: set[int] = set()
        """Those of them that are being taken apart."""
        self._search = _NOWHERE
        """How what was there before the call is found in what is being taken apart."""
        self._joined: dict[int, JoinedContainer] = {}
        """What is one of several containers, some of which the caller has, too."""
        self._is_there: Callable[[Any], Any] = lambda _: False
        self._pools: dict[int, Result] = {}
        """What the lists that lie together are made of."""
        self._objects_of: dict[int, ObjectsResult] = {}
        """What the objects of pools are made of."""
        self._turned: dict[int, TracedArray] = {}
        """The arrays that lie in memory in another order, with their axes in that order."""

    def _tell_handed_items(self) -> None:
        """Give lists the numbers of the items that branches and loops handed on."""
        pending = [item for item in self._trace.state(ListedArrays).handed if not item.is_erased]
        count = len(pending) + 1
        while len(pending) < count:  # items of one list may be put into another
            count = len(pending)
            pending = [item for item in pending if not self._origins.tell(item)]

    def meet(self, values: Iterable[Any]) -> None:
        """Take note of what is returned or stored: a container or object that is met twice is made once."""
        for value in values:
            parts = _parts_in(value, self._trace.attributes_of)
            if parts is None:
                continue
            self._met[id(value)] += not isinstance(value, tuple)
            if self._met[id(value)] < 2:
                self.meet(parts)

    def returned(self, value: Any, locate: Callable[[Any], Any]) -> tuple[Result, Result]:
        """What a call gives, where what was there before is itself; and the same with copies, for other processes."""
        kept = len(self._kept)
        self._keeps_shared = True
        self._keeps_views = any(
            count > 1 for count in self._met.values()
        )  # views in these may be elsewhere, too
        result = self._with_found(value, locate)
        self._keeps_views = self._keeps_shared = False
        joined, met = self._trace.state(JoinedContainers), self._met
        self._trace.at_end.append(
            lambda: joined.require_distinct(
                lambda container: met[id(container)], lambda container: locate(container) is not None
            )
        )
        if not result.found and len(self._kept) == kept:
            return result, result
        try:
            return result, self.collect(value)
        except UnsupportedError:  # an object of a class of the user's
            return result, result

    def stored(self, value: Any, locate: Callable[[Any], Any]) -> Result:
        """Take a value apart that is stored in Python's state: views in it may be results, too."""
        self._keeps_views = self._keeps_shared = True
        try:
            return self._with_found(value, locate)
        finally:
            self._keeps_views = self._keeps_shared = False

    def _with_found(self, value: Any, locate: Callable[[Any], Any]) -> Result:
        """Take a value apart up to what was there before the call."""
        found: list[Any] = []
        handles: dict[int, Any] = {}

        def is_found(part: Any) -> bool:
            if id(part) not in handles:
                handles[id(part)] = locate(part)
            return handles[id(part)] is not None

        def leaf_of(part: Any) -> FoundResult | None:
            if isinstance(part, TracedArray) or not is_found(part):
                return None
            found.append(handles[id(part)])
            kind = part.python_type if isinstance(part, RuntimeContainer) else type(part)
            return FoundResult(-len(found), f"a {kind.__name__} that was there before")

        self._search = is_found, leaf_of
        self._choose(locate)
        try:
            result = self.collect(value, is_found, leaf_of)
        finally:
            self._search = _NOWHERE
            self._joined.clear()
        return result._replace(found=tuple(found)) if found else result

    def collect(
        self,
        value: Any,
        is_found: Callable[[Any], bool] = lambda _: False,
        found_leaf: Callable[[Any], FoundResult | None] = lambda _: None,
        around: Any = None,
    ) -> Result:
        """Take a nested value apart, which `around` is, too, if it is made once for several that hold it.

        What is collected last knows what others share with it.
        """
        leaves: list[Any] = []
        entered = [around]

        def is_leaf(part: Any) -> bool:
            if part is around and entered:
                entered.clear()
                return False
            return is_found(part) or self._is_shared(part) or id(part) in self._joined

        structure = flatten_results(value, leaves, is_leaf, self._trace.attributes_of)
        leaves = list(map(self._traced_generator, leaves))
        self._seen.update(leaf._storage for leaf in leaves if isinstance(leaf, TracedArray) and leaf.ndim)
        counts = Counter(map(id, leaves))

        def made_of(leaf: Any) -> Any:
            if (found := found_leaf(leaf)) is not None:
                return found
            if (joined := self._joined.pop(id(leaf), None)) is not None:
                own = self.collect(leaf, is_found, found_leaf, around=leaf)
                made = self._one_of(joined, own, lambda end: self.collect(end, is_found, found_leaf))
                self._joined[id(leaf)] = joined
                if not self._is_shared(leaf):
                    return made
                place, _ = self._kept.setdefault(id(leaf), (-1 - len(self._kept), leaf))
                return SharedResult(place, Result(Leaf(0), (made,)))
            if not self._is_shared(leaf) or (leaf is around and isinstance(structure, Leaf)):
                return self._kept_leaf(leaf, counts[id(leaf)] > 1)
            place, _ = self._kept.setdefault(id(leaf), (-1 - len(self._kept), leaf))
            if id(leaf) in self._around:
                return SharedResult(place, None)
            self._around.add(id(leaf))
            made = self.collect(leaf, is_found, found_leaf, around=leaf)
            self._around.discard(id(leaf))
            return SharedResult(place, made)

        made = tuple(map(made_of, leaves))
        return Result(structure, made, len(self._kept))

    def _choose(self, locate: Callable[[Any], Any]) -> None:
        """Find out what is returned or stored and is on some path one with something else that the caller has."""
        known, self._is_there = (
            self._trace.state(JoinedContainers),
            lambda end: self._met[id(end)] or locate(end),
        )
        firsts: dict[Any, Any] = {}
        for joined in list(known.found.values()):
            if not self._met[id(joined.container)]:
                continue
            # What is one with another that is returned on a path is that there.
            keys = [(id(joined.decision), path, id(end)) for path, end in enumerate(joined.ends)]
            ends = [firsts.setdefault(key, joined.container) for key in keys]
            one, other = (
                first if first is not joined.container and not self._is_there(end) else end
                for first, end in zip(ends, joined.ends, strict=True)
            )
            joined = known.found[id(joined.container)] = joined._replace(ends=(one, other))
            ends = list(known.ends_of(joined.container))
            there = [end for end in ends if self._is_there(end)]
            self._met.update(id(end) for end in there if self._met[id(end)])
            if there:
                self._joined[id(joined.container)] = joined

    def _one_of(self, joined: JoinedContainer, own: Result, collect: Callable[[Any], Result]) -> Any:
        """What is one of several containers: those that the caller has, or what it holds itself."""
        known, options = self._trace.state(JoinedContainers), []
        for end in joined.ends:
            inner = known.of(end)
            if end is not ABSENT and end is not joined.container and self._is_there(end):
                options.append(collect(end))
            elif inner is not None and any(map(self._is_there, known.ends_of(end))):
                options.append(Result(Leaf(0), (self._one_of(inner, own, collect),)))
            else:
                options.append(own)
        choice = self._computed(joined.truth)._replace(is_python=True)
        return ChosenResult(choice, tuple(reversed(options)))

    def _is_shared(self, part: Any) -> bool:
        return self._keeps_shared and self._met[id(part)] > 1

    def _traced_generator(self, leaf: Any) -> Any:
        """What stands for a random generator from outside; another leaf itself."""
        state = self._trace.python_state
        return state.generator(leaf) if is_generator(leaf) and state is not None else leaf

    def _kept_leaf(self, leaf: Any, is_repeated: bool) -> Any:
        """A leaf; views are kept that are given back more than once: they are one object."""
        made = self._leaf(leaf)
        is_view = isinstance(made, ArgumentResult) and made.path
        if not is_view and not isinstance(made, (ViewResult, SelectedResult)):
            return made
        if id(leaf) not in self._kept:
            if not (is_repeated or self._keeps_views):
                return made
            self._kept[id(leaf)] = (-1 - len(self._kept), leaf)
        return KeptResult(self._kept[id(leaf)][0], made)

    def _leaf(self, leaf: Any) -> Any:
        if isinstance(leaf, RuntimeValue) and (made := self._decided(leaf)) is not None:
            return made
        trace = self._trace
        holder = None if isinstance(leaf, RuntimeValue) else holder_of(leaf) or parts_of_changeable(leaf)
        if holder is not None:
            parts, make = holder
            return HolderResult(self.collect(parts, *self._search), make)
        if isinstance(leaf, BaseException):
            leaf = FrozenException(leaf)
        if isinstance(leaf, RuntimeValue):
            return self._thawed(Frozen(trace, (leaf,)))
        leaf = returned(trace, leaf)
        if trace.python_state is not None and trace.python_state.is_outside(leaf):
            trace.dependencies.refuse(
                "an array from outside that it returns, whose elements tracing looked at"
            )
            return OutsideResult(leaf)
        if is_composite_value(leaf):
            parts, make = behaviour().composite_constant(leaf).__weft_parts__()
            return HolderResult(self.collect(parts), make)
        if not isinstance(leaf, TracedArray):
            leaf = wrap(trace, value_of(trace, np.asarray(leaf)))._as_array(isinstance(leaf, np.ndarray))
        storage = leaf._storage
        trace.require_active(storage, leaf.type)
        if isinstance(leaf, ToldApart) and not leaf.is_written:
            return self._typed(leaf)
        _note_returned(leaf)
        path = _path_of(leaf)
        if storage.argument is not None and _can_be_made_again(path):
            made = ArgumentResult(self._argument_of(storage.argument), self._plain(path), self._bounds(path))
            if leaf._path or not isinstance(leaf._is_another, TracedArray):
                return made
            choice = self._computed(leaf._is_another)._replace(is_python=True)
            return SelectedResult(choice, (made._replace(path=(), bounds=()), made))
        return self._selected(leaf) or self._laid_out(leaf) or self._computed(leaf)

    def _decided(self, leaf: RuntimeValue) -> Any:
        """A result whose structure the program decides on; None for another value of the run time."""
        if isinstance(leaf, RuntimeNone):
            return OptionalResult(self._computed(leaf.is_none), self.collect(leaf.value, *self._search))
        if isinstance(leaf, RuntimeChoice):
            return ChosenResult(self._computed(leaf.index), self._options_of(leaf))
        if isinstance(leaf, RuntimeObject):
            pool, number = leaf.in_pool()
            pools = tuple(map(self._pool, (pool, *(each for each in pool.lies_in if each is not pool))))
            return PooledResult(self.collect(number), pools, _the_object)
        if isinstance(leaf, (RuntimeTable, RuntimeTuple)):
            return HolderResult(self.collect(leaf.listed(), *self._search), leaf.make)
        if isinstance(leaf, RuntimeLength):
            in_pools = leaf.in_pools()
            return self._list(leaf) if in_pools is None else self._pooled(leaf, *in_pools)
        return None

    def _pooled(
        self, leaf: RuntimeLength, numbered: Any, make: Callable[[Any, Sequence[Any]], Any]
    ) -> PooledResult | Any:
        """A list that lies together with others, or that has such lists."""
        pools = tuple(map(self._pool, leaf.lies_in))
        if leaf.heap is not None and not pools[-1].found and self._met[id(leaf.heap)] < 2:
            return self._decided(leaf.as_separate())  # nobody sees the others
        return PooledResult(self.collect(numbered), pools, make)

    def _pool(self, pool: Any) -> PoolResult | ObjectsResult:
        """The lists or objects of a pool."""
        if hasattr(pool, "python_class"):
            return self._objects(pool)
        _, found_leaf = self._search
        found = [(number, found_leaf(items)) for items, number in pool.originals()]
        known = tuple((self._computed(number), one) for number, one in found if one is not None)
        if id(pool) not in self._pools:
            self._pools[id(pool)] = self.collect(pool.parts())
        place, _ = self._kept.setdefault(id(pool), (-1 - len(self._kept), pool))
        return PoolResult(place, self._pools[id(pool)], known)

    def _objects(self, pool: Any) -> ObjectsResult:
        """The objects of a pool, which may lead to each other."""
        place, _ = self._kept.setdefault(id(pool), (-1 - len(self._kept), pool))
        known = ObjectsResult(place, pool.python_class, self._computed(pool.number_of_rows), None)
        if id(pool) not in self._objects_of:
            self._objects_of[id(pool)] = known
            made = known._replace(attributes=self.collect(pool.parts(), *self._search))
            self._objects_of[id(pool)] = made
        return self._objects_of[id(pool)]

    def _options_of(self, leaf: RuntimeChoice) -> tuple[Any, ...]:
        """Several values: constants, what was there before the call, and what the objects hold that were made."""
        is_found, _ = self._search
        made = [
            self.collect(option, *self._search)
            if number in leaf.held or is_found(option) or _is_made(option)
            else option
            for number, option in enumerate(leaf.options)
        ]
        for option in made:
            if not isinstance(option, Result):
                flatten_results(option, [])  # refuses what holds traced arrays
        return tuple(made)

    def _typed(self, leaf: ToldApart) -> TypedResult:
        """A result of one of several types, as a branch decided."""
        choice = self._computed(leaf._choice)._replace(is_python=True)
        options = [
            self._leaf(leaf.option(number)) if type_.constant is None else ConstantResult(type_.constant)
            for number, type_ in enumerate(leaf.types)
        ]
        return TypedResult(choice, tuple(options), self._computed(leaf))

    def _selected(self, leaf: TracedArray) -> SelectedResult | None:
        """A result that may be one of the caller's arrays, as a branch or loop decided, or a view of one."""
        found = self._origins.source(leaf)
        if found is None or not _can_be_made_again(found[1]):
            return None
        source, path = found
        possible = self._origins.possible(source)
        if possible <= {COMPUTED}:
            return None
        path = path if path else _path_of(leaf)[len(leaf._path) :]
        choice = self._computed(self._origins.number(source))
        plain, bounds = self._plain(path), self._bounds(path)
        options = [option.viewed(plain, bounds) for option in self._options]
        computed = (
            self._laid_out(leaf) or self._computed(leaf)
            if COMPUTED in possible
            else options[min(possible) - 1]  # never built: it tells the type
        )
        return SelectedResult(choice._replace(is_scalar=True), (computed, *options))

    def _number_of(self, array: TracedArray, place: Place | None) -> int:
        """The number of an array that the caller has among those that may be handed on; COMPUTED for another one."""
        path = _path_of(array)
        is_there = place is not None or all(o._storage.section.is_usable for s in path for o in s.operands)
        if array._storage.argument is None or not is_there or not _can_be_made_again(path):
            return COMPUTED
        option = self._as_argument(array)
        if option not in self._options:
            self._options.append(option)
        return self._options.index(option) + 1

    def _number_of_view(self, number: int, rank: int) -> int:
        """The number of a view of all of the array with a number; that itself of what is a view, or computed."""
        if number == COMPUTED or self._options[number - 1].path:
            return number
        option = self._options[number - 1].viewed(_whole(rank), ())
        if option not in self._options:
            self._options.append(option)
        return self._options.index(option) + 1

    def _list(self, leaf: RuntimeLength) -> ListResult:
        """A list whose length is known at run time."""
        item, columns = leaf.columns()
        computed = tuple((self._computed(column), python) for column, python in columns)
        origins = leaf.origins() if self._options else None
        if origins is None:
            return ListResult(item, computed)
        return ListResult(item, computed, self._computed(origins), tuple(self._options))

    def _as_argument(self, array: TracedArray) -> ArgumentResult:
        """An array of the caller's, or a view of one."""
        _note_returned(array)
        assert array._storage.argument is not None
        path = _path_of(array)
        is_placed = place_of(array) is not None
        bounds = tuple(None if step.operands else () for step in path) if is_placed else self._bounds(path)
        return ArgumentResult(self._argument_of(array._storage.argument), self._plain(path), bounds)

    def _laid_out(self, leaf: TracedArray) -> ViewResult | None:
        """A result as a view: of an array that others show, too, or of one that was made in an order of its own."""
        storage = leaf._storage
        order = None if storage.layout is None or storage.layout.sources else storage.layout.order
        is_turned = order is not None and order != tuple(range(len(order)))
        path = _path_of(leaf)
        is_view = path and (self._keeps_views or self._seen[storage] > 1 or id(storage) in self._known)
        if not (is_view or is_turned) or leaf._is_scalar or not _can_be_made_again(path):
            return None
        base = leaf._base()
        if is_turned and order is not None:
            if id(storage) not in self._turned:
                turned = base._view(ViewStep(Transpose, {"permutation": order}))
                self._turned[id(storage)] = turned.copy()
            base = self._turned[id(storage)]
            inverse = tuple(order.index(axis) for axis in range(len(order)))
            path = (ViewStep(Transpose, {"permutation": inverse}), *path)
        return ViewResult(self._computed(base).position, self._plain(path), self._bounds(path))

    def _bounds(self, path: Sequence[ViewStep]) -> Bounds:
        """The outputs that are the run-time operands of steps."""
        if not any(step.operands for step in path):
            return ()
        return tuple(tuple(self._computed(operand).position for operand in step.operands) for step in path)

    @staticmethod
    def _plain(path: Sequence[ViewStep]) -> tuple[ViewStep, ...]:
        """The steps without what belongs to the trace."""
        return tuple(replace(step, operands=()) if step.operands else step for step in path)

    def _thawed(self, frozen: Frozen) -> ThawedResult:
        first, thaw = len(self.values), frozen.thaw
        for value in frozen.operands:
            self.values.append(value)
            self.types.append(wrap(self._trace, value).type)
        return ThawedResult(first, len(self.values), lambda arrays: thaw(arrays)[0])

    def _computed(self, leaf: TracedArray) -> ComputedResult:
        storage = leaf._storage
        key = id(storage) if not leaf._path else id(leaf)
        is_scalar = leaf._is_scalar
        is_python = leaf._python_type is not None
        if key not in self._known:
            self._known[key] = len(self.values), leaf
            self.types.append(leaf.type)
            self.values.append(leaf._value())
        return ComputedResult(self._known[key][0], is_scalar, is_python)


def _parts_in(value: Any, attributes_of: Callable[[Any], dict[str, Any] | None]) -> Iterable[Any] | None:
    """What a container or object that is made again at each call holds; None for anything else."""
    if isinstance(value, RuntimeContainer):
        return value.lies_in
    if isinstance(value, RuntimeObject):
        return value.in_pool()[:1]
    if isinstance(value, GeneratorStandIn):
        return ()
    if (holder := parts_of_changeable(value)) is not None:
        return _parts_in(holder[0], attributes_of)
    if isinstance(value, RuntimeNone):
        return (value.value,)
    if isinstance(value, RuntimeChoice):
        return [one for n, one in enumerate(value.options) if n in value.held or _is_made(one)] or None
    if isinstance(value, (list, tuple)):
        return compound(value)
    if isinstance(value, dict):
        return compound(value.values())
    if has_fields(type(value)):
        return [getattr(value, field.name, None) for field in fields(value)]
    try:
        attributes = attributes_of(value)
    except UnsupportedError:  # as will be said when it is taken apart
        return None
    return None if attributes is None else attributes.values()


def _is_made(option: Any) -> bool:
    """Whether a value that may be chosen is made again at each call."""
    return parts_of_changeable(option) is not None or (
        has_fields(type(option)) and holds_traced(option, depth=8)
    )


def _the_object(number: int, objects: Sequence[list[Any]]) -> Any:
    """The object with a number."""
    return objects[0][number]


def _note_returned(leaf: TracedArray) -> None:
    for assumption in (leaf._storage.assumption, *leaf._assumptions):
        if assumption is not None:
            assumption.returned()


def _path_of(leaf: TracedArray) -> tuple[ViewStep, ...]:
    """The steps from an array to a result; one that takes all of it makes another object of it."""
    if leaf._path or leaf._is_another is False:
        return leaf._path
    return _whole(leaf.ndim)


def _whole(rank: int) -> tuple[ViewStep, ...]:
    """The steps to a view of all of an array."""
    bounds = {"start": (0,), "stop": (INT64_MAX,), "step": (1,)}
    return (ViewStep(Slice, {name: value * rank for name, value in bounds.items()}),)


def _can_be_made_again(path: Sequence[ViewStep]) -> bool:
    """Whether NumPy can make the steps of a path when the call is over."""
    return all(
        not step.operands
        or step.op_class in (BroadcastTo, DynamicSlice, Reshape, Stretch)
        or (step.op_class is Gather and all(operand.ndim == 0 for operand in step.operands))
        for step in path
    )
