"""Compare random programs with the reference for a long time: `python test/soak.py [--minutes 60] [--first SEED]`.

Seeds go up from `--first`, the time by default; a failing test is named by its seed and is reproduced by
`WEFT_TEST_SEEDS=SEED:1 pytest test/passes/test_random_programs.py test/passes/test_random_regions.py`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("test/passes/test_random_programs.py", "test/passes/test_random_regions.py")
ROUND = 200
"""How many programs one process runs: native code that goes wrong ends no more than a round."""


def run_round(first: int) -> bool:
    """Run the programs of some seeds; whether all did what the reference does."""
    environment = os.environ | {"WEFT_TEST_SEEDS": f"{first}:{ROUND}"}
    command = [sys.executable, "-m", "pytest", "--quiet", "-n", "auto", *PROGRAMS]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def main() -> int:
    """Run rounds until the time is up; the exit status is 1 when a program failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=60, help="how long to go on (60)")
    parser.add_argument("--first", type=int, default=int(time.time()), help="the first seed (the time)")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    first, failed = options.first, 0
    while time.monotonic() < end:
        print(f"== seeds {first} to {first + ROUND - 1}", flush=True)
        failed += not run_round(first)
        first += ROUND
    print(f"== {first - options.first} programs, {failed} rounds with failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
