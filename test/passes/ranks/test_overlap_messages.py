"""Stencils over split arrays whose middle is computed while messages are on their way, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.interpreter import interpret
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


@pytest.mark.sampled
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


def nine_points(u: Any, steps: Any) -> None:
    for _ in range(steps):
        sides = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] = 0.1 * (sides + u[:-2, :-2] + u[2:, 2:] - u[:-2, 2:] - u[2:, :-2])


def one_corner(u: Any, steps: Any) -> None:
    for _ in range(steps):
        u[:-2, :-1] = 0.5 * (u[2:, 1:] - u[:-2, :-1])


def with_boundary(u: Any, steps: Any) -> None:
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        inner += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * inner)
        u[0], u[-1] = u[1], u[-2]
        u[:, 0], u[:, -1] = u[:, 1], u[:, -2]


def inside_a_branch(u: Any, steps: Any) -> None:
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - u[:-2])
        if np.sum(u) > -1e9:
            u[2:-2] = 0.5 * (u[4:] + u[:-4])


@pytest.mark.sampled
@pytest.mark.parametrize("axes", [{"a": 2, "b": 2}, {"a": 3, "b": 2}])
@pytest.mark.parametrize("f", [five_points, nine_points, one_corner, with_boundary, inside_a_branch])
def test_neighbours_along_two_axes_send_once_each(f: Callable[..., None], axes: dict[str, int]) -> None:
    mesh = ranks.Mesh.simulated(**axes)
    whole = np.random.default_rng(0).normal(size=(22, 23))
    u = ranks.scatter(whole, P("a", "b"), mesh)
    made = ranks.partition(f, mesh).get_concrete_function(u, np.int64(4))
    assert sum(message.kind == "send_receive" for message in made._ranks[0].messages) == 4
    given = []
    with context():
        for block, rank in zip(u.blocks, made._ranks, strict=True):
            module = ir.Module.parse(rank.text)
            run_pipeline(module, "builtin.module(overlap-messages{least=1})")
            assert ("weft.start_send_receive" in str(module)) == (f is not one_corner)
            given.append((module, made._program.symbol, [block, np.int64(4)]))
    mesh.run(interpret, given)
    f(whole, 4)
    np.testing.assert_allclose(u.gather(), whole, rtol=1e-12)


def rolled(u: Any, steps: Any) -> Any:
    before = u
    for _ in range(steps):
        around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(np.roll(u, -1, 1), 2, 0)
        before, u = u, 1.5 * u - before + 0.1 * around
    return u


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("spec", [P("d"), P(None, "d")])
def test_new_arrays_are_written_to_empty_ones(spec: Any, count: int) -> None:
    mesh = ranks.Mesh.simulated(count)
    whole = np.random.default_rng(0).normal(size=(23, 21))
    u = ranks.scatter(whole, spec, mesh)
    made = ranks.partition(rolled, mesh).get_concrete_function(u, np.int64(4))
    given = []
    with context():
        for block, rank in zip(u.blocks, made._ranks, strict=True):
            module = ir.Module.parse(rank.text)
            run_pipeline(module, "builtin.module(overlap-messages{least=1})")
            text = str(module)
            assert "weft.start_send_receive" in text
            assert "weft.empty" in text
            given.append((module, made._program.symbol, [block, np.int64(4)]))
    blocks = [found[-1] for found in mesh.run(interpret, given)]
    found = np.concatenate(blocks, axis=0 if spec == P("d") else 1)
    np.testing.assert_allclose(found, rolled(whole, 4), rtol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_messages_that_are_written_by_hand_are_overlapped(count: int) -> None:
    @weft.function
    def diffused(u: Any, steps: Any) -> Any:
        for _ in range(steps):
            above, below = ranks.send_receive(u[-1:], 1), ranks.send_receive(u[:1], -1)
            full = np.concatenate([above, u, below])
            u = u + 0.25 * (full[2:] - 2 * u + full[:-2])
        return u

    block, steps = np.random.default_rng(0).normal(size=(40, 600)), np.int64(3)
    text = diffused.get_concrete_function(block, steps).as_text("optimized")
    assert text.count("weft.start_send_receive") == text.count("weft.finish_send_receive") == 2
    small = diffused.get_concrete_function(block[:, :9], steps).as_text("optimized")
    assert "weft.start_send_receive" not in small
    blocks = [block + number for number in range(count)]
    found = ranks.Mesh.simulated(count).run(diffused, [(own, steps) for own in blocks])
    whole = np.concatenate(blocks)
    for _ in range(3):
        full = np.pad(whole, ((1, 1), (0, 0)))
        whole = whole + 0.25 * (full[2:] - 2 * whole + full[:-2])
    np.testing.assert_allclose(np.concatenate(found), whole, rtol=1e-12)


def test_two_fields_wait_for_each_other() -> None:
    def wave(u: Any, v: Any, steps: Any) -> None:
        for _ in range(steps):
            v[1:-1] += 0.1 * (u[:-2] - 2 * u[1:-1] + u[2:])
            u += 0.1 * v

    mesh = ranks.Mesh.simulated(3)
    whole = [np.random.default_rng(0).normal(size=(300, 200)), np.zeros((300, 200))]
    split = [ranks.scatter(x, P("d"), mesh) for x in whole]
    ranks.partition(wave, mesh)(*split, np.int64(20))
    wave(*whole, 20)
    for mine, theirs in zip(split, whole, strict=True):
        np.testing.assert_allclose(mine.gather(), theirs, rtol=1e-12)
