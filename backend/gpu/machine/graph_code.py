"""What planned functions call to launch kernels as one graph: native code around the driver's graphs.

Launches that follow each other with nothing between have the same graph each time, but for the parameters. The first
time they are launched; the second time a node is added for each behind the one before, and the graph is launched; from
then on the nodes whose parameters are others are told, and the graph is launched. What a graph needs is in words of the
frame. Memory that launches share is freed behind the graph. Translated as `driver_code.py`.
"""

from __future__ import annotations

from ...cpu.native_python.intrinsics import CFunction, set_half, set_word, stack, word
from ...cpu.native_python.layout import WORD
from .call_context import CURRENT_GRAPH, FREE, GRAPHED, GRAPHS, LAUNCH, LAUNCHES, STREAM
from .driver_code import (
    cuMemFreeAsync,
    weft_device_count,
    weft_device_entry,
    weft_device_fail,
    weft_device_function,
    weft_device_launch,
    weft_device_release,
)

cuGraphCreate = CFunction(2, "i32")
cuGraphAddKernelNode_v2 = CFunction(5, "i32")
cuGraphExecKernelNodeSetParams_v2 = CFunction(3, "i32")
cuGraphInstantiateWithFlags = CFunction(3, "i32")
cuGraphLaunch = CFunction(2, "i32")

CALLS, MODE, INDEX, HANDLE, EXECUTABLE, LAST, STRIDE, LIST, BLOCKS, NODES = range(10)
"""How often it was begun; what becomes of launches; how many there were; the graph, and its instance; the last node;
the words of a node; where memory is noted, and how many blocks; the first node, behind which is what it was given."""

DIRECT, BUILD, UPDATE = range(3)
UNUSABLE = -1
"""In the place of the instance: the driver has refused one."""
NODE_WORDS = 9
"""CUDA_KERNEL_NODE_PARAMS_v2: the function, seven halves, the addresses of parameters, and three words."""


def weft_device_graph_begin(record: int, offset: int, stride: int, blocks: int) -> None:
    """Begin the launches of a graph: where its words begin, words of a node, where memory is noted."""
    graph = word(record + WORD * GRAPHS) + WORD * offset
    set_word(record + WORD * CURRENT_GRAPH, graph)
    weft_device_graph_free(record, graph)
    set_word(graph + WORD * STRIDE, stride)
    set_word(graph + WORD * LIST, blocks)
    weft_device_count(graph + WORD * CALLS)
    set_word(graph + WORD * INDEX, 0)
    set_word(graph + WORD * MODE, DIRECT)
    if word(graph + WORD * EXECUTABLE) > 0:
        set_word(graph + WORD * MODE, UPDATE)
    elif word(graph + WORD * CALLS) == 2:
        weft_device_fail(record, cuGraphCreate(graph + WORD * HANDLE, 0), GRAPHED, 0)
        set_word(graph + WORD * MODE, BUILD)


def weft_device_graph_end(record: int) -> None:
    """Launch what was asked for since."""
    graph = word(record + WORD * CURRENT_GRAPH)
    if graph != 0:
        mode = word(graph + WORD * MODE)
        set_word(graph + WORD * MODE, DIRECT)
        set_word(record + WORD * CURRENT_GRAPH, 0)
        if word(record) == 0 and mode != DIRECT:
            weft_device_graph_launch(record, graph, mode)
        weft_device_graph_free(record, graph)


def weft_device_graph_launch(record: int, graph: int, mode: int) -> None:
    """Launch a graph, which is made first if it was built now."""
    if mode == BUILD:
        code = cuGraphInstantiateWithFlags(graph + WORD * EXECUTABLE, word(graph + WORD * HANDLE), 0)
        weft_device_fail(record, code, GRAPHED, 0)
        if code != 0:
            set_word(graph + WORD * EXECUTABLE, UNUSABLE)
            return
    code = cuGraphLaunch(word(graph + WORD * EXECUTABLE), word(record + WORD * STREAM))
    weft_device_fail(record, code, GRAPHED, 0)


def weft_device_graph_free(record: int, graph: int) -> None:
    """Free the memory that was noted."""
    first = graph + WORD * word(graph + WORD * LIST)
    stream = word(record + WORD * STREAM)
    for k in range(word(graph + WORD * BLOCKS)):
        weft_device_fail(record, cuMemFreeAsync(word(first + WORD * k), stream), FREE, 0)
    set_word(graph + WORD * BLOCKS, 0)


def weft_device_release_in_graph(record: int, table: int, count: int) -> None:
    """Free the blocks of a table behind the graph."""
    graph = word(record + WORD * CURRENT_GRAPH)
    if graph == 0:
        weft_device_release(record, table, count)
        return
    first = graph + WORD * word(graph + WORD * LIST)
    for k in range(count):
        block = word(weft_device_entry(table, k))
        if block != 0:
            set_word(first + WORD * word(graph + WORD * BLOCKS), block)
            weft_device_count(graph + WORD * BLOCKS)


def weft_device_launch_in_graph(
    record: int,
    number: int,
    gx: int,
    gy: int,
    gz: int,
    bx: int,
    by: int,
    bz: int,
    shared: int,
    parameters: int,
    words: int,
) -> None:
    """A launch, or a node where the call's launches are a graph; `words` of parameters, or -1."""
    graph = word(record + WORD * CURRENT_GRAPH)
    if graph == 0 or word(graph + WORD * MODE) == DIRECT:
        weft_device_launch(record, number, gx, gy, gz, bx, by, bz, shared, parameters)
        return
    if gx * gy * gz != 0 and word(record) == 0:
        weft_device_count(record + WORD * LAUNCHES)
        told = stack(NODE_WORDS)
        set_word(told, weft_device_function(record, number))
        set_half(told + WORD, gx)
        set_half(told + WORD + 4, gy)
        set_half(told + WORD * 2, gz)
        set_half(told + WORD * 2 + 4, bx)
        set_half(told + WORD * 3, by)
        set_half(told + WORD * 3 + 4, bz)
        set_word(told + WORD * 4, shared)
        set_word(told + WORD * 5, parameters)
        for k in range(3):
            set_word(told + WORD * 6 + WORD * k, 0)
        weft_device_fail(record, weft_device_graph_node(graph, told, parameters, words), LAUNCH, number)


def weft_device_graph_node(graph: int, told: int, parameters: int, words: int) -> int:
    """Make a launch a node of the graph: what the driver is told of it; the driver's code."""
    index = word(graph + WORD * INDEX)
    count = max(words, 0)
    set_word(graph + WORD * INDEX, index + 1)
    node = graph + WORD * NODES + WORD * index * word(graph + WORD * STRIDE)
    values = word(parameters) if words > 0 else node + WORD
    if word(graph + WORD * MODE) == BUILD:
        last = graph + WORD * LAST
        behind = 1 if word(last) != 0 else 0
        code = cuGraphAddKernelNode_v2(node, word(graph + WORD * HANDLE), last, behind, told)
        set_word(last, word(node))
    else:
        if words > 0 and weft_device_equal(node + WORD, values, count):
            return 0
        code = cuGraphExecKernelNodeSetParams_v2(word(graph + WORD * EXECUTABLE), word(node), told)
    for k in range(count):
        set_word(node + WORD + WORD * k, word(values + WORD * k))
    return code


def weft_device_equal(one: int, other: int, count: int) -> int:
    """Whether so many words are the same."""
    for k in range(count):
        if word(one + WORD * k) != word(other + WORD * k):
            return 0
    return 1
