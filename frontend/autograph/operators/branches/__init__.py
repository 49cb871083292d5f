"""Recording of staged branches, and of the ways out of blocks."""

from .....dialect.imports import load_on_first_use

load_on_first_use(
    __name__, "branches", "checkpoints", "conditions", "diverging", "exits", "paths", "retry_recording"
)
