"""Arrays of pixels as files of the format PNG."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}
"""What the format calls pixels of so many channels."""


def png(pixels: np.ndarray[Any, Any]) -> bytes:
    """A picture of rows, columns and 1 to 4 channels, of `uint8` or `uint16`, as a file.

    >>> png(np.zeros((2, 3, 1), np.uint8))[:4]
    b'\\x89PNG'
    """
    height, width, channels = pixels.shape
    rows = np.ascontiguousarray(pixels.astype(pixels.dtype.newbyteorder(">"))).view(np.uint8)
    unfiltered = np.zeros(
        (height, 1 + width * channels * pixels.dtype.itemsize), np.uint8
    )  # a 0 before each row
    unfiltered[:, 1:] = rows.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8 * pixels.dtype.itemsize, _KINDS[channels], 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(unfiltered.tobytes())), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
