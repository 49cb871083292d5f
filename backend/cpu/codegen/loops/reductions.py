"""The vector forms of reductions: code that most programs do not load."""

from __future__ import annotations

from .column_reductions import match_column_reduction as match_column_reduction
from .gathered_reductions import match_gathered_reduction as match_gathered_reduction
from .searches import match_search as match_search
from .strided_reductions import match_strided_reduction as match_strided_reduction
from .vector_reductions import match_vector_reduction as match_vector_reduction
