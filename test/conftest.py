"""In tests, MLIR's verifier runs after every pass, and nothing is taken from the disk cache."""

import os

os.environ.setdefault("WEFT_VERIFY", "1")
os.environ["WEFT_CACHE"] = "0"
