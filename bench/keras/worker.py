"""One backend of Keras: `python worker.py BACKEND THREADS MODEL ...` measures a round for each line that it reads.

The first line that it prints has the seconds of the first training step of each model, every further one the median
microseconds of a training step and of a prediction.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

CALLS = 15


def configure(backend: str, threads: int) -> None:
    """Choose the backend and its number of threads, before Keras is imported."""
    os.environ["KERAS_BACKEND"] = backend
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "WEFT_NUM_THREADS", "TF_NUM_INTRAOP_THREADS"):
        os.environ[name] = str(threads)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[-threads:]))
    if backend == "torch":
        import torch

        torch.set_num_threads(threads)
    if backend == "weft":
        import keras_weft  # noqa: F401


def microseconds(call: Callable[[], Any]) -> float:
    """The median time of a call."""
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e6 * statistics.median(times)


def main() -> None:
    """Make the models, and measure rounds until the input ends."""
    backend, threads, *names = sys.argv[1:]
    configure(backend, int(threads))
    import keras
    from models import MODELS

    made, first = {}, {}
    for name in names:
        keras.utils.set_random_seed(0)
        model, x, y = MODELS[name]()
        model.compile(
            "adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
        )
        start = time.perf_counter()
        model.train_on_batch(x, y)
        first[name] = time.perf_counter() - start
        model.train_on_batch(x, y)
        model.predict_on_batch(x)
        made[name] = model, x, y
    print(json.dumps(first), flush=True)
    for _ in sys.stdin:
        found = {
            name: (
                microseconds(lambda model=model, x=x, y=y: model.train_on_batch(x, y)),
                microseconds(lambda model=model, x=x: model.predict_on_batch(x)),
            )
            for name, (model, x, y) in made.items()
        }
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
