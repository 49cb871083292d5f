"""Random contractions, compiled and compared with NumPy: `python -m support.contraction_cases FIRST LAST`.

A process of its own, because code that is wrong at the edges may write where it must not.
"""

from __future__ import annotations

import random
import sys
from typing import Any
from unittest.mock import patch

import numpy as np

from weft.backend import target
from weft.backend.cpu.codegen.contractions import plan as contraction_plan

from .kernel_code import KernelText

SPECS = [
    *["ik,kj->ij", "ki,kj->ij", "ik,jk->ij", "ki,jk->ij"] * 4,
    *("bik,bkj->bij", "bik,kj->bij", "ik,kj->ji", "bhik,bhjk->bhij", "ijk,kl->ijl", "ikl,klj->ij", "ij,j->i"),
    *("i,ij->j", "bij,bj->bi", "i,j->ij", "i,i->", "abk,kcd->abcd", "kab,kc->abc", "ik,bkj->bij", "ij,ij->j"),
]
SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 13, 14, 15, 16, 17, 31, 33, 40, 64]
TYPES = [
    *[("float32", "float32"), ("float64", "float64"), ("int32", "int32"), ("int64", "int64")] * 2,
    *[
        ("int8", "int8"),
        ("int16", "int64"),
        ("float16", "float32"),
        ("bfloat16", "float32"),
        ("int8", "int32"),
        ("int16", "int16"),
        ("complex64", "complex64"),
        ("complex128", "complex128"),
        ("bool", "bool"),
    ],
]
GUARD = 64
SMALL_CACHES = {
    "PACKED": 1,
    "WHOLE_DEPTH": 8,
    "DEPTH_BLOCK": 5,
    "UNBLOCKED_DEPTH": 20,
    "LEAST_ROWS": 2,
    "MOST_ROWS": 9,
    "EXACT_WORK": 0,
    "EXACT_SHARE": 0.0,
}
"""With these, and caches as small, small operands are treated as large ones are."""


def body(operand: str, result: str, kernel_types: tuple[str, str]) -> str:
    """acc + x0 * x1 with the operands widened to the result type."""
    if result == "bool":
        return "%m = arith.andi %x0, %x1 : i8\n%s = arith.ori %acc, %m : i8\nlinalg.yield %s : i8"
    if "complex" in result:
        type = kernel_types[1]
        return f"%m = complex.mul %x0, %x1 : {type}\n%s = complex.add %acc, %m : {type}\nlinalg.yield %s : {type}"
    suffix = "f" if "float" in result else "i"
    first, last = kernel_types
    lines, names = [], ["%x0", "%x1"]
    if operand != result:
        widen = "arith.extf" if suffix == "f" else "arith.extsi"
        lines = [f"%w{n} = {widen} %x{n} : {first} to {last}" for n in (0, 1)]
        names = ["%w0", "%w1"]
    lines.append(f"%m = arith.mul{suffix} {', '.join(names)} : {last}")
    return "\n".join([*lines, f"%s = arith.add{suffix} %acc, %m : {last}", f"linalg.yield %s : {last}"])


def check(seed: int) -> str | None:
    """Run one case, some as for large operands and some for lesser machines; what is wrong with it, or None."""
    choose = random.Random(1000 + seed)
    changes = dict(SMALL_CACHES) if choose.random() < 0.4 else {}
    machine = choose.choice(["native", "native", "x86-64-v2+f16c", "x86-64-v3", "x86-64-v4"])
    case = random.Random(seed)
    kinds = case.choice(SPECS), case.choice(TYPES)
    if target.why_not_here(target.named(machine)) or "bfloat16" in kinds[1]:
        machine = "native"  # what converts bfloat16 is not at hand for a single kernel
    caches = {"first_level_cache": 64, "second_level_cache": 512} if changes else {}
    with (
        patch.dict(vars(contraction_plan), changes),
        target.compiling_for(machine),
        target.compiling_as_if(**caches),
    ):
        complaint = _check(seed)
    return complaint and f"{complaint} (for {machine}, small caches: {bool(changes)})"


def _check(seed: int) -> str | None:
    choose = random.Random(seed)
    spec, (operand, result) = choose.choice(SPECS), choose.choice(TYPES)
    dynamic, activate = choose.random() < 0.3, choose.random() < 0.3 and result.startswith("float")
    x_letters, rest = spec.split(",")
    y_letters, out_letters = rest.split("->")
    largest = len(SIZES) if len(set(x_letters + y_letters)) < 4 else 12
    sizes = {
        letter: choose.choice(SIZES[:largest] if choose.random() < 0.8 else [choose.randint(1, 90)])
        for letter in sorted(set(x_letters + y_letters))
    }
    shapes = [tuple(sizes[letter] for letter in letters) for letters in (x_letters, y_letters, out_letters)]
    operands = [numbers(shape, operand, seed + n) for n, shape in enumerate(shapes[:2])]
    kernel = KernelText(dynamic)
    inputs = [kernel.argument(shape, operand) for shape in shapes[:2]]
    letters = [x_letters, y_letters, out_letters]
    code = body(operand, result, (inputs[0].element, _element(result)))
    value = kernel.generic(inputs, letters, code, shapes[2], result, "0.0" if "float" in result else "0")
    wide = {"f": "float64", "c": "complex128"}.get(np.dtype(result).kind, result)
    expected = np.einsum(spec, *(array.astype(wide) for array in operands))
    if activate:
        element = _element(result)
        relu = f"%z = arith.constant 0.0 : {element}\n%r = arith.maximumf %x0, %z : {element}\n"
        value = kernel.generic(
            [value], [out_letters] * 2, relu + f"linalg.yield %r : {element}", shapes[2], result
        )
        expected = np.maximum(expected, 0)
    kernel.result(value)
    memory = np.full(expected.size + 2 * GUARD, 7, result)
    got = memory[GUARD : GUARD + expected.size].reshape(expected.shape)
    kernel.compile()(*operands, got)
    case = f"seed {seed}: {spec} {sizes} {operand} -> {result}, dynamic {dynamic}, relu {activate}"
    border = np.concatenate([memory[:GUARD], memory[GUARD + expected.size :]])
    if (border != memory.dtype.type(7)).any():
        return f"{case}: wrote outside of the result"
    depth = 1 + int(np.prod([sizes[letter] for letter in set(x_letters + y_letters) - set(out_letters)]))
    tolerance = 4 * depth * float(np.finfo(result).eps) if np.dtype(result).kind in "fc" else 0
    if not np.allclose(got, expected, rtol=tolerance, atol=8 * tolerance):
        return f"{case}: off by {np.abs(got.astype(wide) - expected.astype(wide)).max()}"
    return None


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray[Any, Any]:
    """Random numbers that products of do not overflow for floats, and do for integers."""
    import ml_dtypes

    generator = np.random.default_rng(seed)
    if dtype == "bool":
        return generator.random(shape) < 0.1
    if "complex" in dtype:
        return (generator.standard_normal(shape) + 1j * generator.standard_normal(shape)).astype(dtype)
    if "float" in dtype:
        return generator.standard_normal(shape).astype(
            ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
        )
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def _element(dtype: str) -> str:
    from .kernel_code import MLIR_TYPES

    return MLIR_TYPES[dtype]


if __name__ == "__main__":
    complaints = [text for seed in range(*map(int, sys.argv[1:3])) if (text := check(seed))]
    print("\n".join(complaints))
    sys.exit(bool(complaints))
