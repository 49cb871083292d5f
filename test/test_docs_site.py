"""The documentation as a site: every page and every public name is in it, every link leads somewhere."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import weft

ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs" / "site"


@pytest.fixture(scope="module")
def site() -> Iterator[ModuleType]:
    """The module that builds the site; its neighbours are its imports."""
    sys.path.insert(0, str(SITE))
    before = set(sys.modules)
    try:
        yield importlib.import_module("build")
    finally:
        sys.path.remove(str(SITE))
        for name in ("build", "contents", "reference"):
            if name not in before:
                sys.modules.pop(name, None)


def test_every_page_has_a_place_in_the_reading_order(site: ModuleType) -> None:
    listed = [path for section in site.contents.SECTIONS for path in section.paths()]
    assert sorted(set(listed)) == sorted(listed)
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")} - {"docs/README.md"}
    missing = sorted(pages - set(listed))
    assert missing == [], "give each a line in docs/site/contents.py, and run `make docs`"


def test_every_public_name_has_a_docstring_and_an_entry(site: ModuleType) -> None:
    assert site.reference.undocumented() == []
    entries = {name for page in site.reference.pages() for name, _ in page.entries}
    modules = {page.title for page in site.reference.pages()}
    missing = [name for name in weft.__all__ if f"weft.{name}" not in entries | modules]
    assert missing == []


def test_an_entry_says_what_the_docstring_says(site: ModuleType) -> None:
    page = next(page for page in site.reference.pages() if page.title == "All rows at once")
    text = site.reference.text(page)
    assert "{py:function} weft.vmap(f, in_axes=0, out_axes=0, axis_size=None)" in text
    assert "```pycon\n>>> weft.vmap(np.dot)" in text


def test_links_of_all_pages_lead_somewhere(site: ModuleType, tmp_path: Path) -> None:
    site.assemble(tmp_path)
    assert (tmp_path / "index.md").exists()
    sources = site.Sources(tmp_path / "other")
    (tmp_path / "page.md").write_text("[x](no_such_file.md)")
    with pytest.raises(FileNotFoundError, match=r"docs/page.md: \[x\]\(no_such_file.md\) leads nowhere"):
        site.LINK.sub(lambda match: sources._link(match, "docs/page.md"), "[x](no_such_file.md)")


@pytest.mark.soak
def test_the_site_is_built_without_warnings() -> None:
    pytest.importorskip("sphinx", reason="`make docs-site` installs what builds the site")
    built = subprocess.run(
        [sys.executable, str(SITE / "build.py")], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    page = (ROOT / "build/site/html/docs/rows.html").read_text(encoding="utf-8")
    assert 'href="../reference/all_rows_at_once.html#weft.vmap"' in page
    assert (ROOT / "build/site/html/searchindex.js").exists()
