"""Every pass and pipeline, and what the compiler makes, on every file of IR of the tests: IR or a diagnostic."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.ir_corpus import corpus, failures_of, flags
from weft.tools.weft_opt import main

FILES = corpus()


@pytest.mark.parametrize("part", range(8))
def test_every_pass_on_every_file(part: int) -> None:
    tried = flags()
    wrong = [f"{path.name}: {line}" for path in FILES[part::8] for line in failures_of(path, tried)]
    assert not wrong


def test_there_are_many_files_and_passes() -> None:
    assert len(FILES) > 90
    assert len(flags()) > 50


def test_what_goes_wrong_is_found(tmp_path: Path) -> None:
    source = tmp_path / "wrong.mlir"
    source.write_text("func.func @f() {\n  return\n}\n")
    assert list(failures_of(source, ["--no-such-pass"])) == []  # a diagnostic


DIAGNOSTICS = {
    "--outline-kernels": (
        "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = "weft.negative"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n',
        "this pass does not take weft.negative: run --convert-weft-to-linalg before it",
    ),
    "--plan-buffers": (
        "func.func @f(%x: index) -> index {\n  return %x : index\n}\n",
        "argument 0 of @f is index: memory is planned for functions on tensors and memrefs only",
    ),
    "--schedule-kernels": (
        "func.func private @kernel_0(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} '
        "outs(%x : tensor<2xf32>) {\n  ^bb0(%a: f32):\n    linalg.yield %a : f32\n  } -> tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}\n",
        "a loop nest is made of an op on memrefs",
    ),
    "--write-sorts": (
        "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = "weft.sort"(%x) {axis = 0 : i64, descending = false} : (tensor<2xf32>) -> tensor<2xf32>\n'
        "  return %0 : tensor<2xf32>\n}\n",
        "a sort reads and writes memory: run --plan-buffers before --write-sorts",
    ),
}


@pytest.mark.parametrize("flag", DIAGNOSTICS)
def test_what_a_pass_does_not_take(flag: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text, message = DIAGNOSTICS[flag]
    source = tmp_path / "given.mlir"
    source.write_text(text)
    assert main([str(source), flag]) == 1
    shown = capfd.readouterr().err
    assert message in shown
    assert "given.mlir:" in shown
    assert "internal error" not in shown
