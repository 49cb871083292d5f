"""`weft cache`: the compiled functions on disk, listed, removed, and moved to other machines."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime

from ..backend.cache.archives import export_entries, import_entries
from ..backend.cache.location import UnusableDirectory
from ..backend.cache.store import Store
from ..dialect.errors import ArtifactError
from ..frontend.settings import settings

_MOST_SHOWN = 20


def work_on_cache(wanted: argparse.Namespace) -> int:
    """Do what a command line wants of the cache; returns the exit status."""
    try:
        store = Store(settings.cache_dir, settings.cache_megabytes)
    except UnusableDirectory as error:
        print(f"weft: there is no disk cache: {error}", file=sys.stderr)
        return 1
    try:
        print("\n".join(_answer(store, wanted)))
    except (OSError, ArtifactError) as error:
        print(f"weft: {error}", file=sys.stderr)
        return 1
    return 0


def _answer(store: Store, wanted: argparse.Namespace) -> list[str]:
    """What `weft cache` prints when it has done what is wanted."""
    if wanted.action == "clear":
        return [f"{store.clear()} files removed from {store.path}"]
    if wanted.action == "export":
        return [f"{export_entries(store, wanted.file)} entries of {store.path} written to {wanted.file}"]
    if wanted.action == "import":
        stored, left = import_entries(store, wanted.file)
        return [
            f"{stored} entries stored in {store.path}" + (f", {left} left out as damaged" if left else "")
        ]
    return _lines(store)


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
