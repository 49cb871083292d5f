"""The picture of the comparison: how many times as long as weft every peer takes, and the machine's limit."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from typing import Any

_COLOURS = {
    "numpy": "#8a8f98",
    "numba": "#2e9e6b",
    "jax": "#7b4fc9",
    "torch": "#e4572e",
    "tensorflow": "#f0a202",
    "pythran": "#2b7bba",
    "dace": "#c2185b",
}
_NAMES = {"numpy": "NumPy", "numba": "Numba", "jax": "jax.jit", "torch": "torch", "tensorflow": "tf.function"}
_NAMES |= {"pythran": "Pythran", "dace": "DaCe"}


def draw(measured: Sequence[Any], names: Sequence[str], processor: str, path: pathlib.Path) -> None:
    """Write the picture as PNG and SVG."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "weft"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(10, 0.34 * len(measured) + 1.2))
    rows = range(len(measured))
    for name in names:
        if name not in _COLOURS:
            continue
        points = [
            (m.seconds[name] / m.seconds["weft"], row) for row, m in enumerate(measured) if name in m.seconds
        ]
        axes.scatter(*zip(*points, strict=True), s=42, color=_COLOURS[name], label=_NAMES[name], zorder=3)
    limits = [(m.least / m.seconds["weft"], row) for row, m in enumerate(measured) if m.least]
    axes.scatter(
        *zip(*limits, strict=True), s=60, color="black", marker="|", label="the machine's limit", zorder=4
    )
    axes.axvline(1, color="black", linewidth=1.5, zorder=2)
    axes.set_xscale("log")
    axes.set_yticks(list(rows), [m.workload.title for m in measured])
    axes.invert_yaxis()
    axes.set_xlabel(f"time of a call divided by weft's: right of the line is slower\none core of {processor}")
    axes.grid(axis="x", color="#dddddd", zorder=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=len(_NAMES) // 2 + 1, frameon=False)
    figure.tight_layout()
    figure.savefig(path.with_suffix(".png"), dpi=110)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    pyplot.close(figure)
