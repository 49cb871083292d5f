"""What NumPy has for arrays, on arrays that are split in every way, against NumPy on whole ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.partitioned import P, check

ranks = weft.distributed
rng = np.random.default_rng(1)
X, Y, V, W = rng.normal(size=(7, 6)), rng.normal(size=(7, 6)), rng.normal(size=7), rng.normal(size=6)
T, A, PLACES = rng.normal(size=(4, 5, 6)), rng.normal(size=(3, 4, 4)), rng.integers(0, 7, size=5)
INTEGERS, COMPLEX, SHORT = rng.integers(-5, 9, size=(7, 6)), X + 1j * Y, X.astype("float16")
HOLES = np.where(rng.random((7, 6)) < 0.2, np.nan, X)


def scattered(x: Any, i: Any) -> Any:
    made = x + 0
    made[i] = 1.5
    np.add.at(made, i, x[0])
    return made


def updated(x: Any) -> Any:
    x[1:-1] *= 2
    x[::-2] = x[::2] + 1
    x[0, 1:] = 5
    return x


def waves(u: Any, v: Any, n: Any) -> Any:
    for k in range(n):
        u[1:-1] += 0.1 * (v[2:] - v[:-2])
        v[1:-1] += 0.1 * (u[2:] - u[:-2]) + u[1:-1]
        v[0] = u[-1]
        if k % 2 == 0:
            u = u * 1.01
    return u, v


def blurred(x: Any, n: Any) -> Any:
    total = x[0] * 0
    for _ in range(n):
        y = x.copy()
        y[2:] += x[:-2]
        y[:, 1:] -= x[:, :-1]
        total = total + np.sum(x[1:] * y[:-1], axis=0)
        x = y / np.max(np.abs(y))
    return x, total


def diffused(x: Any) -> Any:
    steps = 0
    while np.max(np.abs(x[1:] - x[:-1])) > 0.5 and steps < 6:
        x = np.concatenate([x[:1], (x[:-2] + x[2:]) / 2, x[-1:]])
        steps += 1
    return x, steps


def accumulated(x: Any, n: Any) -> Any:
    total = np.zeros_like(x)
    for k in range(n):
        total = total + x * k
        if np.sum(total) > 3:
            total = total / 2
    return total


def converged(x: Any) -> Any:
    y, count = x / np.max(np.abs(x)), 0
    while np.max(np.abs(y)) > 0.1:
        y, count = y * 0.7, count + 1
    return y, count


def drawn(x: Any) -> Any:
    generator = np.random.default_rng(3)
    return x + generator.normal(size=x.shape), generator.permutation(len(x))


def kept(x: Any, c: Any) -> Any:
    """Columns that are known at run time, and what is done along the rows then."""
    y = x[:, c > 0]
    found = (np.sort(y, axis=0), y.argmin(axis=0), y.std(), y.T @ y, y.sum(axis=0), np.pad(y, 1, mode="edge"))
    for _ in range(4):
        y[1:-1] = 0.5 * (y[:-2] + y[2:])
    np.add.at(y, np.array([1, 3]), 2)
    return (*found, y, y[2])


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "elementwise": (lambda x, y: (x + y, np.where(x > y, x, 0), np.clip(x, -1, 1), x.T * y.T), (X, Y)),
    "broadcast": (lambda v, w: (v[:, None] * w, np.outer(v, w), np.tile(v, 2), np.repeat(w, 3)), (V, W)),
    "reductions": (
        lambda x: (
            x.sum(),
            x.sum(axis=0),
            x.max(axis=0),
            x.prod(axis=1),
            (x > 0).any(axis=0),
            (x > -2).all(),
        ),
        (X,),
    ),
    "moments": (lambda x: (x.mean(axis=0), x.std(axis=0), x.var(ddof=1), x.mean(), x.std(axis=1)), (X,)),
    "moments of complex numbers": (lambda x: (x.mean(axis=0), x.var(axis=0), x.std()), (COMPLEX,)),
    "NaN": (
        lambda x: (np.max(x, axis=0), np.nanmax(x, axis=0), np.fmin.reduce(x, axis=0), np.argmax(x, axis=0)),
        (HOLES,),
    ),
    "integers": (
        lambda x: (x // 3, x.sum(axis=0), x.mean(), np.argmin(x, axis=0), np.argmax(x > 0, axis=0)),
        (INTEGERS,),
    ),
    "positions": (lambda x: (np.argmin(x, axis=0), np.argmax(x, axis=1), np.argmax(x)), (X,)),
    "scans": (
        lambda x: (
            np.cumsum(x, axis=0),
            np.cumprod(x, axis=1),
            np.maximum.accumulate(x, axis=0),
            np.cumsum(x),
        ),
        (X,),
    ),
    "slices": (
        lambda x: (x[1:-1] + 0, x[::2] * 2, x[::-1] + 1, x[5:1:-2] + 0, x[3] + 0, x[2, 3], x[-1, 1:] + 0),
        (X,),
    ),
    "differences": (lambda x: (np.diff(x, axis=0), x[2:] - 2 * x[1:-1] + x[:-2], np.diff(x, n=2)), (X,)),
    "joined": (
        lambda x, y: (np.concatenate([x, y]), np.hstack([x, y]), np.stack([x, y]), np.vstack([x[:2], y])),
        (X, Y),
    ),
    "padded": (
        lambda x: (np.pad(x, ((2, 1), (0, 3))), np.pad(x, 2, mode="edge"), np.pad(x, 2, mode="reflect")),
        (X,),
    ),
    "rolled": (lambda x: (np.roll(x, 2, axis=0), np.roll(x, -3, axis=1), np.roll(x, 1)), (X,)),
    "reshaped": (
        lambda t: (t.reshape(20, 6) + 0, t.reshape(8, 15) + 0, t.reshape(120) + 0, t.swapaxes(0, 2) + 0),
        (T,),
    ),
    "products": (
        lambda x, y, v: (x.T @ y, x @ y.T, v @ x, np.einsum("ij,ij->i", x, y), np.tensordot(x, y)),
        (X, Y, V),
    ),
    "batches": (lambda t: (t @ t.transpose(0, 2, 1), np.einsum("aij,akj->ik", t, t)), (T,)),
    "read": (
        lambda x, i: (x[i], x[:, i % 6], x[i, i % 6], np.take_along_axis(x, x.argsort(axis=0), axis=0)),
        (X, PLACES),
    ),
    "written": (scattered, (X, PLACES)),
    "in place": (updated, (X,)),
    "sorted": (lambda x: (np.sort(x, axis=0), np.argsort(x, axis=1), np.median(x, axis=0)), (X,)),
    "matrices": (
        lambda a: (np.linalg.inv(a), np.linalg.det(a), np.tril(a), np.trace(a, axis1=1, axis2=2)),
        (A,),
    ),
    "transforms": (lambda x: (np.fft.fft(x, axis=0), np.fft.rfft(x, axis=1)), (X,)),
    "windows": (lambda v, w: (np.convolve(v, w[:3]), np.convolve(v, np.ones(3), mode="same")), (V, W)),
    "binned": (lambda v, i: (np.bincount(i % 3, minlength=2), np.bincount(i % 3, v)), (V, INTEGERS[:, 0])),
    "kept": (kept, (X, W)),
    "triangles": (
        lambda x: (
            np.tril(x),
            np.triu(x, 1),
            np.tril(x, -2),
            np.diag(x),
            np.diagonal(x, 2),
            np.diagonal(x, -3),
            np.trace(x),
        ),
        (X,),
    ),
    "searched": (
        lambda w, v: (np.searchsorted(np.sort(w), v), np.digitize(v, np.array([-1.0, 0, 1]))),
        (W, V),
    ),
    "tiled": (lambda x: (np.tile(x, (2, 1)), np.tile(x, (1, 3))), (X,)),
    "row and column": (
        lambda x, y: (np.outer(x[:, 0], y[0]), x + y[2], np.copysign(1.0, (x * -0.0)[3])),
        (X, Y),
    ),
    "counted": (lambda v: np.histogram(v, bins=5, range=(-2.0, 2.0))[0], (V,)),
    "made": (
        lambda x: x + np.arange(6) + np.arange(7)[:, None] + np.linspace(0, 1, 7)[:, None] + np.eye(7, 6),
        (X,),
    ),
    "gradient": (weft.grad(lambda x: np.sum(np.tanh(x[1:] - x[:-1]) ** 2) + np.mean(x.std(axis=0))), (X,)),
    "waves": (waves, (X, Y, np.int64(5))),
    "blurred": (blurred, (X, np.int64(4))),
    "diffused": (diffused, (X,)),
    "loop": (accumulated, (X, np.int64(4))),
    "search": (converged, (X,)),
    "random": (drawn, (X,)),
}

SAMPLES = [f"{name}, {count} ranks" for name, count in itertools.product(FUNCTIONS, (2, 3, 5, 9))]


def splits(args: tuple[Any, ...]) -> Iterator[list[Any]]:
    """All arguments along the first axis, along the second one, and one of them only."""
    yield [P("d") if np.ndim(x) else P() for x in args]
    yield [P(None, "d") if np.ndim(x) > 1 else P() for x in args]
    if len(args) > 1:
        yield [P("d") if n == 0 else P() for n in range(len(args))]
        yield [
            P(*[None] * (np.ndim(x) - 1), "d") if n == 1 and np.ndim(x) else P() for n, x in enumerate(args)
        ]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("sample", SAMPLES)
def test_functions_give_what_numpy_gives(sample: str) -> None:
    name, _, count = sample.removesuffix(" ranks").rpartition(", ")
    f, args = FUNCTIONS[name]
    mesh = ranks.Mesh.simulated(int(count))
    for specs in splits(args):
        check(f, args, specs, mesh, rtol=1e-9, atol=1e-11)


def test_meshes_have_two_axes() -> None:
    mesh = ranks.Mesh.simulated(a=2, b=3)
    for name in ("moments", "products", "slices", "in place", "sorted"):
        f, args = FUNCTIONS[name]
        check(f, args, [P(*("a", "b")[: np.ndim(x)]) for x in args], mesh, rtol=1e-9, atol=1e-11)
        check(f, args, [P("b") if np.ndim(x) else P() for x in args], mesh, rtol=1e-9, atol=1e-11)


def test_triangles_diagonals_and_searches_send_nothing() -> None:
    mesh = ranks.Mesh.simulated(3)
    edges = np.array([-1.0, 0, 1])
    for spec in (P("d"), P(None, "d")):
        assert not check(
            lambda x: (np.tril(x, 1), np.diag(x, -1), np.searchsorted(edges, x)), (X,), [spec], mesh
        )


def test_the_first_index_outside_is_told_as_numpy_tells_it() -> None:
    places = rng.integers(0, 7, size=(5, 8))
    outside = places.copy()
    outside[1, 7], outside[2, 0] = 12, -11
    for mesh, spec in (
        (ranks.Mesh.simulated(9), P(None, "d")),
        (ranks.Mesh.simulated(a=2, b=2), P("a", "b")),
    ):
        messages = check(lambda v, i: v[i], (V, places), [P(), spec], mesh)
        assert {message.kind for message in messages} == {"all_reduce"}
        with pytest.raises(IndexError, match="index 12 is out of bounds for axis 0 with size 7"):
            ranks.partition(lambda v, i: v[i], mesh)(V, ranks.scatter(outside, spec, mesh))


def test_short_floats_are_rounded_once() -> None:
    mesh = ranks.Mesh.simulated(3)
    check(lambda x: (x.sum(axis=0), x.mean(axis=0)), (SHORT,), [P("d")], mesh, rtol=2e-3, atol=1e-3)
    wide = np.full((300, 2), 300, "float16")
    check(lambda x: x.mean(axis=0), (wide,), [P("d")], mesh)
