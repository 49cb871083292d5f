"""`f(x)` of lazy arrays is lazy arrays: the function is cut in pieces that run where the blocks are."""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from itertools import accumulate, product
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.dtypes import as_dtype
from ...dialect.errors import GatherWarning, WeftTypeError, WeftValueError
from ...passes.control_flow.structure import FOR, IF, WHILE
from ...passes.pieces.programs import Program, uncut
from ...passes.pieces.regions import Cuts
from ..signature.signature import TensorSpec, flatten_with, unflatten
from ..source.locations import caret_snippet, warn_at
from ..source.tracebacks import places_of
from .graphs import Block, Blocks, GraphBuilder, Plan
from .tasks import item_of
from .tracing import Given, Traced, array_of, traced

if TYPE_CHECKING:
    from dask.array import Array

_MOST_PLANS = 32
"""So many plans are kept of a function."""

_plans: weakref.WeakKeyDictionary[Any, OrderedDict[Any, tuple[Traced, Plan]]] = weakref.WeakKeyDictionary()


def is_lazy(value: Any) -> bool:
    """Whether a value is an array of Dask."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(value, module.Array)


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function gives for arguments that hold arrays of Dask: arrays of Dask in the structure of its result."""
    import dask.array as da

    arrays: list[Any] = []
    structure = flatten_with((args, kwargs), arrays, is_lazy)
    specs = [_spec(array, function.name) for array in arrays]
    lazy = dict(zip(map(id, specs), arrays, strict=True))
    args, kwargs = unflatten(structure, specs.__getitem__)
    arguments = function._parameters.bind(args, kwargs)
    leaves = arguments.leaves
    lazy = {place: lazy[id(leaf)] for place, leaf in enumerate(leaves) if id(leaf) in lazy}
    signature = function._signature_of(arguments)
    cuts = [
        _cuts(lazy[place], number) if place in lazy else uncut(np.shape(leaves[place]))
        for number, place in enumerate(signature.distinct)
    ]
    found, plan = _planned(function, signature, leaves, cuts)
    given: list[Any] = [lazy.get(place, leaves[place]) for place in signature.distinct]
    extra = [array_of(source.fetch()) for source in found.extra]
    return _Made(found, plan, [*given, *extra], da).result()


def _spec(array: Array, name: str) -> TensorSpec:
    if any(extent != extent for extent in array.shape):  # NaN is what Dask does not know
        raise WeftValueError(
            f"{name} got a dask array of shape {array.shape}, of which Dask does not know all chunks; call its "
            "compute_chunk_sizes() first"
        )
    meta = array._meta
    if not isinstance(meta, np.ndarray) or isinstance(meta, np.ma.MaskedArray):
        raise WeftTypeError(
            f"{name} got a dask array whose blocks are of {type(meta).__module__}.{type(meta).__name__}, and compiled "
            "code takes NumPy's plain arrays: fill what is masked, da.ma.filled(x, value), or convert the blocks, "
            "x.map_blocks(np.asarray)"
        )
    as_dtype(array.dtype)  # raises for what compiled code does not have
    return TensorSpec(array.shape, array.dtype)


def _cuts(array: Array, number: int) -> tuple[Cuts, ...]:
    """Where the blocks of an argument begin."""
    found = []
    for axis, sizes in enumerate(array.chunks):
        points = tuple(dict.fromkeys((0, *accumulate(sizes))))
        found.append(Cuts(points if len(points) > 1 else (0, 0), frozenset({(number, axis)})))
    return tuple(found)


def _planned(
    function: Any, signature: Any, leaves: Sequence[Any], cuts: list[tuple[Cuts, ...]]
) -> tuple[Traced, Plan]:
    """How calls with such arguments are computed; known if the function was called so before."""
    plans = _plans.setdefault(function, OrderedDict())
    key = signature.key, tuple(cuts)
    known = plans.get(key)
    if known is not None and known[0].holds():
        plans.move_to_end(key)
        return known
    places = {id(leaves[place]): own for place, own in zip(signature.distinct, cuts, strict=True)}
    found = traced(
        function, signature, leaves, lambda array: places.get(id(array)) or uncut(np.shape(array_of(array)))
    )
    _warn_of_gathered(found.program)
    plans[key] = made = found, Plan(found.program, found.name)
    while len(plans) > _MOST_PLANS:
        plans.popitem(last=False)
    return made


