"""The arrays that a function which calls itself takes, writes and gives back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .....dialect.errors import UnsupportedError
from .....dialect.mlir import Value
from ....runtime_values.values import traced_in
from ....tracing.array import TracedArray
from ....tracing.may_alias import all_aliases, connect
from ....tracing.recorder import Join
from ....tracing.regions import Region, Section
from ..values.abstract import parts_of
from ..values.aliases import present
from ..values.kinds import ArrayKind, Container, Kind


def arrays_of(values: list[Any], kinds: list[Kind]) -> list[TracedArray]:
    """The arguments that are arrays, and the arrays in others, which a function may write in place."""
    return [array for value, kind in zip(values, kinds, strict=True) for array in _arrays_in(value, kind)]


def _arrays_in(value: Any, kind: Kind) -> list[TracedArray]:
    if isinstance(kind, ArrayKind):
        return [value] if kind.type.rank else []
    parts = parts_of(value) if isinstance(kind, Container) and kind.kind is not slice else None
    if parts is None or not isinstance(kind, Container):
        return []
    keys, children = parts
    named = dict(zip(keys, children, strict=True)) if keys != kind.keys else {}
    children = [named[key] for key in kind.keys] if named else children
    return arrays_of(children, list(kind.children))


def require_apart(written: Sequence[int], arrays: list[TracedArray]) -> None:
    """Refuse one array in two places: a function of the program has a copy for each."""
    storages = [array._storage for array in arrays]
    if any(storages.count(storages[index]) > 1 for index in written):
        raise UnsupportedError(
            "a function that calls itself under a run-time condition writes an array that it is given twice, by two "
            "names or as a view of the other: pass it once"
        )


def handed_on(result: Any, kind: Kind, arrays: list[TracedArray]) -> list[frozenset[int | None]]:
    """Which of the parameters each array in a result may be, of which views are some; None is another one."""
    storages = [array._storage for array in arrays]
    found = []
    for leaf in arrays_of([result], [kind]):
        own = {storages.index(s) for s in (leaf._storage, *all_aliases(leaf._storage)) if s in storages}
        is_itself = leaf._storage in storages and not leaf._path
        found.append(frozenset(own if is_itself else {*own, None}))
    return found


def with_arguments(
    result: Any, kind: Kind, handed_on: Iterator[frozenset[int | None]], arrays: list[TracedArray]
) -> Any:
    """The result of a call, in which arrays that it takes are these themselves.

    What may be one of them, or a view, is not written while that can be seen.
    """
    if isinstance(kind, ArrayKind) and kind.type.rank:
        sources = next(handed_on)
        places = [place for place in sources if place is not None]
        if len(places) == len(sources) == 1:
            return arrays[places[0]]
        if places:
            connect(result._storage, Join(any), [*(arrays[place]._storage for place in places), None])
        return result
    parts = parts_of(result) if isinstance(kind, Container) and kind.kind is not slice else None
    if parts is None or not isinstance(kind, Container):
        return result
    children = [
        with_arguments(*pair, handed_on, arrays) for pair in zip(parts[1], kind.children, strict=True)
    ]
    if kind.kind in (tuple, list):
        return kind.kind(children)
    return kind.kind(*children) if issubclass(kind.kind, tuple) else result


def require_all_known(given: list[Any], arrays: list[TracedArray]) -> None:
    """Refuse writes of arrays that are held by what the caller cannot look into."""
    known = {id(array._storage) for array in arrays}
    for value in traced_in(given, depth=8):
        value = present(value)
        storage = value._storage if isinstance(value, TracedArray) else None
        if storage is not None and storage.ref is not None and id(storage) not in known:
            raise UnsupportedError(
                "a function that calls itself under a run-time condition writes an array that may be missing where it "
                "is called: pass the array itself"
            )


@contextmanager
def seen_inside(arrays: list[TracedArray], region: Region, parameters: Iterator[Value]) -> Iterator[None]:
    """Let arrays of the functions around stand for parameters."""
    storages = list({id(array._storage): array._storage for array in arrays}.values())
    saved = [(s, s.value, s.ref, s.section, s.argument, s.version) for s in storages]
    inside = Section(region)
    for storage in storages:
        storage.value, storage.ref, storage.section, storage.argument = next(parameters), None, inside, None
        storage.version += 1
    try:
        yield
    finally:
        for storage, value, ref, around, argument, version in saved:
            storage.value, storage.ref, storage.section, storage.argument = value, ref, around, argument
            storage.version = version + 1
