"""Cycles of loops: reports of llvm-mca are read, and where it is installed, it is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from weft.backend.cpu.machine import throughput
from weft.backend.cpu.machine.throughput import Throughput, find_llvm_mca, read_report, throughput_of
from weft.backend.target import named

PORTS = """\
Iterations:        100
Instructions:      600
Total Cycles:      160
Total uOps:        600

Cycles with backend pressure increase [ 73.75% ]
Throughput Bottlenecks: 
  Resource Pressure       [ 66.88% ]
  - Zn3FPP45  [ 66.88% ]
  Data Dependencies:      [ 71.25% ]
  - Register Dependencies [ 71.25% ]
  - Memory Dependencies   [ 0.00% ]

Resources:
[0]   - Zn3AGU0
[1]   - Zn3ALU0
[12.0] - Zn3FPP45
[12.1] - Zn3FPP45


Resource pressure per iteration:
[0]    [1]    [12.0] [12.1] 
 -     0.60   1.50   1.50   

Resource pressure by instruction:
"""  # noqa: W291

COPY = ["\tvmovups (%rdi,%rax,4), %ymm0", "\tvmovups %ymm0, (%rdx,%rax,4)", "\taddq $8, %rax", "\tjl .L"]
CHAIN = ["\tvdivsd %xmm1, %xmm0, %xmm0", "\tvdivsd %xmm1, %xmm0, %xmm0", "\tdecq %rax", "\tjne .L"]

needs_mca = pytest.mark.skipif(find_llvm_mca() is None, reason="needs llvm-mca: apt install llvm")


def test_the_busiest_port_limits() -> None:
    assert read_report(PORTS) == Throughput(1.6, "Zn3FPP45")


def test_who_waits_is_limited_by_dependencies() -> None:
    report = PORTS.replace("Cycles:      160", "Cycles:      1600")
    assert read_report(report) == Throughput(16.0, "data dependencies")


@pytest.mark.parametrize("report", ["", "error: invalid", PORTS.replace("per iteration", "")])
def test_a_report_without_cycles_is_none(report: str) -> None:
    assert read_report(report) is None


@needs_mca
def test_loops_are_simulated() -> None:
    found, told = throughput_of(
        {"copy": COPY, "chain": CHAIN, "odd": ["\tnoinstruction"]}, named("x86-64-v3")
    )
    assert set(found) == {"copy", "chain"}
    assert found["copy"].cycles < 4 < found["chain"].cycles
    assert found["chain"].limit
    assert told.startswith("cycles by llvm-mca 1")


@needs_mca
def test_an_unknown_processor_is_told() -> None:
    _, told = throughput_of({"copy": COPY}, replace(named("x86-64-v3"), cpu="newest"))
    assert told.endswith("for a processor in general: it does not know newest")


def test_without_llvm_mca_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throughput, "find_llvm_mca", lambda: None)
    assert throughput_of({"copy": COPY}, named("native")) == ({}, throughput.MISSING)
