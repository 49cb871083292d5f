"""A module of StableHLO as one of the weft dialect: one function, with all that it calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.emitter import Extent, Tensor
from ...dialect.errors import UnsupportedError, WeftError, WeftTypeError
from ...dialect.made_ops import function_of, operation_of
from ...dialect.mlir import Block, Location, Module, Operation, Value, ir
from ...dialect.types import TensorType
from .rules import contractions, control_flow, elementwise, indexing, library, reductions, shapes, sorting
from .rules.table import RULES, Builder, Refused

FAMILIES = (elementwise, shapes, contractions, reductions, indexing, sorting, control_flow, library)
"""The modules that fill the table."""

LARGEST = 1_000_000
"""The largest number of ops that are read: calls are inlined."""

_OF_FORMS = (ArithmeticError, AssertionError, LookupError, TypeError, ValueError, ir.MLIRError)
"""What rules raise at ops that StableHLO's verifier lets through, and of which they know nothing."""

_ENDS = ("stablehlo.return", "func.return")


def translated(source: Module, entry: Operation, symbol: str) -> Module:
    """The module of the weft dialect of a function of a module of StableHLO.

    Raises `UnsupportedError` that names all ops that have no such form, with their lines.
    """
    refuse_unknown(source)
    return _Translation(source).of(entry, symbol)


def refuse_unknown(source: Module) -> None:
    """Raise `UnsupportedError` if there are ops that are in no table."""
    found: dict[str, Operation] = {}
    for op in _operations(source.operation):
        name = op.name
        known = name in (*_ENDS, "func.func", "func.call", "builtin.module")
        if not known and name.removeprefix("stablehlo.") not in RULES:
            found.setdefault(name, op)
    if found:
        lines = "".join(f"\n  {place_of(op)}{name}" for name, op in found.items())
        raise UnsupportedError(f"weft has no form of these ops:{lines}")


def _operations(op: Operation) -> Iterator[Operation]:
    yield op
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _operations(inner.operation)


def has_open_sizes(source: Module) -> bool:
    """Whether there are sizes that the types do not tell: StableHLO takes for granted that they fit."""
    for op in _operations(source.operation):
        blocks = [block for region in op.regions for block in region.blocks]
        values = [*op.results, *(argument for block in blocks for argument in block.arguments)]
        if any("?" in str(value.type) for value in values):
            return True
    return False


_FILE = re.compile(r'"([^"]*)":(\d+)(?::(\d+))?')


def place_of(op: Operation) -> str:
    """The line of the program that an op was made of, or its line in the text."""
    found = _FILE.search(str(op.location))
    if found is None:
        return ""
    file, line, _ = found.groups()
    return f"line {line} of the text: " if file in ("-", "") else f"{file}:{line}: "


class _Translation(Builder):
    """Makes the ops of one function."""

    def __init__(self, source: Module) -> None:
        super().__init__(ir.Location.unknown())
        self._functions = {
            view.operation.attributes["sym_name"].value: view.operation
            for view in source.body.operations
            if view.operation.name == "func.func"
        }
        self._values: dict[Value, Tensor] = {}
        self._calls: list[str] = []
        self._count = 0
        self._of_elements = False
        self.known_elements: dict[Any, list[Extent]] = {}

    def of(self, entry: Operation, symbol: str) -> Module:
        """The module of a function."""
        block = entry.regions[0].blocks[0]
        types = [self._type(argument.type) for argument in block.arguments]
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            inputs = list(map(type_to_mlir, types))
            function = function_of(symbol, inputs, location=entry.location)
        body = function.regions[0].blocks.append(
            *inputs, arg_locs=[argument.location for argument in block.arguments]
        )
        with ir.InsertionPoint(body):
            results = self.inlined(block, list(map(self.value, body.arguments)))
            operation_of("func.return", [result.handle for result in results], location=self.location)
        outputs = [result.handle.type for result in results]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, outputs))
        return module

    # Blocks

    def inlined(self, block: Block, arguments: Sequence[Tensor]) -> list[Tensor]:
        """What a block returns; its ops are made here."""
        self._values.update(zip(block.arguments, arguments, strict=True))
        for view in block.operations:
            op = view.operation
            if op.name in _ENDS:
                return [self._values[operand] for operand in op.operands]
            self.location = op.location
            results = self._made(op)
            self._values.update(zip(op.results, results, strict=True))
        return []

    def applied(self, region: Any, arguments: Sequence[Tensor]) -> list[Tensor]:
        """What a region of scalars returns for tensors."""
        around, self._of_elements = self._of_elements, True
        location = self.location
        try:
            return self.inlined(region.blocks[0], arguments)
        finally:
            self._of_elements, self.location = around, location

    def outer(self, value: Value) -> Tensor:
        """A value that is defined already, or that of a constant."""
        owner = value.owner
        if value not in self._values and getattr(owner, "name", "") == "stablehlo.constant":
            (self._values[value],) = self._made(owner)
        return self._values[value]

    def called(self, name: str, arguments: Sequence[Tensor]) -> list[Tensor]:
        """What a function of the module returns."""
        if name in self._calls:
            raise Refused(f"calls {name}, which calls itself")
        function = self._functions.get(name)
        if function is None or not function.regions[0].blocks:
            raise Refused(f"calls {name}, which has no body")
        self._calls.append(name)
        found = self.inlined(function.regions[0].blocks[0], arguments)
        self._calls.pop()
        return found

    def _made(self, op: Operation) -> list[Tensor]:
        """The results of an op."""
        self._count += 1
        location: Location = op.location
        operands = [self._values[operand] for operand in op.operands]
        try:
            if self._count > LARGEST:
                raise Refused(f"is number {LARGEST} of what is read, with all that is called")
            if op.name == "func.call":
                found: Tensor | Sequence[Tensor] = self.called(op.attributes["callee"].value, operands)
            else:
                row = RULES[op.name.removeprefix("stablehlo.")]
                if self._of_elements and not row.of_elements and op.name != "stablehlo.constant":
                    raise Refused("is in a function of scalars, and none of elements")
                found = row.rule(self, op, *operands)
            results = [found] if isinstance(found, Tensor) else list(found)
            if self._of_elements:
                return results
            return [self._declared(value, given) for value, given in zip(results, op.results, strict=True)]
        except Refused as refused:
            raise UnsupportedError(f"{place_of(op)}{op.name} {refused}") from None
        except UnsupportedError:
            raise
        except WeftError as error:
            raise UnsupportedError(f"{place_of(op)}{op.name}: {error}") from error
        except _OF_FORMS as error:
            told = f"{type(error).__name__} {error}".strip()
            raise UnsupportedError(f"{place_of(op)}{op.name} has a form that is not read ({told})") from error
        finally:
            self.location = location

    def _declared(self, value: Tensor, result: Value) -> Tensor:
        """A result with the sizes that its type says, as far as they are known there and not here."""
        wanted = self._type(result.type)
        if value.dtype != wanted.dtype or value.rank != wanted.rank:
            raise WeftTypeError(f"gives {value.type}, not {wanted}")
        sizes = zip(value.shape, wanted.shape, strict=True)
        shape = tuple(own if own is not None else given for own, given in sizes)
        if shape == value.shape:
            return value
        refined = self.refined(value, value.type.with_shape(shape))
        if value.handle in self.known_elements:
            self.known_elements[refined.handle] = self.known_elements[value.handle]
        return refined

    def _type(self, given: Any) -> TensorType:
        found = type_from_mlir(given)
        assert isinstance(found, TensorType)
        return found
