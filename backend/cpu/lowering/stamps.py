"""Time stamps around the kernels of a program that is profiled, and around the pieces of loops that threads share."""

from __future__ import annotations

from ....dialect.made_ops import operation_of, value_of
from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import symbols_of
from ...analysis.cost import user_line
from ...planning.names import STAMP_BEGIN, STAMP_END, is_kernel_name

STAMPED = "weft.stamped"
"""The attribute of a module whose kernels are to tell when they run."""

_TASK = ".task"
_NO_FILES = ("-:", "<unknown>:")
"""How places begin that are in no file: of code that weft itself writes."""
_DECLARATIONS = f"llvm.func @{STAMP_BEGIN}() -> i64\nllvm.func @{STAMP_END}(!llvm.ptr, i64)\n"


def mark_stamped(module: Module) -> None:
    """Let kernels of a module tell when they run."""
    module.operation.attributes[STAMPED] = ir.UnitAttr.get(module.operation.context)


def is_stamped(module: Module) -> bool:
    """Whether they do."""
    return STAMPED in module.operation.attributes


@dataclass(frozen=True)
class StampKernels(Pass):
    """Note when each call of a kernel begins and ends, in modules that ask for it.

    A note has the name of the kernel and its line, which are a text in the code: `kernel_0 model.py:12`.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        if not is_stamped(module):
            return
        calls = list(_stamped_calls(module))
        statistics["calls stamped"] += len(calls)
        if calls:
            _stamp(module, calls)


def _stamped_calls(module: Module) -> list[tuple[Operation, str]]:
    """The calls that are noted, with what they are called."""
    functions = symbols_of(module)
    found = []
    for name, function in functions.items():
        if function.name != "llvm.func" or not function.regions[0].blocks:
            continue
        for block in function.regions[0].blocks:
            for view in block.operations:
                op = view.operation
                if op.name != "llvm.call" or "callee" not in op.attributes:
                    continue
                callee = op.attributes["callee"].value
                if is_kernel_name(callee) or name == f"{callee}{_TASK}":
                    places = [op.location, functions[callee].location, *_locations_in(functions[callee])]
                    lines = (user_line(str(place)) for place in places)
                    line = next((line for line in lines if line and not line.startswith(_NO_FILES)), "")
                    found.append((op, f"{callee} {line}".rstrip()))
    return found


def _locations_in(function: Operation) -> list[ir.Location]:
    return [view.operation.location for block in function.regions[0].blocks for view in block.operations]


def _stamp(module: Module, calls: list[tuple[Operation, str]]) -> None:
    texts = {text: f"weft_stamp_{number}" for number, (_, text) in enumerate(calls)}
    known = symbols_of(module)
    globals_ = "".join(
        f'llvm.mlir.global internal constant @{symbol}("{_escaped(text)}\\00")\n'
        for text, symbol in texts.items()
    )
    with ir.InsertionPoint(module.body), ir.Location.unknown():
        for op in ir.Module.parse(_DECLARATIONS + globals_).body.operations:
            if op.operation.attributes["sym_name"].value not in known:
                op.operation.clone()
    word, pointer = ir.IntegerType.get_signless(64), ir.Type.parse("!llvm.ptr")
    for op, text in calls:
        with op.location:
            with ir.InsertionPoint(op):
                begin = _call(STAMP_BEGIN, [word], []).results[0]
            with ir.InsertionPoint.after(op):
                name = value_of(
                    "llvm.mlir.addressof", [], pointer, global_name=ir.FlatSymbolRefAttr.get(texts[text])
                )
                _call(STAMP_END, [], [name, begin])


def _call(name: str, results: list[ir.Type], operands: list[ir.Value]) -> Operation:
    return operation_of(
        "llvm.call",
        operands,
        results,
        callee=ir.FlatSymbolRefAttr.get(name),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([len(operands), 0]),
        op_bundle_sizes=ir.DenseI32ArrayAttr.get([]),
    )


def _escaped(text: str) -> str:
    r"""A text as MLIR's strings hold it.

    >>> _escaped('a "b" \\ é')
    'a \\22b\\22 \\5C \\C3\\A9'
    """
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode())
