"""One candidate in a process of its own: prepares workloads and times them when it is told to.

Every candidate brings its own LLVM, threads and allocator; they do not share a process, but take turns on one
core. Requests and answers are lines of JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from harness import keep_freed_memory, pin_to_one_core

os.environ["WEFT_CACHE"] = "0"  # the first call is to compile
pin_to_one_core()
keep_freed_memory()

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)

WORKLOADS = {"programs": "workloads", "gradients": "gradient_workloads"}
"""The modules of the workloads, by what the modules of the candidates' programs end with."""

CLOCKS = {"programs": time.perf_counter, "gradients": time.process_time}
"""What is measured: gradients by the time that the processor takes, since some of them run long."""


def leaves(value: Any) -> list[Any]:
    """The arrays of a nested result."""
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def digest(leaf: Any) -> list[float]:
    """Two numbers of an array, by which results of processes are compared."""
    numbers = np.asarray(leaf, np.float64).ravel()
    return [float(np.sum(numbers)), float(numbers @ np.cos(np.arange(numbers.size)))]


class Worker:
    """Calls of one candidate by workload."""

    def __init__(self, candidate: str, family: str = "programs") -> None:
        self.module = importlib.import_module(f"peers.{candidate}_{family}")
        self.reference = importlib.import_module(f"peers.numpy_{family}").FUNCTIONS
        self.workload = importlib.import_module(WORKLOADS[family]).workload
        self.clock = CLOCKS[family]
        self.calls: dict[str, Callable[[], Any]] = {}

    def prepare(self, name: str) -> dict[str, Any]:
        """Compile a workload and check its result; the seconds of the first call less those of a second one."""
        if name not in self.module.PROGRAMS:
            return {"missing": True}
        chosen = self.workload(name)
        arguments = chosen.arguments()
        start = self.clock()
        call = self.module.PROGRAMS[name](*arguments)
        result = call()
        first = self.clock() - start
        results = leaves(self.module.to_numpy(result))
        digests = [digest(leaf) for leaf in results]  # now: trainings go on in place
        if name in self.reference and not chosen.slow:
            expected = leaves(self.reference[name](*arguments))
            for got, wanted in zip(results, expected, strict=True):
                scale = float(np.max(np.abs(wanted))) or 1.0
                np.testing.assert_allclose(got, wanted, rtol=chosen.tolerance, atol=chosen.tolerance * scale)
        start = self.clock()
        call()
        again = self.clock() - start
        self.calls[name] = call
        return {"compile": max(0.0, first - again), "again": again, "digest": digests}

    def time(self, name: str, count: int) -> dict[str, Any]:
        """The mean seconds of a number of calls."""
        call = self.calls[name]
        call()  # what other processes threw out of the caches comes back
        start = self.clock()
        for _ in range(count):
            call()
        return {"seconds": (self.clock() - start) / count}


def main() -> None:
    """Answer requests until there are none."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what candidates print does not get between
    worker = Worker(*sys.argv[1:])
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:  # whatever a candidate cannot do is reported, not fatal
            answer = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
