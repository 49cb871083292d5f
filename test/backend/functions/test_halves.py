"""float16, bfloat16 and rounding for machines without instructions for them."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import weft
from support.interpreted import text_of
from weft.backend.llvm_compatibility.bfloats import move_as_integers
from weft.backend.target import named, why_not_here

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
HALVES = [np.dtype(np.float16), BFLOAT16]
PLAIN = "x86-64"
TARGETS = [PLAIN, "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64+neon"]
HERE = pytest.mark.skipif(bool(why_not_here(named(PLAIN))), reason="another machine")
LIBRARY = re.compile(r"__(?:extend|trunc)\w+|\b(?:floorf?|ceilf?|truncf?|roundevenf?)@")

PROGRAMS = {
    "sum": lambda x: x + x,
    "less": lambda x: x < 1,
    "power": lambda x: x**x,
    "floor": np.floor,
    "cumsum": np.cumsum,
    "maximum": np.max,
    "float64": lambda x: x.astype(np.float64),
    "float32 and back": lambda x: (np.exp(x.astype(np.float32)) * 2).astype(x.dtype),
}


@pytest.mark.sampled
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_function_of_the_library_is_called(name: str, dtype: Any, target: str) -> None:
    program = PROGRAMS[name]
    text = text_of(lambda x: program(x), np.ones(100, dtype), stage="asm", target=target)
    assert not LIBRARY.search(text)


@HERE
@pytest.mark.parametrize("wide", ["float32", "float64"])
def test_all_halves_are_widened_exactly(wide: str) -> None:
    x = np.arange(2**16, dtype=np.uint16).view(np.float16)
    result = weft.function(lambda x: x.astype(wide), target=PLAIN)(x)
    np.testing.assert_array_equal(result, x.astype(wide))
    assert (np.signbit(result) == np.signbit(x))[~np.isnan(x)].all()


@HERE
@pytest.mark.parametrize("wide", ["float32", "float64"])
def test_numbers_are_rounded_to_halves_once(wide: str) -> None:
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    halves = np.sort(halves[np.isfinite(halves)]).astype(np.float64)
    ties = (halves[1:] + halves[:-1]) / 2
    near = [ties, np.nextafter(ties, 1e9), np.nextafter(ties, -1e9), ties * (1 + 2.0**-30)]
    bits = np.random.default_rng(0).integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 65519.99, 65520.0, 2.0**-25, 2.0**-26]
    with np.errstate(all="ignore"):
        x = np.concatenate([*near, bits.astype(np.float64), special]).astype(wide)
        expected = x.astype(np.float16)
    result = weft.function(lambda x: x.astype(np.float16), target=PLAIN)(x)
    np.testing.assert_array_equal(result, expected)
    assert (np.signbit(result) == np.signbit(x))[~np.isnan(x)].all()


@HERE
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rounding", [np.floor, np.ceil, np.trunc, np.rint])
def test_numbers_are_rounded_to_whole_ones(rounding: Any, dtype: str) -> None:
    limit = 2.0 ** np.finfo(dtype).nmant
    bits = np.random.default_rng(0).uniform(-1e3, 1e3, 10_000)
    edges = [0.0, 0.5, 1.5, 2.5, 0.49999997, limit - 0.5, limit, limit * 2 + 1, 1e30, np.inf, np.nan, 1e-40]
    x = np.concatenate([bits, edges, np.negative(edges), np.round(bits), np.round(bits) + 0.5]).astype(dtype)
    result, expected = weft.function(lambda x: rounding(x), target=PLAIN)(x), rounding(x)
    np.testing.assert_array_equal(result, expected)
    assert (np.signbit(result) == np.signbit(expected))[~np.isnan(x)].all()


@HERE
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_running_sums(dtype: Any) -> None:
    x = np.arange(40).astype(dtype)
    np.testing.assert_array_equal(weft.function(lambda x: np.cumsum(x), target=PLAIN)(x), np.cumsum(x))


def test_names_of_values_and_functions_stay() -> None:
    text = "%bfloat = call <4 x bfloat> @llvm.masked.load.v4bf16.p0(ptr @bfloat, i32 2)"
    expected = "%bfloat = call <4 x i16> @llvm.masked.load.v4i16.p0(ptr @bfloat, i32 2)"
    assert move_as_integers(text) == expected
    assert move_as_integers("load float, ptr %bf16") == "load float, ptr %bf16"


def test_functions_are_declared_once() -> None:
    declaration = "declare void @llvm.masked.store.v8{}.p0(<8 x {}>, ptr, i32, <8 x i1>) #4\n"
    text = declaration.format("i16", "i16") + declaration.format("bf16", "bfloat") + "declare void @f()\n"
    assert move_as_integers(text) == declaration.format("i16", "i16") + "declare void @f()\n"
