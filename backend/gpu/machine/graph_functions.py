"""What planned functions call to launch kernels as one graph: native code around the driver's graphs.

Launches that follow each other with nothing between have the same graph each time, but for the parameters. The first
time they are launched; the second time a node is added for each behind the one before, and the graph is launched; from
then on the nodes whose parameters are others are told, and the graph is launched. What a graph needs is in words of the
frame. Memory that launches share is freed behind the graph.
"""

from __future__ import annotations

from .call_context import CURRENT_GRAPH, FREE, GRAPHED, GRAPHS, LAUNCH, STREAM

GRAPH_BEGIN = "weft_device_graph_begin"
"""Begins the launches of a graph: record, where its words begin, words of a node, where memory is noted."""
GRAPH_END = "weft_device_graph_end"
"""Launches what was asked for since: record."""
RELEASE_IN_GRAPH = "weft_device_release_in_graph"
"""Frees blocks behind the graph: record, address of the table, how many."""
GRAPH_NODE = "weft_device_graph_node"
"""Makes a launch a node of the graph: record, graph, number of the kernel, its launch, words of parameters or -1."""

CALLS, MODE, INDEX, HANDLE, EXECUTABLE, LAST, STRIDE, LIST, BLOCKS, NODES = range(10)
"""How often it was begun; what becomes of launches; how many there were; the graph, and its instance; the last node;
the words of a node; where memory is noted, and how many blocks; the first node, behind which is what it was given."""

_DIRECT, _BUILD, _UPDATE = range(3)
_NODE = "!llvm.struct<(ptr, i32, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, ptr)>"
_ENTRY = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>"
_UNUSABLE = -1
"""In the place of the instance: the driver has refused one."""

DECLARATIONS = {GRAPH_BEGIN: (4, None), GRAPH_END: (1, None), RELEASE_IN_GRAPH: (3, None)}

_CONSTANTS = f"""
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %direct = llvm.mlir.constant({_DIRECT} : i64) : i64
  %build = llvm.mlir.constant({_BUILD} : i64) : i64
  %update = llvm.mlir.constant({_UPDATE} : i64) : i64
  %unusable = llvm.mlir.constant({_UNUSABLE} : i64) : i64
  %what = llvm.mlir.constant({GRAPHED} : i64) : i64
  %graph_at = llvm.mlir.constant({CURRENT_GRAPH} : i64) : i64
"""


def _at(word: int) -> str:
    return f"llvm.getelementptr %graph[{word}] : (!llvm.ptr) -> !llvm.ptr, i64"


