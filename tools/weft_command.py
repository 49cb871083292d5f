"""The command line `weft`: makes libraries, explains functions, keeps the disk cache, knows the machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from .. import __version__
from ..backend.cache.archives import export_entries, import_entries
from ..backend.cache.location import UnusableDirectory
from ..backend.cache.store import Store
from ..backend.cpu.threads.count import get_num_threads
from ..backend.gpu.devices.open_devices import device_names, open_device
from ..backend.processors.gpu_figures import GpuFigures
from ..backend.processors.measurements import measured
from ..backend.processors.system import memory
from ..backend.target import host, named
from ..dialect.errors import ArtifactError
from ..frontend.settings import settings
from .arguments import Parser
from .build_command import add_build_command, build
from .explain_command import add_explain_command, explain
from .profile_command import add_profile_command, run_profiled


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `weft build`, `weft explain`, `weft profile`, `weft cache ...` or `weft machine`; returns the exit status.

    Alone it prints help.
    """
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
        print("\n".join(_measured_lines() if wanted.measure else _machine_lines()))
        return 0
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


def _machine_lines() -> list[str]:
    machine, found = host(), memory()
    processor, kept = machine.processor, settings.result_pool_bytes
    shared = f", shared by {processor.last_level_cores} cores" if processor.last_level_cores > 1 else ""
    return [
        f"processor     {processor.family} ({machine.cpu})",
        f"vectors       {machine.vector_registers} of {machine.vector_bytes} bytes",
        f"multiply-adds {processor.multiplications} of whole vectors a cycle",
        f"first level   {_size(processor.first_level_cache)}, {processor.first_level_ways} ways",
        f"second level  {_size(processor.second_level_cache)}",
        f"last level    {_size(processor.last_level_cache)}{shared}",
        f"read ahead    {_size(processor.read_ahead)}; {_size(processor.reduction_read_ahead)} in light reductions",
        f"streamed      results from {_size(processor.streamed)} on, past the caches",
        f"threads       {get_num_threads()}",
        f"memory        {_size(found) if found else 'not told'}; up to {_size(kept)} kept for results",
        *(f"assumed       {note}" for note in processor.assumed),
        *_gpu_lines(),
    ]


_TIMED: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "first_level_cache": ("first level", lambda value: _size(value)),
    "second_level_cache": ("second level", lambda value: _size(value)),
    "last_level_cache": ("last level, of one core", lambda value: _size(value)),
    "multiplications": ("multiply-adds a cycle", str),
    "read_ahead": ("read ahead", lambda value: _size(value)),
    "reduction_read_ahead": ("in light reductions", lambda value: _size(value)),
    "memory_bytes": ("bytes of memory a cycle", str),
    "addition_wait": ("cycles between additions", str),
}
"""What is timed of a processor, by the fields of `Processor`."""


def _measured_lines() -> list[str]:
    """What is known of this machine's processor, and what it does now."""
    known = host()
    found = measured(known.vector_bytes)
    rows = [(f"{known.processor.family} ({known.cpu})", "known", "measured")]
    for field, (title, text) in _TIMED.items():
        rows.append((title, text(getattr(known.processor, field)), text(getattr(found, field))))
    width = max(len(row[0]) for row in rows)
    return [f"{title:{width}}  {one:>9}  {other:>9}" for title, one, other in rows]


def _gpu_lines() -> list[str]:
    """The GPUs of the driver that is there, and what placement takes for granted of them."""
    lines = []
    for name in device_names():
        if name != "cpu":
            device = open_device(name)
            known, figures = device.device.properties, named(device.target).gpu
            assert figures is not None
            target, *libraries = device.target.split("+")
            lines += [
                "",
                f"{name:13} {known.name} ({target}, {known.multiprocessors} multiprocessors, "
                f"{_size(known.memory_bytes)})",
                f"{'libraries':13} {', '.join(libraries) or 'none'}",
                *figure_lines(figures.figures),
            ]
    return lines


def figure_lines(figures: GpuFigures) -> list[str]:
    """What is known of the time that a GPU takes."""
    rates = [
        f"{value / unit:.3g} {name}"
        for name, value, unit in (
            ("GB/s of memory", figures.bytes_per_second, 1e9),
            ("TFLOP/s of float32", figures.f32_per_second, 1e12),
            ("of float16", figures.f16_per_second, 1e12),
        )
        if value
    ]
    return [
        f"a launch      {1e6 * figures.launch:.3g} us; a read of the host {1e6 * figures.read:.3g} us",
        f"a step        {1e9 * figures.step:.3g} ns of one thread",
        f"the link      {1e-9 / figures.byte:.3g} GB/s",
        *([f"at most       {', '.join(rates)}"] if rates else []),
        f"figures       {figures.source}",
    ]


def _size(size: int) -> str:
    """A number of bytes, in the largest unit in which it is at least 1.

    >>> _size(512), _size(48 << 10), _size(5 << 28)
    ('512 B', '48 KiB', '1.25 GiB')
    """
    unit = next((unit for unit in range(3, 0, -1) if size >= 1 << 10 * unit), 0)
    return f"{size / (1 << 10 * unit):.3g} {('B', 'KiB', 'MiB', 'GiB')[unit]}"


_MOST_SHOWN = 20


__all__ = ["figure_lines", "main"]
