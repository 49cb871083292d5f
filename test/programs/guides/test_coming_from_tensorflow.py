"""The page for those who come from TensorFlow: each row of its tables runs, and messages know its names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.numpy_api.other_names import ARRAYS, PROGRAMS

PAGE = (Path(__file__).parents[3] / "docs" / "coming_from_tensorflow.md").read_text()
ROWS = re.findall(r"^\| `(.+?)` \| `(.+)` \|$", PAGE, re.MULTILINE)
X = np.array([[0.5, 1.0, 2.0], [1.0, 0.5, 0.25]])


def f(x: Any) -> Any:
    return x * 2


def rule(x: Any) -> Any:
    return x * 2, lambda g: g


def names(path: Path) -> dict[str, Any]:
    """What the cells use."""
    v, compiled = weft.Variable(X), weft.function(f)
    with weft.GradientTape() as tape:
        y = v**2
    concrete = weft.function(lambda x: x * v).get_concrete_function(X)
    found = {"np": np, "weft": weft, "x": X.copy(), "n": 3, "f": f, "rule": rule, "path": str(path / "file")}
    return {**found, "v": v, "y": y, "tape": tape, "compiled": compiled, "concrete": concrete}


@pytest.mark.parametrize(("there", "here"), ROWS, ids=[there for there, _ in ROWS])
def test_rows_run(there: str, here: str, tmp_path: Path) -> None:
    exec(compile(here, "<row>", "exec"), names(tmp_path))


def test_expressions_are_the_same_compiled() -> None:
    codes = {name: code for name, code in ARRAYS.items() if "add.at" not in code and "x[x > 0]" not in code}
    namespace = {"np": np}
    exec(
        f"def all_of_them(x):\n    return {{{', '.join(f'{k!r}: {c}' for k, c in codes.items())}}}", namespace
    )
    program: Any = namespace["all_of_them"]
    expected, found = program(X), weft.function(program)(X)
    for name in codes:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, err_msg=name)


def test_the_page_has_the_names_of_messages() -> None:
    listed = {(there.rpartition(".")[2], here) for there, here in ROWS}
    for name, code in {**ARRAYS, **PROGRAMS}.items():
        assert "\n" in code or (name, code) in listed


def test_left_sides_run() -> None:
    tf = pytest.importorskip("tensorflow", reason="tensorflow is not installed")
    x = tf.constant(X)
    v, compiled = tf.Variable(x), tf.function(f)
    with tf.GradientTape(persistent=True) as tape:
        y = v**2
    used = {"tf": tf, "x": x, "n": tf.constant(3), "f": f, "rule": rule, "v": v, "y": y, "tape": tape}
    used |= {
        "a": lambda: x,
        "b": lambda: x,
        "cond": lambda x: tf.reduce_sum(x) > 1,
        "body": lambda x: (x / 2,),
    }
    used |= {"dataset": tf.data.Dataset.range(9), "compiled": compiled}
    used["concrete"] = compiled.get_concrete_function(x)
    for there, _ in ROWS:
        exec(compile(there.replace(": ...", ": pass"), "<row>", "exec"), dict(used))
    tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("reduce_sum", r"what TensorFlow calls reduce_sum is written np.sum\(x, axis=0\)"),
        ("py_function", r"what TensorFlow calls py_function is written weft.py_call\(f, x, result="),
        ("case", "what TensorFlow calls case is written if n > 2: y = x elif n > 1: y = 2"),
    ],
)
def test_messages(name: str, message: str) -> None:
    with pytest.raises(AttributeError, match=message):
        getattr(weft, name)
