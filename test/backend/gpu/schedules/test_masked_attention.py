"""Attention under masks that compare places, in the emulator: tiles that nobody sees are passed over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import device_code
from support.ptx import run
from weft_emulator.banks import Banks
from weft_emulator.machine import Options

Array = np.ndarray[Any, Any]
Mask = Callable[[Any], Any]


def attention(q: Any, k: Any, v: Any, mask: Mask) -> Any:
    scores = mask(q @ np.swapaxes(k, -1, -2) * q.dtype.type(0.125))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(q.dtype) @ v


def below(scores: Any, number: int = 0) -> Any:
    return np.tril(np.ones(scores.shape[-2:], bool), number)


MASKS: dict[str, Mask] = {
    "causal": lambda s: np.where(below(s), s, -np.inf),
    "a large number": lambda s: np.where(below(s), s, s.dtype.type(-1e9)),
    "what is hidden": lambda s: np.where(~below(s), -np.inf, s),
    "from the end": lambda s: np.where(np.triu(np.ones(s.shape, bool)), s, s.dtype.type(-1e9)),
    "a window": lambda s: np.where(below(s) & ~below(s, -40), s, -np.inf),
    "rows that see nothing": lambda s: np.where(below(s, -70), s, -np.inf),
}


def numbers(*shape: int) -> Array:
    return np.random.default_rng(shape[0]).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("name", MASKS)
def test_hidden_tiles_weigh_nothing(name: str) -> None:
    given = numbers(150, 16), numbers(170, 16), numbers(170, 20)
    with weft.settings.scope(cuda="emulator"), np.errstate(invalid="ignore"):
        compiled = weft.function(lambda q, k, v: attention(q, k, v, MASKS[name]), device="cuda")
        for value in (0.0, np.inf):
            given[2][165, 3] = value  # zero times it is a NaN, in tiles that are hidden, too
            found = compiled(*given)
            exact = attention(*(x.astype(np.float64) for x in given), MASKS[name])
            np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-5)


def test_tiles_of_halves_that_are_copied_ahead() -> None:
    given = [numbers(rows, 64).astype(np.float16) for rows in (260, 270, 270)]
    with weft.settings.scope(cuda="emulator"):
        compiled = weft.function(lambda q, k, v: attention(q, k, v, MASKS["causal"]), device="cuda")
        found = compiled(*given)
        text = compiled.get_concrete_function(*given).as_text("gpu")
    exact = attention(*(x.astype(np.float64) for x in given), MASKS["causal"])
    np.testing.assert_allclose(found, exact, rtol=1e-2, atol=2e-3)
    assert "half attention" in text


def test_what_is_hidden_is_not_multiplied() -> None:
    def cycles(mask: Mask) -> int:
        spec = weft.TensorSpec((132, 128, 64), np.float32)  # a block for each 64 rows of a head
        (kernel,) = device_code(lambda q, k, v: attention(q, k, v, mask), spec, spec, spec).kernels
        banks = Banks()
        one = np.ones((1, 128, 64), np.float32)
        run(kernel.ptx, [one, one, one, np.zeros_like(one)], grid=2, block=256, options=Options(banks=banks))
        return banks.cycles

    assert cycles(MASKS["causal"]) < 0.8 * cycles(lambda s: s)  # one tile of four is hidden
