"""Random programs of NumPy as text, of statements that people write about arrays, for arguments of known shapes.

The same seed gives the same program: a function of `x` and `y` (7 x 6), `v` (7), `w` (6), and `k` (7 integers).
"""

from __future__ import annotations

import random
import textwrap

import numpy as np

_SHAPED = (
    "x = np.tanh(x) + {c} * y",
    "x = x - x.mean(axis={axis}, keepdims=True)",
    "x = x / (1 + np.abs(x).max(axis={axis}, keepdims=True))",
    "x = np.where(x > y, x, {c} * y)",
    "x = x + v[:, None] * w",
    "x = np.roll(x, {shift}, axis={axis}) - {c} * x",
    "x = np.cumsum(x, axis={axis}) / 7",
    "x = np.sort(x, axis={axis})",
    "x = x[::-1] + x",
    "x = x[k] * 0.5",
    "x = np.concatenate([x[{cut}:], x[:{cut}]])",
    "x = x.T.reshape(7, 6)",
    "x = np.pad(x, 1, mode={mode!r})[1:-1, 2:]  @ np.full((6, 6), 0.1)",
    "x = np.einsum('ij,kj->ik', x, y) @ y / 20",
    "x = np.take_along_axis(x, np.argsort(y, axis={axis}), axis={axis})",
    "x = x + np.arange(7)[:, None] * {c} - np.arange(6)",
    "y = y * x.std(axis={axis}, keepdims=True) + {c}",
    "v = v + x.sum(axis=1) / 6",
    "v = np.cumsum(v[::-1]) / 7",
    "v = np.sort(v)",
    "v = v[np.argsort(v)] + v[k]",
    "v = np.convolve(v, np.array([0.25, 0.5, 0.25]), mode='same')",
    "v = np.einsum('ij,ij->i', x, y) / 6",
    "w = w - v @ x / 7",
    "w = w + x[k % 7].mean(axis=0)",
    "k = (k + np.argmax(x, axis=1)) % 7",
    "k = np.searchsorted(np.sort(v), v[k]) % 7",
)
"""Statements that keep the shapes of variables."""

_WRITTEN = (
    "x[1:-1, 1:-1] = 0.1 * (x[:-2, :-2] + x[2:, 2:] + x[:-2, 2:] - x[2:, :-2] + x[1:-1, 1:-1])",
    "x[1:-1] += {c} * (x[2:] - x[:-2])",
    "x[:, 1:] -= {c} * x[:, :-1]",
    "x[:-2, :-1] = {c} * x[2:, 1:]",
    "x[::2] *= {c}",
    "x[1::2, ::-1] = y[1::2]",
    "x[0], x[-1] = x[1], x[-2]",
    "x[:, 0] = x[:, 1] + {c}",
    "x[k] = y[k] * {c}",
    "x[k, k % 6] += 1.0",
    "np.add.at(x, k, y)",
    "x[x > {c}] = {c}",
    "x[v > 0] *= {c}",
    "v[1:] = v[:-1] + {c}",
    "v[k] = v",
    "v[v > {c}] -= 1",
    "y[2:5, 1:4] = x[1:4, 2:5]",
)
"""Statements that write to variables."""

_FOUND = (
    "x.sum(axis={axis})",
    "x.var(ddof=1)",
    "np.median(x, axis={axis})",
    "x[x > {c}].sum()",
    "x[v > {c}]",
    "x[v > -9].std(axis=0)",
    "v[v > -9].mean() + v[v > -9].var()",
    "np.unique(k)",
    "np.unique(k, return_counts=True)",
    "np.unique(k, return_inverse=True)",
    "np.nonzero(v > {c})[0]",
    "np.bincount(k, minlength=7)",
    "np.bincount(k, v, minlength=7)",
    "np.histogram(v, bins=4, range=(-3, 3))[0]",
    "np.argmin(x, axis={axis})",
    "np.argsort(v)",
    "np.diff(x, axis={axis})",
    "x.T @ y",
    "np.outer(v, w)",
    "np.tensordot(x, y)",
    "np.linalg.norm(x, axis={axis})",
    "np.all(x < 99, axis={axis})",
    "np.ptp(x, axis={axis})",
    "np.percentile(v, 30)",
    "np.prod(np.tanh(x), axis={axis}, keepdims=True)",
    "x.reshape(6, 7)[{cut}]",
    "np.stack([x, y], axis={axis})",
    "np.tril(x) + np.triu(y, 1)",
    "np.count_nonzero(x > {c}, axis={axis})",
)
"""Results."""


class _Writer:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def _filled(self, text: str) -> str:
        choose = self._random.choice
        return text.format(
            axis=choose((0, 1)),
            c=choose((-0.5, 0.25, 0.5, 1.5)),
            shift=choose((-3, -1, 1, 2)),
            cut=choose((1, 2, 5)),
            mode=choose(("edge", "reflect", "constant")),
        )

    def _lines(self, depth: int) -> list[str]:
        roll = self._random.random()
        if depth < 2 and roll < 0.12:
            return [f"for _ in range({self._random.choice(('n', '2'))}):", *self._block(depth)]
        if depth < 2 and roll < 0.2:
            ends = ["    x = x * 0.5", "    count += 1"]
            return ["count = 0", "while np.max(np.abs(x)) > 1.5 and count < 5:", *self._block(depth), *ends]
        if depth < 2 and roll < 0.28:
            lines = [f"if np.sum(x) > {self._random.choice((-99, 0))}:", *self._block(depth)]
            return [*lines, "else:", *self._block(depth)] if self._random.random() < 0.5 else lines
        return [self._filled(self._random.choice(_SHAPED if roll < 0.65 else _WRITTEN))]

    def _block(self, depth: int) -> list[str]:
        count = self._random.choice((1, 1, 2))
        return [f"    {line}" for _ in range(count) for line in self._lines(depth + 1)]

    def program(self) -> str:
        lines = [line for _ in range(self._random.choice((2, 3, 4))) for line in self._lines(0)]
        found = [self._filled(self._random.choice(_FOUND)) for _ in range(self._random.choice((1, 2)))]
        lines.append(f"return x, y, v, w, k, {', '.join(found)}")
        return "def program(x, y, v, w, k, n):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"


def random_numpy(seed: int) -> str:
    """The text of a program.

    >>> print(random_numpy(1).splitlines()[0])
    def program(x, y, v, w, k, n):
    """
    return _Writer(seed).program()


def arguments(seed: int) -> tuple[np.ndarray, ...]:
    """What a program is called with: the last one is how often loops run."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(7, 6)), rng.normal(size=(7, 6))
    return x, y, rng.normal(size=7), rng.normal(size=6), rng.integers(0, 7, 7), np.int64(3)
