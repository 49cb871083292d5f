"""Records as JSON, by the types of their fields: what machine code is described by, in files.

Nothing but the annotations of the records says how they are written and read, so that a new field is in files as soon
as it is in the record. What is read is checked against the same annotations, and nothing else is ever made of it. Bytes
and long texts are kept apart, under names that `Blobs` gives.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any, Protocol, Union, cast, get_args, get_origin, get_type_hints

from ...dialect.errors import ArtifactError
from ...dialect.types import TensorType, parse_type
from .structures import Json, NoForm

_LONG = 1024
"""So many characters a text that is written with the others has at most."""
_PLAIN = (bool, int, str, type(None))
_SEQUENCES: dict[Any, Any] = {tuple: tuple, list: list, frozenset: frozenset}


class Blobs(Protocol):
    """Where bytes are: found again under the name that they get."""

    def put(self, field: str, content: bytes) -> str:
        """Keep what is in a field of a record; the same bytes have one name."""

    def get(self, name: str) -> bytes:
        """What has a name."""


def record_to_json(value: Any, kind: Any, blobs: Blobs, field: str = "") -> Json:
    """A value of an annotated type; raises `NoForm` where it is of another one.

    >>> from weft.backend.planning.plan import Site
    >>> site = Site("IndexError", "out of bounds", 1, "unknown")
    >>> record_to_json(site, Site, blobs=None)
    {'error': 'IndexError', 'message': 'out of bounds', 'values': 1, 'location': 'unknown'}
    """
    if kind is TensorType and isinstance(value, TensorType):
        return str(value)
    if kind is bytes and type(value) is bytes:
        return {"bytes": blobs.put(field, value)}
    if kind in _PLAIN and type(value) is kind:
        if kind is str and len(value) > _LONG:
            return {"text": blobs.put(field, value.encode())}
        return value
    if _is_union(kind):
        for option in get_args(kind):
            try:
                return record_to_json(value, option, blobs, field)
            except NoForm:
                continue
    origin = get_origin(kind)
    if origin in _SEQUENCES and type(value) is origin:
        items = sorted(value) if origin is frozenset else value
        kinds = _kinds_of_items(kind, len(items))
        if len(kinds) == len(items):
            return [record_to_json(item, k, blobs, field) for item, k in zip(items, kinds, strict=True)]
    if _is_record(kind) and type(value) is kind:
        return {
            name: record_to_json(getattr(value, name), hint, blobs, name)
            for name, hint in fields_of(kind).items()
        }
    raise NoForm(f"a {type(value).__name__} as {field}")


def record_from_json(given: Json, kind: Any, blobs: Blobs) -> Any:
    """The value of what `record_to_json` made; raises `ArtifactError` for anything else.

    >>> from weft.backend.planning.plan import PackedArgument
    >>> record_from_json({"argument": 1, "layout": {"axis": 0, "panel": 4, "order": [1, 0, 2]}}, PackedArgument, None)
    PackedArgument(argument=1, layout=PackedLayout(axis=0, panel=4, order=(1, 0, 2)))
    """
    if kind is TensorType and type(given) is str:
        return parse_type(given)
    if kind in _PLAIN and type(given) is kind:
        return given
    if kind in (bytes, str) and isinstance(given, dict) and len(given) == 1:
        content = blobs.get(given.get("bytes" if kind is bytes else "text", ""))
        return content if kind is bytes else content.decode()
    if _is_union(kind):
        for option in get_args(kind):
            try:
                return record_from_json(given, option, blobs)
            except ArtifactError:
                continue
    origin = get_origin(kind)
    if origin in _SEQUENCES and isinstance(given, list):
        kinds = _kinds_of_items(kind, len(given))
        if len(kinds) == len(given):
            return origin(record_from_json(item, k, blobs) for item, k in zip(given, kinds, strict=True))
    if _is_record(kind) and isinstance(given, dict) and given.keys() == fields_of(kind).keys():
        return kind(*(record_from_json(given[name], hint, blobs) for name, hint in fields_of(kind).items()))
    raise ArtifactError(f"{str(given)[:60]} is no {getattr(kind, '__name__', kind)}")


_FIELDS: dict[type, dict[str, Any]] = {}


def fields_of(record: type) -> dict[str, Any]:
    """The fields of a record, with their types."""
    if record not in _FIELDS:
        hints, kind = get_type_hints(record), cast(Any, record)
        _FIELDS[record] = {name: hints[name] for name in kind._fields}
    return _FIELDS[record]


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "_fields")


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _kinds_of_items(kind: Any, count: int) -> Sequence[Any]:
    """The types of the items of a container with so many of them; of another number, if there have to be others."""
    kinds = get_args(kind)
    if get_origin(kind) is tuple and kinds[-1:] != (...,):
        return kinds
    return kinds[:1] * count
