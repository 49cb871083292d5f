"""Passes and pipelines, and what the compiler makes, on files of IR of the tests: IR or a diagnostic."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.ir_corpus import corpus, failures_of, flags
from support.ir_mutants import run_batch
from weft.tools.weft_opt import main

pytestmark = pytest.mark.forks

FILES = corpus()
RUN_BY_OTHERS = {"--weft-to-llvm": "--emit=llvm", "--weft-control-flow": "--optimize-control-flow"}
"""Pipelines that others run as they are; they are longer than most."""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_passes_on_files(part: int) -> None:
    """Each pass on every 50th file, and on each file every 50th pass; `make soak` runs all on all."""
    tried = [flag for flag in flags() if flag not in RUN_BY_OTHERS]
    wrong = [
        f"{path.name}: {line}"
        for number, path in enumerate(FILES[part::4])
        for line in failures_of(path, tried[(4 * number + part) % 50 :: 50])
    ]
    assert not wrong


def test_there_are_many_files_and_passes() -> None:
    assert len(FILES) > 90
    assert len(flags()) > 50
    assert {*RUN_BY_OTHERS, *RUN_BY_OTHERS.values()} <= set(flags())


def test_what_goes_wrong_is_found(tmp_path: Path) -> None:
    source = tmp_path / "wrong.mlir"
    source.write_text("func.func @f() {\n  return\n}\n")
    assert list(failures_of(source, ["--no-such-pass"])) == []  # a diagnostic


def test_attributes_that_the_bindings_do_not_know(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "f.mlir"
    operation = '"weft.sum"(%x) {axes = array<ui8: 0>, keepdims = false} : (tensor<2xf32>) -> tensor<f32>'
    source.write_text(f"func.func @f(%x: tensor<2xf32>) {{\n  %0 = {operation}\n  return\n}}\n")
    assert main([str(source)]) == 1
    assert "op has an attribute of a kind that it does not take" in capfd.readouterr().err


DIAGNOSTICS = {
    "--guard-kernels": (
        "func.func private @kernel_0(%x: memref<2xf32>) {\n  return\n}\n",
        "where this kernel runs is not decided: run --place-kernels before --guard-kernels",
    ),
    "--join-loops": (
        "func.func private @kernel_0(%x: memref<2xf32>) {\n  return\n}\n",
        "where this kernel runs is not decided: run --place-kernels before --join-loops",
    ),
    "--join-number-kernels": (
        "func.func private @kernel_0(%x: memref<2xf32>) {\n  return\n}\n",
        "where this kernel runs is not decided: run --place-kernels before --join-number-kernels",
    ),
    "--outline-kernels": (
        "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = "weft.negative"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n',
        "this pass does not take weft.negative: run --convert-weft-to-linalg before it",
    ),
    "--plan-buffers": (
        "func.func @f(%x: index) -> index {\n  return %x : index\n}\n",
        "argument 0 of @f is index: memory is planned for functions on tensors and memrefs only",
    ),
    "--schedule-device-kernels": (
        "func.func private @kernel_0(%x: memref<2xf32>) {\n  return\n}\n",
        "is no device: give --target=sm_90, say",
    ),
    "--schedule-kernels": (
        "func.func private @kernel_0(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} '
        "outs(%x : tensor<2xf32>) {\n  ^bb0(%a: f32):\n    linalg.yield %a : f32\n  } -> tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}\n",
        "a loop nest is made of an op on memrefs",
    ),
    "--write-loop-calls": (
        "func.func @f(%x: tensor<2x2xf64>, %y: tensor<f64>) -> tensor<f64> {\n"
        '  %0:2 = "weft.call_loop"(%x, %y) {function = "numpy.linalg._umath_linalg.det", loop = "d->d", '
        "updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, "
        "resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} "
        ": (tensor<2x2xf64>, tensor<f64>) -> (tensor<f64>, tensor<i64>)\n"
        "  return %0#0 : tensor<f64>\n}\n",
        "the result of a loop is stored to memory: run --plan-buffers before --write-loop-calls",
    ),
    "--write-sorts": (
        "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = "weft.sort"(%x) {axis = 0 : i64, descending = false} : (tensor<2xf32>) -> tensor<2xf32>\n'
        "  return %0 : tensor<2xf32>\n}\n",
        "a sort is stored to memory once: run --plan-buffers before --write-sorts",
    ),
}


FOREIGN = {
    "there is no axis 2 in tensor<?xf32>": (
        "func.func @f(%x: tensor<?xf32>) -> index {\n  %c = arith.constant 2 : index\n"
        "  %0 = tensor.dim %x, %c : tensor<?xf32>\n  return %0 : index\n}\n"
    ),
    "weft.inline is not of the form in which passes note it": "func.func private @f() attributes {weft.inline}",
    "weft.packed_arguments is not of the form in which passes note it": (
        "func.func private @f() attributes {weft.packed_arguments = [array<i64: 1>]}"
    ),
    "weft.plan is not of the form in which passes note it": (
        "module attributes {weft.sites = []} {\n  llvm.func @f() attributes {weft.plan = {blocks = true}}\n}"
    ),
    "weft.sites is not of the form in which passes note it": 'module attributes {weft.sites = [["a", 1]]} {}',
    "a function with weft.plan needs a module with weft.sites": (
        "llvm.func @f() attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [], "
        "on_heap = [], on_host = [], polls = false, results = [], sizes, workspace = 0 : i64, "
        "written = []}} {\n  llvm.return\n}\n"
    ),
    "a name or string is not UTF-8: \\E9t": '"a.\\E9t"() : () -> ()',
    "a name or string is not UTF-8: \\C3\\A9\\e9": 'module attributes {a = {"\\C3\\A9\\e9"}} {}',
}


@pytest.mark.parametrize("message", FOREIGN)
def test_what_the_verifier_takes_and_no_pass_does(
    message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "given.mlir"
    source.write_text(FOREIGN[message])
    assert main([str(source), "--allow-unregistered-dialect"]) == 1
    shown = capfd.readouterr().err
    assert f"error: {message}" in shown
    assert "internal error" not in shown


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


def test_damaged_ir_ends_in_ir_or_a_diagnostic(tmp_path: Path) -> None:
    assert list(run_batch(range(40), tmp_path)) == []


class TestBytecode:
    def test_it_is_written_and_read(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        text = tmp_path / "f.mlir"
        text.write_text(DIAGNOSTICS["--outline-kernels"][0])
        assert main([str(text), "--emit-bytecode", "-o", str(tmp_path / "f.mlirbc")]) == 0
        assert (tmp_path / "f.mlirbc").read_bytes().startswith(b"ML\xefR")
        assert main([str(tmp_path / "f.mlirbc"), "--split-input-file"]) == 0
        read = capfd.readouterr().out
        assert main([str(text)]) == 0
        assert read == capfd.readouterr().out

    def test_producers_have_readable_names(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        source = tmp_path / "f.mlirbc"
        source.write_bytes(b"ML\xefR\rMLI\xad24\0\1")
        assert main([str(source)]) == 1
        assert "is damaged bytecode: the name of its producer is not UTF-8" in capfd.readouterr().err

    def test_what_is_no_bytecode_is_told(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        source = tmp_path / "f.mlirbc"
        source.write_bytes(b"ML\xefR\rMLI")
        assert main([str(source)]) == 1
        assert "f.mlirbc: error: " in capfd.readouterr().err

    @pytest.mark.parametrize("text", ['func.func private @f() loc("a place")', '"a place"() : () -> ()'])
    def test_texts_in_it_that_are_none(
        self, text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        source = tmp_path / "f.mlir"
        source.write_text(text)
        compiled = tmp_path / "f.mlirbc"
        options = ["--allow-unregistered-dialect", "--mlir-print-debuginfo"]
        assert main([str(source), *options, "--emit-bytecode", "-o", str(compiled)]) == 0
        assert b"a place" in compiled.read_bytes()
        compiled.write_bytes(compiled.read_bytes().replace(b"a place", b"\xa6 place"))
        status = main([str(compiled), *options])
        shown = capfd.readouterr().err
        assert status == 1
        assert "error: a name or string is not UTF-8: \\A6 place" in shown

    def test_one_module_is_written(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        source = tmp_path / "f.mlir"
        source.write_text("module {}\n// -----\nmodule {}\n")
        assert main([str(source), "--split-input-file", "--emit-bytecode"]) == 1
        assert "--emit-bytecode writes one module, and the input has several parts" in capfd.readouterr().err
        assert main([str(source), "--emit=llvm", "--emit-bytecode"]) == 1
        assert "--emit-bytecode and --emit=llvm exclude each other" in capfd.readouterr().err
