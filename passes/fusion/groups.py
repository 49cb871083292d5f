"""What the fusion of elementwise ops works with: generics and what they read, groups of them, and fused ops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ...dialect.mlir import Attribute, Operation, Value, ir
from ...dialect.op import FUNCTIONS
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ..rewriting import new_generic, operations_directly_in, operations_in, reassociation_of

AffineMap: TypeAlias = Any

_COSTS = {
    "linalg.index": 0,
    "arith.constant": 0,
    "complex.constant": 0,
    "tensor.extract": 4,
    "arith.divf": 4,
    "arith.remf": 16,
    "arith.divsi": 8,
    "arith.divui": 8,
    "arith.floordivsi": 12,
    "arith.ceildivsi": 12,
    "arith.remsi": 8,
    "arith.remui": 8,
    "complex.mul": 6,
    "complex.div": 24,
    "math.absf": 1,
    "math.absi": 1,
    "math.copysign": 1,
    "math.fma": 1,
    "math.sqrt": 8,
    "func.call": 16,
}
"""What an op in a body costs, in simple instructions; functions of `math` become about forty."""

_FIXED = frozenset({"func.call", "tensor.extract", "memref.load"})
"""Ops that LLVM cannot be trusted to move out of a loop."""


def _cost(op: Operation) -> int:
    name: str = op.name
    known = _COSTS.get(name)
    if known is not None:
        return known
    if name.startswith(FUNCTIONS):
        return 16
    inner = sum(_cost(inner) for region in op.regions for block in region for inner in operations_in(block))
    return 1 + 2 * inner


class Maps:
    """Affine maps with what was computed of them before: programs have few different ones."""

    def __init__(self) -> None:
        self._composed: dict[tuple[AffineMap, AffineMap], AffineMap] = {}
        self._inverses: dict[AffineMap, AffineMap] = {}
        self._loops: dict[AffineMap, frozenset[int]] = {}
        self._arrays: dict[Attribute, list[AffineMap]] = {}
        self._kinds: dict[Attribute, list[bool]] = {}

    def compose(self, outer: AffineMap, inner: AffineMap) -> AffineMap:
        """The map that applies `inner` first."""
        key = (outer, inner)
        found = self._composed.get(key)
        if found is None:
            expressions = [expression.compose(inner) for expression in outer.results]
            found = self._composed[key] = ir.AffineMap.get(inner.n_dims, 0, expressions)
        return found

    def inverse(self, permutation: AffineMap) -> AffineMap:
        """The inverse of a permutation."""
        found = self._inverses.get(permutation)
        if found is None:
            places = [expression.position for expression in permutation.results]
            inverted = [ir.AffineDimExpr.get(places.index(dimension)) for dimension in range(len(places))]
            found = self._inverses[permutation] = ir.AffineMap.get(len(places), 0, inverted)
        return found

    def loops(self, indexing: AffineMap) -> frozenset[int]:
        """The loops that are results of a map by themselves."""
        found = self._loops.get(indexing)
        if found is None:
            dimensions = (e.position for e in indexing.results if isinstance(e, ir.AffineDimExpr))
            found = self._loops[indexing] = frozenset(dimensions)
        return found

    def of(self, attribute: Attribute) -> list[AffineMap]:
        """The maps of an `indexing_maps` attribute."""
        if attribute not in self._arrays:
            self._arrays[attribute] = [entry.value for entry in attribute]
        return self._arrays[attribute]

    def parallel(self, attribute: Attribute) -> list[bool]:
        """Which loops of an `iterator_types` attribute are parallel."""
        if attribute not in self._kinds:
            self._kinds[attribute] = ["parallel" in str(entry) for entry in attribute]
        return self._kinds[attribute]


def is_simple(indexing: AffineMap) -> bool:
    """Whether a map only picks loops and constants."""
    return all(isinstance(e, (ir.AffineDimExpr, ir.AffineConstantExpr)) for e in indexing.results)


# What is read


@dataclass(frozen=True)
class View:
    """A value that is another one in another shape: the map takes its indices to those of the source."""

    source: Value
    map: AffineMap
    is_narrower: bool
    """Whether the source has fewer axes, so that reading it instead is no worse."""


def view_of(op: Operation, views: Mapping[Value, View], maps: Maps) -> View | None:
    """The result of a cast, or of a reshape that adds or removes axes of extent 1, as a view; else None."""
    if op.name == "tensor.cast":
        indexing = ir.AffineMap.get_identity(ir.RankedTensorType(op.results[0].type).rank)
    elif op.name == "tensor.expand_shape":
        indexing = _expansion(op)
    elif op.name == "tensor.collapse_shape":
        indexing = _collapse(op)
    else:
        return None
    if indexing is None:
        return None
    is_narrower: bool = op.name == "tensor.expand_shape"
    below = views.get(op.operands[0])
    if below is None:
        return View(op.operands[0], indexing, is_narrower)
    return View(below.source, maps.compose(below.map, indexing), is_narrower and below.is_narrower)


def _expansion(op: Operation) -> AffineMap | None:
    shape = ir.RankedTensorType(op.results[0].type).shape
    expressions = []
    for group in reassociation_of(op):
        axes = [axis for axis in group if shape[axis] != 1] or group[:1]
        if len(axes) > 1:
            return None
        expressions.append(ir.AffineDimExpr.get(axes[0]))
    return ir.AffineMap.get(len(shape), 0, expressions)


def _collapse(op: Operation) -> AffineMap | None:
    shape = ir.RankedTensorType(op.operands[0].type).shape
    expressions = [ir.AffineConstantExpr.get(0)] * len(shape)
    groups = reassociation_of(op)
    for result, group in enumerate(groups):
        axes = [axis for axis in group if shape[axis] != 1]
        if len(axes) > 1:
            return None
        for axis in axes:
            expressions[axis] = ir.AffineDimExpr.get(result)
    return ir.AffineMap.get(len(groups), 0, expressions)


def scalar_constant(op: Operation) -> Attribute | None:
    """The element of a tensor constant with equal elements, where `arith.constant` can hold it, else None."""
    attribute = op.attributes["value"]
    if not isinstance(attribute, ir.DenseElementsAttr) or not attribute.is_splat:
        return None
    if not isinstance(attribute.type, ir.RankedTensorType):
        return None  # a vector
    if isinstance(ir.RankedTensorType(attribute.type).element_type, ir.ComplexType):
        return None
    return attribute.get_splat_value()


@dataclass(frozen=True)
class Read:
    """An input of a generic."""

    operand: Value
    operand_map: AffineMap
    """From the loops of the generic to indices of the operand."""
    source: Value
    """The value that the operand is a view of, or the operand itself."""
    map: AffineMap
    """From the loops of the generic to indices of the source."""
    scalar: Value | Attribute | None
    """Where all elements are equal and the loops do not need the operand: a scalar, or its attribute."""
    reads_source: bool
    """Whether to read the source rather than the operand where the two do not fuse."""

    @property
    def indexing(self) -> AffineMap:
        """From the loops of the generic to indices of what is read where the two do not fuse."""
        return self.map if self.reads_source else self.operand_map


class Generic:
    """A `linalg.generic` with what fusion wants to know of it."""

    group: Group
    chain: int
    """The cost of the longest way from its inputs to the end of its group."""
    loops: AffineMap
    """From the loops of the group to the loops of this op; both are set when it is decided which group it joins."""

    def __init__(
        self, op: Operation, views: Mapping[Value, View], scalars: Mapping[Value, Any], maps: Maps
    ) -> None:
        self.op = op
        block = op.regions[0].blocks[0]
        operations = operations_in(block)
        self.body: list[Operation] = operations[:-1]
        self.terminator: Operation = operations[-1]
        self.arguments: list[Value] = list(block.arguments)
        operands = list(op.operands)
        results = len(op.results)
        indexing = maps.of(op.attributes["indexing_maps"])
        parallel = maps.parallel(op.attributes["iterator_types"])
        self.destinations = operands[-results:]
        self.output_maps = indexing[-results:]
        self.is_parallel = all(parallel)
        self.reads = [
            self._read(operand, read_map, views, scalars, maps)
            for operand, read_map in zip(operands[:-results], indexing, strict=False)
        ]
        self.is_contraction = not self.is_parallel and self._looks_like_contraction(parallel, maps)
        self._inspect_body()

    def _read(
        self,
        operand: Value,
        read_map: AffineMap,
        views: Mapping[Value, View],
        scalars: Mapping[Value, Any],
        maps: Maps,
    ) -> Read:
        view = views.get(operand)
        source, source_map, narrower = operand, read_map, False
        if view is not None:
            source, source_map, narrower = view.source, maps.compose(view.map, read_map), view.is_narrower
        loops = maps.loops(read_map)
        narrower = narrower and (self.is_parallel or maps.loops(source_map) == loops)
        scalar = scalars.get(source) if self.is_parallel or not loops else None
        return Read(operand, read_map, source, source_map, scalar, narrower)

    @property
    def is_number(self) -> bool:
        """Whether it has no loops, as it computes with numbers."""
        return bool(self.output_maps[0].n_dims == 0)

    def filling_scalar(self) -> Value | Attribute | None:
        """The scalar that all elements of the result are, where the op does nothing but fill."""
        if self.body or len(self.output_maps) != 1 or not self.is_elementwise:
            return None
        yielded = self.terminator.operands[0]
        filling = (read.scalar for a, read in zip(self.arguments, self.reads, strict=False) if a == yielded)
        return next(filling, None)

    def _looks_like_contraction(self, parallel: list[bool], maps: Maps) -> bool:
        """Whether inputs run over different loops that are all reduced, or over windows: scheduled by themselves.

        Not where the elements of an input are read once, as by the product of a matrix with a vector: what computes
        them is best computed there.
        """
        if not all(is_simple(read.operand_map) for read in self.reads):
            return True
        reduced = {loop for loop, flag in enumerate(parallel) if not flag}
        used = [maps.loops(read.operand_map) for read in self.reads]
        if any(len(loops) == len(parallel) for loops in used):
            return False
        return len(used) > 1 and all(reduced <= loops for loops in used) and len(set(used)) > 1

    def _inspect_body(self) -> None:
        names = Counter[str]()
        self.cost = 0
        for op in self.body:
            self.cost += _cost(op)
            _count_names(op, names)
        self.uses_index = "linalg.index" in names
        self.is_movable = _FIXED.isdisjoint(names) and not any(name.startswith("scf.") for name in names)
        self.is_elementwise = (
            self.is_parallel
            and RaiseIf.mlir_name() not in names
            and all(indexing.is_permutation for indexing in self.output_maps)
            and all(_is_unused(argument) for argument in self.arguments[len(self.reads) :])
        )


def _count_names(op: Operation, names: Counter[str]) -> None:
    names[op.name] += 1
    for inner in operations_directly_in(op):
        _count_names(inner, names)


def _is_unused(value: Value) -> bool:
    return next(iter(value.uses), None) is None


# Groups


class Group:
    """Generics that become one: a root, which keeps its loops and results, and producers that only it needs."""

    def __init__(self, root: Generic, maps: Maps) -> None:
        self.root = root
        self.members = [root]
        """From the root back to the first op."""
        self.cost = self.chain = root.chain = root.cost
        """Of all instructions, and of the longest chain of them that wait for each other, at most."""
        self._maps = maps
        root.group = self
        root.loops = ir.AffineMap.get_identity(root.output_maps[0].n_dims)
        outputs = frozenset[int]().union(*map(maps.loops, root.output_maps))
        self._wanted = frozenset(range(root.loops.n_dims)) - outputs
        """Loops whose extent only inputs tell: those of reductions."""
        self._covered = Counter[int]()
        if self._wanted:
            self._cover(root, root.loops, self._covered)

    def add(self, producer: Generic, loops: AffineMap, reads: Sequence[tuple[Generic, Read]]) -> bool:
        """Let a producer join at a place of the loops, unless the extent of a loop would not be known any more."""
        if self._wanted:
            covered = self._covered.copy()
            for user, read in reads:
                covered.subtract(self._loops_of(read, user.loops))
            self._cover(producer, loops, covered)
            if any(covered[loop] <= 0 for loop in self._wanted):
                return False
            self._covered = covered
        producer.group, producer.loops = self, loops
        producer.chain = producer.cost + max(user.chain for user, _ in reads)
        self.chain = max(self.chain, producer.chain)
        self.members.append(producer)
        self.cost += producer.cost
        return True

    def _cover(self, generic: Generic, loops: AffineMap, covered: Counter[int]) -> None:
        for read in generic.reads:
            if read.scalar is None:
                covered.update(self._loops_of(read, loops))

    def _loops_of(self, read: Read, loops: AffineMap) -> frozenset[int]:
        """The loops whose extent an input tells."""
        return self._maps.loops(self._maps.compose(read.indexing, loops))

    @property
    def is_worth_building(self) -> bool:
        """Whether building would change anything; contractions stay as their schedule knows them."""
        if self.root.is_contraction:
            return False
        return len(self.members) > 1 or any(r.scalar is not None or r.reads_source for r in self.root.reads)


# Building


class Builder:
    """Makes one op of every group, in program order; the old ones stay behind without uses."""

    def __init__(self, maps: Maps) -> None:
        self._maps = maps
        self._constants: dict[Attribute, Value] = {}
        self._replaced: dict[Value, Value] = {}

    def build(self, group: Group) -> None:
        """Build the op of a group in front of its root."""
        root = group.root
        inputs = self._inputs(group)
        with ir.InsertionPoint(root.op), root.op.location:
            fused = self._create(root, inputs)
            block_arguments = list(fused.regions[0].blocks[0].arguments)
            sources: dict[Any, Value] = dict(zip(inputs, block_arguments, strict=False))
            for old, new in zip(
                root.arguments[len(root.reads) :], block_arguments[len(inputs) :], strict=True
            ):
                old.replace_all_uses_with(new)
            for member in reversed(group.members):
                self._move(member, fused, sources)
        fused.regions[0].blocks[0].append(root.terminator)
        for old, new in zip(root.op.results, fused.results, strict=True):
            old.replace_all_uses_with(new)
            self._replaced[old] = new

    def _inputs(self, group: Group) -> dict[Any, tuple[Value, AffineMap]]:
        """What a group reads from outside, each value at each place once."""
        inner = {result for member in group.members[1:] for result in member.op.results}
        inputs: dict[Any, tuple[Value, AffineMap]] = {}
        for member in reversed(group.members):
            for argument, read in zip(member.arguments, member.reads, strict=False):
                unused = group.root.is_parallel and _is_unused(argument)
                if read.scalar is None and read.source not in inner and not unused:
                    key = self._key(member, read)
                    inputs[key] = (self._replaced.get(key[0], key[0]), key[1])
        return inputs

    def _key(self, member: Generic, read: Read) -> tuple[Value, AffineMap]:
        value = read.source if read.reads_source else read.operand
        return value, self._maps.compose(read.indexing, member.loops)

    def _create(self, root: Generic, inputs: Mapping[Any, tuple[Value, AffineMap]]) -> Operation:
        outputs = list(root.op.operands)[len(root.reads) :]
        indexing = [input_map for _, input_map in inputs.values()] + root.output_maps
        return new_generic(
            [value for value, _ in inputs.values()], outputs, indexing, root.op.attributes["iterator_types"]
        )

    def _move(self, member: Generic, fused: Operation, sources: dict[Any, Value]) -> None:
        """Move a body into a fused op; what it yields becomes the source of the reads of its results."""
        for argument, read in zip(member.arguments, member.reads, strict=False):
            if _is_unused(argument):
                continue
            if read.scalar is not None:
                scalar = self._scalar(read.scalar, fused)
            elif read.source in sources:
                scalar = sources[read.source]
            else:
                scalar = sources[self._key(member, read)]
            argument.replace_all_uses_with(scalar)
        block = fused.regions[0].blocks[0]
        for op in member.body:
            block.append(op)
        if member.uses_index and member is not member.group.root:
            for op in member.body:
                _move_indices(op, member.loops)
        sources.update(zip(member.op.results, member.terminator.operands, strict=True))

    def _scalar(self, scalar: Any, before: Operation) -> Value:
        """A scalar as a value; constants are made once, in front of the first op that wants them."""
        if not isinstance(scalar, ir.Attribute):
            return scalar
        if scalar not in self._constants:
            self._constants[scalar] = _constant(scalar, before)
        return self._constants[scalar]


def _constant(attribute: Attribute, before: Operation) -> Value:
    with ir.InsertionPoint(before):
        op = ir.Operation.create("arith.constant", results=[attribute.type], attributes={"value": attribute})
    return op.results[0]


def _move_indices(op: Operation, loops: AffineMap) -> None:
    """Let the index ops of a moved body ask for the loops of the group."""
    if op.name == "linalg.index":
        expression = loops.results[op.attributes["dim"].value]
        if isinstance(expression, ir.AffineDimExpr):
            op.attributes["dim"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), expression.position)
        else:
            zero = _constant(ir.IntegerAttr.get(ir.IndexType.get(), expression.value), op)
            op.results[0].replace_all_uses_with(zero)
            op.erase()  # there may be no such loop
            return
    for inner in operations_directly_in(op):
        _move_indices(inner, loops)
