"""Images of other sizes: each axis is multiplied by a matrix that tells which elements make one."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .....dialect.records import dataclass
from ..namespace import item, weft
from ..table import Refused, known, require, rule
from .elementwise import is_float, scalar

Array = Any


@dataclass(frozen=True)
class _Sampling:
    """How places of the result are places of the image, and what lies between elements."""

    transformation: str
    mode: str
    nearest_mode: str
    antialias: bool
    cubic_coeff: float
    exclude_outside: bool

    def places(self, size: int, scale: float, extent: int, roi: tuple[float, float]) -> Array:
        """For each element of the result its place in the image."""
        x = np.arange(size, dtype=np.float64)
        wanted = scale * extent
        if self.transformation == "asymmetric":
            return x / scale
        if self.transformation == "align_corners":
            return np.zeros(size) if wanted == 1 else x * (extent - 1) / (wanted - 1)
        if self.transformation == "tf_crop_and_resize":
            first, last = roi
            if wanted == 1:
                return np.full(size, (last - first) * (extent - 1) / 2)
            return x * (last - first) * (extent - 1) / (wanted - 1) + first * (extent - 1)
        if self.transformation == "pytorch_half_pixel" and wanted == 1:
            return np.full(size, -0.5)
        if self.transformation == "half_pixel_symmetric":
            adjusted = size / wanted
            centre = extent / 2
            return centre * (1 - adjusted) + (x + 0.5) / scale - 0.5
        if self.transformation in ("half_pixel", "pytorch_half_pixel"):
            return (x + 0.5) / scale - 0.5
        raise Refused(f"places elements by {self.transformation!r}, which is not read")

    def nearest(self, places: Array, extent: int) -> Array:
        """The element next to each place."""
        below = np.floor(places)
        rest = places - below
        if self.nearest_mode == "floor":
            found = below
        elif self.nearest_mode == "ceil":
            found = np.ceil(places)
        elif self.nearest_mode == "round_prefer_floor":
            found = below + (rest > 0.5)
        elif self.nearest_mode == "round_prefer_ceil":
            found = below + (rest >= 0.5)
        else:
            raise Refused(f"rounds places by {self.nearest_mode!r}, which is not read")
        return np.clip(found, 0, extent - 1).astype(np.int64)

    def matrix(self, places: Array, scale: float, extent: int) -> Array:
        """How much of each element of an axis each one of the result has."""
        shrink = min(scale, 1.0) if self.antialias else 1.0
        reach = {"linear": 1.0, "cubic": 2.0}[self.mode] / shrink
        first = np.floor(places - reach).astype(np.int64)
        count = math.ceil(2 * reach) + 2
        found = np.zeros((len(places), extent))
        for step in range(count):
            at = first + step
            weight = self._weight(np.abs(at - places) * shrink)
            if self.exclude_outside or self.antialias:
                weight = np.where((at < 0) | (at >= extent), 0, weight) if self.exclude_outside else weight
            np.add.at(found, (np.arange(len(places)), np.clip(at, 0, extent - 1)), weight)
        if self.exclude_outside or self.antialias:
            found /= found.sum(axis=1, keepdims=True)
        return found

    def _weight(self, distance: Array) -> Array:
        if self.mode == "linear":
            return np.maximum(0, 1 - distance)
        a = self.cubic_coeff
        near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
        far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
        return np.where(distance <= 1, near, np.where(distance < 2, far, 0))


@rule("Resize", known_inputs=(1, 2))
def resize(
    x: Any,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    *,
    antialias: int = 0,
    axes: Sequence[int] | None = None,
    coordinate_transformation_mode: str,
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str,
    nearest_mode: str = "round_prefer_floor",
) -> Any:
    """The nearest elements, or lines and cubic curves through them, for each axis."""
    along = list(range(x.ndim)) if axes is None else [axis % x.ndim for axis in axes]
    extents = [int(known(x.shape[axis], "the size of the image")) for axis in along]
    by = None if scales is None else known(scales, "the scales").astype(np.float64).ravel()
    if by is not None and by.size:
        wanted = [math.floor(extent * scale) for extent, scale in zip(extents, by, strict=True)]
    else:
        require(sizes is not None, "has neither scales nor sizes")
        wanted = known(sizes, "the sizes").ravel().tolist()
        by = np.array([new / old for new, old in zip(wanted, extents, strict=True)])
        if keep_aspect_ratio_policy != "stretch":
            by[:] = by.min() if keep_aspect_ratio_policy == "not_larger" else by.max()
            wanted = [math.floor(scale * extent + 0.5) for scale, extent in zip(by, extents, strict=True)]
    borders = np.concatenate([np.zeros(len(along)), np.ones(len(along))])
    if coordinate_transformation_mode == "tf_crop_and_resize":
        borders = known(roi, "the region").astype(np.float64).ravel()
    how = _Sampling(
        coordinate_transformation_mode,
        mode,
        nearest_mode,
        bool(antialias),
        cubic_coeff_a,
        bool(exclude_outside),
    )
    outside = None
    for place, axis in enumerate(along):
        size, extent, scale = wanted[place], extents[place], float(by[place])
        region = (float(borders[place]), float(borders[len(along) + place]))
        crops = coordinate_transformation_mode == "tf_crop_and_resize"
        if size == extent and scale == 1 and not crops:
            continue
        places = how.places(size, scale, extent, region)
        if crops:
            beyond = (places < 0) | (places > extent - 1)
            beyond = beyond.reshape([-1 if a == axis else 1 for a in range(x.ndim)])
            outside = beyond if outside is None else outside | beyond
        if mode == "nearest":
            x = weft.take(x, how.nearest(places, extent), axis=axis)
        else:
            x = _multiplied(x, how.matrix(places, scale, extent), axis)
    if outside is not None and outside.any():
        x = weft.where(outside, scalar(extrapolation_value, x), x)
    return x


def _multiplied(x: Any, matrix: Array, axis: int) -> Any:
    """The product of a matrix with an axis; of integers, with the fractions cut."""
    dtype = x.dtype
    wide = x if is_float(x) else weft.astype(x, np.float32)
    last = weft.matmul(weft.moveaxis(wide, axis, -1), matrix.T.astype(wide.dtype))
    return weft.astype(weft.moveaxis(last, -1, axis), dtype)


@rule("Upsample", known_inputs=(1,))
def upsample(x: Any, scales: Any, *, mode: str) -> Any:
    """`Resize`, with places that are those of the image times the scales."""
    return resize(
        x,
        None,
        scales,
        coordinate_transformation_mode="asymmetric",
        mode={"bilinear": "linear"}.get(mode, mode),
        nearest_mode="floor",
    )


@rule("GridSample")
def grid_sample(x: Any, grid: Any, *, align_corners: int, mode: str, padding_mode: str) -> Any:
    """Elements of images at places that an array tells, between -1 and 1; the nearest, or lines through them."""
    rank = x.ndim - 2
    places = []
    for axis in range(rank):
        given, extent = grid[..., rank - 1 - axis], x.shape[2 + axis]
        half = scalar(0.5, given)
        if align_corners:
            found = (given + scalar(1, given)) * half * scalar(extent - 1, given)
        else:
            found = ((given + scalar(1, given)) * scalar(extent, given) - scalar(1, given)) * half
        places.append(found)
    kind = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    if kind == "nearest":
        return _sampled(x, [weft.rint(place) for place in places], padding_mode, align_corners)
    if kind not in ("linear", "cubic"):
        raise Refused(f"samples by {mode!r}, which is not read")
    below = [weft.floor(place) for place in places]
    taps = [_taps(place - low, kind) for place, low in zip(places, below, strict=True)]
    total: Any = None
    for corner in itertools.product(*taps):
        at = [low + scalar(step, low) for low, (step, _) in zip(below, corner, strict=True)]
        weight = functools.reduce(weft.multiply, [share for _, share in corner])
        found = _sampled(x, at, padding_mode, align_corners) * weft.expand_dims(weight, axis=1)
        total = found if total is None else total + found
    return total


def _taps(rest: Any, kind: str) -> list[tuple[int, Any]]:
    """The elements around a place, counted from that below it, and how much of each is taken."""
    one = scalar(1, rest)
    if kind == "linear":
        return [(0, one - rest), (1, rest)]

    def near(t: Any) -> Any:
        return (scalar(1.25, t) * t - scalar(2.25, t)) * t * t + one

    def far(t: Any) -> Any:
        return ((scalar(-0.75, t) * t + scalar(3.75, t)) * t - scalar(6.0, t)) * t + scalar(3.0, t)

    return [(-1, far(rest + one)), (0, near(rest)), (1, near(one - rest)), (2, far(one + one - rest))]


def _sampled(x: Any, places: list[Any], padding_mode: str, align_corners: int) -> Any:
    """Elements at whole places; those outside are zeros, the last ones, or mirrored."""
    inside: Any = None
    indices = []
    for axis, place in enumerate(places):
        extent = x.shape[2 + axis]
        if padding_mode == "reflection":
            place = _mirrored(place, extent, align_corners)
        last = scalar(extent - 1, place)
        fits = weft.logical_and(weft.greater_equal(place, scalar(0, place)), weft.less_equal(place, last))
        inside = fits if inside is None else weft.logical_and(inside, fits)
        indices.append(weft.astype(weft.minimum(weft.maximum(place, scalar(0, place)), last), np.int64))
    batch = weft.reshape(weft.arange(x.shape[0]), (-1, *(1,) * len(places)))
    images = weft.moveaxis(x, 1, -1)
    found = weft.moveaxis(item(images, (batch, *indices)), -1, 1)
    if padding_mode == "zeros":
        found = weft.where(weft.expand_dims(inside, axis=1), found, scalar(0, x))
    return found


def _mirrored(place: Any, extent: int, align_corners: int) -> Any:
    low, high = (0.0, extent - 1.0) if align_corners else (-0.5, extent - 0.5)
    span = high - low
    if span == 0:
        return place * scalar(0, place)
    away = weft.abs(place - scalar(low, place))
    turns = weft.floor(away / scalar(span, place))
    rest = away - turns * scalar(span, place)
    is_even = weft.equal(weft.remainder(turns, scalar(2, place)), scalar(0, place))
    found = weft.where(is_even, rest + scalar(low, place), scalar(high, place) - rest)
    return weft.minimum(weft.maximum(weft.rint(found), scalar(0, place)), scalar(extent - 1, place))
