"""What files of `weft.save` and libraries of `weft.export` can do."""

from __future__ import annotations

import ctypes
import tempfile
from pathlib import Path

import numpy as np
from trying import elsewhere, tried

import weft

LOAD = """
import sys, numpy as np, weft
m = weft.load(sys.argv[1] + "/m.weft")
x = np.ones((4, 3))
"""


class Model:
    def __init__(self):
        self.w = np.arange(3.0)
        self.steps = 0

    @weft.function
    def predict(self, x):
        self.steps += 1
        y = np.tanh(x @ self.w).sum()
        x += 1
        return y


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    model = Model()
    model.predict(np.ones((4, 3))), model.predict(np.ones((4, 3)))
    concrete = model.predict.get_concrete_function(weft.TensorSpec([None, 3]))
    weft.save(folder / "m.weft", predict=concrete)
    print(f"weft, dialect {weft.dialect.upgrades.versions.DIALECT}")
    tried("source not needed", lambda: elsewhere(LOAD + "print(m.predict(x))", folder))
    tried(
        "gradients after loading",
        lambda: elsewhere(LOAD + "print(weft.grad(lambda x: m.predict(x.copy()))(x).shape)", folder),
    )
    second = (
        "g = weft.grad(lambda x: m.predict(x.copy())); print(weft.grad(lambda x: (g(x) ** 2).sum())(x).shape)"
    )
    tried("second gradients", lambda: elsewhere(LOAD + second, folder))
    tried("dynamic sizes", lambda: elsewhere(LOAD + "print(m.predict(np.ones((7, 3))))", folder))
    tried("in-place arguments", lambda: elsewhere(LOAD + "m.predict(x); print(x[0].tolist())", folder))
    state = "before = int(m.state['steps']); m.predict(x); print(int(m.state['steps']) - before)"
    tried("state", lambda: elsewhere(LOAD + state, folder))

    def without_python() -> str:
        twice = weft.function(lambda x: x * 2, name="twice")
        files = weft.export(folder / "out", twice.get_concrete_function(np.ones(1)))
        library, x, result = ctypes.CDLL(files["shared"]), np.array([3.0]), np.zeros(1)
        library.twice(x.ctypes.data_as(ctypes.c_void_p), result.ctypes.data_as(ctypes.c_void_p), None)
        return f"called by ctypes: {result.tolist()}"

    tried("Python not needed", without_python)
    other = """
arm = weft.load(sys.argv[1] + "/m.weft", target="aarch64").predict.get_concrete_function()
print("fmla" in arm.as_text("asm"), "fmla is in its code for aarch64")
"""
    tried("other targets", lambda: elsewhere(LOAD + other, folder))


if __name__ == "__main__":
    main()
