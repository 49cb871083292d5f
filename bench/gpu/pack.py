"""Packs compiled programs for a machine that has a GPU and neither MLIR nor LLVM: `python bench/gpu/pack.py DIR`.

For each program there is a file with what the disk cache keeps of one, the seeds of its arguments, and what the
processor computes; the check on a GPU runs them. Nothing of it needs a GPU.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import time
from collections.abc import Callable, Mapping, Sequence
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
from weft_emulator.gpu_check.packed import COMPARED, file_of, make_arguments

HOST = "x86-64-v3"
"""The processors that launch the kernels, and whose results are expected: tables of others give other last bits."""


TARGETS = ("sm_90a", "sm_80", "sm_70")
"""The GPUs, from the newest: code of older ones runs on newer ones, too, where it shows their schedules."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files; the exit code is 1 if a program does not compile."""
    parser = argparse.ArgumentParser(prog="pack.py", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the files go")
    parser.add_argument("--targets", nargs="*", default=TARGETS, help=f"the GPUs ({', '.join(TARGETS)})")
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
                # What is measured is measured of the newest; products of older ones show what their schedules reach.
                count = len(options.targets) if form == "small" else 2 if program.flops else 1
                failed += _pack(program, form, specs, options.directory, options.targets[:count])
    return 1 if failed else 0


def _pack(program: GpuProgram, form: str, specs: Any, directory: Path, targets: Sequence[str]) -> int:
    """Write the files of a form, one for each target; how many could not be made."""
    failed, reference = 0, None
    for target in targets:
        start = time.perf_counter()
        line: dict[str, Any] = {"program": program.name, "form": form, "target": target}
        try:
            arguments = make_arguments(specs)
            code = compiled(program.function, arguments, f"{target}{program.features}:{HOST}")
            reference = reference or _reference(program, arguments, sorted(code.plan.written))
            packed = packed_program(program, form, specs, code, reference)
        except Exception as error:  # all others are packed all the same
            line["error"] = f"{type(error).__name__}: {error}"
            failed += 1
        else:
            file_of(directory, program.name, form, target).write_bytes(pickle.dumps(packed))
            line["kernels"] = [kernel.name for kernel in code.kernels]
        print(json.dumps(line | {"seconds": round(time.perf_counter() - start, 2)}), flush=True)
    return failed


def _reference(program: GpuProgram, arguments: Sequence[Any], written: Sequence[int]) -> dict[str, Any]:
    """What a program gives on the processor: the results, then the arrays that it writes."""
    here = [array.copy() for array in arguments]
    results = loaded(compiled(program.function, arguments, HOST))(*here)
    every = [*results, *(here[number] for number in written)]
    return {
        "shapes": [array.shape for array in every],
        "expected": [_sample(array) for array in every],
        "bytes": sum(array.nbytes for array in (*arguments, *results)),
    }


def packed_program(
    program: GpuProgram, form: str, specs: Any, code: Any, reference: Mapping[str, Any]
) -> dict[str, Any]:
    """What a file holds: the code, how its arguments are made, and what it is to give."""
    return {
        "name": program.name,
        "form": form,
        "code": code,
        "specs": specs,
        "written": sorted(code.plan.written),
        "tolerance": program.tolerance,
        "flops": program.flops,
        **reference,
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
