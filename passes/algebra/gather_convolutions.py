"""Compute a sum of shifted products as one convolution.

    x[:, 0:h, 0:w] @ k[0, 0] + x[:, 0:h, 1:w+1] @ k[0, 1] + ...     ->     weft.conv(x, k)

also where a product is written `sum(x[..., None] * k[i, j], axis=3)`. Shifted images are then read from one, and the
result is written once. Like every sum of products, it is added up in an order of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.emitter import INT64_MAX
from ...dialect.mlir import Module, Operation, Value
from ...dialect.ops.contraction import Matmul
from ...dialect.ops.convolution import Conv
from ...dialect.ops.elementwise import Add, Multiply
from ...dialect.ops.reductions import Sum
from ...dialect.ops.shape import ExpandDims, Squeeze
from ...dialect.ops.slicing import Slice
from ...dialect.records import NamedTuple, dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from ..rewriting import Graph, Match, defined_functions, splat_value, type_of

_DTYPES = ("float32", "float64", "complex64", "complex128", "int16", "int32", "int64")
"""Of which products are as they are when sums are made: those of halves are rounded, each."""

_CHANNELS = 3
_AXES = 4


@dataclass(frozen=True)
class GatherConvolutions(Pass):
    """Compute sums of shifted products as one convolution."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in defined_functions(module):
            graph = Graph(function)
            if sum(op_class_of(operation) in (Matmul, Sum) for operation in graph.operations) < 2:
                continue
            found = _Gatherer(graph).run()
            statistics["convolutions gathered"] += found
            if found:
                graph.erase_unused()


class _Range(NamedTuple):
    """What is taken of an axis, which ends behind the last element; all of an axis of unknown extent has no stop."""

    start: int
    stop: int | None
    step: int


class _Product(NamedTuple):
    """An image times a matrix, as parts of arrays that they are taken from."""

    image: Value
    window: tuple[_Range, ...]
    kernel: Value
    place: tuple[int, int]
    """Which matrix of the kernel it is."""

    def key(self) -> tuple[object, ...]:
        """What products of one convolution have in common."""
        batch, height, width, channels = self.window
        return self.image, self.kernel, batch, channels, height.step, width.step


class _Gatherer:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def run(self) -> int:
        """Rewrite the sums of the function; returns how many were."""
        adds = [op for op in self._graph.operations if op_class_of(op) is Add]
        return sum(self._rewrite(op) for op in adds if not self._is_term(op))

    def _is_term(self, add: Operation) -> bool:
        """Whether a sum is a part of another one, and of nothing else."""
        (result,) = add.results
        if not self._graph.has_one_user(result):
            return False
        user = self._graph.users[result][0]
        return op_class_of(user) is Add and user.results[0].type == result.type

    def _rewrite(self, add: Operation) -> bool:
        """Replace a sum, if most of its shifted products are one convolution."""
        type = type_of(add.results[0])
        if type.rank != _AXES or str(type.dtype) not in _DTYPES or 0 in type.shape:
            return False
        terms = self._terms(add)
        groups: dict[tuple[object, ...], dict[Value, _Product]] = {}
        for term in terms:
            product = self._product(term)
            if product is not None and type_of(term) == type:  # others are repeated along an axis
                groups.setdefault(product.key(), {})[term] = product
        products = max(groups.values(), key=len, default={})
        convolution = _convolution(list(products.values()))
        if convolution is None:
            return False
        others = [term for term in terms if term not in products and not self._is_zero(term)]
        result = self._write(Match(self._graph, add, Add), convolution)
        if others:
            total, *rest = others
            for term in [*rest, result]:
                total = self._graph.create(add, Add, [total, term]).results[0]
            result = total
        if result.type != add.results[0].type:
            return False
        self._graph.replace(add, [result])
        return True

    def _terms(self, add: Operation) -> list[Value]:
        """What is added up, from left to right."""
        waiting, found = list(add.operands)[::-1], list[Value]()
        while waiting:
            value = waiting.pop()
            maker = self._graph.producers.get(value)
            is_sum = maker is not None and op_class_of(maker) is Add and value.type == add.results[0].type
            if maker is not None and is_sum and self._graph.has_one_user(value):
                waiting += list(maker.operands)[::-1]
            else:
                found.append(value)
        return found

    def _is_zero(self, value: Value) -> bool:
        """Whether a term is nothing to sums that start from zero."""
        number = splat_value(self._graph, value)
        return number is not None and bool(number == 0)

    def _product(self, value: Value) -> _Product | None:
        """A value as product of a part of an image, with four axes, and a matrix of a kernel."""
        made = self._graph.match(value)
        if made is None or not self._graph.has_one_user(value):
            return None
        factors = _product_of_matrices(made) or self._sum_of_products(made)
        if factors is None:
            return None
        image, window = self._part(factors[0])
        chosen = self._matrix(factors[1])
        if chosen is None or window is None or None in (window[1].stop, window[2].stop):
            return None
        same = {type_of(each).dtype for each in (image, chosen[0], value)}
        return _Product(image, window, *chosen) if len(same) == 1 else None

    def _sum_of_products(self, made: Match) -> tuple[Value, Value] | None:
        """The factors of `sum(x[..., None] * matrix, axis=3)`."""
        if made.op_class is not Sum or made.attributes["axes"] != (_CHANNELS,) or made.attributes["keepdims"]:
            return None
        product = made.producer(0, Multiply)
        if product is None or not self._graph.has_one_user(made.operands[0]):
            return None
        for x, y in (product.operands, product.operands[::-1]):
            image = self._graph.producer(x, ExpandDims)
            if image is None or image.attributes["axes"] != (_AXES,):
                continue
            matrix = self._graph.producer(y, ExpandDims)
            axes = matrix.attributes["axes"] if matrix is not None else ()
            if matrix is not None and axes == tuple(range(len(axes))):
                y = matrix.operands[0]
            if (
                type_of(y).rank == 2
                and type_of(image.operands[0]).rank == _AXES
                and type_of(image.operands[0]).shape[_CHANNELS] == type_of(y).shape[0]
            ):
                return image.operands[0], y
        return None

    def _matrix(self, value: Value) -> tuple[Value, tuple[int, int]] | None:
        """The kernel that a matrix is taken from, and its place there."""
        squeeze = self._graph.producer(value, Squeeze)
        if squeeze is None or squeeze.attributes["axes"] != (0, 1):
            return None
        kernel, window = self._part(squeeze.operands[0])
        if window is None or len(window) != _AXES or None in type_of(kernel).shape:
            return None
        row, column, *whole = window
        if whole != [_Range(0, extent, 1) for extent in type_of(kernel).shape[2:]]:
            return None
        return kernel, (row.start, column.start)

    def _part(self, value: Value) -> tuple[Value, tuple[_Range, ...] | None]:
        """What a value is taken from, and which part of it; no part if that is not known."""
        made = self._graph.producer(value, Slice)
        if made is None:
            return value, tuple(_Range(0, extent, 1) for extent in type_of(value).shape)
        start, stop, step = (made.attributes[name] for name in ("start", "stop", "step"))
        shape = type_of(made.operands[0]).shape
        ranges = [_range(*axis) for axis in zip(start, stop, step, shape, strict=True)]
        known = [found for found in ranges if found is not None]
        return made.operands[0], tuple(known) if len(known) == len(ranges) else None

    def _write(self, add: Match, found: _Convolution) -> Value:
        return add.create(
            Conv,
            self._slice(add, found.image, found.window),
            self._slice(add, found.kernel, found.box),
            strides=found.strides,
            padding=(0, 0, 0, 0),
            dilations=found.dilations,
            input_dilations=(1, 1),
            groups=1,
        )

    def _slice(self, add: Match, value: Value, ranges: Sequence[_Range]) -> Value:
        """A part of an array; the array itself if it is all of it."""
        if list(ranges) == [_Range(0, extent, 1) for extent in type_of(value).shape]:
            return value
        stop = tuple(INT64_MAX if each.stop is None else each.stop for each in ranges)
        start, step = tuple(each.start for each in ranges), tuple(each.step for each in ranges)
        return add.create(Slice, value, start=start, stop=stop, step=step)


