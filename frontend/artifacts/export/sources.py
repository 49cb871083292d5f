"""What a compiled function becomes in a library: its module at stage "linalg", and where its arrays are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....backend.cpu.export.interface import Input, Output, Place, StateArray, c_name
from ....backend.cpu.export.library import Source
from ....backend.cpu.export.state_bytes import lay_out
from ....backend.planning.packed_layout import CONSTANT_ARGUMENTS
from ....dialect.attributes import type_from_mlir, type_to_mlir
from ....dialect.errors import NotPortable
from ....dialect.mlir import Block, Operation, Value, ir
from ....dialect.op import OPS, Op
from ....dialect.ops.state import ReadRef
from ....dialect.register import context, create
from ....dialect.types import TensorType
from ....passes.pipeline import run_pipeline
from ....passes.pipelines import PIPELINES
from ....passes.rewriting import settle_signature, terminator
from ...runtime_values.result_spec import (
    PLACES,
    ArgumentResult,
    ComputedResult,
    KeptResult,
    SelectedResult,
    ViewResult,
)
from ..checked_modules import functions_of, name_of
from ..descriptions import Description, result_names
from ..portability import Portable

INNER = "planned."
"""Before the names of the functions that are called by those with the names of C."""


class Sources:
    """The functions of a library, with the arrays that they share."""

    def __init__(
        self,
        functions: Mapping[str, Portable],
        arrays: Mapping[str, np.ndarray[Any, Any]],
        *,
        packs: bool = True,
    ) -> None:
        """`packs` tells whether products may have packed copies of constants."""
        self._packs = packs
        descriptions = [portable.description for portable in functions.values()]
        types = {array.key: array.tensor for d in descriptions for array in d.state}
        written = {array.key for d in descriptions for array in d.state if array.is_written}
        written |= {update.key for d in descriptions for update in d.updates}
        self.state: tuple[StateArray, ...] = lay_out({key: arrays[key] for key in written}, types)
        """What functions write, and other programs keep."""
        constants = sorted(types.keys() - written)
        self.constants = [np.ascontiguousarray(arrays[key], types[key].dtype) for key in constants]
        """What no function writes."""
        self._constants = {key: number for number, key in enumerate(constants)}
        self._state = {array.key: array for array in self.state}
        self.sources = [self._source(name, portable) for name, portable in functions.items()]

    def _source(self, name: str, portable: Portable) -> Source:
        description = portable.description
        inputs = tuple(self._inputs(description))
        taken = [
            f"{given.name}{ending}"
            for given in inputs
            for ending in ("", *(f"_{axis}" for axis in range(given.type.rank)))
        ]
        results, numbers = result_names(description.result)
        constants = [(c_name(words), repr(value)) for words, value in numbers.items()]
        with context(), ir.Location.unknown():
            module = ir.Module.parse(portable.text)
            entry = next(f for f in functions_of(module) if name_of(f) == description.symbol)
            end = terminator(entry.regions[0].blocks[0])
            with ir.InsertionPoint(end), end.location:
                returned, outputs, same = self._results(description, entry, results, taken)
            _return(entry, returned)
            symbol = f"{INNER}{description.symbol}"
            ir.SymbolTable.replace_all_symbol_uses(description.symbol, symbol, module.operation)
            entry.attributes["sym_name"] = ir.StringAttr.get(symbol)
            fixed = [number for number, given in enumerate(inputs) if given.place is Place.CONSTANT]
            if fixed and self._packs:
                entry.attributes[CONSTANT_ARGUMENTS] = ir.DenseI64ArrayAttr.get(fixed)
            run_pipeline(module, PIPELINES["weft-optimize"])
            run_pipeline(module, PIPELINES["weft-to-linalg"])
        return Source(name, module, symbol, inputs, tuple(outputs), (*same, *constants))

    def _inputs(self, description: Description) -> Iterator[Input]:
        taken: list[str] = []
        for position in description.distinct:
            argument = description.arguments[position]
            extents = [f"_{axis}" for axis, extent in enumerate(argument.tensor.shape) if extent is None]
            name = c_name(argument.name, taken, ("", *extents))
            taken += [f"{name}{ending}" for ending in ("", *extents)]
            by_value = not argument.tensor.shape and not argument.is_written
            place = Place.VALUE if by_value and argument.tensor.dtype.kind != "c" else Place.CALLER
            yield Input(name, argument.tensor, place, argument.is_written)
        for array in description.state:
            if array.key in self._state:
                kept = self._state[array.key]
                yield Input(kept.name, array.tensor, Place.STATE, array.is_written, kept.offset)
            else:
                number = self._constants[array.key]
                yield Input(array.key, array.tensor, Place.CONSTANT, False, number)

    def _results(
        self, description: Description, entry: Operation, names: Sequence[str], taken: list[str]
    ) -> tuple[list[Value], list[Output], list[tuple[str, str]]]:
        """What the function has to return, where that goes, and the results that are arguments."""
        block = entry.regions[0].blocks[0]
        computed = list(terminator(block).operands)
        made = _Results(description, block, computed)
        returned: list[Value] = []
        outputs: list[Output] = []
        same: list[tuple[str, str]] = []
        for leaf, words in zip(description.leaves, names, strict=True):
            name = c_name(words, taken, ("", "_shape", "_block", "_kept"))
            if isinstance(leaf, KeptResult):
                leaf = leaf.result
            if isinstance(leaf, ArgumentResult) and not leaf.path:
                same.append((name, _words_of(description, _array_of(description, leaf))))
                continue
            value, type = made.value(leaf, words)
            taken.append(name)
            returned.append(value)
            outputs.append(Output(name, type, Place.CALLER))
        for update in description.updates:
            kept = self._state[update.key]
            value = computed[update.result.position]
            returned.append(value)
            outputs.append(Output(f"new.{kept.name}", kept.type, Place.STATE, kept.offset))
        return returned, outputs, same


def _array_of(description: Description, leaf: ArgumentResult) -> int:
    """The number of the parameter of the module that a result is, or shows a part of."""
    own = len(description.aliases)
    if leaf.argument >= own:
        return len(description.distinct) + leaf.argument - own
    return description.distinct.index(description.aliases[leaf.argument])


def _words_of(description: Description, number: int) -> str:
    own = [description.arguments[position].name for position in description.distinct]
    return [*own, *(f"the state {array.key}" for array in description.state)][number]


class _Results:
    """Makes the arrays of results at the end of a function, as arrays of their own."""

    def __init__(self, description: Description, block: Block, computed: Sequence[Value]) -> None:
        self._description = description
        self._block = block
        self._computed = computed

    def value(self, leaf: Any, words: str) -> tuple[Value, TensorType]:
        """A result; `words` are those of an error."""
        if isinstance(leaf, ComputedResult):
            return self._computed[leaf.position], self._description.outputs[leaf.position]
        if isinstance(leaf, SelectedResult):
            return self._selected(leaf, words)
        if isinstance(leaf, ArgumentResult):
            number = _array_of(self._description, leaf)
            return self._viewed(self._block.arguments[number], leaf, _type_of(self._description, number))
        if isinstance(leaf, ViewResult):
            declared = self._description.outputs[leaf.position]
            return self._viewed(self._computed[leaf.position], leaf, declared)
        raise NotPortable(
            f"{words} of {self._description.symbol} may be None, or is one of several constants: return arrays"
        )

    def _viewed(
        self, value: Value, leaf: ArgumentResult | ViewResult, declared: TensorType
    ) -> tuple[Value, TensorType]:
        """What a view shows."""
        if not isinstance(value.type, ir.RankedTensorType):
            value = create(ReadRef, [value], {}).results[0]
        for step, positions in zip(leaf.path, leaf.bounds or ((),) * len(leaf.path), strict=True):
            if positions is None:
                raise NotPortable("it returns a view whose place a condition decides: return a copy")
            op_class: type[Op] = step.op_class
            operands = [value, *(self._computed[position] for position in positions)]
            value = create(op_class, operands, step.attributes).results[0]
        found = type_from_mlir(value.type)
        assert isinstance(found, TensorType)
        return value, found if leaf.path else found.with_dtype(declared.dtype)

    def _selected(self, leaf: SelectedResult, words: str) -> tuple[Value, TensorType]:
        """The one of several arrays that the program chose."""
        options = [self.value(option, words) for option in leaf.options]
        shapes = [type.shape for _, type in options]
        shape = [extents[0] if len(set(extents)) == 1 else None for extents in zip(*shapes, strict=True)]
        type = options[0][1].with_shape(shape)
        wanted = type_to_mlir(type)
        values = [
            value
            if value.type == wanted
            else ir.Operation.create("tensor.cast", [wanted], [value]).results[0]
            for value, _ in options
        ]
        choice = self._computed[leaf.choice.position]
        number = create(OPS["remainder"], [choice, _number(PLACES)], {}).results[0]
        found = values[0]
        for place, value in enumerate(values[1:], 1):
            is_it = create(OPS["equal"], [number, _number(place)], {}).results[0]
            i1 = ir.IntegerType.get_signless(1)
            condition = ir.Operation.create("tensor.extract", [i1], [is_it]).results[0]
            branch = ir.Operation.create("scf.if", [wanted], [condition], regions=2)
            for region, chosen in zip(branch.regions, (value, found), strict=True):
                with ir.InsertionPoint(region.blocks.append()):
                    ir.Operation.create("scf.yield", operands=[chosen])
            found = branch.results[0]
        return found, type


def _number(value: int) -> Value:
    return create(OPS["constant"], [], {"value": np.array(value, np.int64)}).results[0]


def _type_of(description: Description, number: int) -> TensorType:
    own = [description.arguments[position].tensor for position in description.distinct]
    return [*own, *(array.tensor for array in description.state)][number]


def _return(entry: Operation, values: Sequence[Value]) -> None:
    """Let a function return other values."""
    old = terminator(entry.regions[0].blocks[0])
    with ir.InsertionPoint(old), old.location:
        ir.Operation.create("func.return", operands=list(values))
    old.erase()
    settle_signature(entry)
    if "res_attrs" in entry.attributes:
        del entry.attributes["res_attrs"]
