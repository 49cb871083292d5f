"""Loops over time that work band by band: the same bits as NumPy's, whatever is read where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.target import compiling_as_if

SMALL: dict[str, int] = {"second_level_cache": 1 << 13, "last_level_cache": 0}
"""Caches for a few rows, so that there are bands in small arrays."""


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """With more there are no bands."""
    weft.set_num_threads(1)
    yield
    weft.set_num_threads(None)


def jacobi_1d(a: Any, b: Any, steps: int) -> None:
    for _ in range(steps):
        b[1:-1] = a[:-2] + a[1:-1] - a[2:]
        a[1:-1] = b[:-2] - b[1:-1] + b[2:]


def jacobi_2d(a: Any, b: Any, steps: int) -> None:
    for _ in range(steps):
        b[1:-1, 1:-1] = a[1:-1, 1:-1] + a[1:-1, :-2] - a[1:-1, 2:] + a[2:, 1:-1] - a[:-2, 1:-1]
        a[1:-1, 1:-1] = b[1:-1, 1:-1] - b[1:-1, :-2] + b[1:-1, 2:] - b[2:, 1:-1] + b[:-2, 1:-1]


def one_sided(a: Any, b: Any, steps: int) -> None:
    for _ in range(steps):
        b[3:] = a[:-3] + a[2:-1]
        a[:-2] = b[2:] - b[:-2]


def fields(a: Any, b: Any, steps: int) -> None:
    """As waves are followed on staggered grids: a row at the edge, updates in place, and factors that lie aside."""
    factors = np.arange(a.shape[0])[:, None].astype(a.dtype) + np.ones_like(b)
    edge = np.arange(64).astype(a.dtype)
    for t in range(steps):
        a[0, :] = edge[t]
        a[1:, :] -= factors[1:, :] * (b[1:, :] - b[:-1, :])
        b[:-1, :-1] -= a[:-1, 1:] - a[:-1, :-1] + a[1:, :-1] * factors[:-1, :-1]
        a[a.shape[0] - 1] = edge[t + 1] * 2


def own_neighbours(a: Any, b: Any, steps: int) -> None:
    """Rows of an array that is updated in place are read where they are updated, and elsewhere."""
    for _ in range(steps):
        a[1:-1] = a[1:-1] + b[2:]
        b[1:-1] = b[:-2] - a[1:-1]


def exchanged(a: Any, b: Any, steps: int) -> Any:
    c, d = a.copy(), b.copy()
    for _ in range(steps):
        d[1:-1] = c[2:] - c[:-2]
        c, d = d, c
    return c, d


def of_the_array_before(a: Any, b: Any, steps: int) -> None:
    for _ in range(steps):
        old = a[1:] - a[:-1]
        a[:-1] = b[1:]
        b[:-1] = old


TILED = (jacobi_2d, one_sided, fields)
OTHERS = (own_neighbours, exchanged, of_the_array_before)
SHAPES = [(1, 1), (2, 2), (3, 3), (4, 5), (33, 7), (64, 16), (101, 31)]


def check(program: Callable[..., Any], arrays: Sequence[Any], steps: int, caches: dict[str, int]) -> str:
    """Compare a program with NumPy's results; the loops that it has."""
    expected = [array.copy() for array in arrays]
    compiled = weft.function(program)
    with compiling_as_if(**caches), np.errstate(all="ignore"):
        concrete = compiled.get_concrete_function(*arrays, steps)
        results = program(*expected, steps) or ()
        for got, wanted in zip(compiled(*arrays, steps) or (), results, strict=True):
            np.testing.assert_array_equal(got, wanted)
    for got, wanted in zip(arrays, expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
        if got.dtype.kind == "f":
            known = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(wanted[known]))
    with compiling_as_if(**caches):
        return str(concrete.as_text("kernels"))


def values(shape: Sequence[int], dtype: Any, seed: int) -> Any:
    """Small numbers, a NaN and negative zeros among them."""
    found = np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)
    if found.dtype.kind == "f" and found.size > 3:
        found.flat[found.size // 3] = np.nan
        found[found == 0] *= -1
    return found


@pytest.mark.parametrize("program", TILED + OTHERS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.sampled
def test_values(program: Callable[..., Any], shape: tuple[int, int]) -> None:
    if program is one_sided and shape[0] < 3:
        pytest.skip("needs three rows")
    for steps in (0, 1, 17, 40):
        check(program, [values(shape, np.float64, 0), values(shape, np.float64, 1)], steps, SMALL)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.complex64, np.float16, np.int8])
