"""What a process loads for its first call: what a small function needs, and less where that is found on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cached_programs import LINKS_WITH_LLVM, Project

PROGRAM = """
import sys

before = set(sys.modules)

@weft.function
def f(x):
    return x + 1

print(f(np.arange(3)).tolist())
from weft.dialect.imports import is_loaded
print(*sorted(name for name in set(sys.modules) - before if is_loaded(sys.modules[name])))
"""

NOT_FOR_SUMS = (
    "backend.analysis.report",
    "backend.cpu.codegen.fourier.transforms",
    "backend.cpu.codegen.loops.reductions",
    "backend.cpu.codegen.schedule",
    "backend.cpu.codegen.stacks.small_matrices",
    "backend.cpu.machine.debuggers",
    "backend.cpu.threads.pool",
    "backend.functions.power",
    "backend.functions.split_reciprocal",
    "backend.ranges.kernels",
    "frontend.autograph.operators.exceptions.tries",
    "frontend.autograph.operators.lists.dynamic_lists",
    "frontend.autograph.operators.loops.loops",
    "frontend.composite.dispatch",
    "frontend.indexing.views",
    "frontend.numpy_api.contraction",
    "frontend.numpy_api.linalg",
    "frontend.numpy_api.reductions",
    "frontend.random.choices",
    "frontend.runtime_values.strings",
    "passes.raising.gather_windows",
    "passes.lowering.sorting",
)
"""Modules that other programs need."""

NOT_FOR_CALLS = (
    "torch_mlir",
    "ml_dtypes",
    "weft.dialect.op",
    "weft.passes.base",
    "weft.frontend.autograph",
    "weft.frontend.numpy_api",
    "weft.frontend.tracing.trace",
    "weft.backend.compiler",
    "weft.backend.target",
    "weft.backend.cpu.memory.result_pool",
)
"""Modules that only compiling needs."""


@pytest.mark.processor
def test_a_first_call_loads_what_it_needs(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write_program(PROGRAM)
    cold, warm = (set(project.run().output.split()) for _ in range(2))
    assert "weft.backend.compiler" in cold - warm
    assert not cold & {f"weft.{name}" for name in NOT_FOR_SUMS}
    assert not cold & {
        "decimal",
        "difflib",
        "fractions",
        "hashlib",
        "importlib.metadata",
    }  # some milliseconds each
    assert not warm & {*NOT_FOR_CALLS}
    assert LINKS_WITH_LLVM or not any(name.startswith("llvmlite.") for name in warm - {"llvmlite._version"})


@pytest.mark.processor
def test_loops_and_branches_load_no_namespace(tmp_path: Path) -> None:
    body = "    total = 0.0\n    for v in x:\n        if v > 1:\n            total += v\n    return np.float64(total)\n"
    project = Project(tmp_path)
    project.write_program(PROGRAM.replace("    return x + 1\n", body))
    loaded = set(project.run().output.split())
    assert "weft.frontend.autograph.operators.branches.branches" in loaded
    assert not loaded & {
        f"weft.frontend.numpy_api.{name}" for name in ("fft", "linalg", "quantiles", "sorting")
    }
