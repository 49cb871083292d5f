"""What runs in a process of its own: some programs of a part, each of which says a line of JSON."""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .packed import form_of
from .peers import PEERS
from .workers import RESTART


def work(options: argparse.Namespace) -> int:
    """Run the programs of `options.only` one after the other; `RESTART` behind one that failed."""
    os.environ["WEFT_CUDA"] = "emulator" if options.emulator else "driver"
    name, _, peer = str(options.worker).partition(":")
    device: Any = None
    if name != "peer":
        device = _opened()
    run = _functions(options.directory, device, peer, options.emulator)[name]
    for program in options.only:
        start = time.monotonic()
        line: dict[str, Any] = {"program": program}
        try:
            line |= run(program)
            failed = False
        except Exception as error:  # the others are run all the same
            failed = not isinstance(error, ModuleNotFoundError)
            missing = lacks(error)
            text = f"{type(error).__name__}: {error}"[:4000] if failed else str(error)
            line |= {"not_run": missing} if missing else {"ok": False, "error": text}
        line.setdefault("seconds", round(time.monotonic() - start, 2))
        print(json.dumps(line), flush=True)
        if failed and device is not None:
            return RESTART  # whatever is left of it on the device
    return 0


def lacks(error: Exception) -> str:
    """What an error, of ours or of the emulator, says of a library that a bare machine need not have; else nothing."""
    found = re.search(r"No module named '(\w+)[^']*'", str(error))
    return found[0] if found and found[1] in ("ml_dtypes", *PEERS) else ""


def _opened() -> Any:
    from weft.backend.gpu.devices.libraries import choose_library
    from weft.backend.gpu.devices.open_devices import open_device

    choose_library(os.environ["WEFT_CUDA"])
    return open_device("cuda")


def _functions(
    directory: Path, device: Any, peer: str, emulated: bool
) -> Mapping[str, Callable[[str], dict[str, Any]]]:
    """What runs a program, by the part."""
    from . import conformance, driver, exchange, machine, packed, peers, speed

    def load(part: str, name: str) -> Mapping[str, Any]:
        form = "small" if emulated else form_of(part)  # the emulator never sees the end of a large one
        return packed.load(directory, name, form)

    return {
        "machine": lambda _: machine.describe(device),
        "first": lambda name: packed.compare(load("first", name), device),
        "correct": lambda name: packed.compare(load("correct", name), device),
        "once": lambda name: packed.run_once(load("once", name), device),
        "conformance": functools.partial(conformance.compare, device=device, emulated=emulated),
        "exchange": lambda name: exchange.exchange(name, load("exchange", "add_f16"), device),
        "driver": lambda _: driver.time_driver(
            load("driver", "add_f16"), device, 1 << (6 if emulated else 16)
        ),
        "speed": lambda name: speed.measure(load("speed", name), device, 1 if emulated else speed.RUNS),
        "peer": lambda name: peers.measure(peer, packed.load(directory, name, "large")),
    }


__all__ = ["work"]
