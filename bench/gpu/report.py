"""The page and the picture of checks on a card: `python bench/gpu/report.py RESULTS...` writes bench/results/gpu.md.

`RESULTS` are files of lines that the check on a GPU has written, or folders with them; of several runs the last counts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from weft_emulator.gpu_check.report import write_report
from weft_emulator.gpu_check.results import merged, read_lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page; the exit code is 1 if something of the results is wrong."""
    parser = argparse.ArgumentParser(prog="report.py", description=__doc__)
    parser.add_argument(
        "results", type=Path, nargs="+", help="files or folders, from the first run to the last"
    )
    own = Path(__file__).resolve().parents[1] / "results"
    parser.add_argument(
        "--to", type=Path, default=own, help="the folder of gpu.md and gpu.svg (bench/results)"
    )
    options = parser.parse_args(arguments)
    lines = merged([read_lines(path) for path in options.results])
    print(write_report(lines, options.to))
    return int(any(line.get("ok") is False for line in lines))


if __name__ == "__main__":
    sys.exit(main())
