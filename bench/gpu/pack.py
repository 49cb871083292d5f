"""Packs compiled programs for a machine that has a GPU and neither MLIR nor LLVM: `python bench/gpu/pack.py DIR`.

For each program there is a file with what the disk cache keeps of one, the seeds of its arguments, and what the
processor computes; `tools.gpu_check` runs them. Nothing of it needs a GPU.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from programs import PROGRAMS, GpuProgram

from weft.backend.compiler import machine_code
from weft.backend.executables import loaded
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.frontend.function import function
from weft.frontend.signature.signature import TensorSpec
from weft.tools.gpu_check.packed import COMPARED, make_arguments

HOST = "x86-64-v3"
"""The processors that launch the kernels, and whose results are expected: tables of others give other last bits."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files; the exit code is 1 if a program does not compile."""
    parser = argparse.ArgumentParser(prog="pack.py", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the files go")
    parser.add_argument("--target", default="sm_90a", help="the GPU (sm_90a)")
    parser.add_argument("--forms", nargs="*", choices=("small", "large"), default=("small", "large"))
    parser.add_argument("--only", nargs="*", help="names of programs")
    options = parser.parse_args(arguments)
    options.directory.mkdir(parents=True, exist_ok=True)
    failed = 0
    for program in PROGRAMS:
        if options.only and program.name not in options.only:
            continue
        for form, specs in (("small", program.small), ("large", program.large)):
            if specs and form in options.forms:
                failed += not _pack(program, form, specs, options.directory, options.target)
    return 1 if failed else 0


def _pack(program: GpuProgram, form: str, specs: Any, directory: Path, target: str) -> bool:
    start = time.perf_counter()
    line: dict[str, Any] = {"program": program.name, "form": form, "target": target}
    try:
        packed = packed_program(program, form, specs, target)
    except Exception as error:  # all others are packed all the same
        line["error"] = f"{type(error).__name__}: {error}"
    else:
        (directory / f"{program.name}_{form}.pickle").write_bytes(pickle.dumps(packed))
        line["kernels"] = [kernel.name for kernel in packed["code"].kernels]
    print(json.dumps(line | {"seconds": round(time.perf_counter() - start, 2)}), flush=True)
    return "error" not in line


def packed_program(program: GpuProgram, form: str, specs: Any, target: str) -> dict[str, Any]:
    """What a file holds: the code, how its arguments are made, and what it is to give."""
    arguments = make_arguments(specs)
    code = compiled(program.function, arguments, f"{target}:{HOST}")
    here = [array.copy() for array in arguments]
    expected = loaded(compiled(program.function, arguments, HOST))(*here)
    written = {number: here[number] for number in sorted(code.plan.written)}
    every = [*expected, *written.values()]
    return {
        "name": program.name,
        "form": form,
        "code": code,
        "specs": specs,
        "shapes": [array.shape for array in every],
        "expected": [_sample(array) for array in every],
        "written": list(written),
        "tolerance": program.tolerance,
        "flops": program.flops,
        "bytes": sum(array.nbytes for array in (*arguments, *expected)),
    }


def _sample(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Some elements of an array, the same ones everywhere; all of a small one."""
    flat = array.reshape(-1)
    return flat[:: max(1, flat.size // COMPARED)].copy()


def compiled(
    python_function: Callable[..., Any], arguments: Sequence[np.ndarray[Any, Any]], target: str
) -> Any:
    """The machine code of a function whose arguments are all that it reads."""
    specs = [TensorSpec(array.shape, array.dtype) for array in arguments]
    concrete = function(python_function).get_concrete_function(*specs)
    plan = concrete._executable.plan
    with context():
        module = ir.Module.parse(concrete.as_text("linalg"))
    return machine_code(module, plan.name, target, result_dtypes=[type.dtype for type in plan.results])


if __name__ == "__main__":
    sys.exit(main())
