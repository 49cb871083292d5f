"""`keras.Variable`: an array that compiled functions read and write in place."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.common import KerasVariable
from keras.src.backend.common.stateless_scope import get_stateless_scope, in_stateless_scope

import weft

from .conversion import convert_to_tensor


class Variable(KerasVariable, weft.ArrayHolder):
    """A variable of Keras, whose array a `weft.Variable` holds: traces read and write it, tapes watch it."""

    _value: Any

    def _initialize(self, value: Any) -> None:
        with weft.init_scope():  # a layer may be built while a step is traced
            self._value = weft.Variable(np.asarray(value, dtype=self._dtype), name=self._path)

    def _initialize_with_initializer(self, initializer: Any) -> None:
        with weft.init_scope():
            self._initialize(initializer(self._shape, dtype=self._dtype))

    def _direct_assign(self, value: Any) -> None:
        self._value.assign(value)

    def _convert_to_tensor(self, value: Any, dtype: Any = None) -> Any:
        return convert_to_tensor(value, dtype=dtype)

    @property
    def value(self) -> Any:
        """The array; what stands for it while a trace or a tape records."""
        if in_stateless_scope():
            found = get_stateless_scope().get_current_value(self)
            if found is not None:
                return self._maybe_autocast(found)
        if self._value is None:  # not built yet: only its shape and dtype are asked for
            return self._maybe_autocast(self._initializer(self._shape, dtype=self._dtype))
        return self._maybe_autocast(self._value.value)

    # NumPy's protocols

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.value, dtype, copy=copy)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return function(*_held(args), **_held(kwargs))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*_held(args), **_held(kwargs))


def _held(value: Any) -> Any:
    """Nested arguments with arrays in the places of variables."""
    if isinstance(value, Variable):
        return value.value
    if type(value) in (list, tuple):
        return type(value)(map(_held, value))
    if type(value) is dict:
        return {name: _held(item) for name, item in value.items()}
    return value


__all__ = ["Variable"]
