"""`weft-reduce` keeps IR valid, and keeps the fault, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from support.scripts import script
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.tools.reduce import Reduction, main
from weft.tools.scripts import Script, Verdict
from weft.tools.shrinking import EDITS

pytestmark = pytest.mark.forks

PROGRAM = """\
func.func private @unused(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @helper(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = arith.addi %x, %c1 : i32
  return %0 : i32
}
func.func @main(%x: tensor<3xf32>, %n: index, %c: i1, %i: i32) -> (tensor<3xf32>, i32) attributes {t.note = "x"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = "weft.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %h = func.call @helper(%i) : (i32) -> i32
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<3xf32>) {
    %s = scf.if %c -> (tensor<3xf32>) {
      %t = "weft.tanh"(%a) : (tensor<3xf32>) -> tensor<3xf32>
      %u = "weft.add"(%t, %k) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      scf.yield %u : tensor<3xf32>
    } else {
      %t = "weft.negative"(%a) : (tensor<3xf32>) -> tensor<3xf32>
      scf.yield %t : tensor<3xf32>
    }
    scf.yield %s : tensor<3xf32>
  }
  return %r, %h : tensor<3xf32>, i32
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return path


def reduced(program: Path, condition: str, *arguments: str) -> str:
    """What the command leaves of a program while a condition on its text holds; it is valid."""
    result = program.with_name("result.mlir")
    status = main(
        [str(program), f"--test={script(program.parent, condition)}", "-o", str(result), *arguments]
    )
    assert status == 0
    with context():
        assert ir.Module.parse(result.read_text()).operation.verify()
    return result.read_text()


@dataclass(frozen=True)
class Judge:
    """A script without a process of its own, for tests that are not about scripts."""

    fails: Callable[[str], bool]
    printed: Callable[[str], str] = str
    command: str = "a function"

    def judge(self, text: str) -> Verdict:
        """Whether the condition holds."""
        return Verdict(int(self.fails(text)), self.printed(text))


def left_of(text: str, fails: Callable[[str], bool]) -> str:
    """What is left of a text while a condition holds; it is valid."""
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        found = Reduction(cast("Script", Judge(fails))).reduced(str(module), "")
        assert ir.Module.parse(found).operation.verify()
    return found


def test_an_op_is_left_alone(program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert reduced(program, '"weft.tanh" in text').splitlines() == [
        "module {",
        "  func.func @main(%arg0: tensor<1xf32>) {",
        '    %0 = "weft.tanh"(%arg0) : (tensor<1xf32>) -> tensor<1xf32>',
        "    return",
        "  }",
        "}",
    ]
    told = capfd.readouterr().err
    assert told.startswith("weft-reduce: 20 ops became 3 in ")
    assert "regions inlined" in told


def test_a_loop_is_kept_where_it_is_the_fault() -> None:
    pattern = re.compile(r"scf.for.*weft.negative.*scf.yield", re.DOTALL)
    left = left_of(PROGRAM, lambda text: pattern.search(text) is not None)
    assert left.count("\n") == 9
    assert "scf.if" not in left
    assert "tanh" not in left


def test_branches_between_blocks_are_decided() -> None:
    text = """\
func.func @f(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^a(%x : i32), ^b
^a(%y: i32):
  %0 = arith.addi %y, %x : i32
  cf.br ^c(%0 : i32)
^b:
  %1 = arith.muli %x, %x : i32
  cf.br ^c(%1 : i32)
^c(%z: i32):
  return %z : i32
}
"""
    left = left_of(text, lambda text: "arith.muli" in text)
    assert "cf." not in left
    assert left.count("\n") == 6


def test_what_belongs_together_stays() -> None:
    left = left_of(PROGRAM, lambda text: "call @helper" in text and "t.note" in text)
    assert "func.func private @helper(i32) -> i32" in left
    assert 'attributes {t.note = "x"}' in left
    assert left.count("\n") <= 8


def test_constants_become_simple() -> None:
    constant = '"weft.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>'
    text = f"func.func @f() -> tensor<3xf32> {{\n  %0 = {constant}\n  return %0 : tensor<3xf32>\n}}\n"
    assert "dense<1.000000e+00> : tensor<1xf32>" in left_of(text, lambda text: "weft.constant" in text)


def test_trials_are_limited(program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    reduced(program, '"weft.tanh" in text', "--trials=3")
    assert "stopped after 3 trials" in capfd.readouterr().err


def test_another_message_is_another_fault(program: Path) -> None:
    """Without the op there is a failure, too, but not the one that was meant."""
    condition = 'print("tanh" if "weft.tanh" in text else "none") or True'
    assert "weft.tanh" in reduced(program, condition, "--message=tanh", "--quiet", "--trials=8")
    assert left_of(PROGRAM, lambda _: True) == "module {\n}\n"


def test_a_script_that_takes_too_long_is_a_fault(program: Path) -> None:
    condition = '"weft.tanh" in text and time.sleep(30)'
    left = reduced(program, condition, "--timeout=0.3", "--quiet", "--trials=4")
    assert "weft.tanh" in left
    assert left.count("\n") < PROGRAM.count("\n")


WRONG_USES = {
    "False": "passes on the input; it is to end with a status other than 0 where the IR has the fault",
    "sys.exit(127)": "ended with 127, which says that a command was not found or cannot be run",
}


@pytest.mark.parametrize("condition", WRONG_USES)
def test_scripts_that_do_not_fit(program: Path, condition: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(program), f"--test={script(program.parent, condition)}"]) == 1
    captured = capsys.readouterr()
    assert WRONG_USES[condition] in captured.err
    assert captured.out == ""


WRONG_ARGUMENTS: list[tuple[list[str], str]] = [
    (["--test=./nothing"], "cannot run ./nothing: No such file or directory; it is to be a program"),
    (["--test="], "the command of the script is empty"),
    (["--test='"], "cannot read the command"),
    (["--message=nonsense"], "fails on the input (status 1), but does not print 'nonsense'"),
    (["--load-pass-plugin=nothing"], "there is no module nothing"),
]


@pytest.mark.parametrize(("arguments", "reason"), WRONG_ARGUMENTS)
def test_wrong_arguments(
    program: Path, arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(program), f"--test={script(program.parent, 'True')}", *arguments]) == 1
    assert reason in capsys.readouterr().err


def test_what_is_no_ir_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.mlir").write_text("func.func @f() {\n  nothing\n}\n")
    assert main([str(tmp_path / "broken.mlir"), "--test=true"]) == 1
    assert "broken.mlir:2:3: error: custom op 'nothing' is unknown" in capsys.readouterr().err


def test_a_real_fault_from_the_command_line(tmp_path: Path) -> None:
    """The script is what one would write: a run of weft-opt, whose status says it."""
    source = tmp_path / "input.mlir"
    source.write_text("""\
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "weft.add"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "weft.tanh"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
""")
    test = f"{sys.executable} -m weft.tools.weft_opt --convert-weft-to-linalg --plan-buffers"
    command = [
        sys.executable,
        "-m",
        "weft.tools.reduce",
        str(source),
        f"--test={test}",
        "--message=left outside",
        "--trials=6",
    ]
    done: Any = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert 1 <= done.stdout.count("weft.") < 2


@pytest.mark.parametrize("name", EDITS)
def test_edits_change_nothing_where_nothing_is_wanted(name: str) -> None:
    with context():
        module = ir.Module.parse(PROGRAM)
        before = str(module)
        EDITS[name](module, frozenset())
        assert str(module) == before


def test_types_become_smaller_together() -> None:
    text = """\
func.func @main(%x: tensor<4x30xbf16>, %y: tensor<?x30xbf16>) -> (tensor<4x30xbf16>, tensor<?x30xbf16>) {
  %0 = "weft.tanh"(%x) : (tensor<4x30xbf16>) -> tensor<4x30xbf16>
  %1 = "weft.exp"(%y) : (tensor<?x30xbf16>) -> tensor<?x30xbf16>
  return %0, %1 : tensor<4x30xbf16>, tensor<?x30xbf16>
}
"""
    found = left_of(text, lambda text: "weft.tanh" in text and "weft.exp" in text)
    assert "tensor<1x1xf32>" in found
    assert "tensor<?x1xf32>" in found
    assert "bf16" not in found
    assert "30" not in left_of(text, lambda text: "4x" in text)


def test_extents_that_the_fault_needs_stay_and_bounds_of_loops_follow() -> None:
    text = """\
func.func @main(%m: memref<16xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 16 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %m[%i] : memref<16xf32>
  }
  return
}
"""
    found = left_of(
        text,
        lambda text: (
            "memref.store" in text and "scf.for" in text and ("constant 2 :" in text) == ("<2x" in text)
        ),
    )
    assert "memref<1xf32>" in found
    assert "16" not in found
    assert "memref<16xf32>" in left_of(text, lambda text: "<16x" in text and "memref.store" in text)
