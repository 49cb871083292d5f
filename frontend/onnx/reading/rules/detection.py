"""Boxes that a model finds in images."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....autograph.loop_hints import range as staged_range
from ....autograph.operators.statements.for_loops import for_
from ..namespace import item, weft
from ..table import rule
from .elementwise import scalar


def _number(value: Any, default: float, like: Any) -> Any:
    """An input that is one number, or none."""
    if value is None:
        return scalar(default, like)
    return weft.astype(weft.reshape(value, (-1,))[0], like.dtype)


def _overlaps(boxes: Any, center_point_box: int) -> Any:
    """How much of what two boxes cover together, both cover: (batch, boxes, boxes)."""
    if center_point_box:
        x, y, width, height = (boxes[..., place] for place in range(4))
        half = scalar(0.5, boxes)
        first = [y - height * half, x - width * half]
        last = [y + height * half, x + width * half]
    else:
        corners = [(boxes[..., axis], boxes[..., axis + 2]) for axis in range(2)]
        first = [weft.minimum(a, b) for a, b in corners]
        last = [weft.maximum(a, b) for a, b in corners]
    zero = scalar(0, boxes)
    area = (last[0] - first[0]) * (last[1] - first[1])
    both: Any = None
    for low, high in zip(first, last, strict=True):
        inner = weft.minimum(high[..., None], high[..., None, :]) - weft.maximum(
            low[..., None], low[..., None, :]
        )
        inner = weft.maximum(inner, zero)
        both = inner if both is None else both * inner
    together = area[..., None] + area[..., None, :] - both
    covers = weft.greater(together, zero)
    return weft.where(covers, both / weft.where(covers, together, scalar(1, boxes)), zero)


@rule("NonMaxSuppression")
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_boxes_per_class: Any = None,
    iou_threshold: Any = None,
    score_threshold: Any = None,
    *,
    center_point_box: int = 0,
) -> Any:
    """Boxes by falling score, without those that overlap one before: (batch, class, box), one after the other."""
    batch, classes, count = scores.shape
    order = weft.argsort(scores, axis=-1, descending=True, stable=True)
    limit = _number(iou_threshold, 0.0, boxes)
    overlaps = weft.astype(weft.greater(_overlaps(boxes, center_point_box), limit), np.bool_)
    rows = weft.reshape(weft.arange(batch), (-1, 1, 1, 1))
    overlaps = item(overlaps, (rows, order[..., None], order[..., None, :]))  # between boxes in their order
    line = weft.arange(count)
    kept = weft.ones((batch, classes, count), dtype=np.bool_)
    if score_threshold is not None:
        ordered = weft.take_along_axis(scores, order, axis=-1)
        kept = weft.greater(ordered, _number(score_threshold, 0.0, scores))

    def drop(place: Any) -> None:
        nonlocal kept
        dropped = weft.logical_and(
            item(overlaps, (slice(None), slice(None), place)), weft.greater(line, place)
        )
        kept = weft.logical_and(
            kept, weft.logical_not(weft.logical_and(dropped, item(kept, (..., place))[..., None]))
        )

    for_(staged_range(count), drop)
    most = _number(max_output_boxes_per_class, 0, line)
    rank = weft.cumsum(weft.astype(kept, np.int64), axis=-1)
    kept = weft.logical_and(kept, weft.less_equal(rank, most))
    images, kinds, places = weft.nonzero(kept)
    found = item(order, (images, kinds, places))
    return weft.astype(weft.stack([images, kinds, found], axis=1), np.int64)
