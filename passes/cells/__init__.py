"""Cells, which hold what a program assigns again, become values."""
