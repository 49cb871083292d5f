"""What a function of a module takes and returns, as its types alone tell."""

from __future__ import annotations

import inspect
from typing import Any

from ...dialect.attributes import type_from_mlir
from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.mlir import Operation, ir
from ...dialect.types import RefType, TensorType
from ..runtime_values.result_spec import ComputedResult
from ..signature.signature import Leaf, Node, Structure
from .checked_modules import name_of
from .descriptions import Argument, Description


def described(entry: Operation, place: str) -> Description:
    """What a function takes and returns."""
    symbol = name_of(entry)
    blocks = list(entry.regions[0].blocks)
    if not blocks:
        raise WeftValueError(f"{place}: the function {symbol} has no body")
    signature = ir.FunctionType(entry.attributes["function_type"].value)
    arguments = []
    for number, block_argument in enumerate(blocks[0].arguments):
        found = _type(block_argument.type, f"argument {number} of {symbol}")
        is_written = isinstance(found, RefType)
        tensor = found.tensor if isinstance(found, RefType) else found
        arguments.append(Argument(_name(str(block_argument.location), number), tensor, is_written, None))
    outputs = tuple(_output(given, number, symbol) for number, given in enumerate(signature.results))
    leaves = tuple(ComputedResult(number, output.rank == 0) for number, output in enumerate(outputs))
    names = [argument.name for argument in arguments]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if len(set(names)) < len(names):
        names = [f"x{number}" for number in range(len(names))]
    given = Node(tuple, (), tuple(map(Leaf, range(len(arguments)))))
    results: Structure = (
        Leaf(0) if len(leaves) == 1 else Node(tuple, (), tuple(map(Leaf, range(len(leaves)))))
    )
    return Description(
        symbol,
        tuple(inspect.Parameter(n, kind) for n in names),
        Node(tuple, (), (given, Node(dict, (), ()))),
        tuple(a._replace(name=n) for a, n in zip(arguments, names, strict=True)),
        tuple(range(len(arguments))),
        (),
        outputs,
        results,
        leaves,
        (),
    )


def _name(location: str, number: int) -> str:
    """What the text calls an argument in its location, or its number."""
    name = location.removeprefix('loc("').partition('"')[0]
    return name if name.isidentifier() else f"x{number}"


def _output(given: Any, number: int, symbol: str) -> TensorType:
    found = _type(given, f"result {number} of {symbol}")
    if isinstance(found, RefType):
        raise WeftValueError(f"result {number} of {symbol} is a cell: return what weft.read_ref gives")
    return found


def _type(given: Any, what: str) -> TensorType | RefType:
    try:
        return type_from_mlir(given)
    except WeftTypeError as error:
        raise WeftValueError(f"{what} is no array: {error}") from None
