"""Stencils over split arrays whose middle is computed while messages are on their way, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.dialect.interpreter import interpret
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.passes.pipeline import run_pipeline

ranks = weft.distributed
P = ranks.P


def five_points(u: Any, steps: Any) -> None:
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def two_wide(u: Any, steps: Any) -> None:
    for _ in range(steps):
        u[2:-2] = np.tanh(u[:-4] - u[4:]) + 0.5 * u[1:-3]


def one_sided(u: Any, steps: Any) -> None:
    for _ in range(steps):
        u[:-1] -= 0.1 * (u[1:] - u[:-1])


def once(u: Any, steps: Any) -> None:
    u[1:-1] = u[:-2] + u[2:] * steps


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("spec", [P("d"), P(None, "d")])
@pytest.mark.parametrize("f", [five_points, two_wide, one_sided, once])
def test_ranks_give_what_numpy_gives(f: Callable[..., None], spec: Any, count: int) -> None:
    mesh = ranks.Mesh.simulated(count)
    whole = np.random.default_rng(0).normal(size=(23, 21))
    u = ranks.scatter(whole, spec, mesh)
    made = ranks.partition(f, mesh).get_concrete_function(u, np.int64(4))
    given, overlapped = [], 0
    with context():
        for block, rank in zip(u.blocks, made._ranks, strict=True):
            module = ir.Module.parse(rank.text)
            run_pipeline(module, "builtin.module(overlap-messages{least=1})")
            overlapped += "weft.start_send_receive" in str(module)
            given.append((module, made._program.symbol, [block, np.int64(4)]))
    sends = count > 1 and (spec == P("d") or f is five_points)
    assert (overlapped > 0) == sends  # not where a block has no middle
    mesh.run(interpret, given)
    f(whole, 4)
    np.testing.assert_allclose(u.gather(), whole, rtol=1e-12)


def test_two_fields_wait_for_each_other() -> None:
    def wave(u: Any, v: Any, steps: Any) -> None:
        for _ in range(steps):
            v[1:-1] += 0.1 * (u[:-2] - 2 * u[1:-1] + u[2:])
            u += 0.1 * v

    mesh = ranks.Mesh.simulated(3)
    whole = [np.random.default_rng(0).normal(size=300), np.zeros(300)]
    split = [ranks.scatter(x, P("d"), mesh) for x in whole]
    ranks.partition(wave, mesh)(*split, np.int64(20))
    wave(*whole, 20)
    for mine, theirs in zip(split, whole, strict=True):
        np.testing.assert_allclose(mine.gather(), theirs, rtol=1e-12)
