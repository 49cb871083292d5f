"""The page of a function: what is in it, how large it is, and what it says when it cannot be written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.pages import data_in, line_of, lines_for, stage
from weft.backend.cpu.machine.throughput import find_llvm_mca
from weft.backend.gpu.machine.assembler import can_disassemble, find_assembler
from weft.dialect.errors import WeftTypeError, WeftValueError
from weft.frontend.pages import page
from weft.frontend.pages.excerpts import excerpts
from weft.frontend.pages.packing import packed
from weft.frontend.pages.pass_text import passes_text

from . import programs

HERE = programs.__file__
SOFTMAX = weft.TensorSpec((None, None), "float32")


def written(path: Path, function: Any, *specs: Any, **options: Any) -> dict[str, Any]:
    """The data of the page of a function."""
    size = function.get_concrete_function(*specs).save_html(path, **options)
    assert size == path.stat().st_size
    return data_in(path)


@pytest.fixture(scope="module")
def softmax(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return written(tmp_path_factory.mktemp("pages") / "softmax.html", programs.softmax, SOFTMAX)


@pytest.fixture(scope="module")
def shrink(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    specs = weft.TensorSpec((None,), "float64"), weft.TensorSpec((), "float64")
    return written(tmp_path_factory.mktemp("pages") / "shrink.html", programs.shrink, *specs)


def test_each_line_marks_the_ops_that_it_became(softmax: dict[str, Any]) -> None:
    exponential, quotient = line_of("e = np.exp", HERE), line_of("return e / e.sum", HERE)
    ops = {
        line: {
            match[1]
            for text in lines_for(softmax, stage(softmax, "weft"), line)
            if (match := OP.search(text))
        }
        for line in (exponential, quotient)
    }
    assert ops[exponential] >= {"weft.max", "weft.subtract", "weft.exp", "weft.raise_if"}
    assert ops[quotient] >= {"weft.sum", "weft.divide"}
    assert not ops[exponential] & {"weft.sum", "weft.divide"}


OP = re.compile(r"\b(weft\.\w+)")


def test_costs_of_unknown_sizes_are_formulas(softmax: dict[str, Any]) -> None:
    calls, flops, *_ = softmax["cost"]["total"]
    assert calls == len(softmax["cost"]["kernels"])
    assert flops == "4*x.shape[0]*x.shape[1]"


def test_all_stages_have_lines_of_the_program(softmax: dict[str, Any]) -> None:
    names = [one["name"] for one in softmax["stages"]]
    assert names == [
        "weft",
        "optimized",
        "linalg",
        "kernels",
        "buffers",
        "loops",
        "llvm-dialect",
        "optimized-llvm",
    ]
    for one in softmax["stages"]:
        assert lines_for(softmax, one, line_of("e = np.exp", HERE)), one["name"]
        assert not [line for line in one["text"].split("\n") if " loc(" in line and "weft.sites" not in line]
        assert "@weft:" not in one["text"]
        assert "!dbg" not in one["text"]


def test_ops_with_regions_are_marked_where_they_open_and_close(softmax: dict[str, Any]) -> None:
    lines = lines_for(softmax, stage(softmax, "linalg"), line_of("return e / e.sum", HERE))
    opened = [line for line in lines if "linalg.generic" in line]
    assert opened
    assert len(opened) == len([line for line in lines if line.strip().startswith("} ->")])


def test_arguments_bear_their_names(softmax: dict[str, Any]) -> None:
    text = stage(softmax, "weft")["text"]
    assert "func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {" in text
    assert '"weft.' not in text  # ops look as others do


def test_code_of_helpers_is_marked_at_the_helper_and_at_the_call(shrink: dict[str, Any]) -> None:
    inner, call = line_of("return np.sqrt", HERE), line_of("while norm(x)", HERE)
    root = [text for text in stage(shrink, "weft")["text"].split("\n") if "weft.sqrt" in text]
    assert root[0] in lines_for(shrink, stage(shrink, "weft"), inner)
    assert root[0] in lines_for(shrink, stage(shrink, "weft"), call)
    shown = dict(shrink["files"][0]["parts"])
    assert any("def norm(x: Any) -> Any:" in lines for lines in shown.values())


def test_loops_and_branches_are_marked(shrink: dict[str, Any]) -> None:
    traced = stage(shrink, "weft")
    assert any("scf.while" in line for line in lines_for(shrink, traced, line_of("while norm(x)", HERE)))
    assert any("scf.if" in line for line in lines_for(shrink, traced, line_of("if steps > 10", HERE)))


def test_results_do_not_belong_to_whoever_asks_for_the_page(shrink: dict[str, Any]) -> None:
    assert [Path(file["path"]).name for file in shrink["files"]] == ["programs.py"]


def test_machine_code_is_told_function_by_function(softmax: dict[str, Any]) -> None:
    (assembly,) = softmax["machine"]
    kernels = [function for function in assembly["functions"] if function["name"].startswith("kernel_")]
    assert kernels
    assert kernels[0]["instructions"] > 10
    assert lines_for(softmax, kernels[0], line_of("e = np.exp", HERE))
    assert [line for line in kernels[0]["text"].split("\n") if line.strip().startswith(".cfi")] == []


@pytest.mark.optimised
def test_loops_of_machine_code_are_told(tmp_path: Path) -> None:
    function = weft.function(lambda x, y: x + y, name="added", target="x86-64-v3")
    spec = weft.TensorSpec((4096,), "float32")
    other = weft.TensorSpec((4096,), "float32")
    data = written(tmp_path / "page.html", function, spec, other, passes=False)
    kernel = next(f for f in data["machine"][0]["functions"] if f["loops"])
    assert kernel["bits"] == 256
    assert kernel["spills"] == 0
    _, first, instructions, read, stored, bits, model = kernel["loops"][0]
    if find_llvm_mca() is None:
        assert model is None
        assert "install LLVM's tools" in data["machine"][0]["missing"][0]
    else:
        assert 0 < model[0] < instructions
        assert "cycles by llvm-mca" in data["machine"][0]["missing"][0]
    assert kernel["text"].split("\n")[first] == f"{kernel['loops'][0][0]}:"
    assert bits == 256
    assert read == 2 * stored
    assert stored % 32 == 0
    assert instructions >= 4


def test_passes_that_changed_something_are_shown_with_what_changed(softmax: dict[str, Any]) -> None:
    passes = softmax["passes"]
    assert len(passes) > 10
    fusing = next(one for one in passes if one["name"] == "weft-fuse-elementwise")
    assert fusing["stage"] == "linalg"
    assert fusing["added"] + fusing["removed"] > 0
    assert "2 producers fused" in fusing["counts"]
    for one in passes:
        assert one["added"] + one["removed"] > 0, one["name"]
        for hunk in one["hunks"]:
            assert len(hunk["kinds"]) == len(hunk["links"]) == len(hunk["text"].split("\n"))
    assert any(lines_for(softmax, hunk, line_of("e = np.exp", HERE)) for hunk in fusing["hunks"])


def test_sentences_stand_at_their_lines(softmax: dict[str, Any]) -> None:
    told = {tuple(softmax["places"][note["place"]]) for note in softmax["notes"] if note["place"] is not None}
    assert (0, line_of("e = np.exp", HERE)) in told


def test_costs_memory_and_times_are_there(softmax: dict[str, Any]) -> None:
    (kernel,) = softmax["cost"]["kernels"]
    assert kernel["name"] == "kernel_0"
    assert kernel["places"]
    assert dict(map(tuple, softmax["memory"]["sizes"]))["arguments"] is None
    assert next(name for depth, name, _ in softmax["times"] if depth == 0) == "trace"


def test_a_page_that_would_be_too_large_is_not_written(tmp_path: Path) -> None:
    concrete = weft.function(lambda x: x + 1, name="train").get_concrete_function(SOFTMAX)
    with pytest.raises(
        WeftValueError, match=r"the page of train would have [\d,]+ bytes.*passes=False.*max_bytes=None"
    ):
        concrete.save_html(tmp_path / "no.html", max_bytes=1000)
    assert not (tmp_path / "no.html").exists()


@pytest.mark.soak
def test_a_training_step_has_less_than_a_megabyte(tmp_path: Path) -> None:
    shapes = {"first": (64, 32), "bias": (32,), "second": (32,)}
    specs = [
        {name: weft.TensorSpec(shape, "float32") for name, shape in shapes.items()}
        for _ in ("weights", "momentum")
    ]
    concrete = programs.train.get_concrete_function(
        *specs, weft.TensorSpec((None, 64), "float32"), weft.TensorSpec((None,), "float32")
    )
    path = tmp_path / "train.html"
    assert concrete.save_html(path) < 1 << 20
    data = data_in(path)
    assert lines_for(data, stage(data, "weft"), line_of("hidden = np.tanh", HERE))


def test_packed_code_is_what_it_was(tmp_path: Path) -> None:
    code = "%0 = f %arg_007, %12345678901 : 64xi32\n\n^bb3(%1: f64):  // !4 #map_5\n%00 %0"
    data = {
        "stages": [{"text": code, "links": [0, 0, 1, 0]}],
        "text": "a note\n%1",
        "some": [[1, "a", None], 2],
    }
    path = tmp_path / "page.html"
    path.write_text(f'<script type="application/json" id="data" data-kind="packed">{packed(data)}</script>')
    assert data_in(path) == data


def test_a_page_has_so_many_lines_of_what_passes_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "CHANGED", 60)
    function = weft.function(lambda x: np.sum(np.sqrt(x) + 1), name="summed")
    data = written(tmp_path / "page.html", function, weft.TensorSpec((8,), "float32"), stages=["weft"])
    lines = [sum(len(hunk["links"]) for hunk in one["hunks"]) for one in data["passes"]]
    assert 0 < sum(lines) <= 60
    last = data["passes"][-1]["name"]
    assert f"passes behind {last} are left out: a page has 60 lines of what they change" in data["unwatched"]


def test_stages_and_passes_are_left_out_on_demand(tmp_path: Path) -> None:
    function = weft.function(lambda x: x + 1, name="increased")
    spec = weft.TensorSpec((8,), "float32")
    data = written(tmp_path / "page.html", function, spec, stages=["weft", "asm"], passes=False)
    assert [one["name"] for one in data["stages"]] == ["weft"]
    assert [one["name"] for one in data["machine"]] == ["asm"]
    assert data["passes"] == []


def test_small_pages_can_be_read_and_hold_no_markup(tmp_path: Path) -> None:
    function = weft.function(lambda x: x + 1, name="increased")
    spec = weft.TensorSpec((8,), "float32")
    data = written(tmp_path / "page.html", function, spec, stages=["weft"], passes=False)
    text = (tmp_path / "page.html").read_text()
    assert 'data-kind="plain"' in text
    assert "tensor<8xf32>" in stage(data, "weft")["text"]
    assert "tensor\\u003c8xf32>" in text
    around = re.sub(r"<script type=.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"""(?:src|href)=["'](?!#)|@import|url\((?!#)""", around)  # it needs nothing else


