"""Arrays of dates, durations, records and texts: what stands for them in a trace, and what functions mean on them."""

from ...dialect.imports import load_on_first_use

load_on_first_use(__name__, "texts", "times", "units")
