"""Signals: the functions of `kernels.py`, as machine code."""

try:
    from ._kernels import normalize, peaks, pick, smooth
except ImportError:  # while they are being built
    from .kernels import normalize, peaks, pick, smooth

__all__ = ["normalize", "peaks", "pick", "smooth"]
