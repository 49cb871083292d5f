"""Small pictures without a library: PNG files, curves, grey images."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

COLOURS = np.array([[31, 119, 180], [214, 39, 40], [44, 160, 44], [148, 103, 189]], np.uint8)


def write_png(pixels: Any, path: Path) -> None:
    """Write an RGB picture, (height, width, 3) of uint8, to a PNG file."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + checksum

    height, width, _ = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    no_filter = np.zeros((height, 1), np.uint8)
    rows = np.concatenate([no_filter, pixels.reshape(height, -1)], axis=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes()))
        + chunk(b"IEND", b"")
    )


def curves(values: Sequence[Any], height: int = 240, width: int = 480) -> Any:
    """Curves in one frame, each a row of numbers from the left edge to the right."""
    picture = np.full((height, width, 3), 255, np.uint8)
    picture[[0, -1]] = picture[:, [0, -1]] = 160
    low, high = min(np.min(v) for v in values), max(np.max(v) for v in values)
    places = np.linspace(0, 1, 8 * width)
    for colour, curve in zip(COLOURS, values, strict=False):
        level = (np.interp(places, np.linspace(0, 1, len(curve)), curve) - low) / (high - low or 1)
        rows = np.round((height - 20) * (1 - level)).astype(int) + 9
        columns = np.round((width - 1) * places).astype(int)
        for thick in range(2):
            picture[rows + thick, columns] = colour
    return picture


def tiles(images: Any, marked: Any, columns: int, scale: int = 4) -> Any:
    """Grey images, (number, height, width) of 0 to 1, side by side; those that are marked in red."""
    rows = len(images) // columns
    grey = np.kron(images[: rows * columns], np.ones((1, scale, scale)))
    coloured = np.repeat(grey[..., np.newaxis], 3, axis=-1)
    coloured[marked[: rows * columns], :, :, 1:] *= 0.3
    _, height, width, _ = coloured.shape
    grid = coloured.reshape(rows, columns, height, width, 3).swapaxes(1, 2)
    return (255 * grid.reshape(rows * height, columns * width, 3)).astype(np.uint8)
