"""The picture of a check: how many times as long as weft every peer takes, as SVG that needs nothing to be drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

_COLOURS = {
    "copy": "#000000",
    "torch": "#e4572e",
    "torch.compile": "#f0a202",
    "triton": "#8a5a2b",
    "jax.jit": "#7b4fc9",
    "cupy": "#2b7bba",
    "numba.cuda": "#2e9e6b",
}
_LEFT, _RIGHT, _TOP, _ROW, _BOTTOM = 190, 24, 56, 22, 58
_WIDTH = 900
_LEAST, _MOST = 0.05, 20.0
"""Ratios beyond are drawn at the edge."""


def draw(times: Mapping[str, Mapping[str, float]], device: str) -> str:
    """An SVG with a row for each program: the times of peers divided by weft's.

    >>> draw({"sum": {"weft": 10.0, "torch": 20.0}}, "a GPU").count("<circle")
    2
    """
    height = _TOP + _ROW * len(times) + _BOTTOM
    bottom = height - _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        *_legend([way for way in _COLOURS if any(way in row for row in times.values())]),
    ]
    for ratio in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20):
        x, colour = _place(ratio), "black" if ratio == 1 else "#dddddd"
        parts.append(f'<line x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}" stroke="{colour}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{ratio:g}</text>')
    for number, (name, row) in enumerate(times.items()):
        y = _TOP + _ROW * number + _ROW // 2
        parts.append(f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        for way, colour in _COLOURS.items():
            if way in row:
                x = _place(row[way] / row["weft"])
                parts.append(_mark(way, x, y, colour))
    caption = f"time on {device} divided by weft's: right of the line is slower"
    parts.append(f'<text x="{_place(1)}" y="{height - 14}" text-anchor="middle">{escape(caption)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _place(ratio: float) -> float:
    """Where a ratio is on the axis, which is logarithmic."""
    part = math.log(min(max(ratio, _LEAST), _MOST) / _LEAST) / math.log(_MOST / _LEAST)
    return round(_LEFT + part * (_WIDTH - _LEFT - _RIGHT), 1)


def _mark(way: str, x: float, y: float, colour: str) -> str:
    if way == "copy":
        return f'<line x1="{x}" x2="{x}" y1="{y - 7}" y2="{y + 7}" stroke="{colour}" stroke-width="3"/>'
    return f'<circle cx="{x}" cy="{y}" r="5" fill="{colour}"/>'


def _legend(ways: list[str]) -> list[str]:
    parts = []
    for number, way in enumerate(ways):
        x = _LEFT + 115 * number
        text = "a copy of as much" if way == "copy" else way
        parts += [_mark(way, x, 26, _COLOURS[way]), f'<text x="{x + 10}" y="30">{text}</text>']
    return parts


__all__ = ["draw"]
