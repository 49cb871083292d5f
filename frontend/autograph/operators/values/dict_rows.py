"""Dicts of the same keys of which there are as many as the program makes: rows of a pool, as objects of a class are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from ....runtime_values.values import RuntimeValue
from ....tracing.array import TracedArray
from ..interface import operators
from .object_handles import PooledObject, RowsRefused, handle_of


class PooledDict(PooledObject):
    """What stands for such a dict."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    python_type = dict

    def as_dict(self) -> dict[Any, Any]:
        """Another dict with the same entries."""
        pool, number = handle_of(self)
        return {key: pool.get(number, key) for key in pool.keys}

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        return self.as_dict(), lambda made: made

    copy = __copy__ = as_dict

    def __len__(self) -> int:
        return len(handle_of(self)[0].keys)

    def __iter__(self) -> Iterator[Any]:
        return iter(handle_of(self)[0].keys)

    def __contains__(self, key: Any) -> bool:
        return self._known(key) in handle_of(self)[0].keys

    def _known(self, key: Any) -> Any:
        if isinstance(key, (TracedArray, RuntimeValue)):
            raise RowsRefused(
                f"{handle_of(self)[0].refusal('asked for a key that only the program knows')}: name it"
            )
        return key

    def __getitem__(self, key: Any) -> Any:
        if key not in self:
            raise KeyError(key)
        pool, number = handle_of(self)
        return pool.get(number, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        pool, number = handle_of(self)
        if key not in self:
            raise RowsRefused(
                f"{pool.refusal(f'given the key {key!r}')}: let each have it from the beginning (None)"
            )
        pool.put(number, key, value)

    def __delitem__(self, key: Any) -> NoReturn:
        raise RowsRefused(
            f"{handle_of(self)[0].refusal(f'changed so that the key {key!r} is gone')}: set it to None"
        )

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key, or the default."""
        return self[key] if self.__contains__(key) else default

    def keys(self) -> Any:
        """The keys."""
        return dict.fromkeys(handle_of(self)[0].keys).keys()

    def values(self) -> Any:
        """The values."""
        return self.as_dict().values()

    def items(self) -> Any:
        """Pairs of keys and values."""
        return self.as_dict().items()

    def update(self, other: Any = (), /, **named: Any) -> None:
        """Give keys other values."""
        pairs: Iterable[tuple[Any, Any]] = dict(other, **named).items()
        for key, value in pairs:
            self[key] = value

    def __ior__(self, other: Any) -> PooledDict:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Any:
        return self.as_dict() | dict(other) if isinstance(other, _DICTS) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return other | self.as_dict() if isinstance(other, dict) else NotImplemented

    def __eq__(self, other: Any) -> Any:
        one = self.as_dict()
        return operators().compare("==", one, other.as_dict() if isinstance(other, PooledDict) else other)

    def __getattr__(self, name: str) -> NoReturn:
        getattr({}, name)  # raises what Python does
        raise RowsRefused(handle_of(self)[0].refusal(f"asked for {name}()"))


_DICTS = (dict, PooledDict)
