"""IR that was printed, and changed, runs as a function."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

ADDED = '"weft.add"(%x, %x) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>'
TWICE = """\
func.func @twice(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = "weft.add"(%x, %x) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %y : tensor<?xf64>
}
"""
WRONG_TYPE = """\
func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = "weft.add"(%x, %x) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf32>
  return %x : tensor<?xf64>
}
"""


def looped(x: Any, factor: Any) -> Any:
    total = np.zeros(3)
    for i in range(x.shape[0]):
        total += x[i] * factor
    if total[0] > 1:
        total = total * 2
    return total, x.sum()


def written(x: Any) -> Any:
    x[1:] *= 2
    return np.sqrt(x[0])


def products(x: Any) -> Any:
    return np.where(x > 0, x, 0) @ x.T, np.sort(x, axis=0), x.mean()


def test_calls_stay_compiled_when_garbage_is_collected() -> None:
    twice = weft.from_mlir(TWICE)
    concrete = twice.get_concrete_function()
    for _ in range(2):
        np.testing.assert_array_equal(twice(np.ones(3)), np.full(3, 2.0))
        np.testing.assert_array_equal(concrete(np.ones(2)), np.full(2, 2.0))
        gc.collect()
    assert twice.trace_count == 2


CASES: list[tuple[Callable[..., Any], list[Any], list[Any], tuple[str, ...]]] = [
    (looped, [weft.TensorSpec([None, 3]), weft.TensorSpec([])], [np.ones((4, 3)), np.float64(2)],
     ("weft", "optimized", "linalg")),
    (written, [weft.TensorSpec([None])], [np.arange(1.0, 5.0)], ("weft", "optimized")),
    (products, [weft.TensorSpec([None, 4])], [np.linspace(-1, 1, 12).reshape(3, 4)], ("weft", "optimized", "linalg")),
]  # fmt: skip


@pytest.mark.parametrize(("program", "specs", "args", "stages"), CASES)
def test_printed_stages_run(
    program: Callable[..., Any], specs: list[Any], args: list[Any], stages: tuple[str, ...]
) -> None:
    concrete = weft.function(program).get_concrete_function(*specs)
    expected_args = [a.copy() for a in args]
    expected = program(*expected_args)
    for stage in stages:
        given = [a.copy() for a in args]
        got = weft.from_mlir(concrete.as_text(stage))(*given)
        for one, other in zip(
            got if isinstance(got, tuple) else (got,),
            expected if isinstance(expected, tuple) else (expected,),
            strict=True,
        ):
            np.testing.assert_allclose(one, other, atol=1e-12)
            assert type(one) is type(other)
        for one, other in zip(given, expected_args, strict=True):
            np.testing.assert_array_equal(one, other)


def test_changed_text_runs_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(TWICE.replace("weft.add", "weft.multiply"))
    squared = weft.from_mlir(path)
    np.testing.assert_array_equal(squared(np.arange(4.0)), [0, 1, 4, 9])
    np.testing.assert_array_equal(weft.grad(lambda x: squared(x).sum())(np.arange(4.0)), [0, 2, 4, 6])


def test_one_of_several_functions() -> None:
    text = TWICE + TWICE.replace("@twice", "@squared").replace("weft.add", "weft.multiply")
    assert weft.from_mlir(text, "squared")(np.array([3.0])) == 9
    with pytest.raises(ValueError, match="text has the functions twice, squared: say which by name="):
        weft.from_mlir(text)
    with pytest.raises(ValueError, match="text has no function 'cubed'; it has: twice, squared"):
        weft.from_mlir(text, "cubed")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TWICE.replace("%y = ", "%z = "),
            r"text:3:10: use of undeclared SSA value name\n    return %y : .*\n {11}\^",
        ),
        (
            TWICE.replace('"weft.add"(%x, %x)', "weft.add %x, %x"),
            r'text:2:8: ops of weft have the generic form only: write "weft.add"\(%operands\) \{attributes\}',
        ),
        (
            TWICE.replace(ADDED, 'weft.add %x, %x {a = 1} : tensor<?xf64> loc("é")'),
            r'"weft.add"\(%x, %x\) \{a = 1\} : \(tensor<\?xf64>, tensor<\?xf64>\) -> tensor<\?xf64>\n',
        ),
        (WRONG_TYPE, r"text:2:8: 'weft\.add' op returns f64\[\?\], not f32\[\?\]"),
        (
            "func.func @f(%x: i64) { return }",
            r"argument 0 of f is no array: i64 is not a type of the weft dialect",
        ),
        ("func.func private @f()", r"has the functions f: say which"),
        ('"weft.\\FF"()', r"a name or string is not UTF-8"),
        ("", r"text has no function$"),
    ],
)
def test_what_is_no_function(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        weft.from_mlir(text)


def run_weft_opt(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "a.mlir").write_text(TWICE)
    np.save(tmp_path / "x.npy", np.arange(3.0))
    (tmp_path / "text.npy").write_text("0, 1, 2")
    command = [sys.executable, "-m", "weft.tools.weft_opt", "a.mlir", *arguments]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)


def test_weft_opt_runs_functions(tmp_path: Path) -> None:
    done = run_weft_opt(tmp_path, "--weft-optimize", "--run", "@twice", "--args", "x.npy")
    assert (done.returncode, done.stdout) == (0, "result 0: array([0., 2., 4.])\n"), done.stderr
    done = run_weft_opt(tmp_path, "--run=twice", "--args=[1, 2.5]")
    assert (done.returncode, done.stdout) == (0, "result 0: array([2., 5.])\n"), done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--run=@f"], "has no function 'f'; it has: twice"),
        (["--run=@twice"], "takes the arguments x0: f64[?]: give each by --args, not 0"),
        (
            ["--run=@twice", "--args=nothing"],
            "--args takes a .npy file or numbers, as in [1, 2.5], not 'nothing'",
        ),
        (["--run=@twice", "--args=missing.npy"], "--args=missing.npy cannot be read as an array: "),
        (["--run=@twice", "--args=text.npy"], "--args=text.npy cannot be read as an array: "),
        (["--run=@twice", "--args=3"], "takes f64[?] for 'x0', not f64[]"),
        (["--args=3"], "--args are for the function that --run names"),
    ],
)
def test_what_weft_opt_cannot_run(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run_weft_opt(tmp_path, *arguments)
    assert done.returncode == 1
    assert message in done.stderr
