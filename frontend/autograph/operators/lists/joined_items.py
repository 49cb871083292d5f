"""The abstract type that holds the items of a list."""

from __future__ import annotations

from ..values.abstract import Kind, Mismatch, Text, as_arrays, require_lists_at_most, texts_grow
from ..values.joins import join
from ..values.mismatches import control_flow_error


def join_items(kind: Kind | None, found: Kind) -> Kind:
    """The abstract type of items of two kinds; both are not to be told apart in a list."""
    require_lists_at_most(found)
    try:
        joined = found if kind is None else as_arrays(join(kind, found, by_type=True))
    except Mismatch as mismatch:
        problem = str(mismatch).replace("on one path", "at first").replace("on the other", "later")
        raise control_flow_error(
            "the items of a list that grows in a staged loop differ", [f"an item is {problem}"]
        ) from None
    require_lists_at_most(joined)
    return Text() if kind is not None and texts_grow(kind, joined) else joined
