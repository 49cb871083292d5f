"""Branches, loops and calls, as the structured control flow that weft's passes know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....dialect.attributes import elements_from_mlir, type_to_mlir
from ....dialect.dtypes import kind
from ....dialect.emitter import INT64, Extent, Tensor
from ....dialect.made_ops import constant_index, extracted, index_from, operation_of, tensor_from
from ....dialect.mlir import Operation, Value, ir
from ....dialect.records import NamedTuple
from ....dialect.types import TensorType
from .elementwise import direction_of
from .table import Builder, Refused, result_type, rule


def _truth(b: Builder, condition: Tensor) -> Value:
    """The boolean in a tensor of rank 0."""
    with b.location:
        return extracted(condition.handle)


def _end(b: Builder, name: str, *operands: Value) -> None:
    operation_of(name, operands, location=b.location)


def _as(b: Builder, values: Sequence[Tensor], types: Sequence[TensorType]) -> list[Value]:
    """Values of types that differ in what is known of sizes."""
    return [b.refined(value, wanted).handle for value, wanted in zip(values, types, strict=True)]


def _types(op: Operation) -> list[TensorType]:
    return [result_type(op, i) for i in range(len(op.results))]


@rule("while")
def while_(b: Builder, op: Operation, *initial: Tensor) -> Sequence[Tensor]:
    """`scf.while`, or `scf.for` where an integer counts up to a bound by ones."""
    counter = _counter(op)
    if counter is not None:
        return _counted_loop(b, op, counter, initial)
    types = _types(op)
    location = b.location
    made = operation_of(
        "scf.while", _as(b, initial, types), map(type_to_mlir, types), regions=2, location=location
    )
    for region, own, last in zip(op.regions, made.regions, ("scf.condition", "scf.yield"), strict=True):
        block = own.blocks.append(*map(type_to_mlir, types), arg_locs=[location] * len(types))
        with ir.InsertionPoint(block):
            arguments = list(map(b.value, block.arguments))
            found = b.inlined(region.blocks[0], arguments)
            b.location = location
            if last == "scf.condition":
                _end(b, last, _truth(b, found[0]), *(argument.handle for argument in arguments))
            else:
                _end(b, last, *_as(b, found, types))
    return list(map(b.value, made.results))


class _Counter(NamedTuple):
    """What a loop counts by."""

    place: int
    """Which of what is carried it is."""
    stop: Value
    """What it has to be less than: from outside, a constant of the test, or carried without a change."""
    carried: int | None
    """Which of what is carried that is."""


def _counter(op: Operation) -> _Counter | None:
    """The counter of a loop whose test is `i < stop` and which makes `i + 1` of it."""
    test, body = (region.blocks[0] for region in op.regions)
    *others, last = [view.operation for view in test.operations]
    compared = others[-1] if others else None
    is_plain = all(each.name == "stablehlo.constant" for each in others[:-1])
    if compared is None or compared.name != "stablehlo.compare" or not is_plain:
        return None
    one, stop = compared.operands
    arguments = list(test.arguments)
    is_less = direction_of(compared) == "LT" and list(last.operands) == list(compared.results)
    if not is_less or one not in arguments or not _is_counted(one):
        return None
    place = arguments.index(one)
    ends = list(body.operations[len(body.operations) - 1].operands)
    if not _is_next(ends[place], body.arguments[place]):
        return None
    if stop not in arguments:
        return _Counter(place, stop, None)
    carried = arguments.index(stop)
    return _Counter(place, stop, carried) if ends[carried] == body.arguments[carried] else None


def _is_counted(value: Value) -> bool:
    """Whether something is a signed integer that i64 can hold."""
    return str(value.type) in ("tensor<i8>", "tensor<i16>", "tensor<i32>", "tensor<i64>")


def _is_next(value: Value, counter: Value) -> bool:
    """Whether a value is the counter and one."""
    made = value.owner
    if getattr(made, "name", "") != "stablehlo.add" or counter not in list(made.operands):
        return False
    others = [operand for operand in made.operands if operand != counter]
    constant: Any = others[0].owner if others else None
    if getattr(constant, "name", "") != "stablehlo.constant":
        return False
    return bool(elements_from_mlir(constant.attributes["value"]) == 1)


def _counted_loop(
    b: Builder, op: Operation, counter: _Counter, initial: Sequence[Tensor]
) -> Sequence[Tensor]:
    """The loop with a number of iterations that is known before."""
    body = op.regions[1].blocks[0]
    start = initial[counter.place]
    if counter.carried is not None:
        stop = initial[counter.carried]
    else:
        stop = b.outer(counter.stop)
    first, last = (b.converted(each, INT64) for each in (start, stop))
    last = b.maximum(first, last)
    others = [place for place in range(len(initial)) if place != counter.place]

    def iteration(turn: Value, carried: list[Tensor]) -> Sequence[Tensor]:
        values = dict(zip(others, carried, strict=True))
        values[counter.place] = b.converted(first + b.value(turn), start.dtype)
        found = b.inlined(body, [values[place] for place in range(len(initial))])
        return [found[place] for place in others]

    types = _types(op)
    carried = [b.refined(initial[place], types[place]) for place in others]
    results = counted(b, last - first, carried, iteration)
    results.insert(counter.place, b.converted(last, start.dtype))
    return results


@rule("if")
def if_(b: Builder, op: Operation, condition: Tensor) -> Sequence[Tensor]:
    """`scf.if`."""
    return _branch(b, op, condition, lambda: _inlined(b, op, 0), lambda: _inlined(b, op, 1))


@rule("case")
def case(b: Builder, op: Operation, index: Tensor) -> Sequence[Tensor]:
    """`scf.if` for each branch; an index outside means the last one."""
    count = len(op.regions)

    def branch(number: int) -> Sequence[Tensor]:
        if number == count - 1:
            return _inlined(b, op, number)
        return _branch(
            b, op, index.equals(number), lambda: _inlined(b, op, number), lambda: branch(number + 1)
        )

    return branch(0)


def _inlined(b: Builder, op: Operation, number: int) -> Sequence[Tensor]:
    return b.inlined(op.regions[number].blocks[0], ())


def _branch(
    b: Builder,
    op: Operation,
    condition: Tensor,
    then: Callable[[], Sequence[Tensor]],
    otherwise: Callable[[], Sequence[Tensor]],
) -> list[Tensor]:
    types, location = _types(op), b.location
    made = operation_of(
        "scf.if", [_truth(b, condition)], map(type_to_mlir, types), regions=2, location=location
    )
    for region, body in zip(made.regions, (then, otherwise), strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            found = body()
            b.location = location
            _end(b, "scf.yield", *_as(b, found, types))
    return list(map(b.value, made.results))


def counted(
    b: Builder,
    count: Extent,
    initial: Sequence[Tensor],
    body: Callable[[Value, list[Tensor]], Sequence[Tensor]],
) -> list[Tensor]:
    """A loop that runs so many times; the body gets the number of the iteration as i64[], and what is carried."""
    types = [value.type for value in initial]
    kinds, location = list(map(type_to_mlir, types)), b.location
    with location:
        stop = index_from(count.handle) if isinstance(count, Tensor) else constant_index(count)
        bounds = constant_index(0), stop, constant_index(1)
        made = operation_of("scf.for", [*bounds, *(value.handle for value in initial)], kinds, regions=1)
    block = made.regions[0].blocks.append(bounds[0].type, *kinds, arg_locs=[location] * (1 + len(types)))
    with ir.InsertionPoint(block):
        turn, *carried = block.arguments
        with location:
            number = tensor_from(turn)
        found = body(number, list(map(b.value, carried)))
        b.location = location
        _end(b, "scf.yield", *_as(b, found, types))
    return list(map(b.value, made.results))


@rule("composite")
def composite(b: Builder, op: Operation, *operands: Tensor) -> Sequence[Tensor]:
    """What its decomposition computes; of functions of real elements, as `chlo.erf`, weft's."""
    own = FUNCTIONS.get(str(op.attributes["name"].value).partition("chlo.")[2])
    if own is not None and kind(operands[0].dtype) == "f" and "decomposition" in op.attributes:
        return [b.one(own, *operands)]
    return b.called(op.attributes["decomposition"].value, operands)


