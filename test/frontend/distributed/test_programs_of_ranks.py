"""Programs as tutorials of MPI have them, with collectives in compiled functions: the same on any number of ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft

ranks = weft.distributed


@weft.function
def conjugate_gradients(rows: Any, b: Any, steps: Any) -> Any:
    """Solve an equation of which each rank has some rows; loops end early where all say so."""
    x, r = np.zeros_like(b), b.copy()
    p, squares, taken = r.copy(), ranks.all_reduce(r @ r), 0
    for _ in range(steps):
        products = rows @ ranks.all_gather(p)
        length = squares / ranks.all_reduce(p @ products)
        x += length * p
        r -= length * products
        after = ranks.all_reduce(r @ r)
        if np.sqrt(after) < 1e-10:
            break
        p = r + (after / squares) * p
        squares = after
        taken += 1
    return ranks.all_gather(x), taken


@weft.function
def odd_even_sorted(x: Any) -> Any:
    """Neighbours keep the lower and the upper half of what they have, in turns."""
    x, count, me = np.sort(x), ranks.size(), ranks.rank()
    for phase in range(count):
        right, left = ranks.send_receive(x, -1), ranks.send_receive(x, 1)
        if (me + phase) % 2 == 0:
            if me + 1 < count:
                x = np.sort(np.concatenate([x, right]))[: len(x)]
        elif me > 0:
            x = np.sort(np.concatenate([left, x]))[len(x) :]
    return ranks.all_gather(x)


@weft.function
def cannon(a: Any, b: Any) -> Any:
    """A product of matrices in blocks, which go round in rows and columns of the mesh."""
    count, row, column = ranks.size("rows"), ranks.rank("rows"), ranks.rank("columns")
    for k in range(count):
        a = np.where(row > k, ranks.send_receive(a, -1, wrap=True, over="columns"), a)
        b = np.where(column > k, ranks.send_receive(b, -1, wrap=True, over="rows"), b)
    c = a @ b
    for _ in range(count - 1):
        a = ranks.send_receive(a, -1, wrap=True, over="columns")
        b = ranks.send_receive(b, -1, wrap=True, over="rows")
        c = c + a @ b
    return c


def run(f: Any, count: int, *args: Any) -> Any:
    """What the first rank returns, where each has a block of arrays."""
    mesh = ranks.Mesh.simulated(count)

    def block(x: Any, rank: int) -> Any:
        return np.array_split(x, count)[rank] if np.ndim(x) else x

    found = mesh.run(f, lambda rank: tuple(block(x, rank) for x in args))
    for other in found[1:]:
        for result, wanted in zip(other, found[0], strict=True):
            np.testing.assert_array_equal(result, wanted)
    return found[0]


def test_conjugate_gradients() -> None:
    rng = np.random.default_rng(1)
    half = rng.normal(size=(12, 12))
    a, b = half @ half.T + 12 * np.eye(12), rng.normal(size=12)
    steps = set()
    for count in (1, 3):
        x, step = run(conjugate_gradients, count, a, b, np.int64(50))
        np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-8)
        steps.add(int(step))
    assert steps <= {9, 10, 11, 12}


def test_odd_even_sort() -> None:
    x = np.random.default_rng(6).permutation(12)
    for count in (2, 3):
        np.testing.assert_array_equal(run(odd_even_sorted, count, x), np.arange(12))


def test_cannon() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 6, 6))
    places = [(slice(2 * i, 2 * i + 2), slice(2 * j, 2 * j + 2)) for i in range(3) for j in range(3)]
    found = ranks.Mesh.simulated(rows=3, columns=3).run(cannon, [(a[place], b[place]) for place in places])
    for place, block in zip(places, found, strict=True):
        np.testing.assert_allclose((a @ b)[place], block, rtol=1e-10)
