"""`weft.data`: data sets of arrays, whose pipelines are plain Python outside of compiled functions, and loops inside.

The modules of this room are converted as programs are (`source/modules.py`): one text serves both.
"""

from ...dialect.imports import names_on_first_use

_NAMES = {
    ".dataset": "AUTOTUNE INFINITE_CARDINALITY UNKNOWN_CARDINALITY Dataset",
}
"""What is here, by module; all of it is loaded on first use."""

__getattr__, __dir__, __all__ = names_on_first_use(globals(), _NAMES)
