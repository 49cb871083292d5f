"""Derivatives of programs: reverse mode on values, through what `weft-optimize` leaves of control flow."""
