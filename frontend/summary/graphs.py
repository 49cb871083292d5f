"""Compiled functions as graphs that TensorBoard draws: a scope for each function and line, and regions in them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.mlir import ir
from ...dialect.register import context
from ...passes.pipeline import run_pipeline
from ...passes.pipelines import PIPELINES
from ..calls.concrete import ConcreteFunction
from ..calls.explaining import Explained
from .nodes import Node, Nodes
from .packages import messages
from .writers import create_file_writer, refuse_in_trace, setting_now

if TYPE_CHECKING:
    from ..compiling.program import Recording

STAGES = ("weft", "optimized")
"""The stages that are drawn: the trace, and what weft's own rewrites make of it."""

_TYPES = {
    "f32": "DT_FLOAT",
    "f64": "DT_DOUBLE",
    "f16": "DT_HALF",
    "bf16": "DT_BFLOAT16",
    "f8E4M3FN": "DT_FLOAT8_E4M3FN",
    "f8E5M2": "DT_FLOAT8_E5M2",
    "i1": "DT_BOOL",
    "i8": "DT_INT8",
    "i16": "DT_INT16",
    "i32": "DT_INT32",
    "i64": "DT_INT64",
    "index": "DT_INT64",
    "ui8": "DT_UINT8",
    "ui16": "DT_UINT16",
    "ui32": "DT_UINT32",
    "ui64": "DT_UINT64",
    "complex<f32>": "DT_COMPLEX64",
    "complex<f64>": "DT_COMPLEX128",
}
"""TensorBoard's names of element types."""


def graph(
    concrete: ConcreteFunction | Explained,
    logdir: str | os.PathLike[str] | None = None,
    *,
    stage: str = "optimized",
) -> None:
    """Write a compiled function as a graph: to a file of its own in a directory, or by the present writer.

    Of a `weft.function` it is what was compiled last.

    There is a scope for each function of the program and each line that ops come from, and scopes inside of an op for
    its regions, the branches and bodies of loops. Edges bear the shapes of arrays, nodes their dtypes and attributes.
    `stage` is "optimized", or "weft" for the program as it was traced. Raises `TypeError` for what is no compiled
    function, and `ValueError` for other stages, functions that were not compiled yet, and where there is neither a
    directory nor a writer.

    >>> import weft
    >>> def draw(logdir):
    ...     halved = weft.function(lambda x: x / 2, name="halved")
    ...     concrete = halved.get_concrete_function(weft.TensorSpec((8,), "float32"))
    ...     weft.summary.graph(concrete, logdir)
    """
    refuse_in_trace("graph", "write graphs outside")
    if isinstance(concrete, Explained):
        concrete = concrete._compiled_last("write the graph of what that returns")
    if not isinstance(concrete, ConcreteFunction):
        raise WeftTypeError(
            f"weft.summary.graph draws a compiled function, and not {concrete!r}: "
            "weft.function(f).get_concrete_function(...) makes one, of the arguments of a call"
        )
    if stage not in STAGES:
        raise WeftValueError(
            f"weft.summary.graph: stage is {' or '.join(map(repr, STAGES))}, and not {stage!r}"
        )
    found = graph_of(concrete, stage).SerializeToString()
    if logdir is not None:
        writer = create_file_writer(logdir)
        writer.write_event(graph_def=found)
        writer.close()
        return
    present = setting_now().writer
    if present is None:
        raise WeftValueError(
            "weft.summary.graph: there is no writer; give a directory, or write `with writer.as_default():`"
        )
    present.write_event(graph_def=found)


def graph_of(concrete: ConcreteFunction, stage: str = "optimized") -> Any:
    """The graph as a `GraphDef`."""
    recording: Recording = concrete._recording()
    with context(), ir.Location.unknown():
        module = ir.Module.parse(recording.module.get_asm(enable_debug_info=True))
        if stage == "optimized":
            run_pipeline(module, PIPELINES["weft-optimize"])
        nodes = Nodes()
        for view in module.body.operations:
            function = view.operation
            if function.attributes["sym_name"].value == recording.symbol:
                nodes.add_function(function, concrete._names)
        return _graph_def(nodes.found)


def _graph_def(nodes: Iterable[Node]) -> Any:
    graph = messages("graph").GraphDef()
    graph.versions.producer = 22
    for node in nodes:
        drawn = graph.node.add(name=node.name, op=node.kind)
        drawn.input.extend(f"{name}:{place}" if place else name for name, place in node.inputs)
        shapes = drawn.attr["_output_shapes"].list
        for type in node.types:
            _describe(type, shapes.shape.add())
        if node.types:
            dtype = _dtype_of(node.types[0])
            if dtype:
                drawn.attr["dtype"].type = messages("types").DataType.Value(dtype)
            drawn.attr["types"].s = ", ".join(map(str, node.types)).encode()
        for name, text in node.attributes.items():
            drawn.attr[name].s = text.encode()
    return graph


def _describe(type: Any, shape: Any) -> None:
    """Tell the shape of a value; what is no array has none."""
    if isinstance(type, ir.RankedTensorType):
        for axis, extent in enumerate(type.shape):
            shape.dim.add(size=-1 if type.is_dynamic_dim(axis) else extent)


def _dtype_of(type: Any) -> str | None:
    element = type.element_type if isinstance(type, ir.RankedTensorType) else type
    return _TYPES.get(str(element))