_REGIONS = {FOR: "this loop", WHILE: "this loop", IF: "this branch"}
_OUTSIDE = "compute() what it asks for, and let Python decide outside of the function"
_CURES = {
    FOR: "; a loop of known length, at most 100, is cut in pieces, one iteration after the other",
    WHILE: f"; {_OUTSIDE}",
    IF: f"; {_OUTSIDE}, or choose by np.where",
}
"""What to write instead of what is not cut."""


def _warn_of_gathered(program: Program) -> None:
    """Say where all of an array has to be in one place."""
    for gathered in program.gathered:
        places = places_of(gathered.site.place)
        what = _REGIONS.get(gathered.site.operation.name, gathered.site.operation.name.removeprefix("weft."))
        axes = [axis for axis in gathered.axes if gathered.value.cuts[axis].is_split]
        along = f"axis {axes[0]}" if len(axes) == 1 else f"the axes {', '.join(map(str, axes))}"
        where = f"\n{caret_snippet(places[0])}" if places else ""
        message = (
            f"{what} needs all of an array along {along}, which is in several blocks: {gathered.size:,} bytes come "
            f"together in one task{_CURES.get(gathered.site.operation.name, '')}{where}"
        )
        warn_at(places[0] if places else None, message, GatherWarning)


class _Made:
    """The lazy arrays of one call."""

    def __init__(self, found: Traced, plan: Plan, arguments: Sequence[Any], da: Any) -> None:
        from dask.base import tokenize

        self._traced = found
        self._plan = plan
        self._arguments = arguments
        self._da = da
        self._lazy = [argument for argument in arguments if is_lazy(argument)]
        self._token = tokenize("weft", plan.name, plan.key, *arguments)

    def result(self) -> Any:
        """What the function returns."""
        from dask.highlevelgraph import HighLevelGraph

        blocks = [_blocks(a) if is_lazy(a) else np.asarray(a) for a in self._arguments]
        builder = GraphBuilder(self._plan, self._token, blocks)
        found = builder.build()
        name = builder.name("-pieces")
        graph = HighLevelGraph.from_collections(name, builder.tasks, dependencies=self._lazy)
        outputs = self._traced.program.outputs

        def leaf(place: int) -> Any:
            result = self._traced.results[place]
            if isinstance(result, Given):
                return result.value
            value = outputs[result.number]
            return self._array(f"{builder.name('')}-{result.number}", value, found[value], graph, name)

        return unflatten(self._traced.structure, leaf)

    def _array(self, name: str, value: int, blocks: Blocks, graph: Any, pieces: str) -> Any:
        """A lazy array of blocks that are in the graph."""
        from dask.highlevelgraph import HighLevelGraph

        if value < len(self._arguments) and is_lazy(self._arguments[value]):
            return self._arguments[value]
        layer = {}
        for place in product(*(range(len(axis.points) - 1) for axis in blocks.cuts)):
            block = blocks.block(place)
            key = (name, *place)
            layer[key] = block.key if block.item is None else (item_of, block.key, block.item)
        layers = {**graph.layers, name: layer}
        dependencies = {**graph.dependencies, name: {pieces}}
        type = self._traced.program.values[value].type
        assert type is not None
        chunks = tuple(axis.sizes for axis in blocks.cuts)
        meta = np.empty((0,) * len(chunks), type.dtype)
        return self._da.Array(HighLevelGraph(layers, dependencies), name, chunks, meta=meta)


def _blocks(array: Array) -> Blocks:
    """The tasks that give the blocks of an argument; blocks without elements are left out, if others have some."""
    numbers = []
    for sizes in array.chunks:
        kept = [number for number, extent in enumerate(sizes) if extent]
        numbers.append(kept or [0])

    def block(place: tuple[int, ...]) -> Block:
        key = (array.name, *(own[number] for own, number in zip(numbers, place, strict=True)))
        return Block(key, None)

    return Blocks(_cuts(array, 0), block)
