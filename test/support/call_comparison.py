"""Compare generated calls of NumPy with NumPy, traced and interpreted: `python -m support.call_comparison`.

Types, dtypes, shapes, values, the arrays that were given and the classes of exceptions are compared; what compiled code
refuses by saying so is no difference. With `--device cuda` calls that are compiled for a device are compared with
interpreted ones instead, and so are warnings and what is refused.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from support.interpreted import Interpreted, interpreted
from support.numpy_calls import Call, call_of, same_program
from support.numpy_targets import TARGETS
from weft.dialect.errors import ConcreteValueError, ControlFlowError, UnsupportedError
from weft.frontend.settings import settings
from weft.frontend.signature.signature import TensorSpec

TOLERANCES = {"float16": 4e-3, "float32": 2e-5, "complex64": 2e-5}
REFUSED = (UnsupportedError, ConcreteValueError, ControlFlowError)


def outcome(function: Callable[..., Any], arguments: list[Any]) -> tuple[Any, Exception | None]:
    """The result of a call, or its exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _outcome(function, arguments)


def _outcome(function: Callable[..., Any], arguments: list[Any]) -> tuple[Any, Exception | None]:
    try:
        with np.errstate(all="ignore"):
            return function(*arguments), None
    except Exception as error:
        return None, error


def check(call: Call) -> tuple[str, str]:
    """What differs, in a word, and how; nothing where all is the same."""
    theirs, ours = copy.deepcopy(call.arrays), copy.deepcopy(call.arrays)
    expected, expected_error = outcome(call, theirs)
    got, error = outcome(interpreted(same_program(call)), ours)
    if isinstance(error, REFUSED):
        return "", ""
    if expected_error is not None:
        if error is None:
            return "not raised", f"{expected_error!r}, but {got!r}"
        if isinstance(error, _builtin(expected_error)):
            return "", ""
        return "other exception", f"{error!r} and not {expected_error!r}"
    if error is not None:
        return "raised", f"{error!r} and not {expected!r}"
    if found := difference(got, expected):
        return found, f"{got!r} and not {expected!r}"
    for mine, wanted in zip(ours, theirs, strict=True):
        if found := difference(mine, wanted):
            return f"argument {found}", f"{mine!r} and not {wanted!r}"
    return "", ""


def check_on_device(call: Call, device: str, *, is_open: bool) -> tuple[str, str]:
    """What differs on a device from the interpreter, in a word, and how; nothing where all is the same.

    The extents of arrays are not known before the call where it `is_open`.
    """
    found = []
    specs = [
        TensorSpec([None] * np.ndim(array) if is_open else np.shape(array), np.asarray(array).dtype)
        for array in call.arrays
    ]
    for place in ("cpu", device):
        arrays = copy.deepcopy(call.arrays)
        with settings.scope(device=place), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", RuntimeWarning)
            result, error = _outcome(Interpreted(lambda arrays: call(*arrays), [specs], None), [arrays])
        said = [(warning.category.__name__, str(warning.message)) for warning in caught]
        found.append((result, type(error).__name__, str(error).partition("\n")[0], tuple(arrays), said))
    expected, got = found
    parts = ("result", "exception", "message", "argument", "warning")
    for part, mine, wanted in zip(parts, got, expected, strict=True):
        if part in ("result", "argument") and (how := difference(mine, wanted)):
            return f"{part} {how}", f"{mine!r} and not {wanted!r}"
        if part not in ("result", "argument") and mine != wanted:
            return part, f"{got[1:]} and not {expected[1:]}"
    return "", ""


def _builtin(error: Exception) -> Any:
    """The class that programs catch."""
    return next(base for base in type(error).__mro__ if base.__module__ == "builtins")


def difference(got: Any, expected: Any) -> str:
    """How two results differ, in a word."""
    if type(got) is not type(expected):
        return "type"
    if isinstance(expected, (tuple, list)):
        if len(got) != len(expected):
            return "length"
        return next(filter(None, itertools.starmap(difference, zip(got, expected, strict=True))), "")
    if not isinstance(expected, (np.ndarray, np.generic)):
        return "" if got == expected or (got != got and expected != expected) else "value"
    if got.dtype != expected.dtype:
        return "dtype"
    if got.shape != expected.shape:
        return "shape"
    return "" if _close(np.asarray(got), np.asarray(expected)) else "value"


def _close(got: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> bool:
    """Whether elements are equal, up to rounding in another order; zeros have the same signs."""
    if expected.dtype.kind == "c":
        return _close(got.real, expected.real) and _close(got.imag, expected.imag)
    if expected.dtype.kind != "f":
        return bool(np.array_equal(got, expected))
    with np.errstate(all="ignore"):
        tolerance = TOLERANCES.get(expected.dtype.name, 1e-11)
        scale = float(np.max(np.abs(expected[np.isfinite(expected)]), initial=0))
        distance = np.abs(got.astype(float) - expected.astype(float))
        near = distance <= tolerance * np.maximum(np.abs(expected.astype(float)), scale)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected)) | near
        other_zero = (got == 0) & (expected == 0) & (np.signbit(got) != np.signbit(expected))
    return bool((same & ~other_zero).all())


def _check(call: Call, device: str | None, seed: int) -> tuple[str, str]:
    """As the options say."""
    return check_on_device(call, device, is_open=bool(seed % 2)) if device else check(call)


SILENT = ("type", "dtype", "shape", "value", "length")
"""Differences that a program would not notice."""


def main() -> int:
    """Make calls and list what differs, the most frequent first; the exit status is 1 where something is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (60)")
    parser.add_argument("--first", type=int, default=int(time.time()), help="the first seed (the time)")
    parser.add_argument("--only", default="", help="names of functions, with commas between (all)")
    parser.add_argument("--device", help="compare what runs there with what is interpreted")
    parser.add_argument("--silent", action="store_true", help="leave out exceptions")
    options = parser.parse_args()
    targets = [t for t in TARGETS if not options.only or t.name in options.only.split(",")]
    end, seed = time.monotonic() + options.seconds, options.first
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    while time.monotonic() < end:
        call = call_of(seed, targets[seed % len(targets)])
        kind, how = _check(call, options.device, seed)
        if kind and (kind.split()[-1] in SILENT or not options.silent):
            found[call.name, kind].append((f"{call}  # seed {seed}", how))
        seed += 1
    for (name, kind), cases in sorted(found.items(), key=lambda item: -len(item[1])):
        text, how = min(cases, key=lambda case: len(case[0]))
        print(f"{len(cases):4} {name}: {kind}\n     {text[:400]}\n     {' '.join(how.split())[:400]}")
    print(f"{seed - options.first} calls, {sum(map(len, found.values()))} differ")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
