"""Passes and ops from outside: the example package, what installed packages announce, and what cannot be loaded.

What defines ops runs in processes of its own, as ops stay.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.package import ROOT
from support.weft_opt import refused, weft_opt_here
from weft.tools import plugins
from weft.tools.plugins import OUTSIDE

PLUGIN = ROOT / "examples" / "plugin"
TWICE = """\
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "weft.saturate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "weft.saturate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Forget passes and modules that were loaded in this process."""
    passes, modules = dict(OUTSIDE), set(sys.modules)
    yield
    OUTSIDE.clear()
    OUTSIDE.update(passes)
    for name in set(sys.modules) - modules:
        if "." not in name:
            del sys.modules[name]


def python(*arguments: str, paths: tuple[Path, ...] = (PLUGIN,), text: str = "") -> Any:
    """Run Python with some folders to import from."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "WEFT_CACHE": "0"}
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def weft_opt_with(*arguments: str, paths: tuple[Path, ...], text: str = TWICE) -> Any:
    """Run weft-opt with some folders to import from."""
    return python("-m", "weft.tools.weft_opt", *arguments, paths=paths, text=text)


def announce(folder: Path, name: str, **groups: str) -> Path:
    """Let a folder hold the entry points of an installed package."""
    information = folder / f"{name}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    sections = [f"[weft.{group}]\n{line}\n" for group, line in groups.items()]
    (information / "entry_points.txt").write_text("\n".join(sections))
    return folder


def test_the_example_has_less_than_a_hundred_lines() -> None:
    files = [*PLUGIN.glob("saturation/*.py"), PLUGIN / "pyproject.toml"]
    assert len(files) == 4
    assert sum(len(path.read_text().splitlines()) for path in files) < 120
    assert sum(1 for path in files for line in path.read_text().splitlines() if line.strip()) < 100


def test_the_tests_of_the_example_pass(tmp_path: Path) -> None:
    settings = tmp_path / "pytest.ini"
    settings.write_text("[pytest]\n", encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "-c", str(settings), f"--rootdir={PLUGIN}"]
    done = python("-m", "pytest", *options, str(PLUGIN / "test_saturation.py"))
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout


def test_installed_packages_are_found(tmp_path: Path) -> None:
    """Their passes and ops are there without an option."""
    announce(
        tmp_path,
        "saturation",
        ops="s = saturation",
        passes="merge-saturations = saturation.passes:MergeSaturations",
    )
    paths = (tmp_path, PLUGIN)
    done = weft_opt_with(
        "--merge-saturations", "--mlir-pass-statistics", "--mlir-print-ir-after-all", paths=paths
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("weft.saturate") == 1
    assert "(S)      1 saturations" in done.stderr
    assert "IR Dump After MergeSaturations: merge-saturations" in done.stderr
    listed = weft_opt_with("--list-passes", paths=paths).stdout
    assert "--merge-saturations        saturate once what is saturated twice (of saturation.passes)" in listed
    code = weft_opt_with("--emit=llvm", paths=paths)
    assert "fcmp ogt" in code.stdout, code.stderr


def test_without_the_package_the_op_is_unknown() -> None:
    assert "-:2:8: error: " in refused(text=TWICE)


def test_a_package_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken_plugin.py").write_text("table = {}\nvalue = table['nothing']\n")
    announce(tmp_path, "broken", ops="b = broken_plugin", passes="break-all = broken_plugin:BreakAll")
    said = weft_opt_with("--break-all", paths=(tmp_path,), text="").stderr
    assert "the pass break-all cannot be loaded from broken_plugin:BreakAll: KeyError: 'nothing'" in said
    said = weft_opt_with(paths=(tmp_path,)).stderr
    assert (
        "broken_plugin, which the installed package broken has in weft.ops, cannot be loaded: KeyError"
        in said
    )
    assert "broken_plugin.py:2); update or remove it (pip uninstall broken)" in said
    assert "Traceback" not in said


PASS = """\
from weft.passes.base import Pass
class Nothing(Pass):
    name = "{name}"
    summary = "nothing"
    def run(self, module, statistics):
        {body}
"""
WRONG_PLUGINS = {
    "missing_plugin": (
        None,
        "there is no module missing_plugin; give a module that Python finds (PYTHONPATH",
    ),
    "missing_plugin.py": (None, "--load-pass-plugin=missing_plugin.py: there is no such file"),
    "needs_more.py": ("import numpyy\n", "needs numpyy, which is not installed"),
    "empty_plugin.py": (
        "x = 1\n",
        "the module has no class that is a weft Pass with a name, and defines no op",
    ),
    "fails.py": ("\nraise OSError('no')\n", "fails as it is imported: OSError: no ("),
    "syntax.py": ("def f(:\n", "fails as it is imported: SyntaxError"),
    "takes_a_name.py": (PASS.format(name="weft-fold", body="pass"), "there is a pass weft-fold already"),
    "takes_upstreams.py": (PASS.format(name="cse", body="pass"), "there is a pass cse already"),
}


@pytest.mark.parametrize("name", WRONG_PLUGINS)
def test_wrong_plugins(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, reason = WRONG_PLUGINS[name]
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / name).write_text(text)
    assert reason in refused(f"--load-pass-plugin={name}")


def test_a_pass_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "my_pass.py").write_text(PASS.format(name="my-pass", body="raise KeyError('x')"))
    option = f"--load-pass-plugin={tmp_path / 'my_pass.py'}"
    assert weft_opt_here(option, "--dump-pass-pipeline", "--my-pass", "--cse").returncode == 1
    said = refused(option, "--my-pass")
    assert "error of my_pass:Nothing while running my-pass: KeyError: 'x'" in said


