"""Compare with the reference for a long time: `python test/soak.py [--minutes 60] [--first SEED] [--stride 1]`.

Stress tests of the pools of memory and threads and of compiling in threads come first, `--stress` times as long as
always, and random programs and ops of all dtypes in all shapes, and every pass on every file of IR. Then come the tests
that are marked as soak, or are in no sample, those whose functions `make test` interprets, now with machine code, and
those of the frontend with functions on a device, which the emulator stands for. Then random calls of NumPy's
functions are compared with NumPy for a tenth of the time; what differs is listed by function. Then all float32 numbers,
or every `--stride`-th, go through each elementary function of one argument, for at most half of the time. In the end
come random programs, and programs whose state is changed at random.

Seeds go up from `--first`, the time by default; a failing test is named by its seed and is reproduced by
`WEFT_TEST_SEEDS=SEED:1 pytest test/passes/test_random_programs.py test/passes/test_random_regions.py`, or
`test/frontend/disk_cache/test_random_changes.py`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from support.value_tests import FOLDERS

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = (
    "test/passes/test_random_programs.py",
    "test/passes/test_random_regions.py",
    "test/passes/partition/test_random_splits.py",
    "test/backend/cpu/codegen/test_contraction_values.py",
    "test/backend/cpu/test_random_programs.py",
    "test/backend/ranges/test_indices.py",
    "test/backend/ranges/test_soundness.py",
    "test/frontend/calls/native_calls/test_random_calls.py",
)
STRESSED = (
    "test/backend/cpu/memory/test_pool_stress.py",
    "test/backend/cpu/threads/test_pool_stress.py",
    "test/dialect/test_op_matrix.py",
    "test/frontend/calls/test_threads.py",
    "test/frontend/test_dtypes.py",
)
FRONTEND = "test/frontend"
INTERPRETED = (
    *FOLDERS,
    "test/frontend/autograph",
    "test/frontend/data/test_side_by_side.py",
    "test/frontend/python_state/test_state.py",
    "test/frontend/runtime_values/test_effects.py",
    "test/programs/test_against_eager.py",
)
"""Tests most of whose functions `make test` interprets: also those that `same` of `behaviour_harness.py` compares."""
ROUND = 200
"""How many programs one process runs: native code that goes wrong ends no more than a round."""

CHANGES = "test/frontend/disk_cache/test_random_changes.py"
CHANGING = 20
"""How many programs whose state changes come in a round: each takes several processes."""


def run_round(first: int) -> bool:
    """Run the programs of some seeds; whether all did what the reference does."""
    is_right = True
    for count, tests in ((ROUND, PROGRAMS), (CHANGING, (CHANGES,))):
        environment = os.environ | {"WEFT_TEST_SEEDS": f"{first}:{count}"}
        command = [sys.executable, "-m", "pytest", "--quiet", "-n", "auto", *tests]
        is_right &= subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
    return is_right


def run_calls(seconds: float, first: int) -> bool:
    """Make random calls of NumPy's functions; whether all gave what NumPy gives."""
    command = [
        sys.executable,
        "-m",
        "support.call_comparison",
        "--silent",
        f"--seconds={seconds}",
        f"--first={first}",
    ]
    return subprocess.run(command, cwd=ROOT / "test", check=False).returncode == 0


def run_stressed(stress: int) -> bool:
    """Run the tests that may go on for longer; whether none failed."""
    command = [sys.executable, "-m", "pytest", "--quiet", "-o", "faulthandler_timeout=0", *STRESSED]
    environment = os.environ | {"WEFT_STRESS": str(stress)}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def run_passes() -> bool:
    """Run every pass on every file of IR; whether each ended in IR or a diagnostic."""
    command = [sys.executable, "-m", "support.ir_corpus"]
    return subprocess.run(command, cwd=ROOT / "test", check=False).returncode == 0


def run_marked() -> bool:
    """Run the tests that take so long that `make test` leaves them out, and compile what it interprets."""
    environment = os.environ | {"WEFT_TEST_COMPILED": "1"}
    command = [sys.executable, "-m", "pytest", "--quiet", "-n", "auto"]
    runs = [
        subprocess.run([*command, *tests], cwd=ROOT, env=environment, check=False)
        for tests in (("-m", "soak"), INTERPRETED)
    ]
    return not any(run.returncode for run in runs)


def run_on_device() -> bool:
    """Run the tests of the frontend with functions on a device; whether none failed."""
    command = [sys.executable, "-m", "pytest", "--quiet", "-n", "auto", "--device", "cuda", FRONTEND]
    environment = os.environ | {"WEFT_CUDA": "emulator"}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def run_functions(stride: int, end: float, first: int) -> int:
    """Check one function after the other, until the time is up; returns how many are not right to 2 ulp."""
    failed, names = 0, function_names()
    for count, name in enumerate(names[first % len(names) :] + names[: first % len(names)]):
        if time.monotonic() > end:
            print(f"== no time for {len(names) - count} of {len(names)} functions")
            break
        command = [sys.executable, "-m", "support.every_float32", name, str(stride)]
        failed += subprocess.run(command, cwd=ROOT / "test", check=False).returncode != 0
    return failed


def function_names() -> list[str]:
    """The functions of one argument."""
    listing = [sys.executable, "-m", "support.every_float32"]
    return subprocess.run(
        listing, cwd=ROOT / "test", check=True, capture_output=True, text=True
    ).stdout.split()


def main() -> int:
    """Run rounds until the time is up; the exit status is 1 when a function or program failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=60, help="how long to go on (60)")
    parser.add_argument("--first", type=int, default=int(time.time()), help="the first seed (the time)")
    parser.add_argument("--stride", type=int, default=1, help="check every so many float32 numbers (1)")
    parser.add_argument("--stress", type=int, default=10, help="how many times as long stress tests run (10)")
    options = parser.parse_args()
    now = time.monotonic()
    end = now + 60 * options.minutes
    stressed_hold = run_stressed(options.stress)
    passes_hold = run_passes()
    marked_hold = run_marked()
    devices_hold = run_on_device()
    calls_hold = run_calls(6 * options.minutes, options.first)
    wrong = run_functions(options.stride, now + 30 * options.minutes, options.first)
    first, failed = options.first, 0
    while time.monotonic() < end:
        print(f"== seeds {first} to {first + ROUND - 1}", flush=True)
        failed += not run_round(first)
        first += ROUND
    print(f"== {first - options.first} programs, {failed} rounds with failures, {wrong} functions not right")
    hold = stressed_hold and passes_hold and marked_hold and devices_hold and calls_hold
    return 1 if failed or wrong or not hold else 0


if __name__ == "__main__":
    sys.exit(main())
