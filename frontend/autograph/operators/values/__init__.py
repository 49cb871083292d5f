"""What names may hold where paths meet, where a program keeps it, and how values of several paths are joined."""

from .....dialect.imports import load_on_first_use

load_on_first_use(
    __name__,
    "aliases",
    "array_iterators",
    "array_parts",
    "iterables",
    "looked_up",
    "mismatches",
    "narrowing",
    "own_variables",
    "ranges",
    "sequence_iterators",
    "shared_containers",
)
