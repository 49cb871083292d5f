"""The base of layers: Keras's own code is traced as it is, that of the program's layers is converted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import weft

from .recording import convert

_METHODS = ("call", "compute_loss", "compute_metrics", "predict_step", "test_step", "train_step")
"""The methods of layers and models that programs write and Keras calls."""

_OWN = ("keras.", "keras_weft.")


class WeftLayer:
    """What a layer of Keras inherits from its backend."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith(_OWN):
            return
        for name in _METHODS:
            if callable(method := cls.__dict__.get(name)):
                setattr(cls, name, _converted_method(method))


def _converted_method(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of the program: `if`, `while` and `for` on arrays are compiled, though Keras's code calls it."""

    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        return convert(method, self, *args, **kwargs)

    return weft.do_not_convert(called)


__all__ = ["WeftLayer"]
