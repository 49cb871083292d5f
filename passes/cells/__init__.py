"""Cells, which hold what a program assigns again, become values."""

from ...dialect.imports import load_on_first_use

load_on_first_use(__name__, "extents")
