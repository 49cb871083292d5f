"""The classes of Python's that become tables, and how their objects are made of items."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

from .....dialect.records import dataclass

_SETS = (set, frozenset)
CLASSES: tuple[type, ...] = (dict, OrderedDict, Counter, defaultdict, *_SETS)
"""The classes whose objects may become tables."""


@dataclass(frozen=True)
class PythonClass:
    """A class of dicts or sets, with what is part of one beside its items."""

    python_type: type
    default: Callable[[], Any] | None = None
    """What makes the values of keys that are missing, in a `defaultdict`."""

    @staticmethod
    def of(container: Any) -> PythonClass | None:
        """That of a dict or set; None for other objects."""
        kind = type(container)
        if kind not in CLASSES:
            return None
        return PythonClass(kind, container.default_factory if kind is defaultdict else None)

    @property
    def is_set(self) -> bool:
        """Whether there are no values."""
        return self.python_type in _SETS

    def __call__(self, items: list[Any]) -> Any:
        """The object that has some keys, or pairs of keys and values."""
        if self.is_set:
            return self.python_type(items)
        if self.python_type is defaultdict:
            return defaultdict(self.default, items)
        return self.python_type(dict(items))
