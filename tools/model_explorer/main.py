"""The adapter: reads MLIR with weft's ops, and gives its functions as graphs, in scopes for functions and lines.

Model Explorer loads this module by its name; the package `ai-edge-model-explorer` brings it along.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from model_explorer import Adapter, AdapterMetadata
from model_explorer import graph_builder as drawn

from ...dialect.mlir import ir
from ...dialect.register import context
from ...frontend.summary.nodes import Node, Nodes


class WeftAdapter(Adapter):  # type: ignore[misc]
    """Functions of MLIR, as `weft-opt` writes it; with `--mlir-print-debuginfo` there are scopes for lines."""

    metadata = AdapterMetadata(
        id="weft",
        name="weft",
        description="MLIR with the ops of weft",
        source_repo="",
        fileExts=["mlir"],
    )

    def convert(self, model_path: str, settings: dict[str, Any]) -> dict[str, Any]:
        """The graphs of a file."""
        return {"graphs": graphs_of(Path(model_path).read_text(encoding="utf-8"))}


def graphs_of(text: str) -> list[Any]:
    """A graph for each function that has a body."""
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        found = []
        for view in module.body.operations:
            function = view.operation
            if function.name == "func.func" and len(function.regions[0].blocks):
                nodes = Nodes()
                nodes.add_function(function, ())
                name = str(function.attributes["sym_name"].value)
                found.append(drawn.Graph(id=name, nodes=[_drawn(node) for node in nodes.found]))
        return found


def _drawn(node: Node) -> Any:
    scope, _, _ = node.name.rpartition("/")
    return drawn.GraphNode(
        id=node.name,
        label=node.kind,
        namespace=scope,
        incomingEdges=[
            drawn.IncomingEdge(
                sourceNodeId=name, sourceNodeOutputId=str(place), targetNodeInputId=str(number)
            )
            for number, (name, place) in enumerate(node.inputs)
        ],
        outputsMetadata=[
            drawn.MetadataItem(id=str(place), attrs=[drawn.KeyValue(key="tensor_shape", value=str(type))])
            for place, type in enumerate(node.types)
        ],
        attrs=[drawn.KeyValue(key=name, value=value) for name, value in node.attributes.items()],
    )
