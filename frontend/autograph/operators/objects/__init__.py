"""Attributes and items of objects, which may be functions of the user's, and the parts of class patterns."""

from .....dialect.imports import load_on_first_use

load_on_first_use(__name__, "access", "class_patterns", "keys")
