"""A network that obeys a law of physics: derivatives of its output by its input are a part of the loss.

An oscillator with friction, u'' + 0.4 u' + 4 u = 0, begins at u = 1 at rest. The network knows the law and the
beginning, and no solution; a tape in a tape gives u' and u''. The training is one compiled function.

    pip install ./integrations/keras_weft
    python examples/keras/physics.py [picture.png] [steps]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ["KERAS_BACKEND"] = "weft"
import keras_weft  # noqa: F401  (in front of Keras)

# isort: split
import keras
import numpy as np

import weft

sys.path.append(str(Path(__file__).parents[1]))
from pictures import curves, write_png

FRICTION, STIFFNESS, END = 0.4, 4.0, 5.0


def derivatives(model: Any, t: Any) -> tuple[Any, Any, Any]:
    """u, u' and u'' at some times: as no u depends on another time, the gradient of a sum has that of each."""
    with weft.GradientTape(watch_accessed_variables=False) as outer:
        t = outer.watch(t)
        with weft.GradientTape(watch_accessed_variables=False) as inner:
            t = inner.watch(t)
            u = model(t)
        speed = inner.gradient(u, t)
    return u, speed, outer.gradient(speed, t)


@weft.function
def train(model: Any, optimizer: Any, times: Any, steps: Any) -> Any:
    """Make the law hold at the times, and the beginning; the loss by steps."""
    losses = np.zeros(steps)
    for step in range(steps):
        with weft.GradientTape() as tape:
            u, speed, acceleration = derivatives(model, times)
            law = np.mean((acceleration + FRICTION * speed + STIFFNESS * u) ** 2)
            beginning = (u[0, 0] - 1) ** 2 + speed[0, 0] ** 2
            loss = law + 20 * beginning
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        losses[step] = loss
        if step % 500 == 0:
            print(f"step {step}: loss {loss:.4f}")
    return losses


def main(path: str = "build/keras_physics.png", steps: str = "4000") -> None:
    """Train, compare with the solution, and draw both with the loss."""
    keras.utils.set_random_seed(0)
    times = np.linspace(0, END, 64, dtype=np.float32)[:, np.newaxis]
    layers = [keras.layers.Dense(32, activation="tanh") for _ in range(2)]
    model = keras.Sequential([keras.Input((1,)), *layers, keras.layers.Dense(1)])
    optimizer = keras.optimizers.Adam(0.004)
    optimizer.build(model.trainable_variables)
    losses = train(model, optimizer, times, np.int64(steps))
    decay, t, omega = FRICTION / 2, times[:, 0], np.sqrt(STIFFNESS - FRICTION**2 / 4)
    exact = np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    found = np.asarray(model(times))[:, 0]
    print(f"off the solution by at most {np.max(np.abs(found - exact)):.3f}")
    write_png(curves([found, exact, np.log10(losses) / 3]), Path(path))
    print(f"written to {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
