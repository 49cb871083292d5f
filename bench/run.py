"""Measure everything, each part in a process of its own: `make bench` writes the pages of bench/results/."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PARTS = (
    ("compare.py",),
    ("control_flow.py",),
    ("gradients.py",),
    ("dynamic.py",),
    ("tables.py",),
    ("guards.py",),
    ("random_loops.py",),
    ("everyday.py",),
    ("scalar_loops.py",),
    ("plain_python.py",),
    ("export_calls.py",),
    ("threads.py",),
    ("compile_time.py", "--output", str(HERE / "results" / "compile_time.md")),
)


def main() -> None:
    """Run the parts in order; what is on disk from earlier runs takes no part."""
    environment = os.environ | {"WEFT_CACHE": "0"}
    for script, *options in PARTS:
        print(f"== {script}", flush=True)
        subprocess.run([sys.executable, str(HERE / script), *options], env=environment, check=True)


if __name__ == "__main__":
    main()
