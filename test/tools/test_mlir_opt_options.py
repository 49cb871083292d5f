"""The options that mlir-opt has, too: what they do here is what people who know it expect."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.weft_opt import FUNCTION, refused, weft_opt_here
from weft.dialect.errors import PassError
from weft.dialect.register import context
from weft.tools.options import OPTIONS
from weft.tools.parsing import require_roundtrip
from weft.tools.upstream_passes import UPSTREAM
from weft.tools.weft_opt import main

TWO = """\
func.func @first(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @second() {
  return
}
"""
ON_FUNCTIONS = "--pass-pipeline=builtin.module(func.func(cse))"


def banners(text: str) -> list[str]:
    """What stands in the banners around passes."""
    return re.findall(r"// -----// IR Dump (.*) //----- //", text)


def test_passes_on_functions_are_printed_with_the_function() -> None:
    printed = weft_opt_here(ON_FUNCTIONS, "--mlir-print-ir-before-all", text=TWO).stderr
    assert banners(printed) == ["Before CSEPass: cse"] * 2
    assert printed.count("func.func @") == 2
    assert "module" not in printed


def test_module_scope_prints_the_module_and_names_the_function() -> None:
    printed = weft_opt_here(
        ON_FUNCTIONS, "--mlir-print-ir-before-all", "--mlir-print-ir-module-scope", text=TWO
    ).stderr
    assert banners(printed) == [
        f"Before CSEPass: cse ('func.func' operation: @{name})" for name in ("first", "second")
    ]
    assert printed.count("module {") == 2


def test_only_functions_that_changed_are_printed() -> None:
    printed = weft_opt_here(ON_FUNCTIONS, "--mlir-print-ir-after-change", text=TWO).stderr
    assert banners(printed) == ["After CSEPass: cse"]
    assert "@first" in printed
    assert "@second" not in printed


def test_a_tree_of_files_has_the_ir_of_each_op(tmp_path: Path) -> None:
    tree = tmp_path / "deep" / "tree"
    done = weft_opt_here(
        *(
            "--pass-pipeline=builtin.module(cse,func.func(canonicalize,cse),weft-fold)",
            f"--mlir-print-ir-tree-dir={tree}",
        ),
        "--mlir-print-ir-after-all",
        text=TWO,
    )
    assert done.stderr == ""
    written = {path.relative_to(tree).as_posix() for path in tree.rglob("*.mlir")}
    module = "builtin_module_no-symbol-name"
    assert written == {
        f"{module}/0_cse.mlir",
        f"{module}/func_func_first/1_0_canonicalize.mlir",
        f"{module}/func_func_second/1_0_canonicalize.mlir",
        f"{module}/func_func_first/1_1_cse.mlir",
        f"{module}/func_func_second/1_1_cse.mlir",
        f"{module}/2_weft-fold.mlir",
    }
    text = (tree / module / "func_func_second" / "1_0_canonicalize.mlir").read_text()
    assert text.startswith(
        "// -----// IR Dump After CanonicalizerPass: canonicalize //----- //\nfunc.func @second"
    )


def test_a_tree_where_there_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "File exists" in refused(
        "--mlir-print-ir-tree-dir=file", "--mlir-print-ir-after-all", cwd=tmp_path
    )


def test_local_scope_has_no_aliases() -> None:
    text = """
#map = affine_map<(d0) -> (d0 + 1)>
func.func @f() attributes {a = #map, b = #map} {
  return
}
"""
    assert "#map = " in weft_opt_here(text=text).stdout
    printed = weft_opt_here("--mlir-print-local-scope", text=text).stdout
    assert "#map" not in printed
    assert printed.count("affine_map<(d0) -> (d0 + 1)>") == 2


def test_names_of_locations_become_names_of_values() -> None:
    text = """
func.func @f(%x: i32 loc("argument")) -> i32 {
  %0 = arith.addi %x, %x : i32 loc("twice")
  return %0 : i32
}
"""
    assert "%argument" not in weft_opt_here(text=text).stdout
    printed = weft_opt_here("--mlir-use-nameloc-as-prefix", text=text).stdout
    assert "%twice = arith.addi %argument, %argument : i32" in printed


def test_short_locations() -> None:
    printed = weft_opt_here("--mlir-pretty-debuginfo").stdout
    assert '"weft.negative"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> -:2:8' in printed


def test_regions_and_resources_are_left_out() -> None:
    assert "weft.negative" not in weft_opt_here("--mlir-print-skip-regions").stdout
    text = '{-#\n dialect_resources: {builtin: {r: "0x0400000001000000"}}\n#-}\n'
    text = f"module attributes {{t.a = dense_resource<r> : tensor<1xi32>}} {{\n}}\n{text}"
    assert "0x04" in weft_opt_here(text=text).stdout
    assert "0x04" not in weft_opt_here("--mlir-elide-resource-strings-if-larger=4", text=text).stdout


def test_threading_is_accepted() -> None:
    assert weft_opt_here("--mlir-disable-threading").returncode == 0


def test_times_as_a_list_begin_with_the_longest() -> None:
    shown = weft_opt_here("--weft-optimize", "--mlir-timing", "--mlir-timing-display=list").stderr
    times = [float(number) for number in re.findall(r"^ +(\d\.\d+) \( *\d", shown, re.MULTILINE)]
    assert times[:-1] == sorted(times[:-1], reverse=True)
    assert len(times) > 10
    assert "--mlir-timing-display takes one of tree, list, not 'table'" in refused(
        "--mlir-timing-display=table"
    )


def test_what_is_printed_is_read_again() -> None:
    assert weft_opt_here("--verify-roundtrip").stdout == weft_opt_here().stdout
    assert weft_opt_here("--verify-roundtrip", "--no-implicit-module", text=FUNCTION).returncode == 0


@dataclass(frozen=True)
class Printed:
    """A module that is printed as a text that is not its own."""

    text: str
    name: str = "builtin.module"

    @property
    def operation(self) -> Printed:
        """Itself."""
        return self

    def get_asm(self, enable_debug_info: bool) -> str:
        """The text."""
        return self.text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "module {\n  broken\n}\n",
            "the text that was written cannot be read: custom op 'broken' is unknown",
        ),
        (
            "module {}",
            "what was printed is read as something else, first in line 1 of the text: module {} / ",
        ),
    ],
)
def test_what_is_not_read_again_is_refused(text: str, reason: str) -> None:
    with context(), pytest.raises(PassError) as caught:
        require_roundtrip(Printed(text))
    assert reason in str(caught.value)


@pytest.mark.parametrize("pipeline", ["func.func(canonicalize)", "any(canonicalize)"])
def test_the_op_of_the_input_may_be_no_module(pipeline: str) -> None:
    done = weft_opt_here(
        *("--no-implicit-module", f"--pass-pipeline={pipeline}", "--mlir-print-ir-after-all"),
        text=TWO.partition("func.func @second")[0],
    )
    assert done.returncode == 0
    assert done.stdout.startswith("func.func @first")
    assert banners(done.stderr) == ["After CanonicalizerPass: canonicalize"]


def test_a_module_stays_one() -> None:
    done = weft_opt_here("--no-implicit-module", "--weft-fold", text="module @m {\n}\n")
    assert done.stdout == "module @m {\n}\n"


def test_wrong_uses_of_no_implicit_module() -> None:
    assert "-:0:0: error: source must contain a single top-level operation" in refused(
        "--no-implicit-module", text=TWO
    ).replace("-: error", "-:0:0: error")
    said = refused("--no-implicit-module", "--weft-fold")
    assert "weft-fold runs on builtin.module, and the input is a func.func" in said
    said = refused("--no-implicit-module", "--pass-pipeline=scf.for(cse)")
    assert "the pipeline is for scf.for, and the input is a func.func" in said


IRDL = """\
irdl.dialect @own {
  irdl.operation @twice {
    %0 = irdl.is i32
    irdl.operands(x: %0)
    irdl.results(y: %0)
  }
}
"""


def test_dialects_of_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each run in a process of its own: what is defined stays."""
    (tmp_path / "own.irdl.mlir").write_text(IRDL)
    source = tmp_path / "program.mlir"
    option = f"--irdl-file={tmp_path / 'own.irdl.mlir'}"
    source.write_text('func.func @f(%x: i32) {\n  %0 = "own.twice"(%x) : (i32) -> i32\n  return\n}\n')
    assert main([str(source)]) == 1
    assert "unregistered dialect" in capfd.readouterr().err
    assert main([str(source), option]) == 0
    assert '"own.twice"' in capfd.readouterr().out
    source.write_text('func.func @f(%x: i64) {\n  %0 = "own.twice"(%x) : (i64) -> i64\n  return\n}\n')
    assert main([str(source), option]) == 1
    assert f"{source}:2:8: error: expected 'i32' but got 'i64'" in capfd.readouterr().err
    source.write_text("func.func @f(%x: i32) {\n  %0 = own.twice %x : i32\n  return\n}\n")
    assert main([str(source), option]) == 1
    complaint = capfd.readouterr().err
    assert f'{source}:2:8: error: ops of own have the generic form only: write "own.twice"' in complaint


WRONG_IRDL = {
    "irdl.dialect @own {\n  irdl.operation @a {\n    irdl.results(y: %0)\n  }\n}\n": ":3:21: error: use of undeclared",
    "func.func @f() {\n  return\n}\n": "error: there is no irdl.dialect in it",
    "irdl.dialect @arith {\n}\n": "error: there is a dialect arith already",
}


@pytest.mark.parametrize("text", WRONG_IRDL)
def test_wrong_files_of_dialects(text: str, tmp_path: Path) -> None:
    (tmp_path / "own.mlir").write_text(text)
    said = refused("--irdl-file=own.mlir", cwd=tmp_path)
    assert said.startswith("own.mlir")
    assert WRONG_IRDL[text] in said


def test_a_file_of_dialects_that_there_is_not() -> None:
    assert "cannot open nothing.mlir" in refused("--irdl-file=nothing.mlir")


def test_versions_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(
        r"weft \S+ \(MLIR and LLVM of torch-mlir \d+, llvmlite \d[\d.]+\)\n", capsys.readouterr().out
    )


def test_split_markers() -> None:
    text = "func.func private @a()\n//SPLIT\nfunc.func private @b()\n"
    done = weft_opt_here("--split-input-file=//SPLIT", "--output-split-marker=//then", text=text)
    assert done.stdout == "".join(
        ["module {\n  func.func private @a()\n}\n", "//then\n", "module {\n  func.func private @b()\n}\n"]
    )
    wrong = "func.func private @a()\n//SPLIT\n\nfunc.func private @b() {}\n"
    assert "-:4:24: error" in refused_but_shown("--split-input-file=//SPLIT", text=wrong)


def test_lines_that_are_nearly_markers_are_told() -> None:
    text = "func.func private @a()\n  // ----\nfunc.func private @b()\n// -------\n//\n// -----\n// --- see\n"
    done = weft_opt_here("--split-input-file", text=text)
    assert done.returncode == 0
    assert re.findall(r"-:(\d):(\d): warning: near miss of the marker // -----", done.stderr) == [
        ("2", "3"),
        ("4", "1"),
    ]
    assert weft_opt_here(text=text).stderr == ""


def refused_but_shown(*arguments: str, text: str) -> str:
    """The complaints of a run that printed the parts without errors."""
    done = weft_opt_here(*arguments, text=text)
    assert done.returncode == 1
    return str(done.stderr)


def test_only_what_is_expected() -> None:
    text = 'func.func @f() {\n  "a.b"() : () -> () // expected-error {{unregistered}}\n  return\n}\n'
    without = text.replace("// expected-error {{unregistered}}", "")
    assert weft_opt_here("--verify-diagnostics", text=text).returncode == 0
    assert "unexpected error" in refused("--verify-diagnostics", text=without)
    assert weft_opt_here("--verify-diagnostics=only-expected", text=without).returncode == 0
    wrong = text.replace("unregistered", "nonsense")
    assert "was not produced" in refused("--verify-diagnostics=only-expected", text=wrong)


def test_a_reproducer_without_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "reproducer.mlir"
    assert weft_opt_here("--cse", f"--mlir-generate-reproducer={file}").returncode == 0
    assert 'pipeline: "builtin.module(cse)"' in file.read_text()


def test_flags_of_passes_on_functions_are_nested_in_them() -> None:
    done = weft_opt_here("--promote-buffers-to-stack", "--dump-pass-pipeline")
    assert done.stderr == "builtin.module(func.func(promote-buffers-to-stack))\n"
    assert "did you intend to nest?" in refused("--pass-pipeline=builtin.module(promote-buffers-to-stack)")


def test_upstream_names_are_passes_and_are_suggested() -> None:
    assert "did you mean --canonicalize?" in refused("--canonicalise")
    assert "did you mean one-shot-bufferize?" in refused("--pass-pipeline=builtin.module(one-shot-bufferise)")
    assert "did you mean --mlir-print-ir-after-all?" in refused("--mlir-print-ir-afterall")
    unknown = [name for name in UPSTREAM[::16] if "no pass" in weft_opt_here(f"--{name}", text="").stderr]
    assert unknown == []
    assert set(UPSTREAM).isdisjoint(OPTIONS)
