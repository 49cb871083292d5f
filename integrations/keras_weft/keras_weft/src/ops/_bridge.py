"""Until a module is written: the functions of Keras's numpy backend, on our core."""

from __future__ import annotations

import functools
import importlib
import sys
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

import weft

from . import core


def lookup(module: str, name: str) -> Any:
    """A function of a module of the numpy backend."""
    return None if name.startswith("__") else getattr(_modules()[module], name)


@functools.cache
def _modules() -> dict[str, ModuleType]:
    jax: Any = mock.MagicMock()
    names = (
        "jax",
        "jax.numpy",
        "jax.lax",
        *("keras.src.backend.jax" + n for n in ("", ".math", ".nn", ".core")),
    )
    with mock.patch.dict(sys.modules, {**dict.fromkeys(names, jax), "keras.src.backend.numpy.core": core}):
        found = {
            name: importlib.import_module("keras.src.backend.numpy." + name)
            for name in ("image", "linalg", "math", "nn", "numpy", "random", "rnn")
        }
    from . import numpy as ours

    sys.modules["keras.src.backend"].numpy = ours  # type: ignore[attr-defined]  # which the import has replaced
    for module in found.values():
        module.np = _NumPy()  # type: ignore[attr-defined]
    return found


class _NumPy:
    """NumPy, whose functions that make arrays take arrays of traces, and make such."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def array(self, x: Any, dtype: Any = None, **options: Any) -> Any:
        return core.convert_to_tensor(x, dtype or getattr(x, "dtype", None))

    asarray = array

    def zeros(self, shape: Any, dtype: Any = "float64") -> Any:
        return (weft if weft.is_recording() else np).zeros(shape, dtype)

    empty = zeros

    def ones(self, shape: Any, dtype: Any = "float64") -> Any:
        return (weft if weft.is_recording() else np).ones(shape, dtype)

    def full(self, shape: Any, value: Any, dtype: Any = None) -> Any:
        return (weft if weft.is_recording() else np).full(shape, value, dtype=dtype)
