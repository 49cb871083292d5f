"""`weft-opt --bisect` names the pass and the rewrite after which a script fails."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from support.package import ROOT
from support.scripts import script
from support.weft_opt import refused, weft_opt_here
from weft.tools.bisect import first_failing

PROGRAM = """\
func.func @main(%x: tensor<3xi32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %0 = "weft.invert"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  %1 = "weft.invert"(%0) : (tensor<3xi32>) -> tensor<3xi32>
  %2 = "weft.negative"(%y) : (tensor<3xi32>) -> tensor<3xi32>
  %3 = "weft.negative"(%2) : (tensor<3xi32>) -> tensor<3xi32>
  return %1, %3 : tensor<3xi32>, tensor<3xi32>
}
"""
CONSTANTS = """\
func.func @f(%x: i32, %y: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %0 = arith.addi %x, %c1 : i32
  %1 = arith.addi %0, %c1 : i32
  %2 = arith.subi %y, %c1 : i32
  %3 = arith.subi %2, %c1 : i32
  return %1, %3 : i32, i32
}
"""


@pytest.mark.parametrize("wanted", [1, 2, 7, 8, 100])
def test_the_first_of_many_is_found(wanted: int) -> None:
    tried: list[int] = []

    def fails(number: int) -> bool:
        tried.append(number)
        return number >= wanted

    assert first_failing(100, fails) == wanted
    assert len(tried) <= 7


def test_the_pass_and_its_rewrite_are_named(tmp_path: Path) -> None:
    command = script(tmp_path, '"weft.negative" not in text')
    done = weft_opt_here(
        "--cse", "--weft-fold", "--weft-simplify", "--symbol-dce", f"--bisect={command}", text=PROGRAM
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout in (ROOT / "docs" / "weft_opt.md").read_text()
    lines = done.stdout.splitlines()
    assert lines[0] == "the pass is 3 of 4: weft-simplify"
    assert lines[1] == "the rewrite is 2 of 2 that it counts: undo_twice"
    removed = [line[1:].strip() for line in lines[4:] if line.startswith("-")]
    assert [line.split(" = ")[-1].split("(")[0] for line in removed] == [
        '"weft.negative"',
        '"weft.negative"',
        "return %arg0, %1 : tensor<3xi32>, tensor<3xi32>",
    ]


def test_rewrites_of_upstreams_canonicalizer(tmp_path: Path) -> None:
    command = script(tmp_path, 'text.count("arith.subi") < 2')
    done = weft_opt_here("--cse", "--canonicalize", f"--bisect={command}", text=CONSTANTS)
    lines = done.stdout.splitlines()
    assert lines[0] == "the pass is 2 of 2: canonicalize"
    named = "of 3 that it counts: a pattern of MLIR, SubIRHSSubConstantRHS"
    assert lines[1] in [f"the rewrite is {n} {named}" for n in (1, 2)]
    assert sum(line.startswith("-    %") and "arith.subi" in line for line in lines) == 2
    assert not any("arith.addi" in line and line[0] in "+-" for line in lines)


def test_patterns_that_are_left_out_already_are_not_named(tmp_path: Path) -> None:
    command = script(tmp_path, 'text.count("arith.subi") < 2')
    kept = "--canonicalize=disable-patterns={SomethingElse}"
    lines = weft_opt_here(kept, f"--bisect={command}", text=CONSTANTS).stdout.splitlines()
    assert lines[1].endswith(" of 3 that it counts: a pattern of MLIR")


def test_programs_in_the_middle_of_a_pass_are_not_told_of(tmp_path: Path) -> None:
    text = "func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {\n"
    text += '  %z = "weft.negative"(%x) : (tensor<?xf64>) -> tensor<?xf64>\n'
    text += '  %y = "weft.sqrt"(%z) : (tensor<?xf64>) -> tensor<?xf64>\n  return %y : tensor<?xf64>\n}\n'
    command = script(tmp_path, '"weft.sqrt" not in text')
    done = weft_opt_here("--weft-to-linalg", f"--bisect={command}", text=text)
    assert done.stdout.splitlines()[1] == "its rewrites cannot be done one by one; all it did:"
    assert done.stderr == ""


def test_a_pass_without_counts_shows_all_that_it_did(tmp_path: Path) -> None:
    text = PROGRAM.replace("weft.negative", "weft.invert").replace("(%y)", "(%x)")
    command = script(tmp_path, 'text.count("weft.invert") < 4')
    arguments = ("--weft-fold", "--cse", f"--bisect={command}", "--mlir-print-local-scope")
    done = weft_opt_here(*arguments, "--mlir-print-debuginfo", text=text)
    lines = done.stdout.splitlines()
    assert lines[:2] == ["the pass is 2 of 2: cse", "its rewrites cannot be done one by one; all it did:"]
    assert any("loc(" in line for line in lines[2:])
    assert sum(line.startswith("-    %") for line in lines) == 2


def test_the_ir_before_the_pass_is_written(tmp_path: Path) -> None:
    command = script(tmp_path, '"weft.negative" not in text')
    result = tmp_path / "before.mlir"
    weft_opt_here("--cse", "--weft-simplify", f"--bisect={command}", "-o", str(result), text=PROGRAM)
    assert weft_opt_here("--weft-simplify", text=result.read_text()).stdout.count("weft.") == 0


WRONG: Mapping[tuple[str, ...], tuple[str, str]] = {
    ("--cse",): ("True", "fails on the input already, before any pass (status 1)"),
    ("--weft-fold",): ("False", "does not fail after all 1 passes, so there is none to find"),
    (): ("False", "--bisect needs passes: flags or --pass-pipeline"),
    ("--one-shot-bufferize",): ("False", ":2:8: error: op was not bufferized"),
    ("--cse", "--weft-flod"): ("False", "did you mean --weft-fold?"),
}


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_where_there_is_nothing_to_find(arguments: tuple[str, ...], tmp_path: Path) -> None:
    condition, reason = WRONG[arguments]
    assert reason in refused(*arguments, f"--bisect={script(tmp_path, condition)}", text=PROGRAM)


def test_a_script_that_is_none() -> None:
    assert "weft-opt: error: cannot run ./nothing: " in refused("--cse", "--bisect=./nothing", text=PROGRAM)
