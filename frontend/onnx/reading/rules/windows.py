"""Windows that slide over images: their sizes, steps and borders, as attributes of nodes tell them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....dialect.records import dataclass
from ..table import Refused, known, require


@dataclass(frozen=True)
class Window:
    """A window for each axis of an image."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    """The borders before and behind each axis."""

    @property
    def spans(self) -> tuple[int, ...]:
        """How many elements lie between the first and the last of a window, these included."""
        return tuple((size - 1) * gap + 1 for size, gap in zip(self.sizes, self.dilations, strict=True))


def window(
    x: Any,
    sizes: Sequence[Any] = (),
    *,
    auto_pad: str,
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Window:
    """The window of a node over an image (batch, channels, ...), of some sizes where its attributes tell none."""
    rank, sizes = x.ndim - 2, kernel_shape or sizes
    require(len(sizes) == rank, f"has windows of {len(sizes)} axes for images of {rank}")
    shape = tuple(int(known(size, "the size of the window")) for size in sizes)
    steps, gaps = tuple(strides or (1,) * rank), tuple(dilations or (1,) * rank)
    low, high = list((pads or (0,) * (2 * rank))[:rank]), list((pads or (0,) * (2 * rank))[rank:])
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        for axis in range(rank):
            total = _same(x.shape[2 + axis], (shape[axis] - 1) * gaps[axis] + 1, steps[axis])
            less, more = total // 2, total - total // 2
            low[axis], high[axis] = (less, more) if auto_pad == "SAME_UPPER" else (more, less)
    elif auto_pad == "VALID":
        low, high = [0] * rank, [0] * rank
    elif auto_pad != "NOTSET":
        raise Refused(f"has the auto_pad {auto_pad!r}, which is not read")
    made = Window(shape, steps, gaps, tuple(low), tuple(high))
    return _up(made, x) if ceil_mode else made


def _same(extent: Any, span: int, step: int) -> int:
    """The border for as many windows as the extent has steps, rounded up."""
    size = int(known(extent, "the size of the image"))
    return max(0, (-(-size // step) - 1) * step + span - size)


def _up(given: Window, x: Any) -> Window:
    """With a border behind for a last window that begins inside of the image or the border before it."""
    high = list(given.high)
    for axis, span in enumerate(given.spans):
        size = int(known(x.shape[2 + axis], "the size of the image"))
        whole = size + given.low[axis] + given.high[axis]
        count = -(-(whole - span) // given.strides[axis]) + 1
        if (count - 1) * given.strides[axis] >= size + given.low[axis]:
            count -= 1
        high[axis] = (count - 1) * given.strides[axis] + span - size - given.low[axis]
    return Window(given.sizes, given.strides, given.dilations, given.low, tuple(high))
