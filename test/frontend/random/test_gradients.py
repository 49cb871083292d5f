"""Gradients of programs that draw: numbers have no derivative, and are drawn once, whatever is differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def dropout(rng: Any, w: Any, x: Any, steps: Any) -> Any:
    for _ in range(steps):
        x = np.where(rng.random((3, 2)) > 0.5, np.tanh(x + w) * 2, 0.1 * w)
    return (x * x).sum()


def noise(rng: Any, w: Any, x: Any, steps: Any) -> Any:
    for _ in range(steps):
        x = x + w * np.tanh(x) * rng.normal(w, 0.3, size=(3, 2))
    return x.sum()


def shuffled(rng: Any, w: Any, x: Any, steps: Any) -> Any:
    order = rng.permutation(3)
    rng.shuffle(x)
    return (w[order] * x * rng.choice(w.ravel(), (3, 2))).sum()


@pytest.mark.parametrize("program", [dropout, noise, shuffled], ids=lambda program: program.__name__)
def test_gradients_are_those_of_differences(program: Callable[..., Any]) -> None:
    @weft.function
    def differentiated(rng: Any, w: Any, x: Any, steps: Any) -> Any:
        return weft.value_and_grad(lambda w: program(rng, w, x.copy(), steps))(w)

    w, x = (np.random.default_rng(seed).normal(size=(3, 2)) for seed in (1, 2))
    steps = np.int64(4)

    def value(w: Any) -> Any:
        return program(np.random.default_rng(0), w, x.copy(), steps)

    rng, expected = np.random.default_rng(0), np.random.default_rng(0)
    found, gradient = differentiated(rng, w, x, steps)
    assert np.isclose(found, program(expected, w, x.copy(), steps), rtol=1e-14)
    assert str(rng.bit_generator.state) == str(expected.bit_generator.state)
    for place in np.ndindex(w.shape):
        step = np.zeros_like(w)
        step[place] = 1e-6
        assert np.isclose(gradient[place], (value(w + step) - value(w - step)) / 2e-6, rtol=1e-6, atol=1e-8)


def test_masks_are_drawn_again_and_not_kept() -> None:
    @weft.function
    def differentiated(rng: Any, w: Any, steps: Any) -> Any:
        def loss(w: Any) -> Any:
            x = w
            for _ in range(steps):
                x = np.where(rng.random((30, 20)) > 0.5, np.tanh(x), 0.0)
            return x.sum()

        return weft.grad(loss)(w)

    given = np.random.default_rng(0), np.ones((30, 20)), np.int64(4)
    text = differentiated.get_concrete_function(*given).as_text("optimized")
    assert "tensor<?x6xui64>" in text  # the states
    assert "tensor<?x30x20xi1>" not in text
    assert text.count("weft.random_floats") > 1
