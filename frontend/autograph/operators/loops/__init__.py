"""Recording of staged loops: what they carry from one iteration to the next."""

from .....dialect.imports import load_on_first_use

load_on_first_use(__name__, "carried_permutations", "loops")