def _product_of_matrices(made: Match) -> tuple[Value, Value] | None:
    if made.op_class is not Matmul:
        return None
    image, matrix = made.operands
    return (image, matrix) if type_of(image).rank == _AXES and type_of(matrix).rank == 2 else None


def _range(start: int, stop: int, step: int, extent: int | None) -> _Range | None:
    """What a slice takes of an axis, counted from its start; None if that depends on an unknown extent."""
    if extent is None:
        return _Range(0, None, 1) if (start, stop, step) == (0, INT64_MAX, 1) else None
    taken = range(extent)[start:stop:step]
    return _Range(taken.start, taken[-1] + 1, step) if step > 0 and taken else None


class _Convolution(NamedTuple):
    image: Value
    window: tuple[_Range, ...]
    """All that its products read of the image."""
    kernel: Value
    box: tuple[_Range, ...]
    """The matrices of the kernel that are used."""
    strides: tuple[int, int]
    dilations: tuple[int, int]


def _convolution(products: Sequence[_Product]) -> _Convolution | None:
    """Products of parts of one image as a convolution: with all matrices of a box, the parts at equal distances."""
    if len(products) < 2:
        return None
    first = min(products, key=lambda product: product.place)
    places = {product.place: product for product in products}
    rows, columns = (sorted({place[axis] for place in places}) for axis in (0, 1))
    box = [_Range(each[0], each[-1] + 1, 1) for each in (rows, columns)]
    if len(places) != len(products) or len(places) != len(rows) * len(columns):
        return None
    if any(each[-1] - each[0] + 1 != len(each) for each in (rows, columns)):
        return None
    windows, dilations = [], []
    for axis, present in ((1, rows), (2, columns)):
        next = places.get((first.place[0] + (axis == 1), first.place[1] + (axis == 2)))
        distance = 1 if next is None else next.window[axis].start - first.window[axis].start
        if distance < 1 or any(
            product.window[axis].start
            != first.window[axis].start + distance * (product.place[axis - 1] - present[0])
            for product in products
        ):
            return None
        own = first.window[axis]
        assert own.stop is not None
        windows.append(_Range(own.start, own.stop + distance * (len(present) - 1), 1))
        dilations.append(distance)
    batch, height, width, channels = first.window
    kernel = tuple(_Range(0, extent, 1) for extent in type_of(first.kernel).shape[2:])
    return _Convolution(
        first.image,
        (batch, *windows, channels),
        first.kernel,
        (*box, *kernel),
        (height.step, width.step),
        (dilations[0], dilations[1]),
    )
