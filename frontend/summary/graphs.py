"""Compiled functions as graphs that TensorBoard draws: a scope for each function and line, and regions in them."""

from __future__ import annotations

import ast
import bisect
import itertools
import linecache
import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.mlir import Block, Location, Operation, Value, ir
from ...dialect.ops.creation import Constant
from ...dialect.records import NamedTuple
from ...dialect.register import context
from ...passes.pipeline import run_pipeline
from ...passes.pipelines import PIPELINES
from ..calls.concrete import ConcreteFunction
from ..calls.explaining import Explained
from .packages import messages
from .writers import create_file_writer, refuse_in_trace, setting_now

if TYPE_CHECKING:
    from ..compiling.program import Recording

STAGES = ("weft", "optimized")
"""The stages that are drawn: the trace, and what weft's own rewrites make of it."""

LONGEST = 200
"""Of attributes so many characters are kept, of lines of Python in names of scopes a third."""

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

_CONSTANTS = (Constant.mlir_name(), "arith.constant")
"""What TensorBoard draws small, beside the ops that use it."""

_REGIONS = {"scf.if": ("then", "else"), "scf.while": ("condition", "body")}
"""What regions of an op are called, where there are several."""


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
        drawn = _Graph()
        for view in module.body.operations:
            function = view.operation
            if function.attributes["sym_name"].value == recording.symbol:
                drawn.add_function(function, concrete._names)
        return drawn.graph


class Frame(NamedTuple):
    """A line in a function of the program."""

    function: str
    line: str


class _Graph:
    """Collects nodes: each has a name that tells its scopes, and knows by names where its operands come from."""

    def __init__(self) -> None:
        self.graph = messages("graph").GraphDef()
        self.graph.versions.producer = 22
        self._outputs: dict[Value, str] = {}
        self._used: set[str] = set()

    def add_function(self, function: Operation, names: Sequence[str]) -> None:
        """Add the ops of a function, its arguments and its results."""
        block = function.regions[0].blocks[0]
        for number, argument in enumerate(block.arguments):
            name = names[number] if number < len(names) else f"argument_{number}"
            self._add(_plain(name), "Argument", [], [argument])
        self._add_block(block, "", ())

    def _add_block(self, block: Block, scope: str, around: tuple[str, ...]) -> None:
        """Add the ops of a block inside of a scope, which is for ops of some lines itself."""
        for view in block.operations:
            op = view.operation
            steps = _steps(frames_of(op.location)) or around
            shared = _shared(steps, around)
            inner = "".join(f"{step}/" for step in steps[shared:])
            kind = op.name
            if kind == "func.return":
                for number, value in enumerate(op.operands):
                    self._add(f"{scope}result_{number}", "Result", [value], [])
                continue
            drawn = "Const" if kind in _CONSTANTS else kind
            node = self._add(f"{scope}{inner}{kind.rpartition('.')[2]}", drawn, op.operands, op.results)
            for attribute in op.attributes:
                node.attr[attribute].s = str(op.attributes[attribute])[:LONGEST].encode()
            for number, region in enumerate(op.regions):
                called = _REGIONS.get(kind, ())
                title = (
                    called[number] if number < len(called) else "body" if number == 0 else f"region_{number}"
                )
                for inside in region.blocks:
                    here = f"{node.name}/{title}/"
                    self._add_arguments(op, inside, here)
                    self._add_block(inside, here, steps)

    def _add_arguments(self, op: Operation, block: Block, scope: str) -> None:
        """Add the arguments of a region: those that a loop carries begin as its last operands."""
        first = len(block.arguments) - (
            len(op.operands) - (3 if op.name == "scf.for" else 0)
            if op.name in ("scf.for", "scf.while")
            else 0
        )
        for number, argument in enumerate(block.arguments):
            is_carried = op.name in ("scf.for", "scf.while") and number >= first >= 0
            begins = [op.operands[number - len(block.arguments)]] if is_carried else []
            self._add(f"{scope}{'carried' if is_carried else 'index'}", "Argument", begins, [argument])

    def _add(self, name: str, kind: str, operands: Sequence[Value], results: Sequence[Value]) -> Any:
        names = (f"{name}_{number}" if number else name for number in itertools.count())
        node = self.graph.node.add(name=next(one for one in names if one not in self._used), op=kind)
        self._used.add(node.name)
        node.input.extend(self._outputs[value] for value in operands if value in self._outputs)
        shapes = node.attr["_output_shapes"].list
        for place, value in enumerate(results):
            self._outputs[value] = f"{node.name}:{place}" if place else node.name
            _describe(value.type, shapes.shape.add())
        if len(results):
            dtype = _dtype_of(results[0].type)
            if dtype:
                node.attr["dtype"].type = messages("types").DataType.Value(dtype)
            node.attr["types"].s = ", ".join(str(value.type) for value in results).encode()
        return node


