"""The shape that `reshape` is asked for, with the extent that -1 stands for: known, or told when the program runs."""

from __future__ import annotations

from itertools import count, dropwhile
from math import prod
from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError
from ..tracing.array import TracedArray
from ..tracing.extents import Extent, known_shape, product, same_extent
from ..tracing.staging import ArrayResult, raise_where, trace_of
from .arguments import extent_number

_SEVERAL = "can only specify one unknown dimension"


def completed(x: ArrayResult, extents: tuple[Extent, ...]) -> tuple[Extent, ...]:
    """The target shape with -1 replaced; run-time extents are checked to fit when the function runs."""
    extents = tuple(e if isinstance(e, TracedArray) else extent_number(e) for e in extents)
    unknown = [
        place for place, extent in enumerate(extents) if not isinstance(extent, TracedArray) and extent < 0
    ]
    if len(unknown) > 1:
        raise WeftValueError(_SEVERAL)
    if any(map(_may_be_unknown, extents)):
        extents = _filled(x, extents, bool(unknown))
    sizes = [extent for place, extent in enumerate(extents) if place not in unknown]
    if all(isinstance(e, int) for e in (*sizes, *known_shape(x))):
        size, rest = product(x.shape), product(sizes)
        if size % rest if unknown and rest else size != rest if not unknown else size or not rest:
            raise WeftValueError(f"cannot reshape array of size {size} into shape {_asked(extents)}")
        missing: Extent = size // rest if rest else 0
    else:
        missing = _run_time_extent(x, sizes, bool(unknown), extents)
    return tuple(missing if place in unknown else extent for place, extent in enumerate(extents))


def _may_be_unknown(extent: Extent) -> bool:
    """Whether an extent is data, which may be the -1 that stands for what is left."""
    if not isinstance(extent, TracedArray):
        return False
    from ..tracing.extent_keys import depends_on_shapes_only  # loads MLIR

    return not depends_on_shapes_only(extent._value())


def _filled(x: ArrayResult, extents: tuple[Extent, ...], has_unknown: bool) -> tuple[Extent, ...]:
    """The extents with what is left in the place of one that turns out to be negative when the program runs."""
    negative = {place: np.less(extent, 0) for place, extent in enumerate(extents) if _may_be_unknown(extent)}
    number: Any = sum(is_negative.astype(np.int64) for is_negative in negative.values())
    raise_where(np.greater(number, int(not has_unknown)), WeftValueError, _SEVERAL)
    if has_unknown:
        return extents
    sizes = [np.where(negative[p], 1, e) if p in negative else e for p, e in enumerate(extents)]
    left = np.floor_divide(product(x.shape), product(sizes))
    return tuple(np.where(negative[p], left, e) if p in negative else e for p, e in enumerate(extents))


def _run_time_extent(x: Any, sizes: list[Extent], one_unknown: bool, extents: tuple[Extent, ...]) -> Extent:
    """The extent that -1 stands for, where it depends on run-time extents; common factors are cancelled."""
    own, wanted = list(x.shape), list(sizes)
    for extent in tuple(own):
        match = next((place for place, w in enumerate(wanted) if same_extent(w, extent)), None)
        if match is not None and not (isinstance(extent, int) and extent == 0):
            wanted.pop(match)
            own.pop(next(place for place, o in enumerate(own) if o is extent))
    own_known, wanted_known = (prod(e for e in side if isinstance(e, int)) for side in (own, wanted))
    if one_unknown and wanted_known and own_known % wanted_known == 0:
        own = [own_known // wanted_known, *(e for e in own if isinstance(e, TracedArray))]
        wanted = [e for e in wanted if isinstance(e, TracedArray)]
    size, rest = product(own), product(wanted)
    trace = trace_of((x, *extents))
    told = [extent for extent in extents if isinstance(extent, TracedArray)]
    message = f"cannot reshape array of size {{0}} into shape {_asked(extents)}"
    if trace is not None and not (isinstance(rest, int) and rest == 1 and one_unknown):
        differs = np.not_equal(np.remainder(size, rest) if one_unknown else size - rest, 0)
        raise_where(differs, WeftValueError, message, size, *told)
    return np.floor_divide(size, rest) if not isinstance(rest, int) or rest != 1 else size


def _asked(extents: tuple[Extent, ...]) -> str:
    """The target shape of a reshape, as NumPy shows it: without an unknown extent in front.

    Run-time extents are the fields of a message from {1} on.
    """
    places = count(1)
    texts = [
        f"{{{next(places)}}}" if isinstance(e, TracedArray) else "newaxis" if e < 0 else str(e)
        for e in extents
    ]
    shown = list(dropwhile("newaxis".__eq__, texts))
    return f"({','.join(shown)}{',' if len(texts) == len(shown) == 1 else ''})"
