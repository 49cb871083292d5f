"""Where functions are taken from whose arguments NumPy does not ask for what they are."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft


def namespace() -> Any:
    """NumPy, or weft while a program is recorded: there arrays that are made are parts of the program.

    Of functions that take an array NumPy asks the array alone how they are computed, and not shapes and indices.
    """
    return weft if weft.is_recording() else np


__all__ = ["namespace"]