FUNCTIONS = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
    "cosh": "cosh",
    "digamma": "digamma",
    "erf": "erf",
    "erfc": "erfc",
    "lgamma": "gammaln",
    "sinh": "sinh",
    "tan": "tan",
}
"""Functions of elements that exporters call by name, with `mhlo.` or `chlo.` before it."""

_IDENTITIES = ("Sharding", "xla.sdy.FuncResultSharding", "annotate_device_placement")
"""What is said of the place of a tensor, which is one and the same here."""


@rule("custom_call")
def custom_call(b: Builder, op: Operation, *operands: Tensor) -> Sequence[Tensor]:
    """Refused by its name, but for functions of elements as `mhlo.erf`, assertions of sizes, and what shards."""
    name = str(op.attributes["call_target_name"].value)
    if name in _IDENTITIES:
        return operands
    if name == "shape_assertion":
        return _assertion(b, op, *operands)
    room, _, function = name.partition(".")
    own = FUNCTIONS.get(function)
    if own is None or room not in ("mhlo", "chlo"):
        raise Refused(f"calls {name!r}, a function of the program that wrote it")
    return [b.one(own, *operands)]


def _assertion(b: Builder, op: Operation, holds: Tensor, *values: Tensor) -> Sequence[Tensor]:
    """An error where sizes do not fit."""
    message = (
        str(op.attributes["error_message"].value) if "error_message" in op.attributes else "sizes differ"
    )
    shown = [b.converted(value, INT64) for value in values]
    b.raise_if(b.logical_not(holds), *shown, error="ValueError", message=message)
    return []
