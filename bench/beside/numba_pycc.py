"""What modules of Numba's `pycc` can do."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numba
from trying import elsewhere, tried

LOAD = """
import sys
sys.modules["numba"] = None  # which cannot be imported now
sys.path.insert(0, sys.argv[1])
import numpy as np, kernels
x = np.ones((4, 3))
"""


def predict(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j] * j
    x += 1
    return total


def main() -> None:
    warnings.simplefilter("ignore")
    folder = Path(tempfile.mkdtemp())
    from numba.pycc import CC

    made = CC("kernels")
    made.output_dir = str(folder)
    made.export("predict", "f8(f8[:, ::1])")(predict)
    made.compile()
    print(f"numba {numba.__version__}")
    tried("source not needed", lambda: elsewhere(LOAD + "print(kernels.predict(x))", folder))
    tried("dynamic sizes", lambda: elsewhere(LOAD + "print(kernels.predict(np.ones((7, 3))))", folder))
    tried("in-place arguments", lambda: elsewhere(LOAD + "kernels.predict(x); print(x[0].tolist())", folder))


if __name__ == "__main__":
    main()
