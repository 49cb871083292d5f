"""Nodes of ONNX as they are made: names, graphs inside of nodes, arrays that are known, and what nothing uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from onnx import (
    AttributeProto,
    GraphProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    defs,
    helper,
    numpy_helper,
)

from ....dialect.types import TensorType

Dim: TypeAlias = "int | str | None"


def element_type(dtype: np.dtype[Any]) -> int:
    """The number that ONNX has for a dtype."""
    return int(helper.np_dtype_to_tensor_dtype(dtype))


@cache
def spelled(dtype: np.dtype[Any]) -> str:
    """A type of tensors as schemas have it: `tensor(float)`."""
    return f"tensor({TensorProto.DataType.Name(element_type(dtype)).lower()})"


@cache
def accepted(op_type: str, opset: int) -> tuple[frozenset[str], ...]:
    """The types that an op takes, for each of its inputs."""
    schema = defs.get_schema(op_type, opset, "")
    return tuple(frozenset(formal.types) for formal in schema.inputs)


def takes(op_type: str, opset: int, place: int, dtype: np.dtype[Any]) -> bool:
    """Whether an input of an op may have a dtype; the last one may stand for several."""
    inputs = accepted(op_type, opset)
    return spelled(dtype) in inputs[min(place, len(inputs) - 1)]


def value_info(name: str, given: TensorType, dims: Sequence[Dim] | None = None) -> ValueInfoProto:
    """A value with its type; extents that are not known may have names."""
    shape = given.shape if dims is None else dims
    return helper.make_tensor_value_info(name, element_type(given.dtype), list(shape))


_COMPARED = 1 << 12
"""The bytes of arrays that may be found again; larger ones are only where it is the same array."""


class _Scope:
    """The nodes of a graph."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.made: dict[Any, list[str]] = {}
        """The outputs of nodes, by what these compute of what."""
        self.outputs: set[str] = set()


class Nodes:
    """All nodes of a model."""

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self._scopes = [_Scope()]
        self._counts: dict[str, int] = defaultdict(int)
        self._taken: set[str] = set()
        self._arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._names: dict[tuple[Any, ...], str] = {}
        self._makers: dict[str, NodeProto] = {}

    # Names

    def name(self, wanted: str) -> str:
        """A name that nothing else has."""
        found = wanted
        while found in self._taken:
            self._counts[wanted] += 1
            found = f"{wanted}_{self._counts[wanted]}"
        self._taken.add(found)
        return found

    def is_own(self, name: str) -> bool:
        """Whether a node of the graph that is being made gives a value."""
        return name in self._scopes[-1].outputs

    # Arrays that are known

    def array(self, value: np.ndarray[Any, Any], wanted: str = "") -> str:
        """The name of a constant, which is there once however often it is used."""
        key = (value.dtype, value.shape, value.tobytes() if value.nbytes <= _COMPARED else id(value))
        if key not in self._names:
            name = self._names[key] = self.name(wanted or ("number" if value.size == 1 else "constant"))
            self._arrays[name] = value
        return self._names[key]

    def known(self, name: str) -> np.ndarray[Any, Any] | None:
        """The value of a constant; None of anything else."""
        return self._arrays.get(name)

    def initialisers(self, used: Iterable[str]) -> list[TensorProto]:
        """The constants among some names."""
        known = set(used)
        return [numpy_helper.from_array(array, name) for name, array in self._arrays.items() if name in known]

    # Nodes

    def inputs(self, name: str, op_type: str) -> list[str] | None:
        """What a value is made of, if it is the first result of a node of a kind."""
        node = self._makers.get(name)
        return list(node.input) if node is not None and node.op_type == op_type else None

    def attribute(self, name: str, attribute: str) -> Any:
        """An attribute of the node that makes a value; None where it has none."""
        for each in self._makers[name].attribute:
            if each.name == attribute:
                return helper.get_attribute_value(each)
        return None

    def add(self, op_type: str, inputs: Sequence[str], count: int, **attributes: Any) -> list[str]:
        """The names of the results of a node; one that is there is taken again."""
        key = (op_type, tuple(inputs), count, repr(sorted(attributes.items())))
        has_graphs = any(isinstance(value, GraphProto) for value in attributes.values())
        if not has_graphs:
            for scope in self._scopes:
                if key in scope.made:
                    return scope.made[key]
        base = self.name(op_type)
        outputs = [base, *(self.name(f"{base}_{place}") for place in range(1, count))][:count]
        node = helper.make_node(op_type, inputs, outputs, name=base, **attributes)
        scope = self._scopes[-1]
        scope.nodes.append(node)
        scope.outputs.update(outputs)
        scope.made[key] = outputs
        self._makers[base] = node
        return outputs

    def graph(
        self,
        name: str,
        inputs: Sequence[tuple[str, TensorType]],
        body: Callable[[list[str]], Sequence[tuple[str, TensorType]]],
    ) -> GraphProto:
        """A graph inside of a node, whose body makes its results of its inputs."""
        self._scopes.append(_Scope())
        try:
            given = [(self.name(wanted), kind) for wanted, kind in inputs]
            results: list[tuple[str, TensorType]] = []
            for made, kind in body([own for own, _ in given]):
                is_new = self.is_own(made) and made not in [other for other, _ in results]
                results.append((made if is_new else self._again(made), kind))
            nodes = used_nodes(self._scopes[-1].nodes, [made for made, _ in results])
        finally:
            self._scopes.pop()
        return helper.make_graph(
            nodes,
            self.name(name),
            [value_info(*each) for each in given],
            [value_info(*each) for each in results],
        )

    def _again(self, name: str) -> str:
        """A value from elsewhere as one that this graph makes."""
        scope = self._scopes[-1]
        found = self.name("Identity")
        scope.nodes.append(helper.make_node("Identity", [name], [found], name=found))
        scope.outputs.add(found)
        return found

    def all(self, results: Mapping[str, str]) -> list[NodeProto]:
        """The nodes of the model that its results need, of which each is a value, by names that nothing else has."""
        names: dict[str, str] = {}
        for wanted, value in results.items():
            if self.is_own(value) and value not in names:
                names[value] = wanted
            else:
                names[self._again(value)] = wanted
        nodes = used_nodes(self._scopes[0].nodes, names)
        for node in nodes:
            _rename(node, names)
        return nodes


def _rename(node: NodeProto, names: Mapping[str, str]) -> None:
    """Let values have other names in a node, and in the graphs inside of it."""
    for places in (node.input, node.output):
        for place, name in enumerate(places):
            places[place] = names.get(name, name)
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            for inner in attribute.g.node:
                _rename(inner, names)


def used_nodes(nodes: Sequence[NodeProto], results: Iterable[str]) -> list[NodeProto]:
    """The nodes that results need, in order."""
    needed = set(results)
    kept = []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            kept.append(node)
            needed.update(names_in(node))
    return kept[::-1]


def names_in(node: NodeProto) -> Iterator[str]:
    """The values that a node reads, those of graphs inside of it, too."""
    yield from node.input
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            for inner in attribute.g.node:
                yield from names_in(inner)
            yield from (output.name for output in attribute.g.output)
