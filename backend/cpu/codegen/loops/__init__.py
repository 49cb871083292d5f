"""Loop nests: what they compute, which run together, and their scalar and vector code."""

from .....dialect.imports import load_on_first_use

load_on_first_use(__name__, "lagging_rows", "lagging_stores", "searches", "vector_reductions")
