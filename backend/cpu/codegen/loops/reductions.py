"""The vector forms of reductions: code that most programs do not load."""

from __future__ import annotations

from .column_reductions import match_column_reduction
from .gathered_reductions import match_gathered_reduction
from .searches import match_search
from .strided_reductions import match_strided_reduction
from .vector_reductions import match_vector_reduction

__all__ = [
    "match_column_reduction",
    "match_gathered_reduction",
    "match_search",
    "match_strided_reduction",
    "match_vector_reduction",
]
