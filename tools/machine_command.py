"""`weft machine`: what code is made for here."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from ..backend.cpu.threads.count import get_num_threads
from ..backend.gpu.devices.open_devices import device_names, open_device
from ..backend.processors.gpu_figures import GpuFigures
from ..backend.processors.measurements import measured
from ..backend.processors.system import memory
from ..backend.target import host, named
from ..frontend.settings import settings


def print_machine(wanted: argparse.Namespace) -> int:
    """Print what is known of this machine, or beside it what is measured; returns the exit status."""
    print("\n".join(_measured_lines() if wanted.measure else _machine_lines()))
    return 0


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
