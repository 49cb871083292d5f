"""weft-opt from the command line: what it refuses, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.weft_opt import FUNCTION, complaint_of, refused, weft_opt, weft_opt_here
from weft.dialect.errors import WeftValueError
from weft.tools.options import OPTIONS, Options, help_text, parse_arguments
from weft.tools.weft_opt import main

WRONG_COMMAND_LINES = {
    ("--emit=exe",): "--emit takes one of mlir, llvm, asm, obj, placed, gpu, nvvm, ptx, sass, not 'exe'",
    ("--verify-each=maybe",): "--verify-each takes 0 or 1, not 'maybe'",
    (
        "--mlir-elide-elementsattrs-if-larger=few",
    ): "--mlir-elide-elementsattrs-if-larger takes a number, not 'few'",
    ("-o",): "-o needs a value: -o=file",
    ("--spec",): "--spec needs a value: --spec=type",
    ("a.mlir", "b.mlir"): "one input at a time: a.mlir and b.mlir were given",
    ("missing.mlir",): "cannot open missing.mlir: No such file or directory",
    (".",): "cannot open .: Is a directory",
    ("--weft-flod",): "--weft-flod is no option and no pass; did you mean --weft-fold?",
    ("--no-such-pass",): "--no-such-pass is no option and no pass",
    ("--mlir-print-value-users",): "--mlir-print-value-users is an option of mlir-opt that weft-opt has not",
    ("--cse", "--pass-pipeline=builtin.module(cse)"): "--cse and --pass-pipeline exclude each other",
    ("--weft-fold=max-elements=few",): "weft-fold{max-elements} takes a number, not 'few'",
    (
        "--cse",
        "--mlir-print-ir-after=weft-foldd",
    ): "--mlir-print-ir-after: 'weft-foldd' is no pass; did you mean weft-fold?",
    ("--cse", "--mlir-print-ir-before=cse,nothing"): "--mlir-print-ir-before: 'nothing' is no pass",
    ("--weft-fold=min-elements=1",): "weft-fold has no option 'min-elements'; its options are: max-elements",
    ("--weft-simplify=fast",): "weft-simplify has no option 'fast'; its options are: none",
    ("--canonicalize=max-iterations=many",): "'many' value invalid",
    ("--canonicalize=speed=1",): "no such option speed",
    ("--pass-pipeline=cse",): "pipeline: expected builtin.module(...), not 'cse'",
    ("--pass-pipeline=func.func(cse)",): "pipeline: expected builtin.module(...), not 'func.func(cse)'",
    ("--pass-pipeline=builtin.module(cse",): "pipeline: a bracket is not closed",
    ("--pass-pipeline=builtin.module(cse))",): "pipeline: unbalanced ')'",
    ("--pass-pipeline=builtin.module(cse,,cse)",): "pipeline: expected the name of a pass, not ''",
    ("--pass-pipeline=builtin.module(cse{a}b)",): "pipeline: cannot read 'cse{a}b'",
    ("--pass-pipeline=builtin.module(nothing)",): "pipeline: 'nothing' does not refer to a registered pass",
    (
        "--pass-pipeline=builtin.module(func.func(weft-fold))",
    ): "weft-fold runs on builtin.module, not nested in func.func",
    (
        "--pass-pipeline=builtin.module(weft-optimize{a=1})",
    ): "weft-optimize runs on builtin.module and takes no options",
    ("--stage=linalg",): "--spec and --stage are for Python functions, which - is not",
    ("--run-reproducer",): "- holds no pipeline: it is not a reproducer",
    ("-o", "no/such/folder/file"): "No such file or directory",
}


@pytest.mark.parametrize("arguments", WRONG_COMMAND_LINES, ids=" ".join)
def test_wrong_command_lines(arguments: tuple[str, ...], tmp_path: Path) -> None:
    complaint = refused(*arguments, cwd=tmp_path)
    assert complaint.startswith("weft-opt: error: ")
    assert WRONG_COMMAND_LINES[arguments] in complaint


WRONG_INPUTS: dict[str | bytes, str] = {
    b"\xff\xfe\x00binary": "- is not text: byte 0 is not UTF-8",
    b"module {\x00}": "- is not text: byte 8 is zero",
    b"ML\xefR\x01garbage": "malformed null-terminated string",
    "module {": "-:1:7: error: ",
    "what is this": "-:1:1: error: ",
    "func.func @f() { return": "error: ",
    '"weft.nothing"() : () -> ()': "unregistered operation 'weft.nothing'",
    "func.func @f(%x: !weft.thing) { return }": "error: ",
    '%0 = "weft.constant"() {value = 3} : () -> tensor<i64>': "weft.constant",
    '%0 = "weft.constant"() : () -> tensor<i64>': "'weft.constant' op needs the attribute value",
}


@pytest.mark.parametrize("text", WRONG_INPUTS, ids=lambda text: repr(text[:30]))
def test_wrong_inputs(text: str | bytes) -> None:
    assert WRONG_INPUTS[text] in refused(text=text)


@pytest.mark.parametrize("text", ["(" * 200_000, "module {" * 100_000], ids=["brackets", "modules"])
def test_deep_nesting_ends_in_a_message(text: str) -> None:
    complaint_of(weft_opt(text=text))


def test_empty_input_is_an_empty_module() -> None:
    assert weft_opt_here(text="").stdout == "module {\n}\n"


def test_caret_stands_below_the_column() -> None:
    complaint = refused(text="func.func @f() {\n\t%0 = weft.nothing\n}\n")
    place, line, caret = complaint.splitlines()[:3]
    assert place.startswith("-:2:")
    column = int(place.split(":")[2])
    assert line == "\t%0 = weft.nothing"
    assert caret == "\t" + " " * (column - 2) + "^"


def test_a_pass_that_fails_names_itself_and_the_place() -> None:
    complaint = refused("--one-shot-bufferize")
    assert "-:2:8: error: op was not bufferized" in complaint


def test_a_crash_is_a_message() -> None:
    """A process that dies in native code leaves its reproducer and a message."""
    program = (
        "import os, signal\n"
        "from weft.tools.guard import CrashNote, run_guarded\n"
        "def work(note):\n"
        "    note.write('while running some-pass')\n"
        "    os.kill(os.getpid(), signal.SIGSEGV)\n"
        "raise SystemExit(run_guarded(work))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "weft-opt: error: crashed with SIGSEGV while running some-pass\n"


def test_reproducer_of_a_failing_run(tmp_path: Path) -> None:
    file = tmp_path / "reproducer.mlir"
    option = f"--mlir-pass-pipeline-crash-reproducer={file}"
    refused("--weft-simplify", "--one-shot-bufferize", option)
    text = file.read_text()
    assert FUNCTION in text
    assert 'pipeline: "builtin.module(weft-simplify,one-shot-bufferize)"' in text
    assert "op was not bufferized" in refused(str(file), "--run-reproducer", text="")


def test_reproducer_of_a_failing_emission(tmp_path: Path) -> None:
    """What `--emit` runs behind the pipeline is in it, from the dialect that the input is in."""
    file = tmp_path / "reproducer.mlir"
    option = f"--mlir-pass-pipeline-crash-reproducer={file}"
    text = "func.func @sin(%x: tensor<3xf32>) -> tensor<3xf32> {\nreturn %x : tensor<3xf32>\n}"
    message = "a function cannot be called sin"
    assert message in refused("--cse", "--emit=llvm", option, text=text)
    assert (
        "builtin.module(cse,linalg-to-kernels,kernels-to-buffers,buffers-to-loops,debug-scopes,loops-to-llvm)"
        in file.read_text()
    )
    assert message in refused(str(file), "--run-reproducer", text="")


def test_reproducer_of_a_run_that_succeeds_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "reproducer.mlir"
    assert weft_opt_here("--cse", f"--mlir-pass-pipeline-crash-reproducer={file}").returncode == 0
    assert not file.exists()


def test_reproducer_of_mlir_opt_runs(tmp_path: Path) -> None:
    file = tmp_path / "reproducer.mlir"
    pipeline = 'mlir_reproducer: {\n pipeline: "builtin.module(weft-simplify)"\n }'
    metadata = f"{{-#\n external_resources: {{\n {pipeline}\n }}\n#-}}\n"
    file.write_text(
        FUNCTION.replace(
            "return %0", '%1 = "weft.negative"(%0) : (tensor<3xf32>) -> tensor<3xf32>\n  return %1'
        )
        + metadata
    )
    done = weft_opt_here(str(file), "--run-reproducer", "--dump-pass-pipeline")
    assert done.returncode == 0
    assert "negative" not in done.stdout
    assert done.stderr == "builtin.module(weft-simplify)\n"


def test_listings() -> None:
    dialects = weft_opt_here("--show-dialects").stdout
    assert "linalg," in dialects
    assert "weft.tanh" in dialects
    passes = weft_opt_here("--list-passes").stdout
    assert "--weft-fold" in passes
    assert "max-elements=<int> (default 64)" in passes
    assert "--weft-to-llvm" in passes


def test_verify_each_can_be_turned_off() -> None:
    assert weft_opt_here("--verify-each=0", "--cse", "--weft-simplify").returncode == 0


PYTHON = """\
import weft

