"""`weft.vmap`: a function of one row for all rows of arrays."""
