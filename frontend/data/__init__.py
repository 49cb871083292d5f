"""`weft.data`: data sets of arrays, whose pipelines are plain Python outside of compiled functions, and loops inside.

The modules of this room are converted as programs are (`source/modules.py`): one text serves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect.imports import names_on_first_use

if TYPE_CHECKING:
    from .dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset

_NAMES = ("AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset")
"""What is here; it is loaded on first use."""

if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_first_use(globals(), dict.fromkeys(_NAMES, ".dataset"))

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]
