"""Sizes of tensor values in terms of what is known before anything is computed.

Buffers are planned before the kernels run, so the sizes of every intermediate must be index arithmetic on the
sizes of the arguments. `Shapes` answers that question for the tensors of one function, op by op; `Sizes` computes
the answers in the program.
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import field
from typing import Any, TypeAlias, TypeVar

from ...dialect.errors import InternalError
from ...dialect.extents import SCALAR, extent_source
from ...dialect.mlir import Block, Operation, Type, Value, dialect, ir
from ...dialect.records import NamedTuple, dataclass
from ...dialect.sizes import Computed, Size, ceildiv, computed, floordiv, replaced, symbol, symbols, terms_of
from ...passes.index_arithmetic import Extent, IndexArithmetic
from ...passes.rewriting import constant_integer, copy_with, reassociation_of, terminator
from .names import is_kernel_name

# Results of these ops have the shape of the operand they are written into.
_DESTINATION_OPERAND = {"tensor.insert_slice": 1, "tensor.insert": 1, "linalg.fill": 1}

_FUNCTIONS = {
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.floordivsi": floordiv,
    "arith.ceildivsi": ceildiv,
}

Varying: TypeAlias = "Set[Axis]"
"""Axes of results and block arguments of control flow whose size is not known before it."""


class Axis(NamedTuple):
    """A symbol: the size of a tensor or memref that is not computed from others."""

    value: Value
    axis: int


_DEEPEST = 32
"""Questions inside of each other; each takes some eight frames."""

_Found = TypeVar("_Found")


class _TooDeepError(Exception):
    """Something else is to be found out first."""

    def __init__(self, find: Callable[[Value], Any], value: Value) -> None:
        super().__init__()
        self.find = find
        self.value = value


@dataclass
class _Level:
    """What was found out about the values in the blocks of a scope, and not in one further inside."""

    blocks: tuple[Block, ...]
    known: dict[Value, list[Size]] = field(default_factory=dict)
    read: dict[Value, Size] = field(default_factory=dict)
    examples: dict[Computed, Operation] = field(default_factory=dict)
    """Ops that compute symbols."""


class Shapes:
    """The sizes of the tensors of one function.

    They are terms in sizes that are not computed from others, and in index values of the program; `in_full` goes on to
    what those are computed from.
    """

    def __init__(self, varying: Varying = frozenset()) -> None:
        self._varying = varying
        self._depth = 0  # of questions that others are asked for
        self._levels: list[_Level] = [_Level(())]

    @contextmanager
    def scope(self, *blocks: Block) -> Iterator[None]:
        """Forget, in the end, the values inside of blocks.

        What was found out about others is kept: along a chain of branches, each would ask for all in front of it again.
        """
        self._levels.append(_Level(blocks))
        yield
        self._levels.pop()  # as a whole: its values may be erased by now, and are not looked at

    def example(self, made: Computed) -> Operation:
        """An op that computes a symbol."""
        return next(level.examples[made] for level in self._levels if made in level.examples)

    def _level_of(self, block: Block) -> int:
        """The innermost scope that a block is in."""
        if len(self._levels) == 1:
            return 0
        while True:
            for number in range(len(self._levels) - 1, 0, -1):
                if block in self._levels[number].blocks:
                    return number
            parent = block.owner.operation
            if parent.name == "func.func":
                return 0
            block = parent.block

    def _level_for(self, value: Value, sizes: Iterable[Size]) -> _Level:
        """The scope whose end sizes of a value do not survive: its own, or that of an op that computes a symbol."""
        owner = value.owner
        number = self._level_of(owner if isinstance(owner, ir.Block) else owner.operation.block)
        names = {name for size in sizes for product in terms_of(size) for name in product}
        computed_names = [name for name in names if isinstance(name, Computed)]
        for above in range(len(self._levels) - 1, number, -1):
            if any(name in self._levels[above].examples for name in computed_names):
                number = above
                break
        return self._levels[number]

    def _note_example(self, made: Computed, op: Operation) -> None:
        """Note an op that computes a symbol; of several the outermost, which is there for the longest time."""
        number = self._level_of(op.block)
        if not any(made in level.examples for level in self._levels[: number + 1]):
            self._levels[number].examples[made] = op
            for inner in self._levels[number + 1 :]:
                inner.examples.pop(made, None)

    def varying_axes(self, value: Value) -> list[int]:
        """The axes of a tensor whose sizes are only known where control flow defines it."""
        if not self._varying or not isinstance(value.type, ir.RankedTensorType):
            return []
        return [axis for axis in range(value.type.rank) if Axis(value, axis) in self._varying]

    def of(self, value: Value) -> list[Size]:
        """The sizes of a tensor, outermost first."""
        known = next((level.known[value] for level in self._levels if value in level.known), None)
        return self._ask(self._find_sizes, value) if known is None else known

    def _find_sizes(self, value: Value) -> list[Size]:
        shape = static_shape(value.type)
        found = self._derive(value) if None in shape else ()
        sizes = [found[axis] if extent is None else extent for axis, extent in enumerate(shape)]
        self._level_for(value, sizes).known[value] = sizes
        return sizes

    def in_full(self, size: Size) -> Size:
        """A size in terms of what is not index arithmetic."""
        return replaced(size, lambda name: self.read(name) if isinstance(name, ir.Value) else symbol(name))

    def read(self, value: Value) -> Size:
        """An index value in terms of what it is computed from."""
        found = next((level.read[value] for level in self._levels if value in level.read), None)
        return self._ask(self._find_term, value) if found is None else found

    def _find_term(self, value: Value) -> Size:
        found = self._term(value)
        self._level_for(value, (found,)).read[value] = found
        return found

    def _ask(self, find: Callable[[Value], _Found], value: Value) -> _Found:
        """What is found out about a value, for which others are asked.

        A long chain of these is followed a piece at a time, the last piece first: Python's stack is short.
        """
        if self._depth:
            if self._depth == _DEEPEST:
                raise _TooDeepError(find, value)
            self._depth += 1
            try:
                return find(value)
            finally:
                self._depth -= 1
        pieces: list[tuple[Callable[[Value], Any], Value]] = [(find, value)]
        while True:
            find_first, first = pieces[-1]
            self._depth = 1
            try:
                found: _Found = find_first(first)
            except _TooDeepError as error:
                pieces.append((error.find, error.value))
                continue
            finally:
                self._depth = 0
            pieces.pop()
            if not pieces:
                return found

    def _term(self, value: Value) -> Size:
        if isinstance(value.owner, ir.Block):
            return symbol(value)
        op = value.owner.operation
        is_index = isinstance(value.type, ir.IndexType)
        number = constant_integer(value) if is_index else None
        if number is not None:
            return number
        if op.name in ("tensor.dim", "memref.dim"):
            axis = self.read(op.operands[1])
            return self.in_full(self.of(op.operands[0])[axis]) if isinstance(axis, int) else symbol(value)
        if not op.name.startswith("arith.") or len(op.results) != 1:
            return symbol(value)
        operands = [self.read(operand) for operand in op.operands]
        if is_index and op.name == "arith.addi":
            return operands[0] + operands[1]
        if is_index and op.name == "arith.subi":
            return operands[0] - operands[1]
        if is_index and op.name == "arith.muli":
            return operands[0] * operands[1]
        attributes = ", ".join(f"{name} = {op.attributes[name]}" for name in op.attributes)
        function = _FUNCTIONS.get(op.name) if is_index else None
        size = computed(function or (op.name, f"{value.type} {attributes}"), *operands)
        made = sole_symbol(size)
        if isinstance(made, Computed):
            self._note_example(made, op)
        return size

    def _derive(self, value: Value) -> Sequence[Size]:
        owner = value.owner
        if not isinstance(value.type, ir.RankedTensorType):
            return self._own(value)
        if isinstance(owner, ir.Block):
            return self._fixed_or_own(value, self._of_argument(value, owner))
        op = owner.operation
        name: str = op.name
        operands = list(op.operands)
        if name in _DESTINATION_OPERAND:
            return self.of(operands[_DESTINATION_OPERAND[name]])
        if name in ("tensor.cast", "bufferization.materialize_in_destination", "bufferization.to_tensor"):
            return self.of(operands[0])
        if name == "arith.select":
            return self.of(operands[1])
        if name.startswith("weft."):
            return self._of_source(value)
        if name.startswith("linalg."):
            return self.of(operands[len(operands) - len(op.results) + value.result_number])
        rule = getattr(self, "_of_" + name.replace(".", "_"), None)
        if rule is None:
            raise InternalError(f"no rule gives the sizes of the result of {name}", at=str(op.location))
        extents: Sequence[Size] = rule(op, value)
        return extents

    def _of_argument(self, value: Value, block: ir.Block) -> Sequence[Size]:
        parent = block.owner.operation
        if parent.name == "func.func":
            return self._own(value)
        if parent.name == "scf.for":
            return self.of(list(parent.operands)[2 + value.arg_number])
        if parent.name == "scf.while" and block == parent.regions[0].blocks[0]:
            return self.of(list(parent.operands)[value.arg_number])
        if parent.name == "scf.while":
            return self._passed_on(parent, value.arg_number)
        raise InternalError(f"sizes of a block argument of {parent.name}", at=str(parent.location))

    def _own(self, value: Value) -> list[Size]:
        """Sizes that are not computed from others."""
        return [symbol(Axis(value, axis)) for axis in range(value.type.rank)]

    def _fixed_or_own(self, value: Value, extents: Sequence[Size]) -> list[Size]:
        axes = self.varying_axes(value)
        return [symbol(Axis(value, axis)) if axis in axes else e for axis, e in enumerate(extents)]

    def _of_source(self, value: Value) -> list[Size]:
        """The sizes that an op of weft says that its result has."""
        sources = [extent_source(value, axis) for axis in range(value.type.rank)]
        return [
            symbol(Axis(value, axis))
            if source is None or source[1] == SCALAR
            else self.of(source[0])[source[1]]
            for axis, source in enumerate(sources)
        ]

    def _of_func_call(self, op: Operation, value: Value) -> Sequence[Size]:
        if not is_kernel_name(op.attributes["callee"].value):
            return self._own(value)
        # The last arguments of a kernel are the destinations of its tensor results.
        tensors = sum(isinstance(result.type, ir.RankedTensorType) for result in op.results)
        return self.of(op.operands[len(op.operands) - tensors + value.result_number])

    def _of_tensor_empty(self, op: Operation, value: Value) -> Sequence[Size]:
        return _given(value, list(op.operands))

    _of_tensor_generate = _of_tensor_empty

    def _of_tensor_splat(self, op: Operation, value: Value) -> Sequence[Size]:
        return _given(value, list(op.operands)[1:])

    _of_tensor_expand_shape = _of_tensor_splat

    def _of_tensor_extract_slice(self, op: Operation, value: Value) -> Sequence[Size]:
        sizes = mixed(op, "static_sizes", 2)
        return [_size(sizes[axis]) for axis in kept_axes(sizes, static_shape(value.type))]

    def _of_tensor_collapse_shape(self, op: Operation, value: Value) -> Sequence[Size]:
        source = self.of(op.operands[0])
        return [math.prod(source[axis] for axis in group) for group in reassociation_of(op)]

    def _of_tensor_pad(self, op: Operation, value: Value) -> Sequence[Size]:
        widths = zip(mixed(op, "static_low", 1), mixed(op, "static_high", 2), strict=True)
        added = [_size(low) + _size(high) for low, high in widths]
        return [extent + width for extent, width in zip(self.of(op.operands[0]), added, strict=True)]

    def _of_tensor_concat(self, op: Operation, value: Value) -> Sequence[Size]:
        axis = int(op.attributes["dim"].value)
        parts = [self.of(operand) for operand in op.operands]
        total = sum(part[axis] for part in parts)
        return [*parts[0][:axis], total, *parts[0][axis + 1 :]]

    def _of_scf_for(self, op: Operation, value: Value) -> Sequence[Size]:
        return self._fixed_or_own(value, self.of(list(op.operands)[3 + value.result_number]))

    def _of_scf_while(self, op: Operation, value: Value) -> Sequence[Size]:
        return self._fixed_or_own(value, self._passed_on(op, value.result_number))

    def _of_scf_if(self, op: Operation, value: Value) -> Sequence[Size]:
        inside = terminator(op.regions[0].blocks[0]).operands[value.result_number]
        return self._fixed_or_own(value, self._in_full_of(inside))

    def _passed_on(self, loop: Operation, index: int) -> list[Size]:
        """The sizes of an argument or result that the condition of a while loop passes on."""
        return self._in_full_of(terminator(loop.regions[0].blocks[0]).operands[1 + index])

    def _in_full_of(self, value: Value) -> list[Size]:
        """The sizes of a value that is defined in a region; of those that do not vary, what is known outside of it."""
        return [self.in_full(size) for size in self.of(value)]


class Sizes:
    """The sizes of the tensors of one function, as static ints or index values.

    Ops are made at the current insertion point, which only ever moves forward in one block, so what was made
    for one question is reused for the next. When the function is being rewritten into another one, `mapping`
    gives the values of the new one; the answers are in those terms. The sizes in `varying` are not computed from
    others: they are read from the tensor, or `know` said what they are.
    """

    def __init__(
        self,
        builder: IndexArithmetic,
        mapping: dict[Value, Value] | None = None,
        varying: Varying = frozenset(),
    ) -> None:
        self.builder = builder
        self.shapes = Shapes(varying)
        self._mapping = {} if mapping is None else mapping
        self._known: dict[Hashable, Extent] = {}
        self._made: ChainMap[Hashable, Extent] = ChainMap()

    def know(self, value: Value, axis: int, extent: Extent) -> None:
        """Say what a size is that is not computed from others."""
        size = self.shapes.read(extent) if isinstance(extent, ir.Value) else extent
        self._known[Axis(value, axis)] = self._extent(size) if is_known_at_entry(size) else extent

    @contextmanager
    def scope(self, *blocks: Block) -> Iterator[None]:
        """Forget, in the end, what is made inside of blocks."""
        outside = self._made
        self._made = outside.new_child()
        with self.shapes.scope(*blocks):
            yield
        self._made = outside

    def of(self, value: Value) -> list[Extent]:
        """The sizes of a tensor, outermost first."""
        return [self._extent(self._from_the_entry(size)) for size in self.shapes.of(value)]

    def typed(self, value: Value) -> list[Extent]:
        """The sizes of a tensor, static exactly where its type says so."""
        return [
            extent if known is not None else self.builder.value(extent)
            for known, extent in zip(static_shape(value.type), self.of(value), strict=True)
        ]

    def _extent(self, size: Size) -> Extent:
        """The size as a value of the program."""
        if isinstance(size, int):
            return size
        made = self._made.get(size)
        if made is None:
            made = self._made[size] = self._sum(size)
        return made

    def _from_the_entry(self, size: Size) -> Size:
        """The size in terms of the sizes of arguments, where it depends on nothing else.

        The parts of an array that is cut where data says are together as long as the array, and are computed of data.
        """
        full = self.shapes.in_full(size)
        return full if is_known_at_entry(full) else size

    def _sum(self, size: Size) -> Extent:
        total: Extent = 0
        for product, factor in terms_of(size).items():
            factors = [self._value_of(name) for name in product]
            total = self.builder.add(total, self.builder.product([*factors, factor]))
        return total

    def _value_of(self, name: Hashable) -> Extent:
        if isinstance(name, ir.Value):
            return self._mapping.get(name, name)
        if name not in self._known and isinstance(name, Axis):
            source: Value = self._mapping.get(name.value, name.value)
            dim = dialect("memref" if isinstance(source.type, ir.MemRefType) else "tensor").dim
            return dim(source, self.builder.value(name.axis))
        if isinstance(name, Computed):
            op = self.shapes.example(name)
            operands = [self.builder.value(self._extent(self.shapes.read(v))) for v in op.operands]
            return copy_with(op, operands).results[0]
        return self._known[name]


def is_known_at_entry(size: Size) -> bool:
    """Whether a size depends on the sizes of arguments only."""
    return all(isinstance(name, Axis) and _is_argument(name.value) for name in symbols(size))


def _is_argument(value: Value) -> bool:
    return isinstance(value.owner, ir.Block) and bool(value.owner.owner.operation.name == "func.func")


def sole_symbol(size: Size) -> Hashable | None:
    """The symbol that a size is, if it is just that."""
    terms = terms_of(size)
    (product, *others) = terms or ((),)
    return product[0] if not others and len(product) == 1 and terms[product] == 1 else None


def _size(extent: Extent) -> Size:
    return extent if isinstance(extent, int) else symbol(extent)


def _given(value: Value, dynamic: Sequence[Value]) -> list[Size]:
    """The sizes of a type, those that it does not tell given in their order."""
    remaining = iter(dynamic)
    return [symbol(next(remaining)) if extent is None else extent for extent in static_shape(value.type)]


def static_shape(type: Type) -> list[int | None]:
    """The shape of a tensor or memref type with None for dynamic sizes."""
    dynamic = ir.ShapedType.get_dynamic_size()
    return [None if extent == dynamic else extent for extent in type.shape]


def unknown_axes(values: Sequence[Value]) -> list[tuple[Value, int]]:
    """The axes of tensors whose sizes the types do not tell, in order."""
    return [
        (value, axis)
        for value in values
        for axis, extent in enumerate(static_shape(value.type))
        if extent is None
    ]


def mixed(op: Operation, attribute: str, segment: int) -> list[Extent]:
    """Offsets, sizes or paddings of an op: static ones from the attribute, others from an operand segment."""
    segments = list(op.attributes["operandSegmentSizes"])
    first = sum(segments[:segment])
    dynamic = iter(list(op.operands)[first : first + segments[segment]])
    marker = ir.ShapedType.get_dynamic_size()
    return [next(dynamic) if extent == marker else int(extent) for extent in op.attributes[attribute]]


def kept_axes(sizes: list[Extent], shape: list[int | None]) -> list[int]:
    """The axes of a slice that a tensor of a lower rank has: all but some of size 1, the first ones it may miss."""
    kept: list[int] = []
    surplus = len(sizes) - len(shape)
    for axis, size in enumerate(sizes):
        unit = isinstance(size, int) and size == 1
        wanted = shape[len(kept)] if len(kept) < len(shape) else None
        if surplus and unit and wanted != 1:
            surplus -= 1
        else:
            kept.append(axis)
    return kept
