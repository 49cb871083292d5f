"""Keras 3 on weft: models are trained and run as functions that weft compiles.

`import keras_weft` in front of `import keras` chooses the backend, and so does the variable of the environment
`KERAS_BACKEND=weft`. Nothing of Keras or weft is loaded before `import keras`.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING, Any

from . import finder

if TYPE_CHECKING:
    from .src.trainer import fit_in_graph

__version__ = "0.1.0"


def _choose() -> None:
    """Make weft the backend of the Keras that will be imported."""
    chosen = os.environ.get("KERAS_BACKEND")
    if chosen not in (None, "", "weft"):
        warnings.warn(
            f"KERAS_BACKEND is {chosen!r}, and `import keras_weft` chooses weft: Keras runs on weft. Leave out the "
            "import where Keras is to run on another backend.",
            stacklevel=3,
        )
    os.environ["KERAS_BACKEND"] = "weft"
    keras = sys.modules.get("keras.src.backend")
    if keras is not None and keras.backend() != "weft":
        raise ImportError(
            f"Keras has been imported already, with the backend {keras.backend()!r}; import keras_weft in front of "
            "keras, or set KERAS_BACKEND=weft"
        )
    finder.install()


_choose()


def __getattr__(name: str) -> Any:
    if name != "fit_in_graph":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .src.trainer import fit_in_graph

    return fit_in_graph


__all__ = ["__version__", "fit_in_graph"]
