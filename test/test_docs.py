"""The generated pages are what the sources say."""

import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).parents[1]


def test_op_table_is_current():
    spec = importlib.util.spec_from_file_location("generate_ops", ROOT / "docs" / "generate_ops.py")
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert (ROOT / "docs" / "ops.md").read_text() == generator.document(), "run `make docs`"
