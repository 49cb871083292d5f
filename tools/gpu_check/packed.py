"""Packed programs: their arguments, their code on a device, and whether results are what the processor gave."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

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


def _age(target: str) -> int:
    return -int(target.removeprefix("sm_").rstrip("a"))


def load(directory: Path, name: str, form: str) -> dict[str, Any]:
    """A packed program; without a target, that of the newest."""
    program, _, target = name.partition(" ")
    if not target:
        targets = [
            there.partition(" ")[2] for there in names_of(directory, form) if there.startswith(f"{name} ")
        ]
        if not targets:
            raise FileNotFoundError(f"there is no {form} form of {name} in {directory}")
        target = targets[0]
    packed: dict[str, Any] = pickle.loads(file_of(directory, program, form, target).read_bytes())
    return packed


def make_arguments(
    specs: tuple[tuple[tuple[int, ...], str], ...], seed: int = 0
) -> list[np.ndarray[Any, Any]]:
    """Arrays of shapes and dtypes: normal floats, small integers, truth values."""
    random = np.random.default_rng(seed)
    arrays: list[np.ndarray[Any, Any]] = []
    for shape, dtype in specs:
        kind = np.dtype(dtype).kind
        if kind == "f":
            array: Any = random.standard_normal(shape)
        elif kind == "b":
            array = random.random(shape) < 0.5
        elif kind == "c":
            array = random.standard_normal(shape) + 1j * random.standard_normal(shape)
        else:
            array = random.integers(0, 8, shape)
        arrays.append(np.asarray(array, dtype))
    return arrays


def executable_of(packed: Mapping[str, Any], device: Any) -> Any:
    """The code of a program, ready to be called on a device."""
    from ...backend.gpu.runtime.executable import DeviceExecutable

    return DeviceExecutable(packed["code"], (), device, link)


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
    "load",
    "make_arguments",
    "names_of",
]
