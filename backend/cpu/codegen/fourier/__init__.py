"""Fourier transforms of known lengths, powers of two, as vector code."""
