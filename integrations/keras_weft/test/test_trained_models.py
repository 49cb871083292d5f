"""The same weights give the losses that JAX gives, after five epochs, too."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trained_models

EXPECTED: dict[str, list[float]] = json.loads(Path(__file__).with_name("trained_models.json").read_text())
"""Made by Keras 3.15.1 on JAX 0.10.2 (`trained_models.py` says how)."""
QUICK = ("convolutional", "dense", "lstm", "masked_gru", "subclass", "transformer")


def check(name: str) -> None:
    np.testing.assert_allclose(trained_models.losses(name), EXPECTED[name], rtol=1e-5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", QUICK)
def test_losses(name: str) -> None:
    check(name)


@pytest.mark.parametrize("name", ["convolutional", "lstm", "transformer"])
def test_losses_of_steps_in_plain_python(name: str) -> None:
    found = trained_models.losses(name, epochs=1, run_eagerly=True)
    np.testing.assert_allclose(found, EXPECTED[name][:1], rtol=1e-5)


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in trained_models.MODELS if name not in QUICK])
def test_losses_of_the_others(name: str) -> None:
    check(name)


def test_the_models_learn() -> None:
    assert len(EXPECTED) == len(trained_models.MODELS) == 13
    assert all(losses[-1] < losses[0] for losses in EXPECTED.values())
