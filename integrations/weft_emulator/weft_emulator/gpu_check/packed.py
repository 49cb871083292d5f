"""Packed programs: their arguments, their code on a device, and whether results are what the processor gave."""

from __future__ import annotations

import math
import os
import pickle
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ..memory import element_dtype
from .host_code import link

COMPARED = 4096
"""About so many elements of a large result are compared."""


def file_of(directory: Path, name: str, form: str, target: str) -> Path:
    """Where a program lies that is packed in a form, "small" or "large", for a GPU."""
    return directory / f"{name}.{form}.{target}.pickle"


def names_of(directory: Path, form: str) -> list[str]:
    """What is packed in a form: the names of programs with their targets, "sum sm_90a", the newest first."""
    found = [path.name.split(".")[::2] for path in directory.glob(f"*.{form}.*.pickle")]
    return [f"{name} {target}" for name, target in sorted(found, key=lambda pair: (_age(pair[1]), pair[0]))]


def newest(names: Sequence[str]) -> dict[str, str]:
    """Of each program the name with the newest target, from names as `names_of` has them.

    >>> newest(["sum sm_90a", "sort sm_80", "sum sm_80"])
    {'sum': 'sum sm_90a', 'sort': 'sort sm_80'}
    """
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.partition(" ")[0], name)
    return found


def form_of(part: str) -> str:
    """The form of the programs of a part.

    >>> form_of("speed"), form_of("correct")
    ('large', 'small')
    """
    return "large" if part in ("speed", "once") else "small"


def _age(target: str) -> int:
    return -int(target.removeprefix("sm_").rstrip("a"))


def load(directory: Path, name: str, form: str) -> dict[str, Any]:
    """A packed program; without a target, that of the newest."""
    program, _, target = name.partition(" ")
    if not target:
        there = newest(names_of(directory, form))
        if program not in there:
            raise FileNotFoundError(f"there is no {form} form of {name} in {directory}")
        target = there[program].partition(" ")[2]
    packed: dict[str, Any] = pickle.loads(file_of(directory, program, form, target).read_bytes())
    return packed


def make_arguments(specs: Sequence[Sequence[Any]], seed: int = 0) -> list[np.ndarray[Any, Any]]:
    """Arrays of shapes and dtypes: normal floats, truth values, integers from 0 to 7, or below a third entry.

    Each piece of an array has a seed of its own, so that all cores draw at once, and every machine the same.
    """
    arrays = [np.empty(math.prod(spec[0]), element_dtype(spec[1])) for spec in specs]
    jobs = [
        (array[start : start + _PIECE], [seed, number, start], spec[2] if len(spec) > 2 else 8)
        for number, (array, spec) in enumerate(zip(arrays, specs, strict=True))
        for start in range(0, array.size, _PIECE)
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: _fill(*job), jobs))
    return [array.reshape(spec[0]) for array, spec in zip(arrays, specs, strict=True)]


_PIECE = 1 << 20


def _fill(piece: np.ndarray[Any, Any], seed: Sequence[int], bound: int) -> None:
    random = np.random.default_rng(seed)
    kind = piece.dtype.kind
    if kind == "b":
        piece[:] = random.random(piece.size) < 0.5
    elif kind == "c":
        piece.real = random.standard_normal(piece.size)
        piece.imag = random.standard_normal(piece.size)
    elif kind in "iu":
        piece[:] = random.integers(0, bound, piece.size)
    elif piece.itemsize == 8:
        random.standard_normal(out=piece)
    else:
        piece[:] = random.standard_normal(piece.size, np.float32).astype(piece.dtype)


def executable_of(packed: Mapping[str, Any], device: Any) -> Any:
    """The code of a program, ready to be called on a device."""
    from weft.backend.gpu.runtime.executable import DeviceExecutable

    return DeviceExecutable(packed["code"], (), device, link)


def run_once(packed: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """Call a program once, for who looks at its kernels meanwhile."""
    executable_of(packed, device)(*make_arguments(packed["specs"]))
    device.wait()
    return {"ok": True}


def compare(packed: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """Whether two calls give the same bits, and what the processor gives."""
    executable = executable_of(packed, device)
    runs = []
    for _ in range(2):
        arguments = make_arguments(packed["specs"])
        results = executable(*arguments)
        runs.append([*results, *(arguments[number] for number in packed["written"])])
    line = difference(packed, runs[0])
    line["repeats"] = all(a.tobytes() == b.tobytes() for a, b in zip(*runs, strict=True))
    line["ok"] = line["ok"] and line["repeats"]
    return line | {"launches": executable.launches, "reads": executable.reads}


def difference(packed: Mapping[str, Any], results: Sequence[np.ndarray[Any, Any]]) -> dict[str, Any]:
    """How far results are from those of the processor, relative to the largest of each."""
    worst = 0.0
    for result, shape, expected in zip(results, packed["shapes"], packed["expected"], strict=True):
        if result.shape != tuple(shape):
            return {"ok": False, "error": f"a result of shape {result.shape}, not {tuple(shape)}"}
        flat = result.reshape(-1)
        worst = max(worst, _distance(flat[:: max(1, flat.size // COMPARED)], expected))
    return {"ok": worst <= packed["tolerance"], "difference": worst}


def _distance(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    """The largest difference, relative to the largest number; infinite where one is no number and the other is."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return float("inf")
    if found.tobytes() == expected.tobytes() or not found.size:
        return 0.0
    one, other = found.astype(np.complex128), expected.astype(np.complex128)
    if (np.isfinite(one) != np.isfinite(other)).any():
        return float("inf")
    off = np.abs(np.where(one == other, 0, one - other))
    return float(np.nan_to_num(off).max() / (np.nan_to_num(np.abs(other), posinf=0).max() or 1.0))


__all__ = [
    "COMPARED",
    "compare",
    "difference",
    "executable_of",
    "file_of",
    "form_of",
    "load",
    "make_arguments",
    "names_of",
    "newest",
    "run_once",
]
