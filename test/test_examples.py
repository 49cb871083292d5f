"""Examples that train run, and find what they should; the others are what `make demo` runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
EXAMPLE = EXAMPLES / "digits_gpu.py"


@pytest.mark.soak
@pytest.mark.processor
def test_digits_are_learned_on_the_emulator() -> None:
    command = [sys.executable, str(EXAMPLE), "--device", "emulator", "--digits", "300"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "300 digits in batches of 150, 1 epochs" in run.stdout
    assert "on the device: " in run.stdout


@pytest.mark.soak
@pytest.mark.processor
@pytest.mark.parametrize(
    ("name", "found"), [("train_digits", "accuracy 0.97"), ("burgers", "off the beginning    0.0")]
)
def test_examples_that_train_draw_what_they_found(name: str, found: str, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), str(picture)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert found in run.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
