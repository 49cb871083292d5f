"""The examples in the docstrings of the package run and print what they say."""

from __future__ import annotations

import doctest
import importlib

import numpy as np
import pytest

import weft
from support.package import module_name, source_files

WITH_EXAMPLES = [module_name(path) for path in source_files() if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples(module: str) -> None:
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    names = {"np": np, "weft": weft}
    outcome = doctest.testmod(importlib.import_module(module), extraglobs=names, optionflags=options)
    assert outcome.failed == 0
    assert outcome.attempted > 0
