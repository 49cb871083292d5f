"""Attributes that are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")


class lazy(Generic[_T]):
    """As `functools.cached_property`, which takes a lock before Python 3.12: three times as long, for each op.

    >>> class Square:
    ...     @lazy
    ...     def area(self):
    ...         print("computed")
    ...         return 4
    >>> square = Square()
    >>> square.area, square.area
    computed
    (4, 4)
    """

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any = None) -> _T:
        value: _T = self._compute(instance)
        instance.__dict__[self._name] = value
        return value
