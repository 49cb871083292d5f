"""The namespace has every name of the Python Array API 2025.12, with signatures that take the standard's calls."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

STANDARD = Path(__file__).with_name("array_api_2025_12.txt").read_text(encoding="utf-8").splitlines()
FACTORISATIONS = ("cholesky", "det", "eigh", "eigvalsh", "inv", "matrix_rank")
FACTORISATIONS += ("pinv", "qr", "slogdet", "solve", "svd", "svdvals")


def find(name: str) -> Any:
    found: Any = weft
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("line", STANDARD)
def test_name_and_signature(line: str) -> None:
    name, bracket, parameters = line.partition("(")
    found = find(name)
    if not bracket or name.removeprefix("linalg.") in FACTORISATIONS:
        return
    namespace: dict[str, Any] = {}
    exec(f"def standard({parameters}: pass", {"nan": np.nan, "inf": np.inf}, namespace)
    ours = list(inspect.signature(found).parameters.values())
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in ours)
    by_place = [p for p in ours if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    by_name = {p.name for p in ours if p.kind is not p.POSITIONAL_ONLY}
    for place, parameter in enumerate(inspect.signature(namespace["standard"]).parameters.values()):
        if parameter.kind is parameter.KEYWORD_ONLY:
            assert parameter.name in by_name
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            assert takes_any or place < len(by_place)
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            assert parameter.name in by_name


def test_inspection() -> None:
    info = weft.__array_namespace_info__()
    assert weft.__array_api_version__ == "2025.12"
    assert info.default_device() in info.devices()
    assert info.default_dtypes()["real floating"] == weft.float64
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {"bool", "complex64", "complex128"}
    assert set(info.capabilities()) == {"boolean indexing", "data-dependent shapes", "max dimensions"}


def test_dtype_functions() -> None:
    assert weft.isdtype(weft.bfloat16, "real floating")
    assert weft.isdtype("float32", (weft.float64, "numeric"))
    assert not weft.isdtype(np.bool_, "numeric")
    with pytest.raises(ValueError, match="kind 'float' is not one of"):
        weft.isdtype(np.float32, "float")
    assert weft.result_type(np.ones(2, np.float32), 1.0) == np.float32
    assert weft.result_type(weft.int8, weft.uint8) == np.int16
    assert weft.can_cast("int8", "int16")
    assert not weft.can_cast(weft.float64, weft.float32)
    assert weft.finfo(weft.float32).eps == np.finfo(np.float32).eps
    assert float(weft.finfo(weft.bfloat16).max) > 3e38
    assert weft.iinfo(np.ones(2, np.int8)).max == 127
    with pytest.raises(ValueError, match="not inexact"):
        weft.finfo(np.int8)
    with pytest.raises(ValueError, match="Invalid integer data type"):
        weft.iinfo(np.float32)


def test_an_unknown_name_points_at_the_closest() -> None:
    with pytest.raises(AttributeError, match="no attribute 'cumsums'; did you mean cumsum"):
        _ = weft.cumsums
    with pytest.raises(
        AttributeError, match="of NumPy's functions, polyfit is one that compiled code does not have"
    ):
        _ = weft.polyfit
    with pytest.raises(AttributeError, match=r"has no attribute 'errors'$"):
        _ = weft.errors


def test_eager_calls_load_no_compiler() -> None:
    code = (
        "import sys, weft, numpy as np; weft.sum(np.ones(3)); weft.linalg.norm(np.ones(3));"
        "assert not [m for m in sys.modules if 'mlir' in m or 'llvm' in m]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_unique_and_nonzero_are_eager() -> None:
    values = np.array([3, 1, 3])
    assert weft.unique_values(values).tolist() == [1, 3]
    assert weft.unique_counts(values).counts.tolist() == [1, 2]
    assert weft.nonzero(values > 1)[0].tolist() == [0, 2]
    assert weft.where(values > 1)[0].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: weft.sort(x, descending=True), [5, 3, 1]),
        (lambda x: weft.argsort(x, descending=True, stable=True), [2, 0, 1]),
        (lambda x: weft.std(x, correction=1.0), 2.0),
        (lambda x: weft.asarray(x, dtype=weft.float32, device="cpu", copy=True), [3, 1, 5]),
        (lambda x: weft.arange(3, dtype=weft.uint8, device="cpu"), [0, 1, 2]),
        (lambda x: weft.from_dlpack(x), [3, 1, 5]),
    ],
)
def test_the_standards_keywords(call: Any, expected: Any) -> None:
    np.testing.assert_array_equal(call(np.array([3, 1, 5])), expected)


def test_devices_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="there is no device 'tpu'"):
        weft.zeros(3, device="tpu")

    @weft.function
    def f(x: Any) -> Any:
        return x + weft.zeros(3, device="cuda")

    with pytest.raises(ValueError, match="its arrays lie where the function runs; leave it out"):
        f(np.ones(3))
