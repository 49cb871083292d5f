"""`weft.onnx.load`: a model as a function."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ....dialect.errors import ArtifactError, UnsupportedError, WeftTypeError, WeftValueError
from ...numpy_api.constants import constant
from ..packages import onnx
from . import rules
from .evaluation import Evaluation, all_nodes
from .function import OnnxFunction, checked
from .graphs import Graph, Parser
from .table import Rule


def load(source: Any, name: str | None = None, *, constants: Mapping[str, Any] | None = None) -> OnnxFunction:
    """A function of a model of ONNX: a file, the bytes of one, or an `onnx.ModelProto`.

    It takes an array for each of the model's inputs, by position or name, and returns the output, or a tuple of
    several. It is a `weft.Function`: compiled for the dtypes and sizes of its calls, differentiated by `weft.grad`,
    inlined in other functions, saved by `weft.save`. `name` is what it is called; without, the graph's name. Tensors
    that lie in other files are read from the directory of the model, or below it, if it is given as a file. Needs the
    package onnx.

    `constants` has arrays for inputs that are no arguments then: shapes, axes and the like, which say what is computed,
    have to be known before it runs. Integers that are given as Python's numbers, or lists of these, are, too.

    Raises `weft.ArtifactError`, a `ValueError`, for what is no model, damaged, or newer than the package onnx knows;
    `weft.UnsupportedError`, a `NotImplementedError`, which names all ops that weft has not, with their nodes.

    >>> import onnx
    >>> model = onnx.parser.parse_model('''
    ... <ir_version: 10, opset_import: ["" : 21]>
    ... scaled (float[N] x) => (float[N] y) { y = Add(x, x) }
    ... ''')
    >>> weft.onnx.load(model)(np.array([1, 2], "float32"))
    array([2., 4.], dtype=float32)
    """
    model, directory, place = _model_of(source)
    versions = _versions(model, place)
    parser = Parser(model, directory)
    graph = parser.graph(model.graph, versions)
    if parser.unknown:
        raise UnsupportedError(
            f"{place} has ops that weft has not:"
            + "".join(f"\n  {each}" for each in dict.fromkeys(parser.unknown))
        )
    fixed = _fixed(graph, constants or {}, place)
    inputs = tuple(value for value in graph.inputs if value.name not in {**graph.constants, **fixed})
    weights, others = _apart(graph)
    body = Graph(graph.name, (), graph.outputs, {**others, **fixed}, graph.nodes)
    _require_defined(body, {*weights, *(value.name for value in inputs)}, place)
    called = name or _identifier(graph.name)
    return OnnxFunction(
        called, body, inputs, weights, Evaluation(parser), model.doc_string or f"A model of ONNX, {called}."
    )


def _model_of(source: Any) -> tuple[Any, str | None, str]:
    """The message of a model, the directory of its file, and what it is called in messages."""
    package = onnx()
    if isinstance(source, package.ModelProto):
        return source, None, "the model"
    if isinstance(source, (bytes, bytearray, memoryview)):
        data, directory, place = bytes(source), None, "the model"
    elif isinstance(source, (str, os.PathLike)):
        path = Path(os.fspath(source))
        data, directory, place = path.read_bytes(), str(path.parent), str(source)
    else:
        raise WeftTypeError(f"weft.onnx.load takes a path, bytes or an onnx.ModelProto, not {source!r:.60}")
    model = package.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:  # of a class that depends on how protobuf is built
        raise ArtifactError(f"{place} is no model of ONNX, or a damaged one: {error}") from error
    return model, directory, place


def _versions(model: Any, place: str) -> dict[str, int]:
    """The version of each domain that the model imports."""
    package = onnx()
    if not model.HasField("graph") or not model.ir_version:
        raise ArtifactError(f"{place} is no model of ONNX: it has no graph, or no version")
    if model.ir_version > package.IR_VERSION:
        raise ArtifactError(
            f"{place} is of version {model.ir_version} of the format; the package onnx {package.__version__} reads up "
            f"to {package.IR_VERSION}: a newer package may read it"
        )
    versions = {"" if each.domain == "ai.onnx" else each.domain: each.version for each in model.opset_import}
    newest = package.defs.onnx_opset_version()
    used = versions.get("")
    if used is not None and used > newest:
        raise ArtifactError(
            f"{place} is of version {used} of ONNX's ops; the package onnx {package.__version__} knows up to {newest}: "
            "a newer package may read it"
        )
    return versions


def _fixed(graph: Graph, constants: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Arrays for inputs, of the types that these have."""
    values = {value.name: value for value in graph.inputs}
    unknown = [name for name in constants if name not in values]
    if unknown:
        raise WeftValueError(f"{place} has no inputs of these names: {', '.join(map(repr, unknown))}")
    return {name: checked("weft.onnx.load", values[name], given) for name, given in constants.items()}


def _apart(graph: Graph) -> tuple[dict[str, Any], dict[str, Any]]:
    """The initialisers that are weights, and those that are constants.

    Weights are arrays of floats, but for those that say what to compute: scales, pads, limits of some ops.
    """
    deciding: set[str] = set()
    for node in all_nodes(graph):
        if isinstance(node.meaning, Rule):
            deciding.update(
                node.inputs[place] for place in node.meaning.known_inputs if place < len(node.inputs)
            )
    weights, constants = {}, {}
    for name, array in graph.constants.items():
        is_weight = array.dtype.kind == "f" or array.dtype.name == "bfloat16"
        if is_weight and name not in deciding:
            weights[name] = constant(array)
        else:
            constants[name] = np.asarray(array)
    return weights, constants


def _require_defined(graph: Graph, known: set[str], place: str) -> None:
    """Raise `ArtifactError` if a node reads what nothing before it computes."""
    defined = {"", *known, *graph.constants, *(value.name for value in graph.inputs)}
    for node in graph.nodes:
        for name in node.inputs:
            if name not in defined:
                raise ArtifactError(f"{place}: {node.label} reads {name!r}, which nothing before it computes")
        for value in node.attributes.values():
            if isinstance(value, Graph):
                _require_defined(value, defined, place)
        defined.update(node.outputs)
    for output in graph.outputs:
        if output.name not in defined:
            raise ArtifactError(f"{place}: the output {output.name!r} is computed by no node")


def _identifier(name: str) -> str:
    """A name for a function."""
    made = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)
    return made if made.isidentifier() else f"model_{made}".rstrip("_")


assert rules.RULES  # which its modules fill
