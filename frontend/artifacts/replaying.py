"""A module from a file becomes a part of a trace: its functions are called, and inlined when the trace is optimised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...dialect.attributes import type_to_mlir
from ...dialect.errors import OverlapError, UnsupportedError, WeftTypeError
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.state import AllocRef, RaiseIf, ReadRef
from ...dialect.register import context
from ...dialect.types import RefType, TensorType, ValueType, compatible_shapes
from ...passes.rewriting import operations_of
from ..autograph.operators.interface import operators
from ..runtime_values.result_spec import (
    PLACES,
    ArgumentResult,
    ChosenResult,
    ComputedResult,
    ConstantResult,
    KeptResult,
    OptionalResult,
    SelectedResult,
    TypedResult,
)
from ..signature.signature import unflatten
from ..tracing.array import TracedArray, wrap
from ..tracing.learned_sizes import need_all_sizes
from ..tracing.may_alias import end_write
from ..tracing.recorder import Recorder
from ..tracing.staging import asarray, raise_if, value_of
from ..tracing.view_steps import ViewStep
from .checked_modules import functions_of, name_of
from .descriptions import Argument, Description, StateArray
from .refinement import refine

_RAISE = RaiseIf.mlir_name()

_FITTING = {int: "iufc", float: "fc", complex: "c", bool: "b"}
"""The kinds of dtypes that Python's numbers become without a change of their value."""


