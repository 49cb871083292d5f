"""Every function of the namespace says what it takes and gives, what it raises, and shows an example."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import weft

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: value
    for name in dir(weft)
    if isinstance(value := getattr(weft, name), FunctionType) and ".numpy_api." in value.__module__ + "."
}
FUNCTIONS |= {name: getattr(weft, name) for name in ("broadcast_to", "broadcast_arrays")}
FUNCTIONS |= {f"linalg.{name}": getattr(weft.linalg, name) for name in weft.linalg.__all__}


def test_the_namespace_is_there() -> None:
    assert len(FUNCTIONS) > 280


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_says_shapes_dtypes_errors_and_has_an_example(name: str) -> None:
    function = FUNCTIONS[name]
    text = inspect.getdoc(function) or ""
    missing = [what for what, is_there in _contents(name, function, text).items() if not is_there]
    assert not missing, f"weft.{name} lacks {', '.join(missing)} in its docstring:\n{text}"
    assert len(text.splitlines()) <= 20


WITHOUT_EXAMPLE = {
    "widen",
    "at_run_time",
    "fingerprint_parts",
    "trace_count",
    "shape",
    "dtype",
    "get_num_threads",
}
"""Properties that are shown elsewhere, and what is public for other rooms alone."""

TOOLS = {name: tool for name in weft.__all__ if inspect.isfunction(tool := getattr(weft, name))}
TOOLS |= {
    f"{kind.__name__}.{name}": getattr(kind, name)
    for kind in (weft.Function, weft.TensorArray, weft.TensorSpec, type(weft.settings))
    for name, member in vars(kind).items()
    if not name.startswith("_") and (inspect.isroutine(member) or isinstance(member, property))
}


@pytest.mark.parametrize("name", [name for name in TOOLS if name.rpartition(".")[2] not in WITHOUT_EXAMPLE])
def test_what_is_beside_the_namespace_has_an_example(name: str) -> None:
    assert ">>> " in (inspect.getdoc(TOOLS[name]) or ""), f"weft.{name} has no example in its docstring"


def _contents(name: str, function: Callable[..., Any], text: str) -> dict[str, bool]:
    """What there has to be in a docstring, and whether it is."""
    prose = " ".join(text.split())
    names = {name.rpartition(".")[2], function.__name__} & {*dir(np), *dir(np.linalg)}
    is_numpys = hasattr(function, "__wrapped__")  # it calls NumPy's own function, where the rest is said
    calls = (f"weft.{name}(", f"weft.{function.__name__}(")
    return {
        "what NumPy calls it": not names or "`numpy." in prose,
        "shapes": "Shape" in prose or "Returns" in prose,
        "dtypes": "type" in prose or "Returns" in prose,
        "errors": "Raises " in prose,
        "an example": is_numpys or (">>> " in text and any(call in text for call in calls)),
    }