def test_names_of_functions_are_in_the_letters_of_the_program(tmp_path: Path) -> None:
    def größe(länge: Any) -> Any:
        Δ = länge - 1.0
        return Δ * Δ

    spec = weft.TensorSpec((8,), "float64")
    data = written(tmp_path / "page.html", weft.function(größe), spec, stages=["weft", "asm"], passes=False)
    assert 'func.func @"größe"(%länge: tensor<8xf64>)' in stage(data, "weft")["text"]
    (machine,) = data["machine"]
    assert any(function["name"].startswith("größe") for function in machine["functions"])
    assert "Δ = länge - 1.0" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"stages": ["wefft"]},
            "save_html: stages is a list of weft, optimized, .* and 'wefft' is none of them",
        ),
        ({"stages": "weft"}, r'save_html: stages is a list: write stages=\["weft"\]'),
    ],
)
def test_unknown_stages_are_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    concrete = weft.function(lambda x: x, name="same").get_concrete_function(weft.TensorSpec((8,), "float32"))
    with pytest.raises(WeftValueError, match=message):
        concrete.save_html(tmp_path / "page.html", **options)


def test_a_path_that_cannot_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    concrete = weft.function(lambda x: x, name="same").get_concrete_function(weft.TensorSpec((8,), "float32"))
    with pytest.raises(FileNotFoundError):
        concrete.save_html(tmp_path / "missing" / "page.html", passes=False)
    with pytest.raises(WeftTypeError, match="save_html writes to a path, not to 3"):
        concrete.save_html(3)


