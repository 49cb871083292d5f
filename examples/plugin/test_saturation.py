"""The op against NumPy, its derivative, and the pass on IR."""

import subprocess
import sys

import numpy as np
import pytest
from saturation import saturate

import weft

NUMBERS = [-np.inf, -1.5, -0.0, 0.0, 0.25, 1.0, 1.5, np.inf, np.nan]
TWICE = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "weft.saturate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "weft.saturate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_compiled_is_eager(dtype):
    x = np.array(NUMBERS, dtype)
    compiled = weft.function(saturate)(x)
    np.testing.assert_array_equal(compiled, saturate(x))
    np.testing.assert_array_equal(compiled[3:], np.clip(x, 0, 1)[3:])
    assert compiled.dtype == dtype


def test_gradient():
    gradient = weft.grad(lambda x: weft.sum(saturate(x)))(np.array([-1.0, 0.5, 2.0]))
    np.testing.assert_array_equal(gradient, [0, 1, 0])


def test_integers_are_refused():
    with pytest.raises(TypeError, match="saturate takes float32 or float64, not i64"):
        weft.function(saturate)(np.arange(3))


def test_pass():
    command = [sys.executable, "-m", "weft.tools.weft_opt", "--load-pass-plugin=saturation.passes"]
    done = subprocess.run(
        [*command, "--merge-saturations"], input=TWICE, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("weft.saturate") == 1