@pytest.mark.parametrize("program", TILED, ids=lambda program: program.__name__)
@pytest.mark.sampled
def test_types(program: Callable[..., Any], dtype: Any) -> None:
    text = check(program, [values((70, 16), dtype, 0), values((70, 16), dtype, 1)], 30, SMALL)
    assert text.count("scf.for") == 3


@pytest.mark.parametrize("extent", [2, 3, 900, 5001])
def test_vectors(extent: int) -> None:
    check(jacobi_1d, [values((extent,), np.float64, 0), values((extent,), np.float64, 1)], 50, SMALL)


def test_planes() -> None:
    def heat(a: Any, b: Any, steps: int) -> None:
        for _ in range(steps):
            b[1:-1, 1:-1, 1:-1] = a[2:, 1:-1, 1:-1] - a[:-2, 1:-1, 1:-1] + a[1:-1, 2:, :-2]
            a[1:-1, 1:-1, 1:-1] = b[2:, 1:-1, 1:-1] - b[:-2, 1:-1, 1:-1] + b[1:-1, :-2, 2:]

    shape = (40, 5, 6)
    text = check(heat, [values(shape, np.float64, 0), values(shape, np.float64, 1)], 30, SMALL)
    assert text.count("scf.for") == 3


@pytest.mark.parametrize("program", TILED, ids=lambda program: program.__name__)
def test_bands_are_for_arrays_beyond_the_caches(program: Callable[..., Any]) -> None:
    arrays = [values((64, 16), np.float64, 0), values((64, 16), np.float64, 1)]
    assert check(program, arrays, 30, SMALL).count("scf.for") == 3
    assert check(program, arrays, 30, {"last_level_cache": 1 << 30}).count("scf.for") == 1


@pytest.mark.parametrize("program", OTHERS, ids=lambda program: program.__name__)
def test_what_is_not_tiled(program: Callable[..., Any]) -> None:
    arrays = [values((64, 16), np.float64, 0), values((64, 16), np.float64, 1)]
    assert check(program, arrays, 30, SMALL).count("scf.for") == 1


def test_views_of_one_array() -> None:
    def program(a: Any, steps: int) -> None:
        jacobi_2d(a[:50], a[50:], steps)

    check(program, [values((100, 20), np.float64, 0)], 20, SMALL)


def test_arrays_that_are_not_contiguous() -> None:
    whole = values((2, 101, 60), np.float64, 0)
    check(jacobi_2d, [whole[0, :, ::2], whole[1, :, ::-2]], 20, SMALL)


def test_random_statements() -> None:
    """Three arrays, of which parts are updated by parts of the others, in random places and orders."""
    generator = np.random.default_rng(5)
    tiled = 0
    for seed in range(12):
        plan = [
            (
                int(generator.integers(3)),
                int(generator.integers(3, 6)),
                int(generator.integers(3, 6)),
                [(int(generator.integers(3)), int(generator.integers(-3, 4))) for _ in range(2)],
            )
            for _ in range(int(generator.integers(1, 5)))
        ]

        def program(a: Any, b: Any, c: Any, steps: int, plan: Any = plan) -> None:
            arrays = (a, b, c)
            rows = a.shape[0]
            for _ in range(steps):
                for target, first, behind, reads in plan:
                    total = arrays[(target + 1) % 3][first : rows - behind] * 1
                    for source, down in reads:
                        taken = (target + 1 + source % 2) % 3  # not the target
                        total = total - arrays[taken][first + down : rows - behind + down]
                    arrays[target][first : rows - behind] = total

        arrays = [values((61, 5), np.int64, seed + place) for place in range(3)]
        tiled += check(program, arrays, 23, SMALL).count("scf.for") == 3
    assert tiled > 4


@pytest.mark.parametrize("program", TILED, ids=lambda program: program.__name__)
def test_several_threads(program: Callable[..., Any]) -> None:
    """They share the rows of each step, in loops that are long enough."""
    weft.set_num_threads(2)
    check(program, [values((200, 300), np.float64, 0), values((200, 300), np.float64, 1)], 12, SMALL)
