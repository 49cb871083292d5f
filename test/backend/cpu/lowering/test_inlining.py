"""Which kernels are inlined: few calls, or short kernels that a loop calls in one place; and who has scalar loops."""

from __future__ import annotations

import pytest

from weft.backend.cpu.lowering.inlining import MAX_TOTAL_STEPS, CallGraph
from weft.dialect.mlir import ir
from weft.dialect.register import context

ROW = "scf.for %i = %c0 to %c3 step %c1 {\n%x = memref.load %m[%i] : memref<?xf64>\n}"
KERNELS = {
    "row": ROW,
    "rows": ROW.replace("%c3", "%c1000"),
    "unknown": ROW.replace("%c3", "%n"),
    "wait": "scf.while : () -> () {\nscf.condition(%true)\n} do {\nscf.yield\n}",
}


def module(body: str) -> str:
    head = (
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n"
        "%c1000 = arith.constant 1000 : index\n%true = arith.constant true\n%n = memref.dim %m, %c0 : memref<?xf64>\n"
    )
    functions = [f"func.func @f(%m: memref<?xf64>) {{\n{head}{body}\nreturn\n}}"]
    for name, code in KERNELS.items():
        functions.append(f"func.func private @{name}(%m: memref<?xf64>) {{\n{head}{code}\nreturn\n}}")
    return "\n".join(functions)


def call(*names: str) -> str:
    return "\n".join(f"func.call @{name}(%m) : (memref<?xf64>) -> ()" for name in names)


def loop(*names: str) -> str:
    return f"scf.for %j = %c0 to %n step %c1 {{\nscf.if %true {{\n{call(*names)}\n}}\n}}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (call("rows", "unknown"), set(KERNELS)),
        (call("row", "rows", "unknown"), set()),
        (loop("row", "rows", "unknown", "wait"), {"row"}),
        (loop("row", "row", "row"), set()),
        (loop("row") + call("row", "rows"), set()),
    ],
    ids=["few calls", "no loop", "short ones", "two places", "inside and outside"],
)
def test_kernels_in_line(body: str, expected: set[str]) -> None:
    with context(), ir.Location.unknown():
        assert CallGraph.of(ir.Module.parse(module(body))).in_line() == expected


def test_one_function_does_not_get_too_long() -> None:
    names = [f"row{i}" for i in range(2000)]
    kernels = "".join(f"func.func private @{name}() {{\nreturn\n}}\n" for name in names)
    calls = "".join(f"func.call @{name}() : () -> ()\n" for name in names)
    text = f"func.func @f(%n: index) {{\nscf.for %i = %n to %n step %n {{\n{calls}}}\nreturn\n}}\n{kernels}"
    with context(), ir.Location.unknown():
        assert len(CallGraph.of(ir.Module.parse(text)).in_line()) == MAX_TOTAL_STEPS // 2


BODIES = {
    "scalars": ("%x = memref.load %m[%i] : memref<?xf64>\nmemref.store %x, %m[%i] : memref<?xf64>", True),
    "branches": ("scf.if %true {\nscf.yield\n}", True),
    "vectors": ("%x = vector.load %m[%i] : memref<?xf64>, vector<4xf64>", False),
    "calls": ("scf.if %true {\nfunc.call @f(%m) : (memref<?xf64>) -> ()\n}", False),
    "searches": ("scf.while : () -> () {\nscf.condition(%true)\n} do {\nscf.yield\n}", False),
    "nothing": ("scf.for %k = %c1 to %c1 step %c1 {\nscf.yield\n}", False),
}


@pytest.mark.parametrize(("body", "expected"), BODIES.values(), ids=BODIES)
def test_loops_for_the_vectoriser(body: str, expected: bool) -> None:
    """Innermost counted loops on scalars are; a loop around one is not looked at, nor what is vector code already."""
    inner = f"scf.for %i = %c0 to %n step %c1 {{\n{body}\n}}"
    head = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%true = arith.constant true\n"
    for loop in (inner, f"scf.for %j = %c0 to %n step %c1 {{\n{inner}\n}}"):
        text = f"func.func @f(%m: memref<?xf64>) {{\n{head}%n = memref.dim %m, %c0 : memref<?xf64>\n{loop}\nreturn\n}}"
        with context(), ir.Location.unknown():
            assert CallGraph.of(ir.Module.parse(text)).with_scalar_loops == ({"f"} if expected else set())


OTHERS = {
    "searches": ("scf.while : () -> () {\nscf.condition(%true)\n} do {\nscf.yield\n}", True),
    "innermost": ("%x = memref.load %m[%i] : memref<?xf64>", False),
    "vectors": ("%x = vector.load %m[%i] : memref<?xf64>, vector<4xf64>", False),
    "checks": ("scf.if %true {\nfunc.call @weft_exit() : () -> ()\n}", True),
    "a function with vectors": ("func.call @vectors(%m) : (memref<?xf64>) -> ()", False),
    "a function without": ("func.call @scalars(%m) : (memref<?xf64>) -> ()", True),
    "elements beside it": (
        "func.call @vectors(%m) : (memref<?xf64>) -> ()\n%x = memref.load %m[%i] : memref<?xf64>",
        True,
    ),
    "numbers on the stack beside it": (
        "func.call @vectors(%m) : (memref<?xf64>) -> ()\n%x = memref.load %a[] : memref<f64>",
        False,
    ),
    "a look for signals beside it": (
        "func.call @vectors(%m) : (memref<?xf64>) -> ()\nscf.if %true {\nfunc.call @weft_poll() : () -> ()\n"
        "%x = memref.load %m[%i] : memref<?xf64>\n}",
        False,
    ),
}


@pytest.mark.parametrize(("body", "expected"), OTHERS.values(), ids=OTHERS)
def test_other_loops_without_vector_code(body: str, expected: bool) -> None:
    """Such loops LLVM simplifies; what is called in them counts as if it were there."""
    head = (
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%true = arith.constant true\n"
        "%a = memref.alloca() : memref<f64>\n"
    )
    text = (
        "func.func private @weft_exit()\nfunc.func private @weft_poll()\n"
        f"func.func @f(%m: memref<?xf64>) {{\n{head}%n = memref.dim %m, %c0 : memref<?xf64>\n"
        f"scf.for %i = %c0 to %n step %c1 {{\n{body}\n}}\nreturn\n}}\n"
        f"func.func private @scalars(%m: memref<?xf64>) {{\nreturn\n}}\n"
        f"func.func private @vectors(%m: memref<?xf64>) {{\n{head}"
        "%x = vector.load %m[%c0] : memref<?xf64>, vector<4xf64>\nreturn\n}\n"
    )
    with context(), ir.Location.unknown():
        assert CallGraph.of(ir.Module.parse(text)).with_other_loops == ({"f"} if expected else set())
