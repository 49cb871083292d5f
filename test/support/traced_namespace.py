"""`weft` as an array namespace whose functions are traced and interpreted: each call is that of a compiled function."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import weft
from support.interpreted import interpreted


class Traced:
    """A module whose functions are traced."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, ModuleType):
            return Traced(value)
        return _traced(value) if isinstance(value, FunctionType) and not name.startswith("__") else value

    def __dir__(self) -> list[str]:
        return dir(self._module)


def _traced(function: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(value, np.ndarray) for value in (*args, *kwargs.values())):
            return function(*args, **kwargs)
        return interpreted(lambda given, named: function(*given, **named))(args, kwargs)

    call.__signature__ = None  # type: ignore[attr-defined]
    call.__name__ = function.__name__
    return call


xp = Traced(weft)
