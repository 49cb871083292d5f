"""`weft profile`: runs a script, and tells where the time of its compiled functions went."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from typing import Any

_EPILOG = """\
examples:
  weft profile train.py --epochs 3                  prints the lines that took most of the time
  weft profile -o run.json train.py --epochs 3      writes a timeline, too, for https://ui.perfetto.dev
  weft profile --logdir logs train.py --epochs 3    writes it for TensorBoard's profile plugin
  weft profile --pages report train.py --epochs 3   writes what was compiled, why, and each function's page

Options of weft stand in front of the script; all that follows it is the script's. The exit status is the script's.
"""


def add_profile_command(commands: Any) -> None:
    """Add the arguments of the command."""
    parser = commands.add_parser(
        "profile",
        help="run a script, and tell where the time of its compiled functions went",
        description="Run a Python script inside of weft.profile, and print the summary on stderr.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write a timeline in the Chrome trace format")
    parser.add_argument(
        "--logdir", metavar="FOLDER", help="write the timeline for TensorBoard's profile plugin"
    )
    parser.add_argument(
        "--pages", metavar="FOLDER", help="write index.html, and the page of each function that was called"
    )
    parser.add_argument("script", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the script gets")


def run_profiled(wanted: argparse.Namespace) -> int:
    """Run the command; returns the exit status."""
    from ..frontend.profiling.profile import profile

    if not os.path.isfile(wanted.script):
        print(f"weft: there is no file {wanted.script}", file=sys.stderr)
        return 1
    noted = profile(wanted.output, logdir=wanted.logdir, pages=wanted.pages)
    before = sys.argv, sys.path[:]
    sys.argv = [wanted.script, *wanted.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(wanted.script)))
    try:
        noted.__enter__()
    except OSError as error:
        print(f"weft: cannot write {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    status = 0
    try:
        runpy.run_path(wanted.script, run_name="__main__")
    except SystemExit as ended:
        status = _status(ended.code)
    finally:
        noted.__exit__(None, None, None)
        sys.argv, sys.path[:] = before
        print(noted, file=sys.stderr)
    if wanted.output:
        print(f"weft: {wanted.output} is a timeline for https://ui.perfetto.dev", file=sys.stderr)
    if wanted.logdir:
        print(f"weft: see it with tensorboard --logdir {wanted.logdir}", file=sys.stderr)
    if wanted.pages:
        print(f"weft: {os.path.join(wanted.pages, 'index.html')} tells what was compiled", file=sys.stderr)
    return status


def _status(code: Any) -> int:
    """The exit status of `sys.exit(code)`."""
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1
