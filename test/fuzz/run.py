"""Compare random programs with eager Python: `python test/fuzz/run.py [--seconds 60] [--seed 0] [--only SEED ...]`.

Most programs are interpreted, as they were traced or after the passes; a share is compiled to machine code. `--stage`
has all go one way, and with `--device cuda` all are compiled for a GPU, which the emulator stands for unless WEFT_CUDA
says otherwise. Each new kind of failure is printed at once, as a test of the smallest program that was found for
it; the end is a summary, with what was refused. The exit status is 1 when anything failed.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import resource
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fuzz.minimise import minimised
from fuzz.report import Failure, Report
from fuzz.watchdog import Worker

SHARES = {"weft": 0.62, "optimized": 0.355, "compiled": 0.025}
"""How many programs go which way."""


def stage_of(seed: int) -> str:
    """How the program of a seed is run."""
    return random.Random(f"stage {seed}").choices(list(SHARES), list(SHARES.values()))[0]


class Run:
    """A run of several workers over the seeds from one on."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.report = Report(options.shown)
        self.start = time.monotonic()
        self._seeds = iter(options.only) if options.only else itertools.count(options.seed)
        self._lock = threading.Lock()
        self._count = 0
        self._are_whole = bool(options.only or options.long)
        """Whether recordings may be as long as they are."""

    def next_seed(self) -> int | None:
        """The next program, while there is time."""
        with self._lock:
            if not self.options.only and time.monotonic() - self.start > self.options.seconds:
                return None
            if self.options.count and self._count >= self.options.count:
                return None
            self._count += 1
            return next(self._seeds, None)

    def work(self) -> None:
        """Run programs in one worker."""
        limit = 90.0 if self.options.device else 30.0  # the emulator takes its time
        worker = Worker(*(["--check-handles"] if self.options.check_handles else []), limit=limit)
        try:
            while (seed := self.next_seed()) is not None:
                stage = self.options.stage or stage_of(seed)
                answer = worker.ask({"seed": seed, "stage": stage, "whole": self._are_whole})
                with self._lock:
                    failure = self.report.add(seed, stage, answer, self.options.device)
                if failure is not None:
                    self._explain(failure, worker)
        finally:
            worker.stop()

    def _explain(self, failure: Failure, worker: Worker) -> None:
        """Minimise a program and print it."""
        answer = failure.answer
        if not answer["text"]:
            from fuzz.grammar.module import random_program

            answer["text"] = random_program(failure.seed)

        def verdict(text: str) -> dict[str, Any]:
            return worker.ask({"text": text, "stage": failure.stage, "whole": self._are_whole})

        def fails(text: str) -> bool:
            got = verdict(text)
            return bool(got["outcome"] == answer["outcome"] and got["kind"] == answer["kind"])

        if self.options.minimise:
            answer["text"] = minimised(answer["text"], fails, self.options.minimise)
            small = verdict(answer["text"])
            if small["outcome"] == answer["outcome"]:
                answer["detail"] = small["detail"]
        with self._lock:
            print(failure.text(), flush=True)


def main() -> int:
    """Run programs until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (60)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the first seed (the time)")
    parser.add_argument("--count", type=int, default=0, help="at most so many programs (no limit)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (1)")
    parser.add_argument("--only", type=int, nargs="+", help="the programs of these seeds only")
    parser.add_argument("--stage", choices=list(SHARES), help="run all programs this way")
    parser.add_argument(
        "--minimise", type=float, default=60, help="seconds to make a failing program small (60)"
    )
    parser.add_argument(
        "--check-handles", action="store_true", help="end where a handle of an erased op is used (slow)"
    )
    parser.add_argument(
        "--long", action="store_true", help="judge programs, too, that take long to record, as --only does"
    )
    parser.add_argument("--shown", type=int, default=1, help="how many failures of each kind to print (1)")
    parser.add_argument("--device", help="compile all programs for this device: cuda")
    options = parser.parse_args()
    if options.device:
        os.environ["WEFT_DEVICE"] = options.device  # of the workers
        os.environ.setdefault("WEFT_CUDA", "emulator")
        options.stage = "compiled"
    warnings.simplefilter("ignore")  # of Python, about the texts of programs
    run = Run(options)
    threads = [threading.Thread(target=run.work) for _ in range(run.options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(run.report.summary(time.monotonic() - run.start, used.ru_utime + used.ru_stime))
    return 1 if run.report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