WRONG_OPS = """
from __future__ import annotations
import numpy as np, sys
import weft
from weft.tools import plugins
from weft.dialect.errors import WeftError
from weft.dialect.op import Cost, Elementwise, Operand
from weft.frontend.tracing.staging import apply

print(weft.function(lambda x: -x)(np.ones(2)))  # the dialect is there before the ops are
try:
    class Negative(Elementwise, name="negative", cost=Cost.CHEAP):
        x: Operand
except WeftError as error:
    print(error)
try:
    class Wrong(Elementwise, name="wrong", cost=Cost.CHEAP):
        x: Array
except WeftError as error:
    print(error)

try:
    class Dashed(Elementwise, name="my-op", cost=Cost.CHEAP):
        x: Operand
except WeftError as error:
    print(error)

class Same(Elementwise, name="same", cost=Cost.CHEAP):
    x: Operand
    @staticmethod
    def infer(x):
        return x
    @staticmethod
    def evaluate(x):
        return x

from weft.backend.cache.machine import machine_key
from weft.dialect import op
key = machine_key()
print(key == machine_key())
op.OUTSIDE.clear()
print(key == machine_key())
op.OUTSIDE["__main__"] = ""
try:
    weft.function(lambda x: apply(Same, x))(np.ones(2))
except WeftError as error:
    print(type(error).__name__, error)
"""


def test_wrong_ops_and_ops_without_a_lowering() -> None:
    done = python("-c", WRONG_OPS)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "[-1. -1.]"
    assert lines[1].startswith(
        "two ops are called weft.negative: weft.dialect.ops.elementwise.Negative and __main__."
    )
    assert lines[2].startswith("Wrong.x: a field of an op is annotated with one of Operand, Operands, Int,")
    assert lines[3] == "an op cannot be called 'my-op': letters, digits and _ make a name"
    assert lines[4:6] == ["True", "False"]
    assert "weft.same has no lowering to linalg: __main__.Same is to name a module" in "\n".join(lines[6:])


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ('%0 = "weft.negative"(%x) : (!weft.ref<f32>) -> f32', False),
        ("func.func @f() attributes {weft.pure = true}", False),
        ('%0 = "weft.saturate"(%x) : (f32) -> f32', True),
        ("%0 = weft.saturate(%x) : (f32) -> f32", True),
    ],
)
def test_packages_are_looked_for_where_a_text_has_an_unknown_op(
    text: str, asks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(plugins, "_entry_points", lambda group: (asked.append(group), ())[1])
    plugins.add_installed_ops(text)
    assert asked == ([plugins.OPS_GROUP] if asks else [])
