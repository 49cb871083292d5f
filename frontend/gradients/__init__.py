"""Derivatives of functions: `weft.grad` and what belongs to it."""
