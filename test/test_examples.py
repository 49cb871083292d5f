"""The example of one function on several devices runs; the others are what `make demo` runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "digits_gpu.py"


@pytest.mark.slow
@pytest.mark.processor
def test_digits_are_learned_on_the_emulator() -> None:
    command = [sys.executable, str(EXAMPLE), "--device", "emulator", "--digits", "300"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "300 digits in batches of 150, 1 epochs" in run.stdout
    assert "on the device: " in run.stdout
