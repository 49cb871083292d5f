"""The base of layers: Keras's own code is traced as it is, that of the program's layers is converted."""

from __future__ import annotations

from typing import Any

import weft

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
                setattr(cls, name, weft.autograph.convert(method))


__all__ = ["WeftLayer"]
