"""Using the SavedModel format: functions with their variables in files, for processes without their source."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import weft


class CustomModule:
    """The module of the guide: `self.v` times `x`, and a way to change `self.v`."""

    def __init__(self):
        self.v = weft.Variable(np.float32(1.0))

    @weft.function(input_signature=[weft.TensorSpec([None], "float32")])
    def __call__(self, x):
        return x * self.v

    @weft.function(input_signature=[weft.TensorSpec([], "float32")])
    def mutate(self, new_v):
        self.v.assign(new_v)


@pytest.fixture
def file(tmp_path):
    """The module in a file, with two functions that share their state."""
    module = CustomModule()
    assert module([0.0, 1.0]).tolist() == [0.0, 1.0]
    path = tmp_path / "module_no_signatures.weft"
    weft.save(path, call=module.__call__, mutate=module.mutate)
    return path


def test_loading_and_using_a_custom_model(file):
    imported = weft.load(file)
    x = np.array([3.0, 4.0], np.float32)
    assert imported.call(x).tolist() == [3.0, 4.0]
    imported.mutate(np.float32(2.0))
    assert imported.call(x).tolist() == [6.0, 8.0]


def test_signatures_are_told(file):
    imported = weft.load(file)
    assert repr(imported).splitlines()[1:] == ["  call(f32[?])", "  mutate(f32[])>"]
    with pytest.raises(TypeError, match=r"float64|f64"):
        imported.call(np.zeros(3))


def test_another_process_needs_no_source(file):
    program = (
        "import sys, numpy as np, weft\n"
        "imported = weft.load(sys.argv[1])\n"
        "imported.mutate(np.float32(5))\n"
        "print(imported.call(np.ones(2, np.float32)).tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "[5.0, 5.0]\n", done.stderr
