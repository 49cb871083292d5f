"""Makes a function of the steps of a piece, at stage "optimized", with the locations of the program that it is of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.attributes import type_to_mlir
from ...dialect.dtypes import is_half
from ...dialect.emitter import Tensor
from ...dialect.made_ops import function_of, operation_of
from ...dialect.mlir import Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.reductions import normalize_axes
from ...dialect.register import context
from ...dialect.types import TensorType
from ..control_flow.structure import copy_of
from ..rewriting import settle_signature
from .layouts import Part, Step, Steps
from .programs import Program, Site


def text_of_piece(program: Program, steps: Steps, name: str) -> str:
    """The module of a piece, whose function takes the inputs, then the numbers, and returns the results."""
    with context(), ir.Location.unknown():
        return _Emission(program, steps).text(name)


class _Emission:
    def __init__(self, program: Program, steps: Steps) -> None:
        self._program = program
        self._steps = steps
        self._values: list[Value] = []
        self._numbers: Sequence[Value] = ()
        self._whole: dict[Value, Value] = {}
        """What stands for values of the program, for ops that are copied."""

    def text(self, name: str) -> str:
        program, steps = self._program, self._steps
        types = []
        for number, shape in steps.inputs:
            type = program.values[number].type
            assert type is not None
            types.append(type_to_mlir(type.with_shape(shape)))
        types += [type_to_mlir(TensorType((), np.dtype(np.int64)))] * steps.numbers
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            function = function_of(name, types)
        entry = function.regions[0].blocks.append(*types, arg_locs=[ir.Location.unknown()] * len(types))
        inputs = len(steps.inputs)
        self._values = list(entry.arguments)[:inputs]
        self._numbers = list(entry.arguments)[inputs:]
        with ir.InsertionPoint(entry):
            for step in steps.steps:
                self._values += self._step(step)
            results = [self._part(part, OpEmitter(ir.Location.unknown())).handle for part in steps.results]
            operation_of("func.return", results)
        settle_signature(function)
        module.operation.verify()
        return str(module.operation.get_asm(enable_debug_info=True))

    def _part(self, part: Part, b: OpEmitter) -> Tensor:
        value = self._values[part.source]
        if not isinstance(value.type, ir.RankedTensorType):
            return Tensor(
                b, value, TensorType((), np.dtype(np.int64))
            )  # of another dialect, which asks for no type
        if part.bounds is None:
            return b.value(value)
        starts, stops = zip(*part.bounds, strict=True)
        found: Tensor = b.slice(b.value(value), start=starts, stop=stops, step=(1,) * len(starts))
        return found

    def _step(self, step: Step) -> list[Value]:
        site = self._program.sites[step.site]
        b = OpEmitter(site.operation.location)
        operands = [None if part is None else self._part(part, b) for part in step.operands]
        if step.way == "first":
            return [_given(operands[0]).handle]
        if step.way == "second":
            return [_given(operands[1]).handle]
        if step.way == "filled":
            return [b.broadcast_to(_given(operands[1]), shape=step.shape).handle]
        if step.way == "constant":
            return [_constant(b, site, step.shape).handle]
        if step.way == "arange":
            return [self._arange(b, operands, step).handle]
        if step.way.startswith("part "):
            return [made.handle for made in _partial(b, site, list(map(_given, operands)), step.way[5:])]
        return self._op(b, site, operands, step)

    def _op(self, b: OpEmitter, site: Site, operands: Sequence[Tensor | None], step: Step) -> list[Value]:
        if site.op_class is None or len(site.operation.regions):
            values = {
                self._program.values[number].value: _given(operand).handle
                for number, operand in zip(site.operands, operands, strict=True)
            }
            return list(copy_of(site.operation, values).results)
        attributes = {**site.attributes, **dict(step.attributes)}
        given = list(map(_given, operands))
        return [made.handle for made in b.emit(site.op_class, given, attributes)]

    def _arange(self, b: OpEmitter, operands: Sequence[Tensor | None], step: Step) -> Tensor:
        """The numbers from a place on: computed as the op computes them, of the place of each."""
        start, distance = map(_given, operands)
        assert step.number is not None
        wide = np.dtype(np.int64)
        zero = b.constant(value=np.zeros((), wide))
        places = b.arange(zero, b.constant(value=np.ones((), wide)), shape=step.shape)
        places = places + b.value(self._numbers[step.number])
        dtype = start.dtype
        if is_half(dtype):  # rounded once
            single = np.dtype(np.float32)
            start, distance, places = (b.converted(x, single) for x in (start, distance, places))
            found: Tensor = b.converted(start + places * distance, dtype)
            return found
        return start + b.converted(places, dtype) * distance


def _given(operand: Tensor | None) -> Tensor:
    assert operand is not None
    return operand


def _constant(b: OpEmitter, site: Site, shape: tuple[int, ...]) -> Tensor:
    """A part of a constant, which is small or has equal elements."""
    value = site.attributes["value"]
    if value.shape == shape:
        made: Tensor = b.constant(value=value)
    else:
        first = b.constant(value=np.asarray(value.reshape(-1)[0], value.dtype))
        made = b.broadcast_to(first, shape=shape)
    return made


def _partial(b: OpEmitter, site: Site, operands: list[Tensor], way: str) -> list[Tensor]:
    """A part of a reduction."""
    assert site.op_class is not None
    if way == "op":
        return b.emit(site.op_class, operands, site.attributes)
    (x,) = operands
    given = site.attributes["axes"] if "axes" in site.attributes else (site.attributes["axis"],)
    options: dict[str, Any] = {
        "axes": normalize_axes(tuple(given), x.rank),
        "keepdims": site.attributes["keepdims"],
    }
    if way == "sum" and is_half(x.dtype):
        x = b.converted(x, np.dtype(np.float32))  # the sum may be too large, where the mean is not
    if way == "var":
        options["correction"] = 0.0
    return [b.one(way, x, **options)]
