"""What converted statements and expressions do: staged where arrays decide, else as in Python."""

from .....dialect.imports import load_on_first_use

load_on_first_use(
    __name__,
    "comparisons",
    "comprehensions",
    "dict_lookups",
    "effects",
    "expressions",
    "fetched_items",
    "for_loops",
    "generators",
    "statements",
)
