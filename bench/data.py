"""An epoch over shuffled batches: compiled with its data set, beside NumPy with a compiled step, and beside tf.data.

    python bench/data.py [--tensorflow PYTHON] [--print]

prints the table, and writes bench/results/data.md unless --print is given: minima of rounds in turns on one pinned
core, in time of the processor, for one batch. 20,000 images of 28 by 28 pixels, uint8 to float32 / 255, in batches
of 100. tf.data runs in a process of its own, of the Python that is given, in every third round; it has one thread.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

from harness import machine, pin_to_one_core

pin_to_one_core()

import numpy as np  # noqa: E402  (NumPy must see the pinning)

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results" / "data.md"
ROUNDS = 4
IMAGES, SIZE = 20_000, 100
F32 = np.float32

DRAWS = np.random.default_rng(0)
PIXELS = DRAWS.integers(0, 255, (IMAGES, 28, 28)).astype(np.uint8)
LABELS = DRAWS.integers(0, 10, IMAGES)


def prepared(x: Any, y: Any) -> Any:
    return x.astype(F32) / F32(255), y


def parameters() -> Any:
    draws = np.random.default_rng(1)
    shapes = (784, 100), (100,), (100, 100), (100,), (100, 10), (10,)
    return [(draws.normal(size=shape) * 0.05).astype(F32) for shape in shapes]


def loss_of(p: Any, x: Any, y: Any) -> Any:
    hidden = np.maximum(x.reshape(len(x), 784) @ p[0] + p[1], F32(0))
    hidden = np.maximum(hidden @ p[2] + p[3], F32(0))
    logits = hidden @ p[4] + p[5]
    logits = logits - logits.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(logits).sum(axis=1)) - np.take_along_axis(logits, y[:, None], 1)[:, 0])


DIFFERENTIATED = weft.value_and_grad(loss_of)


def step(p: Any, x: Any, y: Any) -> Any:
    loss, gradient = DIFFERENTIATED(p, x, y)
    for a, b in zip(p, gradient, strict=True):
        a -= F32(0.1) * b
    return loss


def train(p: Any, batches: Any) -> Any:
    loss = F32(0)
    for x, y in batches:
        loss = step(p, x, y)
    return loss


def read(batches: Any) -> Any:
    total = np.zeros((28, 28), F32)
    for x, _ in batches:
        total += x.sum(axis=0)
    return total


def by_hand() -> Iterator[Any]:
    """What NumPy's users write."""
    order = DRAWS.permutation(IMAGES)
    for first in range(0, IMAGES, SIZE):
        rows = order[first : first + SIZE]
        yield prepared(PIXELS[rows], LABELS[rows])


def programs() -> dict[str, Callable[[], Any]]:
    rows = weft.data.Dataset.from_tensor_slices((PIXELS, LABELS))
    batched = rows.shuffle(seed=1).batch(SIZE).map(prepared)
    single = rows.map(prepared).shuffle(seed=1).batch(SIZE)
    compiled_read, compiled_train, compiled_step = map(weft.function, (read, train, step))
    p = parameters()

    def stepwise(batches: Any) -> Any:
        for x, y in batches:
            loss = compiled_step(p, x, y)
        return loss

    return {
        "data, compiled: `batch`, `map`": lambda: compiled_read(batched),
        "data, compiled: `map`, `batch`": lambda: compiled_read(single),
        "data, the data set in plain Python": lambda: read(batched),
        "data, NumPy by hand": lambda: read(by_hand()),
        "training, compiled: `batch`, `map`": lambda: compiled_train(p, batched),
        "training, compiled: `map`, `batch`": lambda: compiled_train(p, single),
        "training, the data set in plain Python, step compiled": lambda: stepwise(batched),
        "training, NumPy by hand, step compiled": lambda: stepwise(by_hand()),
    }


TENSORFLOW = """
import json, os, sys, time
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np, tensorflow as tf
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
draws = np.random.default_rng(0)
pixels, labels = draws.integers(0, 255, (20000, 28, 28)).astype(np.uint8), draws.integers(0, 10, 20000)
rows = tf.data.Dataset.from_tensor_slices((pixels, labels))
prepared = lambda x, y: (tf.cast(x, tf.float32) / 255.0, y)
orders = {
    "tf.data: `batch`, `map`": rows.shuffle(20000).batch(100).map(prepared).prefetch(2),
    "tf.data: `map`, `batch`": rows.map(prepared).shuffle(20000).batch(100).prefetch(2),
}
@tf.function
def read(batches):
    total = tf.zeros((28, 28))
    for x, y in batches:
        total += tf.reduce_sum(x, 0)
    return total
found = {}
for name, batches in orders.items():
    read(batches)
    for _ in range(3):
        start = time.process_time()
        read(batches).numpy()
        found[name] = min(found.get(name, 1e9), time.process_time() - start)
print(json.dumps(found))
"""


def measured(python: str | None) -> dict[str, float]:
    """Microseconds for a batch."""
    functions = programs()
    for function in functions.values():
        function()
    best: dict[str, float] = {}
    for number in range(ROUNDS):
        for name, function in functions.items():
            start = time.process_time()
            function()
            best[name] = min(best.get(name, 1e9), time.process_time() - start)
        if python and number % 3 == 0:
            run = subprocess.run([python, "-c", TENSORFLOW], capture_output=True, text=True, check=True)
            for name, seconds in json.loads(run.stdout.splitlines()[-1]).items():
                best[f"data, {name}"] = min(best.get(f"data, {name}", 1e9), seconds)
    return {name: seconds / (IMAGES // SIZE) * 1e6 for name, seconds in best.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorflow", metavar="PYTHON")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    found = measured(options.tensorflow)
    by_hands = {
        kind: next(v for n, v in found.items() if n.startswith(f"{kind}, NumPy"))
        for kind in ("data", "training")
    }
    lines = [
        "# Epochs over shuffled batches",
        "",
        "20,000 images, uint8 to float32 / 255, in batches of 100; microseconds of the processor for a batch, and",
        f"how many times as fast as NumPy by hand. {machine()}; `python bench/data.py`.",
        "",
        "| | us | ratio |",
        "|---|---|---|",
        *[
            f"| {name} | {us:.1f} | {by_hands[name.partition(',')[0]] / us:.2f} |"
            for name, us in sorted(found.items())
        ],
    ]
    print("\n".join(lines))
    if not options.print:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
