"""What the pages on machines, exported libraries and GPUs say in sentences, tried."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import Claims, require
from weft.backend.processors.families import family_of
from weft.backend.target import named

CLAIMS = Claims()
claim = CLAIMS.claim
X: Any = np.arange(6.0)
VECTOR = weft.TensorSpec([None], "float64")


@claim("machine.md", "for a level such as `x86-64-v3`, for a processor with 32 KiB, 1 MiB and 16 MiB")
def _() -> None:
    processor = named("x86-64-v3").processor
    sizes = processor.first_level_cache, processor.second_level_cache, processor.last_level_cache
    assert sizes == (32 << 10, 1 << 20, 16 << 20)


@claim("machine.md", "is made for the caches of its family")
def _() -> None:
    family = family_of("znver4")
    assert family is not None
    assert named("znver4").processor.second_level_cache == family.second_level_cache != 1


@claim(
    "machine.md",
    "depends on the width of vectors, and not on caches or families",
)
def _() -> None:
    values = np.random.default_rng(0).normal(size=(301, 201))
    targets = [target for target in ("native", "x86-64-v2", "x86-64-v3") if runs_here(target)]
    bits: dict[int, set[Any]] = {}
    for target in targets:
        sums = weft.function(lambda x: (x.sum(), x.mean(axis=0).sum(), (x @ x.T).sum()), target=target)(
            values
        )
        bits.setdefault(named(target).vector_bytes, set()).add(sums)
    assert all(len(found) == 1 for found in bits.values())


def runs_here(target: str) -> bool:
    """Whether this machine has what a level needs."""
    try:
        weft.function(lambda x: x + 1, target=target)(X)
    except weft.UnsupportedError:
        return False
    return True


@contextmanager
def exported(**options: Any) -> Iterator[dict[str, Any]]:
    """Files of a function that is exported, by what they are."""
    scaled = weft.function(lambda x, factor: x * factor, name="scaled")
    concrete = scaled.get_concrete_function(VECTOR, weft.TensorSpec([], "float64"))
    with TemporaryDirectory() as folder:
        yield weft.export(folder, scaled=concrete, **{"kind": "object", **options})


@claim("export.md", "Numbers (arrays without axes) are passed by value")
def _() -> None:
    with exported() as files:
        text = Path(files["header"]).read_text()
    assert "const double *x, int64_t x_0, double factor, double *result" in text


@claim("export.md", "The numbers of exceptions are those of all versions.")
def _() -> None:
    with exported() as files:
        text = Path(files["header"]).read_text()
    codes = ("OK", "INDEX_ERROR", "VALUE_ERROR", "TYPE_ERROR", "ZERO_DIVISION_ERROR", "OVERFLOW_ERROR")
    for code, name in enumerate(codes):
        assert f"WEFT_{name} = {code}," in text


@claim("export.md", "what is not named is `x86-64-v2` or `aarch64`, which most machines run")
def _() -> None:
    with exported() as files:
        manifest = json.loads(Path(files["manifest"]).read_text())
    assert "x86-64-v2" in json.dumps(manifest) or "aarch64" in json.dumps(manifest)


@claim("export.md", "Loops look at it, and end the call with `WEFT_CANCELLED`\nonce it is not 0.")
def _() -> None:
    with exported(kind="llvm") as files:
        text = Path(files["header"]).read_text()
    assert "WEFT_CANCELLED" in text


@claim("export.md", "with an error nothing is written")
def _() -> None:
    def counted(x: Any) -> Any:
        weft.py_call(print, x)
        return x

    with TemporaryDirectory() as folder:
        with pytest.raises(weft.NotPortable):
            weft.export(folder, counted=weft.function(counted).get_concrete_function(VECTOR), kind="object")
        assert list(Path(folder).iterdir()) == []


@claim("export.md", "Several functions share a library and a state")
def _() -> None:
    total = weft.Variable(np.zeros(2))

    def add(x: Any) -> None:
        total.assign_add(x)

    def get() -> Any:
        return total + 0

    pair = weft.TensorSpec([2], "float64")
    with TemporaryDirectory() as folder:
        concretes = {
            "add": weft.function(add).get_concrete_function(pair),
            "get": weft.function(get).get_concrete_function(),
        }
        files = weft.export(folder, kind="object", library="sums", **concretes)
        text = Path(files["header"]).read_text()
    assert "sums_new(" in text
    assert text.count("sums_state *") >= 3


@contextmanager
def gpus() -> Iterator[None]:
    """Emulated ones."""
    pytest.importorskip("weft_emulator")
    with weft.settings.scope(cuda="emulator"):
        yield


@claim("gpu.md", "a function is compiled once for arrays of the processor and once for those of a GPU")
def _() -> None:
    with gpus():
        function = weft.function(lambda x: x + 1)
        x = weft.device_put(X)
        for argument in (X, x, X, x):
            assert isinstance(function(argument), np.ndarray if argument is X else weft.DeviceArray)
        assert function.trace_count == 2


@claim("gpu.md", "from 1 MiB on a `weft.TransferWarning` says once which argument it is")
def _() -> None:
    with gpus():
        function = weft.function(lambda x, table: x + table[:6].sum())
        x = weft.device_put(X)
        with pytest.warns(weft.TransferWarning, match="table"):
            function(x, np.ones(1 << 17))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            function(x, np.ones(1 << 17))


@claim("gpu.md", "an array of the GPU that the function writes is the caller's")
def _() -> None:
    @weft.function
    def cleared(x: Any) -> None:
        x[1:3] = 0

    with gpus():
        x = weft.device_put(X)
        cleared(x)
        np.testing.assert_array_equal(np.asarray(x), [0, 0, 0, 3, 4, 5])


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
