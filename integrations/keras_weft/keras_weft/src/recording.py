"""All of Keras's code, and of ours, is traced as it is: no array decides what it does."""

from __future__ import annotations

import weft

for _package in ("keras", "keras_weft"):
    weft.autograph.do_not_convert_module(_package)
