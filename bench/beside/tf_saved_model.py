"""What files of `tf.saved_model` can do."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from trying import elsewhere, tried

LOAD = """
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np, tensorflow as tf
m = tf.saved_model.load(sys.argv[1] + "/m")
x = tf.constant(np.ones((4, 3), "float32"))
"""


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.range(3.0))
        self.steps = tf.Variable(0)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def predict(self, x):
        self.steps.assign_add(1)
        return tf.reduce_sum(tf.tanh(tf.linalg.matvec(x, self.w)))


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    tf.saved_model.save(Model(), str(folder / "m"))
    print(f"tensorflow {tf.__version__}")
    tried("source not needed", lambda: elsewhere(LOAD + "print(float(m.predict(x)))", folder))
    gradient = """
with tf.GradientTape() as tape:
    tape.watch(x)
    y = m.predict(x)
print([g.shape for g in tape.gradient(y, [x, m.w])])
"""
    tried("gradients after loading", lambda: elsewhere(LOAD + gradient, folder))
    second = """
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = m.predict(x)
    g = tf.reduce_sum(tape.gradient(y, x) ** 2)
print(outer.gradient(g, x).shape)
"""
    tried("second gradients", lambda: elsewhere(LOAD + second, folder))
    tried(
        "dynamic sizes",
        lambda: elsewhere(LOAD + "print(float(m.predict(np.ones((7, 3), 'float32'))))", folder),
    )
    tried("state", lambda: elsewhere(LOAD + "m.predict(x); m.predict(x); print(int(m.steps))", folder))

    def in_place() -> str:
        given = np.zeros((1, 3), "float32")

        @tf.function
        def write(x):
            return tf.tensor_scatter_nd_update(x, [[0, 0]], [1.0])

        write(given)
        return f"no: the argument is {given.tolist()} after an update"

    tried("in-place arguments", in_place)


if __name__ == "__main__":
    main()
