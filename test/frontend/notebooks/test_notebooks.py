"""weft in a notebook: `%%weft`, functions that are shown and defined again, and errors with carets in cells."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

nbformat: Any = pytest.importorskip("nbformat")
nbclient: Any = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = """
import numpy as np, weft
%load_ext weft
# ---
%%weft -a
def smooth(x):
    t = np.zeros_like(x)
    for k in range(1, len(x)):
        t[k] = t[k - 1] * 0.5 + x[k]
    return np.exp(t)
def unused(x):
    return x
smooth(np.ones(100)).shape
# ---
smooth
# ---
smooth.get_concrete_function(weft.TensorSpec((3,), "float64"))
# ---
@weft.function
def failing(x):
    return 1 + x[5]
failing(np.ones(3))
# ---
def helper(x):
    return x + 1
@weft.function
def caller(x):
    return helper(x)
caller(np.float64(1))
# ---
def helper(x):
    return x + 10
caller(np.float64(1)), caller.explain_retrace()
# ---
@weft.function
def caller(x):
    return helper(x) * 2
caller(np.float64(1))
# ---
%%weft --fast
1
# ---
%%weft
x = 5
def broken(x):
    return x.nothing
broken(np.ones(2))
"""
EXAMPLES = Path(__file__).parents[3] / "examples" / "notebooks"


@pytest.fixture(scope="module")
def outputs() -> list[list[Any]]:
    cells = [nbformat.v4.new_code_cell(cell.strip("\n")) for cell in CELLS.split("# ---\n")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True).execute()
    return [cell.outputs for cell in notebook.cells]


def error_of(outputs: list[Any]) -> str:
    (error,) = outputs
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))


@pytest.mark.processor
def test_a_cell_is_compiled_and_shown(outputs):
    unused, lines, value = (output.data for output in outputs[1])
    assert "unused was not compiled: call it in this cell" in unused["text/html"]
    kinds = re.findall(r"<details class='(\w+)'><summary.*?</span>(.*?)</summary>", lines["text/html"])
    assert ("vector", "    t = np.zeros_like(x)") in kinds
    assert ("scalar", "    for k in range(1, len(x)):") in kinds
    assert value["text/plain"] == "(100,)"


@pytest.mark.processor
def test_functions_show_themselves(outputs):
    ((function,), (concrete,)) = outputs[2], outputs[3]
    assert "smooth: compiled for 1 signature" in function.data["text/html"]
    assert concrete.data["text/html"].startswith("<iframe srcdoc=")


@pytest.mark.processor
def test_errors_have_carets_in_cells(outputs):
    text = error_of(outputs[4])
    assert "WeftIndexError: index 5 is out of bounds for axis 0 with size 3" in text
    assert "Cell In[5], line 3, in failing\n    return 1 + x[5]\n               ^^^^" in text
    broken = error_of(outputs[9])
    assert "Cell In[10], line 3, in broken" in broken
    assert "extension.py" not in broken


@pytest.mark.processor
def test_functions_that_are_defined_again(outputs):
    values = [output[0].data["text/plain"] for output in outputs[5:8]]
    assert values[0] == "np.float64(2.0)"
    assert values[1].startswith("(np.float64(11.0),")
    assert "helper" in values[1]
    assert values[2] == "np.float64(22.0)"


@pytest.mark.processor
def test_unknown_options_are_refused(outputs):
    assert "%%weft has no option '--fast'; %%weft [-a | --annotate]: compile" in error_of(outputs[8])


@pytest.mark.soak
@pytest.mark.processor
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_example_notebooks_run(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()


def test_there_are_example_notebooks() -> None:
    assert len(list(EXAMPLES.glob("*.ipynb"))) == 3
