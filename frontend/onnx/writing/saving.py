"""`concrete.to_onnx()` and `weft.onnx.save`: compiled functions for runtimes of ONNX."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....dialect.errors import WeftValueError
from ....dialect.mlir import ir
from ....dialect.register import context
from ...artifacts.graphs import Graph
from ...artifacts.saving import concretes_of, function_of
from ...artifacts.structures import File
from ...calls.concrete import ConcreteFunction
from ...signature.signature import Node
from ..packages import onnx

if TYPE_CHECKING:
    from onnx import ModelProto


def to_onnx(concrete: ConcreteFunction, opset: int | None, checks: bool) -> ModelProto:
    """A compiled function as a model of ONNX; `ConcreteFunction.to_onnx` tells more."""
    newest = onnx().defs.onnx_opset_version()
    from .model import OLDEST_OPSET, USUAL_OPSET, Writing

    number = USUAL_OPSET if opset is None else opset
    if type(number) is not int or not OLDEST_OPSET <= number <= newest:
        raise WeftValueError(f"this weft writes opsets {OLDEST_OPSET} to {newest} of ONNX, not {opset!r}")
    with context(), ir.Location.unknown():
        graph = Graph(concrete)
        writing = Writing(graph.module, checks, number)
        given = {place: (graph.state[place].name, array) for place, array in graph.given.items()}
        model = writing.of(
            graph.recording.symbol,
            graph.argument_names,
            given,
            lambda outputs, arguments: _named(graph, graph.results(writing, outputs, arguments)),
        )
        graph.require("ONNX", writing)
        return model


def _named(graph: Graph, results: dict[str, Any]) -> dict[str, Any]:
    """Results by the keys of a dict, if it is one that is returned."""
    structure = graph.recording.result.structure
    if isinstance(structure, Node) and structure.keys:
        return {name.removeprefix("result_"): value for name, value in results.items()}
    return results


def save(path: File, function: Any, *, opset: int | None = None, checks: bool = True) -> None:
    """Write a function as a model of ONNX: `concrete.to_onnx` with its options, to a file.

    `function` is what `get_concrete_function` gives, or a `weft.Function` of which one signature was compiled or which
    has an `input_signature`. The weights of a model of more than 2 GB lie in a file beside it, `path` with `.data`
    behind. Raises as `concrete.to_onnx` does; nothing is written then.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import weft
    >>> @weft.function(input_signature=[weft.TensorSpec([None, 2], "float32")])
    ... def normalized(x):
    ...     return x / np.sqrt((x * x).sum(axis=1, keepdims=True))
    >>> path = os.path.join(tempfile.mkdtemp(), "normalized.onnx")
    >>> weft.onnx.save(path, normalized)
    >>> weft.onnx.load(path)(np.array([[3, 4]], "float32"))
    array([[0.6, 0.8]], dtype=float32)
    """
    model = to_onnx(_concrete_of(function), opset, checks)
    place = Path(os.fspath(path))
    data = f"{place.name}.data"
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.") as folder:
        draft = Path(folder) / place.name
        is_large = sum(len(array.raw_data) for array in model.graph.initializer) > _LARGEST
        onnx().save_model(model, draft, save_as_external_data=is_large, location=data if is_large else None)
        if is_large:
            os.replace(draft.with_name(data), place.with_name(data))
        os.replace(draft, place)


_LARGEST = (1 << 31) - (1 << 24)
"""The bytes of weights that a file may hold beside its nodes, as protobuf's messages end at 2 GB."""

_EXAMPLE = "weft.onnx.save(path, predict)"


def _concrete_of(given: Any) -> ConcreteFunction:
    """The one signature of a function that was compiled."""
    if isinstance(given, ConcreteFunction):
        return given
    function = function_of(given, _EXAMPLE)
    name = function.__name__
    found = concretes_of(name, given, function)
    if len(found) > 1:
        raise WeftValueError(
            f"{name} was compiled for {len(found)} signatures, and a model of ONNX has one: pass "
            f"{name}.get_concrete_function(specs...)"
        )
    return found[0]
