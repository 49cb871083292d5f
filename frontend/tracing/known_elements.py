"""The elements that are known while tracing: those of small arrays made of constants, followed through a few writes.

Python needs them where it asks for an axis, a size or the index of a list: `order = np.arange(x.ndim)` with two places
exchanged is an order of axes. Only integers are followed, and not for long: a loop that counts in an array would be
unrolled as often as that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .recorder import Storage, Written

_MOST_WRITES = 16
_MOST_ELEMENTS = 64

Elements = np.ndarray[Any, Any]


def elements_of(array: Any) -> Elements | None:
    """The elements of an array of the trace or of a view of one, where they are known; None where they are not."""
    storage = array._storage
    if storage.trace.is_eager:
        elements: Elements | None = storage.trace.elements(array._value())
        return elements
    known = _present(storage)
    return None if known is None else _along_path(array, known)


def _present(storage: Storage) -> Elements | None:
    """All elements of an array at the place that is recorded now."""
    if storage.ref is None:
        return storage.known
    written, region = storage.written, storage.trace.region
    if written is None or written.version != storage.version or written.section.is_erased:
        return None
    place = written.section.region
    return written.elements if place.loop is region.loop and region.is_inside(place) else None


def _along_path(array: Any, elements: Elements) -> Elements | None:
    """What a view of an array with some elements shows; None where run-time values choose that."""
    if any(step.operands for step in array._path):
        return None
    for step in array._path:
        absent = ((),) * (len(step.op_class.operand_fields()) - 1)
        elements = np.asarray(step.op_class.evaluate(elements, *absent, **step.attributes))
    return elements


def is_followed(array: Any) -> bool:
    """Whether the next write to an array may leave elements that are known."""
    storage = array._storage
    if storage.known is None or storage.type.size is None or storage.type.size > _MOST_ELEMENTS:
        return False
    writes = 0 if storage.written is None else storage.written.writes
    return storage.type.dtype.kind in "iu" and writes < _MOST_WRITES


def whole_with(array: Any, shown: Elements) -> Elements | None:
    """All elements of the array behind a view, once the view shows others; None where they are not known."""
    known = _present(array._storage)
    if known is None:
        return None
    places = _along_path(array, np.arange(known.size).reshape(known.shape))
    if places is None:
        return None
    whole: Elements = known.copy()
    whole.flat[places.ravel()] = shown.ravel()
    return whole


def note_written(storage: Storage, elements: Elements, writes: int) -> None:
    """Take note of the elements that the last write has left in an array, so many of which were followed."""
    storage.written = Written(elements, storage.version, storage.trace.region.section, writes)


def note_copied(source: Any, copy: Any) -> None:
    """Take note that one array has the elements of another one, as a number of an index vector has."""
    storage = source._storage
    if storage.known is None or copy.dtype.kind not in "iu" or copy._storage.known is not None:
        return
    if storage.region.loop is storage.trace.region.loop:  # a loop may write to what was made in front of it
        copy._storage.known = elements_of(source)
