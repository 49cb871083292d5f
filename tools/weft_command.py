"""The command line `weft`: looks at the disk cache and empties it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime

from ..backend.cache.location import UnusableDirectory
from ..backend.cache.store import Store
from ..frontend.settings import settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `weft cache info` or `weft cache clear`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="weft", description="weft compiles Python functions over NumPy arrays."
    )
    rooms = parser.add_subparsers(dest="room", required=True)
    cache = rooms.add_parser("cache", help="the compiled functions on disk")
    commands = cache.add_subparsers(dest="command", required=True)
    commands.add_parser("info", help="where they are, how many, how large, and which are not stored")
    commands.add_parser("clear", help="remove all of them")
    wanted = parser.parse_args(arguments)
    try:
        store = Store(settings.cache_dir, settings.cache_megabytes)
    except UnusableDirectory as error:
        print(f"weft: there is no disk cache: {error}", file=sys.stderr)
        return 1
    if wanted.command == "clear":
        print(f"{store.clear()} files removed from {store.path}")
    else:
        print("\n".join(_lines(store)))
    return 0


def _lines(store: Store) -> list[str]:
    entries = [entry for entry in store.entries() if not store.is_refusal(entry)]
    programs = [entry for entry in entries if store.is_program(entry)]
    size = sum(entry.size for entry in entries)
    lines = [
        f"directory  {store.path}",
        f"in use     {'yes' if settings.cache and settings.cache_megabytes else 'no (WEFT_CACHE=0)'}",
        f"functions  {len(programs)}",
        f"other code {len(entries) - len(programs)}",
        f"size       {size / 2**20:.1f} MiB of {settings.cache_megabytes} MiB",
    ]
    if entries:
        used = [datetime.fromtimestamp(entry.used).isoformat(" ", "seconds") for entry in entries]
        lines.append(f"used       from {min(used)} to {max(used)}")
    refusals = store.refusals()
    if refusals:
        lines += ["", "not stored, and compiled in each process:"]
        lines += [f"  {what}: {reason}" for what, reason in refusals[:_MOST_SHOWN]]
    if len(refusals) > _MOST_SHOWN:
        lines.append(f"  and {len(refusals) - _MOST_SHOWN} more")
    return lines


_MOST_SHOWN = 20


__all__ = ["main"]