def _describe(type: Any, shape: Any) -> None:
    """Tell the shape of a value; what is no array has none."""
    if isinstance(type, ir.RankedTensorType):
        for axis, extent in enumerate(type.shape):
            shape.dim.add(size=-1 if type.is_dynamic_dim(axis) else extent)


def _dtype_of(type: Any) -> str | None:
    element = type.element_type if isinstance(type, ir.RankedTensorType) else type
    return _TYPES.get(str(element))


def frames_of(location: Location) -> list[Frame]:
    """The lines that an op comes from, the outermost function first; of several places the first that is known."""
    return [_frame(file, line) for file, line in _chain(location)]


def _chain(location: Location) -> list[tuple[str, int]]:
    if isinstance(location, ir.FileLineColLoc):
        known = location.start_line and location.filename not in ("", "-", "<unknown>")
        return [(location.filename, location.start_line)] if known else []
    if isinstance(location, ir.CallSiteLoc):
        return [*_chain(location.caller), *_chain(location.callee)]
    if isinstance(location, ir.FusedLoc):
        return next(filter(None, map(_chain, location.locations)), [])
    if isinstance(location, ir.NameLoc):
        return _chain(location.child_loc)
    return []


def _steps(frames: Sequence[Frame]) -> tuple[str, ...]:
    """The scopes of an op: functions, and lines in them."""
    return tuple(step for frame in frames for step in frame)


def _shared(steps: Sequence[str], others: Sequence[str]) -> int:
    """How many of the outermost scopes are the same."""
    pairs = zip(steps, others, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _frame(file: str, line: int) -> Frame:
    text = _plain(linecache.getline(file, line).strip())[: LONGEST // 3].strip("_")
    return Frame(_function_around(file, line), f"L{line}_{text}" if text else f"L{line}")


def _plain(text: str) -> str:
    """A text with the characters that names of scopes may have."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", text).lstrip("_-.") or "_"


def _function_around(file: str, line: int) -> str:
    """The name of the innermost function around a line, or that of its file."""
    starts, functions = _functions_of(file)
    for place in range(bisect.bisect_right(starts, line) - 1, -1, -1):
        name, last = functions[place]
        if line <= last:
            return name
    return _plain(os.path.splitext(os.path.basename(file))[0])


@cache
def _functions_of(file: str) -> tuple[list[int], list[tuple[str, int]]]:
    """The functions of a file, by their first lines."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):  # a cell of a notebook, with commands in it
        return [], []
    found = sorted(_functions_in(tree))
    return [first for first, _, _ in found], [(name, last) for _, name, last in found]


def _functions_in(tree: ast.AST, outer: str = "") -> Iterator[tuple[int, str, int]]:
    for node in ast.iter_child_nodes(tree):
        name = outer
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{outer}.{node.name}" if outer else node.name
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if not isinstance(node, ast.ClassDef):
                yield first, name, node.end_lineno or first
        yield from _functions_in(node, name)


__all__ = ["graph", "graph_of"]
