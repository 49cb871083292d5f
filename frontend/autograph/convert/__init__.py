"""Conversion of Python functions: control flow becomes calls of operators, on the syntax tree, line by line.

`converter.convert(function, operators)` is the way in, and `operators` says what the operators are. The parts: `source`
finds the tree of a function, `uses`, `liveness` and `definite_assignment` analyse it, `desugar` and `patterns` simplify
it, `expressions`, `comprehensions`, `assignment_statements`, `functions`, `statements` and `blocks` convert it,
`converter` compiles the result.
"""
