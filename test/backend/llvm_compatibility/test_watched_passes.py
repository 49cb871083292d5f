"""The passes of LLVM one by one: they are those that make the code, and what LLVM prints of them is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from weft.backend.cpu.machine.llvm import ScalarLoops, optimise, watch
from weft.backend.gpu.machine import ptx
from weft.backend.llvm_compatibility import watched_passes
from weft.backend.llvm_compatibility.watched_passes import passes_in, times_in
from weft.backend.target import compiling_for
from weft.dialect.errors import InternalError, WeftValueError
from weft.passes.pipeline import Observer

SUM = """
define double @total(ptr %x, i64 %n) {
entry:
  %slot = alloca double
  store double 0.0, ptr %slot
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %at = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %at
  %before = load double, ptr %slot
  %sum = fadd double %before, %value
  store double %sum, ptr %slot
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %result = load double, ptr %slot
  ret double %result
}
define void @weft_poll() {
  ret void
}
"""

LOOPS = {"long": None, "short": ScalarLoops(others=["total"]), "tidied": ScalarLoops()}


class Noted(Observer):
    def __init__(self) -> None:
        self.found: list[tuple[str, str, str, str]] = []
        self.told: list[str] = []
        self.seconds: dict[str, float] = {}

    def after_llvm(self, stage: str, name: str, function: str, text: str) -> None:
        self.found.append((stage, name, function, text))

    def unwatched(self, told: str) -> None:
        self.told.append(told)

    def timed_llvm(self, seconds: Mapping[str, float]) -> None:
        self.seconds.update(seconds)


@pytest.fixture(autouse=True)
def target() -> Iterator[None]:
    with compiling_for("native"):
        yield


@pytest.mark.parametrize("kind", LOOPS)
def test_the_last_text_of_the_optimiser_is_the_code(kind: str) -> None:
    noted = Noted()
    watch(SUM, LOOPS[kind], [noted])
    changed = [text for stage, name, _, text in noted.found if stage == "optimized-llvm" and name and text]
    expected = str(optimise(SUM, LOOPS[kind]))
    assert _body(changed[-1]) == _body(expected)
    names = [name for _, name, function, _ in noted.found if function == "total"]
    assert "SROAPass" in names
    assert ("LoopUnrollPass" in names) == (kind == "long")
    assert noted.found[0][:3] == ("optimized-llvm", "", "")
    assert "alloca" in noted.found[0][3]


def _body(text: str) -> str:
    return text.partition("@total(")[2].partition("\n}")[0]


def test_instructions_of_the_machine_are_told_function_by_function() -> None:
    noted = Noted()
    watch(SUM, None, [noted])
    machine = [
        (name, function, text) for stage, name, function, text in noted.found if stage == "asm" and text
    ]
    assert any("Register" in name for name, _, _ in machine)
    assert {function for _, function, _ in machine} == {"total"}  # and not weft's own
    assert all("Machine code for function total" in text for _, _, text in machine)
    assert {name for name, _, _ in machine} <= noted.seconds.keys()  # and those that changed nothing
    assert "SROAPass" in noted.seconds
    assert 0 < sum(noted.seconds.values()) < 60


KERNEL = """
define ptx_kernel void @twice(ptr addrspace(1) %x, i64 %n) {
  %at = getelementptr float, ptr addrspace(1) %x, i64 %n
  %value = load float, ptr addrspace(1) %at
  %one = fadd float %value, 0.0
  %sum = fmul float %one, 2.0
  %dead = fmul float %sum, 3.0
  store float %sum, ptr addrspace(1) %at
  ret void
}
"""


def test_passes_for_gpus_are_told_down_to_their_instructions() -> None:
    noted = Noted()
    with compiling_for("sm_90a"):
        ptx.watch(KERNEL, [noted])
        code = ptx.ptx_of(KERNEL)
    changed = [(stage, name, text) for stage, name, function, text in noted.found if function == "twice"]
    assert noted.told == []
    assert any(stage == "optimized-llvm" and "%dead" not in text for stage, _, text in changed)
    selected = [text for stage, name, text in changed if stage == "ptx" and "Instruction Selection" in name]
    assert "Machine code for function twice" in selected[0]
    assert "FADD" in selected[0]
    assert any("Instruction Selection" in name for name in noted.seconds)
    assert "add.rn.f32" in code


def test_what_llvm_prints_is_read() -> None:
    printed = [
        "something else\n",
        "*** IR Dump After SROAPass on f ***\n",
        "\n",
        "define void @g() {\n",
        "; *** IR Dump After LICMPass on loop %l in function f ***\n",
        "define void @h() {\n",
        "*** IR Deleted After InlinerPass on (f) ***\n",
        "*** IR Dump After IPSCCPPass on [module] ***\n",
        "; text\n",
        "*** IR Dump After Greedy Register Allocator (greedy) on f.0 ***\n",
        "# Machine code for function f.0: IsSSA\n",
    ]
    assert list(passes_in(printed)) == [
        ("optimized-llvm", "SROAPass", "f", "define void @g() {\n"),
        ("optimized-llvm", "LICMPass", "f", "define void @h() {\n"),
        ("optimized-llvm", "InlinerPass", "f", ""),
        ("optimized-llvm", "IPSCCPPass", "", "; text\n"),
        ("", "Greedy Register Allocator", "f.0", "# Machine code for function f.0: IsSSA\n"),
    ]


def test_times_are_those_of_processors_and_of_all_runs() -> None:
    report = [
        "===--------===\n",
        "  Total Execution Time: 0.0235 seconds (0.1149 wall clock)\n",
        "   ---User Time---   --System Time--   --User+System--   ---Wall Time---  --- Name ---\n",
        "   0.0029 ( 14.0%)   0.0004 ( 17.6%)   0.0034 ( 14.3%)   0.0285 ( 24.8%)  Greedy Register Allocator\n",
        "   0.0010 (  4.0%)   0.0000 (  0.0%)   0.0010 (  4.3%)   0.0011 (  1.8%)  Greedy Register Allocator #2\n",
        "   0.0206 (100.0%)   0.0028 (100.0%)   0.0235 (100.0%)   0.1149 (100.0%)  Total\n",
    ]
    assert times_in(report) == {"Greedy Register Allocator": pytest.approx(0.0044)}
    only_wall = ["   ---Wall Time---  --- Name ---\n", "   0.0001 (100.0%)  SROAPass\n"]
    assert times_in(only_wall) == {"SROAPass": 0.0001}


def test_what_is_printed_is_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_passes, "MOST", 4_000)
    noted = Noted()
    watch(SUM, None, [noted])
    assert 2_000 < sum(len(text) for *_, text in noted.found) < 6_000
    assert all(text.rstrip().endswith("}") for *_, text in noted.found if text)  # nothing that is cut off
    assert noted.told == [
        "LLVM printed more than 4,000 characters: what its later passes changed is not here"
    ]


def test_a_process_that_fails_is_an_error_of_weft(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_passes, "_CHILD", "import sys; sys.exit('out of order')")
    with pytest.raises(InternalError, match="LLVM's passes could not be watched: out of order"):
        watch(SUM, None, [Noted()])


def test_without_another_process_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_passes.sys, "executable", "/no/such/python")
    with pytest.raises(WeftValueError, match=r"cannot be started: .*passes=False leaves them out"):
        watch(SUM, None, [Noted()])
