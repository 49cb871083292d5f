"""Little programs whose conversion is compared with them, by subject."""

from support.conversion_programs import branches, loops, expressions, exceptions, matching, scopes
from support.conversion_programs.catalogue import PROGRAMS

__all__ = ["PROGRAMS", "branches", "loops", "expressions", "exceptions", "matching", "scopes"]
