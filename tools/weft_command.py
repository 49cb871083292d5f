"""The command line `weft`: makes libraries, explains functions, keeps the disk cache, knows the machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from .. import __version__
from .arguments import Parser
from .build_command import add_build_command, build
from .explain_command import add_explain_command, explain
from .profile_command import add_profile_command, run_profiled


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `weft build`, `weft explain`, `weft profile`, `weft cache ...` or `weft machine`; returns the exit status.

    Alone it prints help.
    """
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # who read the output has seen enough; nothing is left to flush at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _run(arguments: Sequence[str] | None) -> int:
    parser = Parser(prog="weft", description="weft compiles Python functions over NumPy arrays.")
    parser.add_argument("--version", action="version", version=f"weft {__version__}")
    rooms = parser.add_subparsers(dest="command")
    cache = rooms.add_parser("cache", help="the compiled functions on disk")
    commands = cache.add_subparsers(dest="action", required=True)
    commands.add_parser("info", help="where they are, how many, how large, and which are not stored")
    commands.add_parser("clear", help="remove all of them")
    exporting = commands.add_parser("export", help="write them to a file, for the cache of another machine")
    importing = commands.add_parser("import", help="take those of such a file; only from whom one trusts")
    for each in (exporting, importing):
        each.add_argument("file")
    about = rooms.add_parser(
        "machine", help="what code is made for: the processor, its caches, threads and memory"
    )
    about.add_argument(
        "--measure",
        action="store_true",
        help="time the processor, and show what was found beside what is known",
    )
    add_build_command(rooms)
    add_explain_command(rooms)
    add_profile_command(rooms)
    wanted = parser.parse_args(arguments)
    if wanted.command is None:
        parser.print_help()
        return 0
    if wanted.command == "build":
        return build(wanted)
    if wanted.command == "explain":
        return explain(wanted)
    if wanted.command == "profile":
        return run_profiled(wanted)
    if wanted.command == "machine":
        from .machine_command import print_machine  # each command loads what it needs, help next to nothing

        return print_machine(wanted)
    from .cache_command import work_on_cache

    return work_on_cache(wanted)
