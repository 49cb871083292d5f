"""Lists that grow in staged loops, and containers that hold arrays beside other objects."""

from .....dialect.imports import load_on_first_use

load_on_first_use(
    __name__,
    "computed_lengths",
    "dynamic_lists",
    "grown_tuples",
    "list_methods",
    "mixed_containers",
    "text_parts",
)