def test_a_function_that_was_never_compiled_says_so(tmp_path: Path) -> None:
    function = weft.function(lambda x: x * 2, name="doubled")
    with pytest.raises(
        WeftValueError, match="doubled was not compiled yet, so there is nothing to show: call it"
    ):
        function.save_html(tmp_path / "page.html")
    function(np.ones(3))
    function(np.ones((2, 2), np.float32))
    function.save_html(tmp_path / "page.html", passes=False)
    assert data_in(tmp_path / "page.html")["signature"].startswith("doubled(x: f32[2,2])")


def test_gpu_kernels_are_shown_as_ptx(tmp_path: Path) -> None:
    function = weft.function(lambda x: x + 1, name="increased", target="sm_90a")
    data = written(tmp_path / "page.html", function, weft.TensorSpec((4096,), "float32"), passes=False)
    assert {"placed", "gpu", "nvvm"} <= {one["name"] for one in data["stages"]}
    (kernel,) = stage(data, "ptx")["functions"]
    assert ".visible .entry kernel_0" in kernel["text"]
    assert kernel["instructions"] > 5
    assert any(
        "add.rn.f32" in line
        for line in lines_for(data, kernel, line_of('name="increased", target="sm_90a"', __file__))
    )


def test_registers_and_instructions_of_gpus_where_the_tools_are(tmp_path: Path) -> None:
    if find_assembler() is None:
        pytest.skip("there is no ptxas: pip install nvidia-cuda-nvcc")
    function = weft.function(lambda x: x + 1, name="raised", target="sm_90a")
    data = written(tmp_path / "page.html", function, weft.TensorSpec((4096,), "float32"), passes=False)
    (kernel,) = stage(data, "ptx")["functions"]
    assert 4 < kernel["resources"]["registers"] < 64
    assert kernel["resources"]["spilled"] == 0
    if not can_disassemble():
        pytest.skip("there is no nvdisasm: pip install nvidia-cuda-nvdisasm")
    (kernel,) = stage(data, "sass")["functions"]
    assert kernel["resources"]["registers"] < 64
    here = lines_for(data, kernel, line_of('name="raised", target="sm_90a"', __file__))
    assert any("FADD" in line for line in here)
    assert "EXIT" in kernel["text"]
    assert kernel["instructions"] < 100


