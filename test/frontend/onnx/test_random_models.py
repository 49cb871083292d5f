"""Random branches, loops and calls as models of ONNX, run by ONNX's reference, against weft's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import weft
from support.outcomes import Outcome, assert_same, interpreted, seeds
from support.programs import NAME, transform
from support.random_calls import random_calls
from support.random_programs import Program, random_program
from support.random_regions import random_regions
from weft.dialect.emitter import Tensor
from weft.dialect.mlir import Operation, ir
from weft.dialect.op import Op
from weft.dialect.register import context
from weft.frontend.graph_writers.walk import ModuleWriter
from weft.frontend.onnx.writing.model import USUAL_OPSET, Writing

DRAWN = (random_regions, random_calls, random_program)


class _WithArguments(Writing):
    """Returns what becomes of arguments, too, which models refuse else."""

    places: Sequence[int] = ()

    def of_weft(self, op_class: type[Op], op: Operation) -> Sequence[Tensor]:
        """Write an op, also one that writes an argument."""
        return ModuleWriter.of_weft(self, op_class, op)

    def run(self, symbol: str, arguments: Sequence[Tensor]) -> tuple[list[Tensor], dict[int, Tensor]]:
        """The results, behind which are the arguments that are written."""
        outputs, cells = super().run(symbol, arguments)
        self.places = list(cells)
        return [*outputs, *cells.values()], cells


@pytest.mark.sampled
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("draw", DRAWN)
def test_models_do_what_programs_do(draw: Callable[[int], Program], dynamic: bool) -> None:
    tried = [seed for seed in seeds(16) if _agrees(draw(seed), dynamic)]
    assert tried


def _agrees(program: Program, dynamic: bool) -> bool:
    """Require that the model of a program does what it does; False where there is none."""
    module = program.dynamic_module() if dynamic else program.module()
    transform(module, "weft-optimize")
    names = [f"x{place}" for place in range(len(program.arguments))]
    with context(), ir.Location.unknown():
        writing = _WithArguments(module, False, USUAL_OPSET)
        model = writing.of(NAME, names, {}, lambda made, _: {f"y{i}": value for i, value in enumerate(made)})
    expected = interpreted(program.module(), program)
    if writing.refused or expected.error:
        return False
    onnx.checker.check_model(model, full_check=True)
    for run, what in ((_by_reference, "as a model"), (_read, "as a model that is read")):
        found = run(model, program.inputs())
        arguments: list[Any] = program.inputs()
        count = len(expected.results)
        for place, value in zip(writing.places, found[count:], strict=True):
            arguments[place] = value
        assert_same(Outcome(found[:count], "", arguments), expected, program, what)
    return True


def _by_reference(model: Any, arguments: Sequence[Any]) -> list[Any]:
    names = [value.name for value in model.graph.input]
    with np.errstate(all="ignore"):
        found: list[Any] = ReferenceEvaluator(model).run(None, dict(zip(names, arguments, strict=True)))
    return found


def _read(model: Any, arguments: Sequence[Any]) -> list[Any]:
    found = weft.onnx.load(model)(*arguments)
    return list(found) if isinstance(found, tuple) else [found]