TEXT = f"""
llvm.func @cuGraphCreate(!llvm.ptr, i32) -> i32
llvm.func @cuGraphAddKernelNode_v2(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
llvm.func @cuGraphExecKernelNodeSetParams_v2(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @cuGraphInstantiateWithFlags(!llvm.ptr, !llvm.ptr, i64) -> i32
llvm.func @cuGraphLaunch(!llvm.ptr, !llvm.ptr) -> i32
llvm.func internal @weft_device_graph_now(%record: i64, %graph: i64) attributes {{always_inline}} {{
  %start = llvm.inttoptr %record : i64 to !llvm.ptr
  %at = llvm.getelementptr %start[{CURRENT_GRAPH}] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %graph, %at : i64, !llvm.ptr
  llvm.return
}}
llvm.func internal @weft_device_graph_free(%record: i64, %graph: !llvm.ptr) attributes {{no_inline}} {{{_CONSTANTS}
  %free = llvm.mlir.constant({FREE} : i64) : i64
  %stream_at = llvm.mlir.constant({STREAM} : i64) : i64
  %list_at = {_at(LIST)}
  %blocks_at = {_at(BLOCKS)}
  %list = llvm.load %list_at : !llvm.ptr -> i64
  %count = llvm.load %blocks_at : !llvm.ptr -> i64
  %first = llvm.getelementptr %graph[%list] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %stream = llvm.call @weft_device_word(%record, %stream_at) : (i64, i64) -> i64
  %stream_ = llvm.inttoptr %stream : i64 to !llvm.ptr
  llvm.br ^next(%zero : i64)
^next(%k: i64):
  %more = llvm.icmp "slt" %k, %count : i64
  llvm.cond_br %more, ^free, ^done
^free:
  %at = llvm.getelementptr %first[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %block = llvm.load %at : !llvm.ptr -> i64
  %code = llvm.call @cuMemFreeAsync(%block, %stream_) : (i64, !llvm.ptr) -> i32
  %code_ = llvm.sext %code : i32 to i64
  llvm.call @weft_device_fail(%record, %code_, %free, %zero) : (i64, i64, i64, i64) -> ()
  %following = llvm.add %k, %one : i64
  llvm.br ^next(%following : i64)
^done:
  llvm.store %zero, %blocks_at : i64, !llvm.ptr
  llvm.return
}}
llvm.func internal @{RELEASE_IN_GRAPH}(%record: i64, %table: i64, %count: i64) attributes {{no_inline}} {{{_CONSTANTS}
  %address = llvm.call @weft_device_word(%record, %graph_at) : (i64, i64) -> i64
  %is_there = llvm.icmp "ne" %address, %zero : i64
  llvm.cond_br %is_there, ^note, ^release
^release:
  llvm.call @weft_device_release(%record, %table, %count) : (i64, i64, i64) -> ()
  llvm.br ^done
^note:
  %graph = llvm.inttoptr %address : i64 to !llvm.ptr
  %start = llvm.inttoptr %table : i64 to !llvm.ptr
  %list_at = {_at(LIST)}
  %blocks_at = {_at(BLOCKS)}
  %list = llvm.load %list_at : !llvm.ptr -> i64
  %first = llvm.getelementptr %graph[%list] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.br ^next(%zero : i64)
^next(%k: i64):
  %more = llvm.icmp "slt" %k, %count : i64
  llvm.cond_br %more, ^keep, ^done
^keep:
  %entry = llvm.getelementptr %start[%k] : (!llvm.ptr, i64) -> !llvm.ptr, {_ENTRY}
  %block = llvm.load %entry : !llvm.ptr -> i64
  %noted = llvm.load %blocks_at : !llvm.ptr -> i64
  %at = llvm.getelementptr %first[%noted] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %block, %at : i64, !llvm.ptr
  %has = llvm.icmp "ne" %block, %zero : i64
  %step = llvm.zext %has : i1 to i64
  %all = llvm.add %noted, %step : i64
  llvm.store %all, %blocks_at : i64, !llvm.ptr
  %following = llvm.add %k, %one : i64
  llvm.br ^next(%following : i64)
^done:
  llvm.return
}}
llvm.func internal @{GRAPH_BEGIN}(%record: i64, %offset: i64, %stride: i64, %list: i64)
    attributes {{no_inline}} {{{_CONSTANTS}
  %graphs_at = llvm.mlir.constant({GRAPHS} : i64) : i64
  %address = llvm.call @weft_device_word(%record, %graphs_at) : (i64, i64) -> i64
  %graphs = llvm.inttoptr %address : i64 to !llvm.ptr
  %graph = llvm.getelementptr %graphs[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %own = llvm.ptrtoint %graph : !llvm.ptr to i64
  llvm.call @weft_device_graph_now(%record, %own) : (i64, i64) -> ()
  llvm.call @weft_device_graph_free(%record, %graph) : (i64, !llvm.ptr) -> ()
  %stride_at = {_at(STRIDE)}
  %list_at = {_at(LIST)}
  llvm.store %stride, %stride_at : i64, !llvm.ptr
  llvm.store %list, %list_at : i64, !llvm.ptr
  %calls_at = {_at(CALLS)}
  %mode_at = {_at(MODE)}
  %index_at = {_at(INDEX)}
  %handle_at = {_at(HANDLE)}
  %executable_at = {_at(EXECUTABLE)}
  %calls = llvm.load %calls_at : !llvm.ptr -> i64
  %more = llvm.add %calls, %one : i64
  llvm.store %more, %calls_at : i64, !llvm.ptr
  llvm.store %zero, %index_at : i64, !llvm.ptr
  llvm.store %direct, %mode_at : i64, !llvm.ptr
  %executable = llvm.load %executable_at : !llvm.ptr -> i64
  %handle = llvm.load %handle_at : !llvm.ptr -> i64
  %is_made = llvm.icmp "sgt" %executable, %zero : i64
  llvm.cond_br %is_made, ^update, ^look
^update:
  llvm.store %update, %mode_at : i64, !llvm.ptr
  llvm.br ^done
^look:
  %is_second = llvm.icmp "eq" %calls, %one : i64
  llvm.cond_br %is_second, ^create, ^done
^create:
  %flags = llvm.mlir.constant(0 : i32) : i32
  %code = llvm.call @cuGraphCreate(%handle_at, %flags) : (!llvm.ptr, i32) -> i32
  %code_ = llvm.sext %code : i32 to i64
  llvm.call @weft_device_fail(%record, %code_, %what, %zero) : (i64, i64, i64, i64) -> ()
  llvm.store %build, %mode_at : i64, !llvm.ptr
  llvm.br ^done
^done:
  llvm.return
}}
llvm.func internal @{GRAPH_NODE}(%record: i64, %graph: !llvm.ptr, %number: i64, %function: !llvm.ptr, %gx: i32,
    %gy: i32, %gz: i32, %bx: i32, %by: i32, %bz: i32, %shared: i32, %parameters: !llvm.ptr, %words: i64)
    attributes {{no_inline}} {{{_CONSTANTS}
  %launch = llvm.mlir.constant({LAUNCH} : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %mode_at = {_at(MODE)}
  %index_at = {_at(INDEX)}
  %handle_at = {_at(HANDLE)}
  %executable_at = {_at(EXECUTABLE)}
  %last_at = {_at(LAST)}
  %stride_at = {_at(STRIDE)}
  %nodes = {_at(NODES)}
  %mode = llvm.load %mode_at : !llvm.ptr -> i64
  %index = llvm.load %index_at : !llvm.ptr -> i64
  %stride = llvm.load %stride_at : !llvm.ptr -> i64
  %following = llvm.add %index, %one : i64
  llvm.store %following, %index_at : i64, !llvm.ptr
  %offset = llvm.mul %index, %stride : i64
  %entry = llvm.getelementptr %nodes[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %kept = llvm.getelementptr %entry[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %told = llvm.alloca %one x {_NODE} : (i64) -> !llvm.ptr
  %n0 = llvm.mlir.zero : {_NODE}
  %n1 = llvm.insertvalue %function, %n0[0] : {_NODE}
  %n2 = llvm.insertvalue %gx, %n1[1] : {_NODE}
  %n3 = llvm.insertvalue %gy, %n2[2] : {_NODE}
  %n4 = llvm.insertvalue %gz, %n3[3] : {_NODE}
  %n5 = llvm.insertvalue %bx, %n4[4] : {_NODE}
  %n6 = llvm.insertvalue %by, %n5[5] : {_NODE}
  %n7 = llvm.insertvalue %bz, %n6[6] : {_NODE}
  %n8 = llvm.insertvalue %shared, %n7[7] : {_NODE}
  %n9 = llvm.insertvalue %parameters, %n8[8] : {_NODE}
  llvm.store %n9, %told : {_NODE}, !llvm.ptr
  %has_words = llvm.icmp "sgt" %words, %zero : i64
  llvm.cond_br %has_words, ^first, ^choose(%kept, %has_words : !llvm.ptr, i1)
^first:
  %start = llvm.load %parameters : !llvm.ptr -> !llvm.ptr
  llvm.br ^choose(%start, %has_words : !llvm.ptr, i1)
^choose(%values: !llvm.ptr, %can_compare: i1):
  %size = llvm.intr.smax(%words, %zero) : (i64, i64) -> i64
  %is_new = llvm.icmp "eq" %mode, %build : i64
  llvm.cond_br %is_new, ^add, ^compare(%zero : i64)
^add:
  %handle = llvm.load %handle_at : !llvm.ptr -> !llvm.ptr
  %last = llvm.load %last_at : !llvm.ptr -> i64
  %is_behind = llvm.icmp "ne" %last, %zero : i64
  %count = llvm.zext %is_behind : i1 to i64
  %added = llvm.call @cuGraphAddKernelNode_v2(%entry, %handle, %last_at, %count, %told)
    : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
  %node = llvm.load %entry : !llvm.ptr -> i64
  llvm.store %node, %last_at : i64, !llvm.ptr
  llvm.br ^keep(%zero, %added : i64, i32)
^compare(%k: i64):
  %more = llvm.icmp "slt" %k, %size : i64
  llvm.cond_br %more, ^word, ^same
^word:
  %old_at = llvm.getelementptr %kept[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %new_at = llvm.getelementptr %values[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %old = llvm.load %old_at : !llvm.ptr -> i64
  %new = llvm.load %new_at : !llvm.ptr -> i64
  %is_same = llvm.icmp "eq" %old, %new : i64
  %next = llvm.add %k, %one : i64
  llvm.cond_br %is_same, ^compare(%next : i64), ^tell
^same:
  llvm.cond_br %can_compare, ^done, ^tell
^tell:
  %executable = llvm.load %executable_at : !llvm.ptr -> !llvm.ptr
  %known = llvm.load %entry : !llvm.ptr -> !llvm.ptr
  %set = llvm.call @cuGraphExecKernelNodeSetParams_v2(%executable, %known, %told)
    : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^keep(%zero, %set : i64, i32)
^keep(%i: i64, %code: i32):
  %is_left = llvm.icmp "slt" %i, %size : i64
  llvm.cond_br %is_left, ^copy, ^check
^copy:
  %from = llvm.getelementptr %values[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %to = llvm.getelementptr %kept[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %from : !llvm.ptr -> i64
  llvm.store %word, %to : i64, !llvm.ptr
  %behind = llvm.add %i, %one : i64
  llvm.br ^keep(%behind, %code : i64, i32)
^check:
  %code_ = llvm.sext %code : i32 to i64
  llvm.call @weft_device_fail(%record, %code_, %launch, %number) : (i64, i64, i64, i64) -> ()
  llvm.br ^done
^done:
  llvm.return
}}
llvm.func internal @{GRAPH_END}(%record: i64) attributes {{no_inline}} {{{_CONSTANTS}
  %stream_at = llvm.mlir.constant({STREAM} : i64) : i64
  %address = llvm.call @weft_device_word(%record, %graph_at) : (i64, i64) -> i64
  %is_there = llvm.icmp "ne" %address, %zero : i64
  llvm.cond_br %is_there, ^look, ^done
^look:
  %graph = llvm.inttoptr %address : i64 to !llvm.ptr
  %mode_at = {_at(MODE)}
  %handle_at = {_at(HANDLE)}
  %executable_at = {_at(EXECUTABLE)}
  %mode = llvm.load %mode_at : !llvm.ptr -> i64
  llvm.store %direct, %mode_at : i64, !llvm.ptr
  llvm.call @weft_device_graph_now(%record, %zero) : (i64, i64) -> ()
  %failure = llvm.call @weft_device_word(%record, %zero) : (i64, i64) -> i64
  %is_well = llvm.icmp "eq" %failure, %zero : i64
  %is_used = llvm.icmp "ne" %mode, %direct : i64
  %goes_on = llvm.and %is_well, %is_used : i1
  llvm.cond_br %goes_on, ^choose, ^free
^choose:
  %is_new = llvm.icmp "eq" %mode, %build : i64
  llvm.cond_br %is_new, ^make, ^launch
^make:
  %handle = llvm.load %handle_at : !llvm.ptr -> !llvm.ptr
  %made = llvm.call @cuGraphInstantiateWithFlags(%executable_at, %handle, %zero) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  %made_ = llvm.sext %made : i32 to i64
  llvm.call @weft_device_fail(%record, %made_, %what, %zero) : (i64, i64, i64, i64) -> ()
  %is_made = llvm.icmp "eq" %made_, %zero : i64
  llvm.cond_br %is_made, ^launch, ^refused
^refused:
  llvm.store %unusable, %executable_at : i64, !llvm.ptr
  llvm.br ^free
^launch:
  %stream = llvm.call @weft_device_word(%record, %stream_at) : (i64, i64) -> i64
  %stream_ = llvm.inttoptr %stream : i64 to !llvm.ptr
  %executable = llvm.load %executable_at : !llvm.ptr -> !llvm.ptr
  %code = llvm.call @cuGraphLaunch(%executable, %stream_) : (!llvm.ptr, !llvm.ptr) -> i32
  %code_ = llvm.sext %code : i32 to i64
  llvm.call @weft_device_fail(%record, %code_, %what, %zero) : (i64, i64, i64, i64) -> ()
  llvm.br ^free
^free:
  llvm.call @weft_device_graph_free(%record, %graph) : (i64, !llvm.ptr) -> ()
  llvm.br ^done
^done:
  llvm.return
}}
"""

__all__ = [
    "DECLARATIONS",
    "EXECUTABLE",
    "GRAPH_BEGIN",
    "GRAPH_END",
    "GRAPH_NODE",
    "HANDLE",
    "MODE",
    "NODES",
    "STRIDE",
    "TEXT",
]
