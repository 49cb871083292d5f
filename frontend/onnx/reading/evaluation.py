"""Graphs run: on NumPy's arrays they are computed, on traced arrays they are recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ....dialect.errors import UnsupportedError, WeftError, WeftValueError
from ....dialect.records import dataclass
from ...runtime_values.outside_traces import outside_traces
from ...tracing.array import TracedArray
from ...tracing.current import current_trace
from ...tracing.extents import known_shape
from ..packages import onnx
from . import sizes
from .graphs import Graph, Node, Parser, Reference
from .sizes import Sizes, as_array
from .table import Refused, Rule, Visit, called
from .tensors import number_of

_OF_FORMS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What rules raise at inputs of which they know nothing."""


@dataclass(frozen=True)
class NodeVisit:
    """A node in a graph that is run, as its rule sees it."""

    node: Node
    values: Mapping[str, Any]
    """All values that the node, and graphs in it, can see."""
    bound: Mapping[str, Any]
    evaluation: Evaluation

    @property
    def version(self) -> int:
        """The version of the op's domain."""
        return self.node.version

    @property
    def outputs(self) -> int:
        """How many results the node names."""
        return len(self.node.outputs)

    def is_asked(self, place: int) -> bool:
        """Whether somebody may read a result."""
        return place < len(self.node.outputs) and bool(self.node.outputs[place])

    def has(self, attribute: str) -> bool:
        """Whether the node itself has an attribute."""
        return attribute in self.node.attributes

    def applied(self, graph: Graph, inputs: Sequence[Any]) -> list[Any]:
        """What a graph in an attribute gives for its inputs."""
        return self.evaluation.graph(graph, inputs, self.values, self.bound)


LARGEST_CONSTANT = 1 << 16
"""How many bytes an array may have that is computed while tracing, and is a constant of the program then."""


class Evaluation:
    """Runs the graphs of a model."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser

    def graph(
        self,
        graph: Graph,
        inputs: Sequence[Any],
        outer: Mapping[str, Any],
        bound: Mapping[str, Any],
    ) -> list[Any]:
        """The outputs of a graph; it sees the values around it, and attributes of the function that it is in."""
        values = {**outer, **graph.constants}
        values.update((value.name, given) for value, given in zip(graph.inputs, inputs, strict=False))
        for node in graph.nodes:
            found = self._made(node, values, bound)
            values.update((name, made) for name, made in zip(node.outputs, found, strict=False) if name)
        # A body computes only what its caller asks for.
        return [values.get(output.name) for output in graph.outputs]

    def _made(self, node: Node, values: Mapping[str, Any], bound: Mapping[str, Any]) -> Sequence[Any]:
        try:
            inputs = [values[name] if name else None for name in node.inputs]
            given = _attributes(node, bound)
            if isinstance(node.meaning, Rule):
                return self._by_rule(node, node.meaning, inputs, given, NodeVisit(node, values, bound, self))
            return self._by_body(node, inputs, given)
        except Refused as error:
            raise UnsupportedError(f"{node.label} {error}") from None
        except WeftError as error:
            if not error.args or not isinstance(
                error.args[0], str
            ):  # as of an axis, whose text is made of numbers
                raise WeftValueError(f"{node.label}: {error}") from error
            error.args = (f"{node.label}: {error.args[0]}", *error.args[1:])
            raise
        except _OF_FORMS as error:
            raise WeftValueError(f"{node.label}: {type(error).__name__} {error}".rstrip()) from error

    def _by_rule(
        self, node: Node, rule: Rule, inputs: list[Any], attributes: dict[str, Any], visit: Visit
    ) -> Sequence[Any]:
        while inputs and inputs[-1] is None:
            inputs.pop()
        if current_trace() is not None and all(map(_is_known, inputs)) and not _has_graphs(node):
            known = [as_array(value) for value in inputs]
            with contextlib.suppress(MemoryError):
                found = outside_traces(lambda: called(rule, visit, known, attributes), node.label)()
                results = found if isinstance(found, tuple) else (found,)
                if all(map(_is_small, results)):
                    return results
        found = None
        if any(isinstance(value, Sizes) for value in inputs):
            found = _by_sizes(lambda *parts: called(rule, visit, list(parts), attributes), rule, inputs)
        if found is None:
            found = called(rule, visit, inputs, attributes)
        return found if isinstance(found, tuple) else (found,)

    def _by_body(self, node: Node, inputs: list[Any], attributes: dict[str, Any]) -> Sequence[Any]:
        graph = node.meaning
        if not isinstance(graph, Graph):
            graph = self._parser.body_for(node, attributes, [_type_of(value) for value in inputs])
        bound = {**(graph.parameters or {}), **attributes}
        given: dict[str, Any] = {value.name: None for value in graph.inputs}
        given.update((value.name, one) for value, one in zip(graph.inputs, inputs, strict=False))
        return self.graph(graph, [given[value.name] for value in graph.inputs], {}, bound)


def _has_graphs(node: Node) -> bool:
    """Whether the node runs graphs, which see more values than its inputs."""
    return any(isinstance(value, Graph) for value in node.attributes.values())


def _by_sizes(function: Any, rule: Rule, inputs: list[Any]) -> Any:
    """What a rule makes of inputs in which sizes are, if it can do so element by element; else None."""
    found = sizes.by_element(function, inputs) if rule.by_element else None
    if found is not None:
        return found
    if rule.moves is None:
        return None
    places = range(len(inputs)) if rule.moves == (-1,) else rule.moves
    if any(isinstance(value, Sizes) and place not in places for place, value in enumerate(inputs)):
        return None
    return sizes.moved(function, inputs, [place for place in places if place < len(inputs)])


def _is_known(value: Any) -> bool:
    """Whether a value is the same in all runs, and small."""
    if isinstance(value, Sizes):
        return value.known() is not None
    return value is None or (isinstance(value, (np.ndarray, np.generic)) and _is_small(value))


def _is_small(value: Any) -> bool:
    """Whether an array may be a constant of the program."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_small, value))
    return isinstance(value, Sizes) or value is None or np.asarray(value).nbytes <= LARGEST_CONSTANT


def _attributes(node: Node, bound: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a node: those that it has, else those of its schema."""
    found = dict(node.defaults)
    for name, value in node.attributes.items():
        if isinstance(value, Reference):
            value = bound.get(value.name)
            if value is None:
                continue  # the function's caller left it out
        found[name] = value
    return found


def _type_of(value: Any) -> Any:
    """The type of a value as ONNX says it."""
    helper = onnx().helper
    if value is None:
        return onnx().TypeProto()
    if isinstance(value, (list, tuple)):
        inner = _type_of(value[0]) if value else helper.make_tensor_type_proto(1, None)
        return helper.make_sequence_type_proto(inner)
    shape = (
        value.shape
        if isinstance(value, Sizes)
        else known_shape(value)
        if isinstance(value, TracedArray)
        else np.shape(value)
    )
    dtype = value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype
    return helper.make_tensor_type_proto(number_of(dtype), shape)


def all_nodes(graph: Graph) -> Iterable[Node]:
    """The nodes of a graph and of those inside of it."""
    for node in graph.nodes:
        yield node
        for value in node.attributes.values():
            if isinstance(value, Graph):
                yield from all_nodes(value)
