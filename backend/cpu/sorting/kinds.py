"""What keys stand for, bit by bit: the argument `kind` of the functions that sort."""

FLOATS = 1
"""Floats; signed integers otherwise."""

UNSIGNED = 4
"""Unsigned integers."""

DESCENDING = 2
"""The largest element comes first."""
