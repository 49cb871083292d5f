"""Keras's own tests pass on weft: a few files of them here, all that are named in `make soak`."""

from __future__ import annotations

import re
import subprocess

import pytest

import keras_own


def outcome(*files: str) -> tuple[int, str]:
    """How the tests of files end, and what is printed of them."""
    done = subprocess.run(
        keras_own.command(*files, options=["-W", "ignore"]),
        env=keras_own.environment(),
        capture_output=True,
        text=True,
        timeout=3000,
    )
    return done.returncode, done.stdout + done.stderr


def test_of_quick_files() -> None:
    status, output = outcome(*keras_own.QUICK)
    assert status == 0, output


@pytest.mark.soak
@pytest.mark.parametrize("file", [file for file in keras_own.FILES if file not in keras_own.QUICK])
def test_of_a_file(file: str) -> None:
    status, output = outcome(file)
    assert status == 0, output


def test_files_and_exclusions_are_there() -> None:
    assert len(set(keras_own.FILES)) == 40
    assert set(keras_own.QUICK) <= set(keras_own.FILES)
    names = keras_own.all_files()
    assert set(keras_own.FILES) <= set(names)
    assert set(keras_own.EXCLUDED) <= set(names)
    for file in keras_own.EXCLUDED:
        text = (keras_own.source_folder() / f"{file}_test.py").read_text()
        methods = tuple(re.findall(r"def (test_\w+)", text))  # behind which the names of cases stand
        for part in keras_own.EXCLUDED[file]:
            assert part.rpartition("::")[2].startswith(methods), part