def good(x):
    return x + 1

@weft.function
def decorated(x, y):
    return x * y

def needs_value(x):
    if x > 0:
        return x.tobytes()
    return -x

def raises(x):
    return {}["key"]

number = 3
"""
WRONG_FUNCTIONS = {
    ("nothing:f",): "nothing:f: ModuleNotFoundError: No module named 'nothing'",
    ("program:missing",): "program has no missing",
    ("program:number",): "3",
    ("program:good",): "missing a required argument: 'x'",
    ("program:good", "--spec", "f32[", "--spec=i8"): "expected a shape in brackets",
    ("program:good", "--spec", "float[3]"): "unknown dtype 'float'",
    ("program:good", "--spec", "f32[a]"): "a dimension is a number or ?, not 'a'",
    ("program:good", "--spec", "f32[3]", "--stage=end"): "there is no stage 'end'",
    ("program:good", "--spec", "f32[3] f32[3]"): "too many positional arguments",
    ("program:decorated", "--spec", "f32[3] f32[4]"): "program.py",
    ("program:needs_value", "--spec", "f32"): 'program.py", line 12',
    ("program:raises", "--spec", "f32"): "program.py:16",
    ("program:goood",): "program has no goood; did you mean good?",
    ("broken:f",): "broken.py:2:11: invalid syntax\n    def f(:\n          ^\n",
}


@pytest.mark.parametrize("arguments", WRONG_FUNCTIONS, ids=" ".join)
def test_wrong_functions(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PYTHON)
    (tmp_path / "broken.py").write_text("if True:\n    def f(:\n")
    assert WRONG_FUNCTIONS[arguments] in refused(*arguments, cwd=tmp_path)


def test_decorated_function(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PYTHON)
    done = weft_opt_here("program:decorated", "--spec", "f32[?], f32[]", cwd=tmp_path)
    assert '"weft.multiply"' in done.stdout


def test_every_option_is_described() -> None:
    names = {name for name in Options.__dataclass_fields__ if name not in ("source", "steps")}
    assert {name.replace("-", "_") for name in OPTIONS} == names
    assert all(f"-{name}" in help_text() for name in OPTIONS)


def test_options_may_have_one_dash() -> None:
    assert parse_arguments(["-verify-each=false"]).verify_each is False
    with pytest.raises(WeftValueError, match="--verify-each takes 0 or 1"):
        parse_arguments(["-verify-each=2"])


def test_the_program_works_in_a_process_of_its_own(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "function.mlir"
    file.write_text(FUNCTION)
    assert main([str(file), "--cse"]) == 0
    assert '"weft.negative"' in capfd.readouterr().out
    assert main([str(file), "--one-shot-bufferize"]) == 1
    assert f"{file}:2:8: error: op was not bufferized" in capfd.readouterr().err


HELP_ALONE = "from weft.tools.weft_opt import main; status = main(['--help'])"
VERSION_ALONE = "from weft.tools.weft_opt import main; status = main(['--version'])"
WEFT_ALONE = "from weft.tools.weft_command import main; status = main([])"
SMALL_FILE = """
from weft.tools.guard import CrashNote
from weft.tools.weft_opt import run
status = run(["-", "--weft-simplify"], CrashNote())
"""
LOADED = """
import sys
heavy = (
    "numpy", "torch_mlir", "torch_mlir.dialects.arith", "llvmlite", "weft.backend.compiler", "weft.backend.target",
    "weft.passes.lowering", "weft.backend.cpu.lowering.entries", "difflib",
)  # fmt: skip
print(status, *(name for name in heavy if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("code", "loaded"),
    [(HELP_ALONE, "0"), (VERSION_ALONE, "0"), (WEFT_ALONE, "0"), (SMALL_FILE, "0 numpy torch_mlir")],
    ids=["help", "version", "weft", "file"],
)
def test_it_starts_with_what_it_needs(code: str, loaded: str) -> None:
    """Texts in 0.1 s and small files in 0.3 s of processor time, a third of that NumPy's; the backend takes more."""
    command = [sys.executable, "-c", code + LOADED]
    done = subprocess.run(command, input=FUNCTION, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] == loaded
