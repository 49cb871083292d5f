"""`python -m weft` is the command line `weft`."""

from __future__ import annotations

import sys

from .tools.weft_command import main

if __name__ == "__main__":
    sys.exit(main())
