"""The adapter for Model Explorer: what it gives, and that its server draws it."""

from __future__ import annotations

import json
import urllib.parse
from pathlib import Path

import pytest

from support.browser import chromium, served

pytest.importorskip("model_explorer", reason="needs Model Explorer: pip install ai-edge-model-explorer")

PROGRAM = """\
#line = loc("/nowhere/model.py":3:5)
func.func @main(%x: tensor<?x3xf32>, %c: i1) -> tensor<?x3xf32> {
  %0 = scf.if %c -> (tensor<?x3xf32>) {
    %1 = "weft.tanh"(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32> loc(#line)
    scf.yield %1 : tensor<?x3xf32>
  } else {
    scf.yield %x : tensor<?x3xf32>
  } loc(#line)
  return %0 : tensor<?x3xf32>
}
func.func private @elsewhere(tensor<3xf32>)
"""


def test_functions_are_graphs_with_scopes_for_lines_and_regions() -> None:
    from weft.tools.model_explorer.main import graphs_of

    (graph,) = graphs_of(PROGRAM)
    assert graph.id == "main"
    nodes = {node.id: node for node in graph.nodes}
    branch = nodes["model/L3/if"]
    tanh = nodes["model/L3/if/then/tanh"]
    assert (tanh.label, tanh.namespace) == ("weft.tanh", "model/L3/if/then")
    assert [edge.sourceNodeId for edge in tanh.incomingEdges] == ["argument_0"]
    assert tanh.outputsMetadata[0].attrs[0].value == "tensor<?x3xf32>"
    assert [edge.sourceNodeId for edge in branch.incomingEdges] == ["argument_1"]
    assert {edge.sourceNodeId for node in graph.nodes for edge in node.incomingEdges} <= set(nodes)


@pytest.mark.slow
def test_the_server_draws_a_file(tmp_path: Path) -> None:
    file = tmp_path / "program.mlir"
    file.write_text(PROGRAM)
    command = ["model_explorer", "--extensions=weft.tools.model_explorer", "--no_open_in_browser"]
    wanted = json.dumps({"models": [{"url": str(file), "adapterId": "weft"}]})
    with served([*command, "--host=127.0.0.1"], "/", b"<html") as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(f"{address}/?data={urllib.parse.quote(wanted)}")
        page.get_by_text("program.mlir").first.wait_for(timeout=60_000)
        page.get_by_text("op node count").first.wait_for(timeout=60_000)  # the graph itself is no text
