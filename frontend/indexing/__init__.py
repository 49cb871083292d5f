"""Indices of arrays: how they are read, the views and selections they make, broadcasting."""

from ...dialect.imports import load_on_first_use

load_on_first_use(__name__, "entries", "plan", "python_sequences", "selections", "views")
