"""Which tests ask for values alone, so that most of their functions are interpreted, and not made machine code."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]

FOLDERS = (
    "integrations/keras_weft/test/test_features.py",
    "integrations/keras_weft/test/test_recurrent.py",
    "integrations/keras_weft/test/test_trainer.py",
    "integrations/keras_weft/test/test_unknown_batch.py",
    "test/frontend/batching",
    "test/frontend/composite",
    "test/frontend/control_flow",
    "test/frontend/gradients",
    "test/frontend/indexing",
    "test/frontend/numpy_api",
    "test/frontend/onnx",
    "test/frontend/python_state",
    "test/frontend/random",
    "test/frontend/runtime_values",
    "test/frontend/variables",
)
"""Folders and files all of whose tests are such, but for those marked as `compiled`, `optimised` or `processor`."""


def interpreting(item: pytest.Item) -> contextlib.AbstractContextManager[None]:
    """Interpret the functions of most tests that ask for values: of all but one of some, by name."""
    from support.behaviour_harness import mostly_interpreted

    asks_for_values = any(map(item.path.is_relative_to, map(ROOT.joinpath, FOLDERS)))
    if not asks_for_values or any(map(item.get_closest_marker, ("compiled", "optimised", "processor"))):
        return contextlib.nullcontext()
    return mostly_interpreted(item.nodeid)


__all__ = ["FOLDERS", "interpreting"]
