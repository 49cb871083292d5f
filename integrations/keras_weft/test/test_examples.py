"""The examples run, in a shortened form, and draw what they found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "length", "found"),
    [
        pytest.param("digits", 1, "held out digits that are read correctly: 0.", marks=pytest.mark.soak),
        pytest.param("physics", 20, "step 0: loss "),
        pytest.param("training_loop", 51, "step 50: loss ", marks=pytest.mark.soak),
        pytest.param("text", 1, "Python: for path in sorted(paths):", marks=pytest.mark.soak),
        pytest.param("language_model", 1, " - loss: ", marks=pytest.mark.soak),
    ],
)
def test_examples(name: str, length: int, found: str, tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT / "integrations" / "keras_weft"), os.environ.get("PYTHONPATH", "")])
    picture = tmp_path / "picture.png"
    run = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "keras" / f"{name}.py"), str(picture), str(length)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert run.returncode == 0, run.stderr
    assert found in run.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_examples_are_short() -> None:
    for path in (ROOT / "examples" / "keras").glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 80, path.name
