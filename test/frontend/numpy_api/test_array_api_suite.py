"""The conformance suite of the Python Array API passes, but for a list of what NumPy itself does otherwise.

The suite (github.com/data-apis/array-api-tests, with its submodule) is not part of this repository: it is run where
ARRAY_API_SUITE names a folder that has it, with `ARRAY_API_EXAMPLES` examples of each test (5).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SUITE = os.environ.get("ARRAY_API_SUITE")
EAGER = "weft"
TRACED = "exec('from support.traced_namespace import xp')"
ON_DEVICE = "exec('from support.device_namespace import xp')"

ALSO_KNOWN = {ON_DEVICE: ["array_api_tests/test_dlpack.py::test_dunder_dlpack"]}
"""What fails of one namespace only: memory of the processor is asked for without a copy."""


def known() -> list[str]:
    """The tests that are known to fail."""
    lines = (HERE / "array_api_suite.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_the_list_gives_reasons() -> None:
    lines = (HERE / "array_api_suite.txt").read_text(encoding="utf-8").splitlines()
    blocks = "\n".join(lines).split("\n\n")[1:]
    assert all(block.startswith("# ") and "::" in block for block in blocks)
    assert all(name.startswith("array_api_tests/") for name in known())


@pytest.mark.skipif(SUITE is None, reason="ARRAY_API_SUITE does not say where the suite is")
@pytest.mark.parametrize("module", [EAGER, TRACED, ON_DEVICE], ids=["eager", "traced", "device"])
def test_suite(module: str) -> None:
    assert SUITE is not None
    environment = os.environ | {
        "ARRAY_API_TESTS_MODULE": module,
        "ARRAY_API_TESTS_VERSION": "2025.12",
        "PYTHONPATH": os.pathsep.join([str(HERE.parents[1]), os.environ.get("PYTHONPATH", "")]),
    }
    examples = os.environ.get("ARRAY_API_EXAMPLES", "5")
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "--derandomize",
        "--disable-deadline",
        f"--max-examples={examples}",
    ]
    excluded = [f"--deselect={name}" for name in (*known(), *ALSO_KNOWN.get(module, []))]
    skipped = [] if module == EAGER else ["--ignore=array_api_tests/test_signatures.py"]
    command = [sys.executable, "-m", "pytest", "array_api_tests", *options, *excluded, *skipped]
    done = subprocess.run(command, cwd=SUITE, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:]
