"""What calls the pool of threads: for every function of a range of iterations, one that shares the range.

f.parallel(iterations, grain, a, b, ...)    stores its operands behind each other and calls
weft_parallel_for(f.task, iterations, grain, operands)
f.task(begin, end, operands)                calls f(begin, end, a, b, ...)
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import symbols_of
from ...planning.names import PARALLEL_FOR, parallel_name


@dataclass(frozen=True)
class LinkSharedLoops(Pass):
    """Define what calls the pool of threads."""

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["shared loops"] += _link(module)


def _link(module: Module) -> int:
    functions = symbols_of(module)
    shared = [function for name, function in functions.items() if parallel_name(name) in functions]
    if not shared:
        return 0
    text = f"llvm.func @{PARALLEL_FOR}(!llvm.ptr, i64, i64, !llvm.ptr)\n" + "".join(map(_text, shared))
    for function in shared:
        functions.pop(parallel_name(function.attributes["sym_name"].value)).erase()
    with ir.InsertionPoint(module.body):
        for op in ir.Module.parse(text).body.operations:
            if op.operation.attributes["sym_name"].value not in functions:
                op.operation.clone()
    return len(shared)


def _text(function: Operation) -> str:
    """The declaration of a function of a range, and the functions that share its iterations."""
    name = function.attributes["sym_name"].value
    types = [str(argument.type) for argument in function.regions[0].blocks[0].arguments][2:]
    all_types = ", ".join(["i64", "i64", *types])
    parameters = "".join(f", %p{number}: {type}" for number, type in enumerate(types))
    passed = "".join(f", %p{number}" for number in range(len(types)))
    struct = f"!llvm.struct<({', '.join(types)})>"
    store, load = "", ""
    for number, type in enumerate(types):
        place = f"  %at{number} = llvm.getelementptr %operands[0, {number}] : (!llvm.ptr) -> !llvm.ptr, {struct}\n"
        store += f"{place}  llvm.store %p{number}, %at{number} : {type}, !llvm.ptr\n"
        load += f"{place}  %p{number} = llvm.load %at{number} : !llvm.ptr -> {type}\n"
    return f"""
llvm.func @"{name}"({all_types})
llvm.func @"{parallel_name(name)}"(%iterations: i64, %grain: i64{parameters}) {{
  %one = llvm.mlir.constant(1 : i32) : i32
  %operands = llvm.alloca %one x {struct} : (i32) -> !llvm.ptr
{store}  %task = llvm.mlir.addressof @"{name}.task" : !llvm.ptr
  llvm.call @{PARALLEL_FOR}(%task, %iterations, %grain, %operands) : (!llvm.ptr, i64, i64, !llvm.ptr) -> ()
  llvm.return
}}
llvm.func @"{name}.task"(%begin: i64, %end: i64, %operands: !llvm.ptr) {{
{load}  llvm.call @"{name}"(%begin, %end{passed}) : ({all_types}) -> ()
  llvm.return
}}
"""
