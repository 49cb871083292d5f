"""Python's builtins and its `math` on traced values."""

from .....dialect.imports import load_on_first_use

load_on_first_use(
    __name__,
    "array_makers",
    "builtins_on_arrays",
    "builtins_on_lists",
    "enumerations",
    "hashes",
    "iterator_functions",
    "listed_elements",
    "masked_arrays",
    "math_on_arrays",
    "operator_functions",
    "ordered_lists",
    "plain_lists",
    "process_settings",
    "rounding",
    "unpacking",
    "vectorized_functions",
)