def test_tools_of_gpus_that_are_missing_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("backend.gpu.machine.assembler", "frontend.pages.device_text"):
        monkeypatch.setattr(f"weft.{module}.find_tool", lambda name: None)
    function = weft.function(lambda x: x + 1, name="increased", target="sm_90a")
    data = written(tmp_path / "page.html", function, weft.TensorSpec((4096,), "float32"), passes=False)
    (kernel,) = stage(data, "ptx")["functions"]
    assert kernel["resources"] is None
    assert stage(data, "ptx")["missing"] == [
        "there is no ptxas on this machine: pip install nvidia-cuda-nvcc shows registers and spills"
    ]
    assert stage(data, "sass")["functions"] == []
    assert [text.partition(":")[0] for text in stage(data, "sass")["missing"]] == [
        "there is no ptxas on this machine",
        "there is no nvdisasm on this machine",
    ]


@pytest.fixture
def source(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "some.py"
        path.write_text(text)
        return str(path)

    return write


def test_excerpts_are_whole_functions(source: Callable[[str], str]) -> None:
    file = source(
        "import os\n\n\n@deco\ndef f():\n\treturn 1\n\n\n\ndef g():\n    return 2\n\n\nclass C:\n    def m(self): ...\n"
    )
    assert excerpts(file, {6}) == [(4, ("@deco", "def f():", "    return 1"))]
    assert [part.first for part in excerpts(file, {6, 11, 15})] == [4, 10, 15]
    assert excerpts(file, {1})[0].lines == ("import os",)


def test_excerpts_of_what_does_not_parse_are_lines_around(source: Callable[[str], str]) -> None:
    file = source("%timeit\n" + "x = 1\n" * 20)
    (part,) = excerpts(file, {10})
    assert (part.first, len(part.lines)) == (5, 11)


def test_files_that_are_gone_have_lines_without_text() -> None:
    assert excerpts("/nowhere/gone.py", {3, 9}) == [(3, ("",)), (9, ("",))]


def changes_of(data: dict[str, Any], stage: str) -> dict[str, dict[str, Any]]:
    """The passes on the way to a stage by their names."""
    return {change["name"]: change for change in data["passes"] if change["stage"] == stage}


def test_rewrites_of_a_pass_are_told_by_name_and_at_their_lines(tmp_path: Path) -> None:
    function = weft.function(lambda x: np.negative(-(x * 1.0)), name="same")
    change = changes_of(written(tmp_path / "page.html", function, FLOATS), "optimized")["weft-simplify"]
    assert [rewrite["name"] for rewrite in change["rewrites"]] == ["multiply_by_one", "undo_twice"]
    (first,) = change["rewrites"][0]["hunks"]
    gone = [line for line, kind in zip(first["text"].split("\n"), first["kinds"], strict=True) if kind == "-"]
    assert any("weft.multiply" in line for line in gone)
    by = {
        line.split("weft.")[1].split()[0]: rule
        for hunk in change["hunks"]
        for line, rule in zip(hunk["text"].split("\n"), hunk["rules"], strict=True)
        if "weft." in line
    }
    assert by["multiply"] == 0
    assert by["negative"] == 1


FLOATS = weft.TensorSpec((None,), "float64")


def test_rewrites_of_passes_inside_of_a_pass_are_told_apart(shrink: dict[str, Any]) -> None:
    change = changes_of(shrink, "optimized")["optimize-control-flow"]
    names = [rewrite["name"] for rewrite in change["rewrites"]]
    assert "canonicalize" in names  # MLIR's, in a round
    assert len(set(names)) > 2


def test_passes_that_did_one_thing_have_no_rewrites(tmp_path: Path) -> None:
    function = weft.function(lambda x: x * 1.0, name="same")
    change = changes_of(written(tmp_path / "page.html", function, FLOATS), "optimized")["weft-simplify"]
    assert change["rewrites"] == []
    assert {rule for hunk in change["hunks"] for rule in hunk["rules"]} == {-1}


def test_passes_of_llvm_are_there_with_their_lines(softmax: dict[str, Any]) -> None:
    optimiser, generator = changes_of(softmax, "optimized-llvm"), changes_of(softmax, "asm")
    assert "AlwaysInlinerPass" in optimiser
    selected = next(change for name, change in generator.items() if "Instruction Selection" in name)
    line = line_of("e = np.exp", HERE)
    assert any(lines_for(softmax, hunk, line) for change in optimiser.values() for hunk in change["hunks"])
    assert any(lines_for(softmax, hunk, line) for hunk in selected["hunks"])
    assert not any(
        "debug-location" in hunk["text"] for change in generator.values() for hunk in change["hunks"]
    )
    assert not any("!dbg" in hunk["text"] for change in optimiser.values() for hunk in change["hunks"])
    times = [ms for _, ms in softmax["llvm"]]
    assert times == sorted(times, reverse=True)
    assert {name for name, _ in softmax["llvm"]} > {*generator, *optimiser}  # also those that changed nothing


def test_passes_of_llvm_for_gpus_are_there_with_their_lines(tmp_path: Path) -> None:
    function = weft.function(lambda x: x * 2 + 1, name="led", target="sm_90a")
    data = written(tmp_path / "page.html", function, weft.TensorSpec((4096,), "float32"))
    line = line_of('name="led", target="sm_90a"', __file__)
    assert data["unwatched"] == []
    assert any("fadd" in text for text in lines_for(data, stage(data, "optimized-llvm"), line))
    generator = changes_of(data, "ptx")
    selected = next(change for name, change in generator.items() if "Instruction Selection" in name)
    assert any("FADD" in text for hunk in selected["hunks"] for text in lines_for(data, hunk, line))
    assert changes_of(data, "optimized-llvm")


def test_what_was_not_watched_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.backend.llvm_compatibility.watched_passes.MOST", 4_000)
    monkeypatch.setattr("weft.frontend.pages.pass_changes.WATCHED", 10)
    function = weft.function(lambda x: np.negative(-x).sum() * 1 + np.exp(0.0) * x * 1, name="long")
    data = written(tmp_path / "page.html", function, FLOATS)
    rewrites, printed = data["unwatched"]
    assert "and of passes behind it are not told apart" in rewrites
    assert printed == "LLVM printed more than 4,000 characters: what its later passes changed is not here"
    assert printed in passes_text(function.get_concrete_function(FLOATS))
