"""Conversion of Python functions: control flow becomes calls of operators, on the syntax tree, line by line.

`convert(function, operators)` is the way in, and `operators` says what the operators are. The parts: `source` finds the
tree of a function, `uses`, `liveness` and `definite_assignment` analyse it, `desugar` and `patterns` simplify it,
`expressions`, `comprehensions`, `assignment_statements`, `functions`, `statements` and `blocks` convert it, `converter`
compiles the result.
"""

from .converter import (
    convert,
    convert_generator,
    is_converted,
    is_generator_function,
    is_nested,
    original_of,
    why_not_converted,
)
from .printing import to_code

__all__ = [
    "convert",
    "convert_generator",
    "is_converted",
    "is_generator_function",
    "is_nested",
    "original_of",
    "to_code",
    "why_not_converted",
]
