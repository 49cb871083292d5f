"""Values that are known when the program runs only, and are no arrays: strings, objects, results, effects."""

from ...dialect.imports import load_on_first_use

load_on_first_use(__name__, "counters", "deferred_calls", "effects", "kept_texts", "python_calls", "strings")