class Replay:
    """One call of a function from a file, in a trace."""

    def __init__(self, trace: Recorder, module: Module, description: Description, name: str) -> None:
        self._trace = trace
        self._module = module
        self._description = description
        self._name = name

    def run(self, leaves: Sequence[Any], state: Sequence[TracedArray]) -> Any:
        """The result for the arrays of the arguments and the state."""
        description = self._description
        self._require_uncaught()
        arrays = [self._array(leaf, a) for leaf, a in zip(leaves, description.arguments, strict=True)]
        self._require_distinct(arrays)
        self._require_apart(arrays, state)
        given = [arrays[position] for position in description.distinct] + list(state)
        own = [description.arguments[position] for position in description.distinct]
        entry, types = self._entry_for(given, [*own, *description.state])
        operands = [self._operand(array, to) for array, to in zip(given, types, strict=True)]
        outputs = self._call(entry, operands)
        for array, operand, to in zip(given, operands, types, strict=True):
            if isinstance(to, RefType) and array._storage.ref is not None and operand == array._storage.ref:
                end_write(array._storage)
            elif isinstance(to, RefType):
                array._write(self._read(operand, to.tensor, array.type))
        found = [self._output(value, t) for value, t in zip(outputs, description.outputs, strict=True)]
        self._update(found, dict(zip([s.key for s in description.state], state, strict=True)))
        kept: dict[int, Any] = {}
        return unflatten(
            description.result,
            lambda place: self._result(description.leaves[place], found, [*arrays, *state], kept),
        )

    def _require_uncaught(self) -> None:
        """Refuse a call in a `try` of what may raise: the module's exceptions end the whole call."""
        if self._trace.catcher is None:
            return
        found = {
            op.attributes["error"].value for op in operations_of(self._module.operation) if op.name == _RAISE
        }
        if found:
            raise UnsupportedError(
                f"{self._name}, which comes from a file, may raise {' or '.join(sorted(found))}, and a `try` in "
                "compiled code does not take what functions of files raise: call it in front of the `try`, or put the "
                "`try` around the call of the compiled function"
            )

    # What goes in

    def _array(self, leaf: Any, argument: Argument) -> TracedArray:
        """An argument as a traced array of the type that the file says."""
        given = leaf
        if not isinstance(leaf, TracedArray):
            is_meant = argument.number in (None, type(leaf))
            if is_meant and type(leaf) in _FITTING and argument.tensor.dtype.kind in _FITTING[type(leaf)]:
                leaf = np.asarray(leaf, argument.tensor.dtype)
            leaf = wrap(self._trace, value_of(self._trace, asarray(leaf)))
        if leaf.dtype != argument.tensor.dtype or not compatible_shapes(
            argument.tensor.shape, leaf.type.shape
        ):
            told = leaf.type if isinstance(given, TracedArray) else f"{given!r}"
            raise WeftTypeError(f"{self._name} takes {argument.tensor} for {argument.name!r}, not {told}")
        self._require_extents(leaf, argument)
        found: TracedArray = leaf
        return found

    def _require_extents(self, array: TracedArray, argument: Argument) -> None:
        """Check at run time the sizes that only the file knows."""
        for axis, extent in enumerate(argument.tensor.shape):
            if extent is None or array.type.shape[axis] is not None:
                continue
            need_all_sizes(f"{self._name}, which comes from a file,")
            told = f"{self._name} takes {argument.tensor} for {argument.name!r}, not an array with {{0}} for {extent}"
            there = array.shape[axis]
            raise_if(np.not_equal(there, extent), "TypeError", told, there)

    def _require_distinct(self, arrays: Sequence[TracedArray]) -> None:
        """Refuse one array for two arguments of which the file knows only that they are two, if one is written."""
        description = self._description
        for position, argument in enumerate(description.arguments):
            for other in range(position):
                same = description.aliases[position] == description.aliases[other]
                is_one = arrays[position]._storage is arrays[other]._storage
                if same and not is_one and argument.is_written:
                    raise OverlapError(
                        f"{self._name} was saved for one array in {argument.name!r} and "
                        f"{description.arguments[other].name!r}, which it writes: pass one array"
                    )
                if is_one and not same and (argument.is_written or description.arguments[other].is_written):
                    raise OverlapError(
                        f"{argument.name!r} and {description.arguments[other].name!r} of {self._name} are one array, "
                        "and one of them is written: pass a copy"
                    )

    def _require_apart(self, arrays: Sequence[TracedArray], state: Sequence[TracedArray]) -> None:
        """Refuse an argument that is an array of the state, if one of the two is written."""
        for array, argument in zip(arrays, self._description.arguments, strict=True):
            for other, held in zip(state, self._description.state, strict=True):
                if array._storage is other._storage and (argument.is_written or held.is_written):
                    raise OverlapError(
                        f"{argument.name!r} and the state {held.key!r} of {self._name} are one array, and one of them "
                        "is written: pass a copy"
                    )

    def _operand(self, array: TracedArray, wanted: ValueType) -> Value:
        """What the module's function is called with: a value, the array's own cell, or a cell with a copy."""
        trace, storage = self._trace, array._storage
        if isinstance(wanted, TensorType):
            return self._cast(array._value(), array.type, wanted)
        if not array._path and storage.type == wanted.tensor:
            array._require_own_memory()
            trace.make_cell(storage)
            return storage.ref
        value = self._cast(array._value(), array.type, wanted.tensor)
        return trace.create(AllocRef, [value], {})[0]

    def _read(self, cell: Value, wanted: TensorType, found: TensorType) -> TracedArray:
        (value,) = self._trace.create(ReadRef, [cell], {})
        return wrap(self._trace, self._cast(value, wanted, found), found)

    def _cast(self, value: Value, found: TensorType, wanted: TensorType) -> Value:
        """A value with extents known that are not, or the other way round."""
        if found == wanted:
            return value
        with context():
            to = type_to_mlir(wanted)
        return self._trace.create_upstream("tensor.cast", [value], [to])[0]

    # The call

    def _entry_for(
        self, given: Sequence[TracedArray], parameters: Sequence[Argument | StateArray]
    ) -> tuple[Any, list[ValueType]]:
        """A private copy of the module's function, for the sizes of a call if that can be, and what it takes."""

        def types(tensors: Iterable[TensorType]) -> list[ValueType]:
            pairs = zip(tensors, parameters, strict=True)
            return [RefType(tensor) if to.is_written else tensor for tensor, to in pairs]

        pairs = zip(given, parameters, strict=True)
        wanted = types(_with_extents(array.type, to.tensor) for array, to in pairs)
        declared = types(to.tensor for to in parameters)
        entry = self._copied()
        has_views = any(to.is_written and array._path for array, to in zip(given, parameters, strict=True))
        with context():
            is_refined = wanted != declared and not has_views and refine(entry, wanted)
        return entry, wanted if is_refined else declared

    def _copied(self) -> Operation:
        """A copy of the module's function in the trace, with those that it calls."""
        trace = self._trace
        with context(), ir.Location.unknown():
            copies: dict[str, Operation] = {}
            for function in functions_of(self._module):
                copies[name_of(function)] = function.clone(ir.InsertionPoint(trace.module.body)).operation
            names = {name: trace.fresh_symbol(f"{self._name}.{name}") for name in copies}
            for name, copy in copies.items():
                copy.attributes["sym_name"] = ir.StringAttr.get(names[name])
                copy.attributes["sym_visibility"] = ir.StringAttr.get("private")
                for op in operations_of(copy):
                    if op.name == "func.call":
                        callee = names[op.attributes["callee"].value]
                        op.attributes["callee"] = ir.FlatSymbolRefAttr.get(callee)
        return copies[self._description.symbol]

    def _call(self, entry: Any, operands: Sequence[Any]) -> list[Any]:
        """Call a function of the trace."""
        trace = self._trace
        with context():
            results = list(ir.FunctionType(entry.attributes["function_type"].value).results)
            callee = ir.FlatSymbolRefAttr.get(name_of(entry))
        trace.has_effects = True
        return trace.create_upstream("func.call", operands, results, {"callee": callee})

    # What comes out

    def _output(self, value: Value, declared: TensorType) -> TracedArray:
        return wrap(self._trace, value, self._trace.type_of(value).with_dtype(declared.dtype))

    def _update(self, outputs: list[TracedArray], state: dict[str, TracedArray]) -> None:
        for update in self._description.updates:
            state[update.key]._write(outputs[update.result.position])

    def _result(
        self, leaf: Any, outputs: list[TracedArray], arrays: list[TracedArray], kept: dict[int, Any]
    ) -> Any:
        """What a result is, made of what the module's function gave and of what it got."""
        made = partial(self._result, outputs=outputs, arrays=arrays, kept=kept)
        if isinstance(leaf, KeptResult):
            if leaf.place not in kept:
                kept[leaf.place] = made(leaf.result)
            return kept[leaf.place]
        if isinstance(leaf, OptionalResult):
            value = leaf.value
            return self._if(
                made(leaf.is_none),
                lambda: None,
                lambda: unflatten(value.structure, lambda place: made(value.leaves[place])),
            )
        if isinstance(leaf, ChosenResult):
            return self._one_of(made(leaf.choice), leaf.options)
        if isinstance(leaf, SelectedResult):
            return self._one_of(
                np.remainder(made(leaf.choice), PLACES), [made(option) for option in leaf.options]
            )
        if isinstance(leaf, TypedResult):
            return self._one_of(made(leaf.choice), [made(option) for option in leaf.options])
        if isinstance(leaf, ConstantResult):
            return leaf.value
        if isinstance(leaf, ComputedResult):
            found = outputs[leaf.position]
            if leaf.is_python:
                return found._like_python(int)
            return found if leaf.is_scalar else found._as_array(found.ndim == 0)
        found = arrays[leaf.argument] if isinstance(leaf, ArgumentResult) else outputs[leaf.position]
        for step, positions in zip(leaf.path, leaf.bounds or ((),) * len(leaf.path), strict=True):
            operands = tuple(outputs[position] for position in positions)
            found = found._view(ViewStep(step.op_class, step.attributes, operands, step.writable))
        return found

    def _one_of(self, choice: TracedArray, options: Sequence[Any]) -> Any:
        """The option with a number that is known when the program runs; the first where there is none."""
        found = options[0]
        for number, option in enumerate(options[1:], 1):
            found = self._if(np.equal(choice, number), partial(_same, option), partial(_same, found))
        return found

    def _if(self, condition: Any, present: Callable[[], Any], absent: Callable[[], Any]) -> Any:
        """What one of two functions gives, as a condition decides."""
        return operators().if_exp(condition, present, absent)


def _same(value: Any) -> Any:
    return value


def _with_extents(found: TensorType, declared: TensorType) -> TensorType:
    """A type with the extents that one of two types has."""
    pairs = zip(declared.shape, found.shape, strict=True)
    return found.with_shape([one if one is not None else other for one, other in pairs])
