"""Puts what a card has shown into the description of its kind: `python bench/gpu/figures.py RESULTS...`.

`RESULTS` are files of lines that the check on a GPU has written, or folders with them. What placement predicts of
launches, reads, copies and steps, and what `weft machine` tells, is what was measured then.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from weft.backend.processors.gpu_figures import FIGURES, GpuFigures
from weft_emulator.gpu_check.results import merged, read_lines

FILE = Path(__file__).resolve().parents[2] / "backend" / "processors" / "gpu_figures.py"
_BEGIN, _END = "# begin: figures of targets, written by bench/gpu/figures.py\n", "# end\n"
_SIBLINGS = {"sm_90a": ("sm_90",)}
"""Targets of the same cards."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table; the exit code is 1 if the results tell nothing of a card."""
    parser = argparse.ArgumentParser(prog="figures.py", description=__doc__)
    parser.add_argument(
        "results", type=Path, nargs="+", help="files or folders, from the first run to the last"
    )
    parser.add_argument("--file", type=Path, default=FILE, help="the file with the table")
    options = parser.parse_args(arguments)
    lines = merged([read_lines(path) for path in options.results])
    machine = next((line for line in lines if line["part"] == "machine" and line.get("ok")), None)
    if machine is None or "emulator" in machine["device"]:
        print(
            "the results are not of a card: part `machine` did not run, or on the emulator", file=sys.stderr
        )
        return 1
    target = str(machine["target"])
    found = measured(machine, lines, FIGURES.get(target, GpuFigures()))
    table = FIGURES | dict.fromkeys((target, *_SIBLINGS.get(target, ())), found)
    before, _, rest = options.file.read_text().partition(_BEGIN)
    _, _, after = rest.partition(_END)
    options.file.write_text(before + _BEGIN + written(table) + _END + after)
    print(written({target: found}), end="")
    return 0


def measured(machine: Mapping[str, Any], lines: Sequence[Mapping[str, Any]], known: GpuFigures) -> GpuFigures:
    """The figures of a card; those of what it has not measured stay."""
    driver = next((line for line in lines if line["part"] == "driver" and line.get("ok")), {})
    smi = machine.get("nvidia_smi", {})
    values: dict[str, Any] = {"source": f"{machine['device']}, driver {smi.get('driver_version', '?')}"}
    for name, key in (("launch", "launch_microseconds"), ("read", "read_microseconds")):
        if key in driver:
            values[name] = 1e-6 * driver[key]
    if "launch_and_wait_microseconds" in driver:  # there, and back with the next launch
        values["trip"] = 2e-6 * driver["launch_and_wait_microseconds"]
    if "step_nanoseconds" in driver:
        values["step"] = 1e-9 * driver["step_nanoseconds"]
        links = (driver["gigabytes_per_second_in"], driver["gigabytes_per_second_out"])
        values["byte"] = 1e-9 / min(links)
    speeds = [line for line in lines if line["part"] == "speed" and line.get("ok")]
    copies = [_copied(line) for line in speeds]
    if copies:
        values["bytes_per_second"] = max(copies)
    for name, prefix in (("f32_per_second", "product_f32"), ("f16_per_second", "product_f16")):
        rates = [
            rate for line in speeds if line["program"].startswith(prefix) for rate in _rates(line, lines)
        ]
        if rates:
            values[name] = max(rates)
    return GpuFigures(**(asdict(known) | {name: _rounded(value) for name, value in values.items()}))


def _copied(line: Mapping[str, Any]) -> float:
    """The bytes a second of the copy beside a program."""
    moved = 1e9 * line["gigabytes_per_second"] * 1e-6 * line["microseconds"]
    return float(moved / (1e-6 * line["copy_microseconds"]))


def _rates(line: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> list[float]:
    """The operations a second of a product, and of the same one in other libraries."""
    program = line["program"].partition(" ")[0]
    work = line["teraflops"] * line["microseconds"]
    others = [
        microseconds
        for peer in lines
        if peer["part"] == "peers" and peer.get("ok") and peer["program"] == program
        for microseconds in peer["microseconds_of"].values()
    ]
    return [1e12 * work / microseconds for microseconds in (line["microseconds"], *others)]


def _rounded(value: Any) -> Any:
    """A number with the digits that it is good for."""
    return float(f"{value:.2g}") if isinstance(value, float) else value


def written(table: Mapping[str, GpuFigures]) -> str:
    """The table as Python; of each target what differs from the estimate for all."""
    usual = asdict(GpuFigures())
    rows = ["FIGURES = {\n"]
    for target, figures in table.items():
        own = {name: value for name, value in asdict(figures).items() if value != usual[name]}
        rows.append(f'    "{target}": GpuFigures(\n')
        for name, value in own.items():
            shown = f'"{value}"' if isinstance(value, str) else f"{value:.2g}".replace("e+", "e")
            rows.append(f"        {name}={shown},\n")
        rows.append("    ),\n")
    return "".join([*rows, "}\n"])


if __name__ == "__main__":
    sys.exit(main())
