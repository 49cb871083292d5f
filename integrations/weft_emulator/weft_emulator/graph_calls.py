"""The functions of the driver for graphs: launches that are asked for together, behind those that they depend on."""

from __future__ import annotations

from typing import Any

from weft.backend.gpu.driver.signatures import Code
from weft.dialect.records import dataclass

from .kernel import Kernel
from .machine import Launch
from .module_calls import ModuleCalls
from .state import Refused


@dataclass
class Graph:
    """A graph as a handle: for each node what it launches, and the nodes before it."""

    nodes: dict[int, tuple[Kernel, Launch]]
    before: dict[int, frozenset[int]]


@dataclass
class Instance:
    """A graph that can be launched, with parameters of its own."""

    nodes: dict[int, tuple[Kernel, Launch]]
    before: dict[int, frozenset[int]]


@dataclass
class Node:
    """A node as a handle."""

    graph: Graph


class GraphCalls(ModuleCalls):
    """Graphs of kernels."""

    def cuGraphCreate(self, graph: Any, flags: int) -> None:
        if flags:
            raise Refused(Code.INVALID_VALUE)
        graph[0] = self._new(Graph({}, {}))

    def cuGraphAddKernelNode_v2(
        self, node: Any, graph: int | None, before: Any, count: int, told: Any
    ) -> None:
        found: Graph = self._object(graph, Graph)
        earlier = frozenset(before[k] for k in range(count))
        if not earlier <= found.nodes.keys():
            raise Refused(Code.INVALID_VALUE, "a node behind one that is not of the graph")
        launch = self._told(told[0])
        handle = self._new(Node(found))
        found.nodes[handle], found.before[handle] = launch, earlier
        node[0] = handle

    def _told(self, told: Any) -> tuple[Kernel, Launch]:
        """What a node launches, with the parameters as they are now."""
        grid, block = (
            (told.grid_x, told.grid_y, told.grid_z),
            (told.block_x, told.block_y, told.block_z),
        )
        return self._launch_of(told.function, grid, block, told.shared_bytes, told.parameters, told.extra)

    def cuGraphInstantiateWithFlags(self, instance: Any, graph: int | None, flags: int) -> None:
        found: Graph = self._object(graph, Graph)
        if flags:
            raise Refused(Code.INVALID_VALUE)
        instance[0] = self._new(Instance(dict(found.nodes), dict(found.before)))

    def cuGraphExecKernelNodeSetParams_v2(self, instance: int | None, node: int | None, told: Any) -> None:
        found: Instance = self._object(instance, Instance)
        self._object(node, Node)  # of a graph that was destroyed there is none
        if node not in found.nodes:
            raise Refused(Code.INVALID_VALUE, "a node of another graph")
        found.nodes[node] = self._told(told[0])

    def cuGraphLaunch(self, instance: int | None, stream: int | None) -> None:
        found: Instance = self._object(instance, Instance)
        launches = dict(found.nodes)  # as they are now
        self._put(stream, lambda: self._run_all(launches, found.before))

    def _run_all(self, launches: dict[int, tuple[Kernel, Launch]], before: dict[int, frozenset[int]]) -> None:
        """Run the nodes in any order in which each comes behind those that it depends on."""
        left = list(launches)
        while left:
            ready = [node for node in left if not before[node] & set(left)]
            node = ready[int(self.random.integers(len(ready)))]
            left.remove(node)
            self._run(*launches[node])

    def cuGraphExecDestroy(self, instance: int | None) -> None:
        self._forget(instance, Instance)

    def cuGraphDestroy(self, graph: int | None) -> None:
        found: Graph = self._forget(graph, Graph)
        for node in found.nodes:
            self._forget(node, Node)


__all__ = ["GraphCalls"]
