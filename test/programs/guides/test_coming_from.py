"""The pages for those who come from JAX, Numba, PyTorch and MATLAB: each row of their tables runs, on either side."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.numpy_api.other_names import JAX, NUMBA, TORCH

DOCS = Path(__file__).parents[3] / "docs"


def rows(library: str) -> list[tuple[str, str]]:
    """The cells of the tables of a page."""
    page = (DOCS / f"coming_from_{library}.md").read_text()
    return re.findall(r"^\| `(.+?)` \| `(.+)` \|$", page, re.MULTILINE)


ROWS = [(library, *row) for library in ("jax", "numba", "pytorch") for row in rows(library)]
MATLAB = rows("matlab")
X = np.array([[0.5, 1.0, 2.0], [1.0, 0.5, 0.25]])
S = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0, 4.0]])
V = np.array([3.0, 0.5, 2.0])


def f(x: Any) -> Any:
    return x * 2


def loss(x: Any) -> Any:
    return (x**2).sum()


def value_of(code: str, names: dict[str, Any]) -> Any:
    """What a cell gives: its statements run, the last one is the value."""
    tree = ast.parse(code)
    *before, last = tree.body
    exec(compile(ast.Module(before, []), "<row>", "exec"), names)
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "<row>", "eval"), names)


COMPILED = weft.function(f)


def names_here(path: Path) -> dict[str, Any]:
    """What the cells on the right use."""
    concrete = COMPILED.get_concrete_function(X)
    names = {"np": np, "weft": weft, "x": X.copy(), "n": 3, "f": f, "loss": loss, "path": str(path / "file")}
    return {**names, "compiled": COMPILED, "concrete": concrete}


def names_there(library: str, path: Path) -> dict[str, Any]:
    """What the cells on the left use; skips where the library is not installed."""
    name = {"pytorch": "torch"}.get(library, library)
    module = pytest.importorskip(name, reason=f"{name} is not installed")
    names = {name: module, "x": X.copy(), "n": 3, "f": f, "loss": loss, "path": str(path / "other")}
    if library == "jax":
        module.config.update("jax_enable_x64", True)
        names |= {"jnp": importlib.import_module("jax.numpy"), "x": module.numpy.asarray(X)}
    if library == "pytorch":
        names["t"] = module.from_numpy(X.copy())
    return names


@pytest.mark.parametrize(("library", "there", "here"), ROWS, ids=[f"{row[0]}:{row[1]}" for row in ROWS])
def test_right_sides_run(library: str, there: str, here: str, tmp_path: Path) -> None:
    value_of(here, names_here(tmp_path))


def numbers(value: Any) -> Any:
    """A value as an array of numbers, where it is one."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        return None
    return array if array.dtype.kind in "biuf" else None


@pytest.mark.parametrize("library", ["jax", "numba", "pytorch"])
def test_left_sides_give_the_same(library: str, tmp_path: Path) -> None:
    names = names_there(library, tmp_path)
    for there, here in rows(library):
        if "..." in there:
            continue  # a fragment
        found = numbers(value_of(there, dict(names)))
        expected = numbers(value_of(here, names_here(tmp_path)))
        if "random" not in here and isinstance(found, np.ndarray) and isinstance(expected, np.ndarray):
            np.testing.assert_equal(np.shape(found), np.shape(expected), err_msg=there)
            np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=there)


def test_the_pages_have_what_messages_say() -> None:
    for library, table in (("jax", JAX), ("numba", NUMBA), ("pytorch", TORCH)):
        cells = {here for _, here in rows(library)}
        assert sorted(set(table.values()) - cells) == []


def test_rows_of_matlab_are_the_same_compiled(tmp_path: Path) -> None:
    text = ["import numpy as np\nimport weft\n"]
    for number, (_, here) in enumerate(MATLAB):
        *before, last = here.split("; ")
        body = "\n    ".join([*before, f"return {last}"])
        text.append(f"def row_{number}(x, s, v):\n    {body}\n")
    calls = ", ".join(f"row_{number}(x, s, v)" for number in range(len(MATLAB)))
    text.append(f"def all_rows(x, s, v):\n    return [{calls}]\n")
    path = tmp_path / "rows.py"
    path.write_text("\n".join(text))
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    expected, found = names["all_rows"](X, S, V), weft.function(names["all_rows"])(X, S, V)
    for (there, _), one, other in zip(MATLAB, found, expected, strict=True):
        np.testing.assert_equal(np.shape(one), np.shape(other), err_msg=there)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, err_msg=there)
