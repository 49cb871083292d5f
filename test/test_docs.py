"""The generated pages are what the sources say, and the examples of the others run."""

import doctest
import importlib.util
import pathlib
import re

import pytest
from numpy_names import versions

import weft
from weft.frontend.compiling.stages import STAGES

DOCS = pathlib.Path(__file__).parents[1] / "docs"
SPEC = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
assert SPEC is not None
assert SPEC.loader is not None
GENERATOR = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(GENERATOR)


@pytest.mark.optimised
@pytest.mark.parametrize("name", list(GENERATOR.PAGES))
def test_generated_page_is_current(name):
    if name == "names.md" and "NumPy {} and SciPy {}".format(*versions()) not in (DOCS / name).read_text():
        pytest.skip("the page is for other versions of NumPy and SciPy")
    assert (DOCS / name).read_text() == GENERATOR.PAGES[name](), "run `make docs`"


@pytest.fixture(scope="module")
def reasons():
    return [text for _, text in GENERATOR.reasons_not_to_store()]


@pytest.mark.parametrize(
    "reason",
    [
        "id, of which it is not known that it does nothing else than compute",
        "a Model object, as its class has __len__",
        "an array of 9000000 bytes",
        "the order of a set, which is another one in each process",
        "f.<locals>.g, which is not found under a name",
    ],
)
def test_reasons_not_to_store_are_those_of_the_sources(reason, reasons):
    assert any(re.fullmatch(".*".join(map(re.escape, text.split("…"))), reason) for text in reasons)


def test_what_sends_a_stored_program_elsewhere_is_no_reason_not_to_store(reasons):
    assert "a method that is none" not in reasons


PATHS = re.compile(
    r"[`(](?:\.\./)*((?:dialect|passes|backend|frontend|tools|test|bench|docs|examples|integrations)/[\w./-]*)[`)#]"
)
PROSE = [
    *DOCS.glob("*.md"),
    *(DOCS / "templates").glob("*.md"),
    DOCS.parent / "README.md",
    DOCS.parent / "CONTRIBUTING.md",
]


@pytest.mark.parametrize("page", PROSE, ids=lambda p: p.name)
def test_what_a_page_names_is_there(page):
    missing = [path for path in PATHS.findall(page.read_text()) if not (DOCS.parent / path).exists()]
    assert missing == []


@pytest.mark.parametrize(
    "page", [p for p in DOCS.glob("*.md") if ">>> " in p.read_text()], ids=lambda p: p.name
)
def test_the_examples_of_a_page_run(page):
    for name, needed in (("summary.md", "tensorboard"), ("engines.md", "dask.array")):
        if page.name == name:
            pytest.importorskip(needed, reason=f"needs {needed}")
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    with weft.settings.scope(cuda=weft.settings.cuda):  # a page may choose another driver
        outcome = doctest.testfile(str(page), module_relative=False, optionflags=options)
    assert outcome.failed == 0
    assert outcome.attempted > 0


def test_the_passes_that_pages_name_are_there():
    known = set(re.findall(r"`([\w-]+)`", (DOCS / "passes.md").read_text())) | set(STAGES)
    for name in ("pipeline.md", "gradients.md", "rows.md", "threads.md"):
        named = set(re.findall(r"`([a-z]+(?:-[a-z0-9]+)+)`", (DOCS / name).read_text()))
        assert named
        assert named <= known


def without_widths(text):
    """What is printed without the numbers that hang on the processor."""
    return re.sub(r"in vectors of \d+|from [\d,]+ iterations", "so many", text)


def test_the_programs_of_the_readme_print_what_it_says(tmp_path, capsys):
    text = (DOCS.parent / "README.md").read_text()
    programs = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    told = re.search(r"^```\n(0\.0\d+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert told is not None
    path = tmp_path / "readme.py"
    path.write_text("\n".join(programs))
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "readme"})
    printed = capsys.readouterr().out
    assert float(printed.partition("\n")[0]) == pytest.approx(float(told[1]))
    shown = without_widths(printed).splitlines()
    missing = [line for line in without_widths(told[2]).splitlines() if line not in shown]
    assert missing == []
    assert "func.func @train" in printed
