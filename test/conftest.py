"""In tests, MLIR's verifier runs after every pass; production compiles without it."""

import os

os.environ.setdefault("WEFT_VERIFY", "1")
