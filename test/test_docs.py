"""The generated pages are what the sources say."""

import importlib.util
import pathlib

import pytest

DOCS = pathlib.Path(__file__).parents[1] / "docs"
SPEC = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
assert SPEC is not None
assert SPEC.loader is not None
GENERATOR = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(GENERATOR)


@pytest.mark.parametrize("name", list(GENERATOR.PAGES))
def test_generated_page_is_current(name):
    assert (DOCS / name).read_text() == GENERATOR.PAGES[name](), "run `make docs`"
