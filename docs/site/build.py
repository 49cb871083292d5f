"""Build the documentation as a site: `make docs-site` writes it to `build/site/html`.

The pages are those of `contents.py` and what they link to, at their places in the repository, so that links lead where
they lead in the files; files of code that are linked become pages of their own. Warnings are errors.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import contents
import reference

HERE = Path(__file__).resolve().parent
ROOT = contents.ROOT

LINK = re.compile(
    r"(?P<code>^```.*?^```|``.*?``|`[^`\n]*`)|"
    r"(!?\[(?:[^\]\\]|\\.)*\]\()(?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?(\))",
    re.MULTILINE | re.DOTALL,
)
"""A link, or code, in which there are none."""
LANGUAGES = {".py": "python", ".toml": "toml", ".c": "c", ".h": "c", ".sh": "bash", ".mlir": "text"}
IMAGES = (".png", ".svg")


class Sources:
    """The folder that Sphinx reads, as it is filled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.taken: set[str] = set()

    def write(self, path: str, text: str) -> None:
        """Write a page that is made here."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def take(self, path: str) -> None:
        """Take a page of the repository, and all that it links to."""
        if path in self.taken:
            return
        self.taken.add(path)
        source = ROOT / path
        if source.suffix in IMAGES:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, self.folder / path)
        elif source.suffix == ".md":
            text = source.read_text(encoding="utf-8").replace(
                "\n\n```\n", "\n```\n"
            )  # doctests end with a blank line
            self.write(path, LINK.sub(lambda match: self._link(match, path), text))
        else:
            language = LANGUAGES.get(source.suffix, "text")
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, self.folder / path)
            self.write(
                f"{path}.md",
                f"---\norphan: true\n---\n\n# {path}\n\n```{{literalinclude}} {source.name}\n:language: {language}\n"
                ":linenos:\n```\n",
            )

    def _link(self, match: re.Match[str], page: str) -> str:
        """A link of a page, to what the site has in the place of a file."""
        code, before, target, anchor, after = match.groups()
        if code:
            return code
        found = (ROOT / page).parent.joinpath(target).resolve()
        path = found.relative_to(ROOT).as_posix()
        if found.is_dir():
            found, path, target = found / "README.md", f"{path}/README.md", f"{target.rstrip('/')}/README.md"
        if not found.exists():
            raise FileNotFoundError(f"{page}: {match[0]} leads nowhere")
        if path in ("README.md", "docs/README.md"):  # the site's home is in their place
            return f"{before}{'../' * page.count('/')}index.md{after}"
        self.take(path)
        known = found.suffix == ".md" or found.suffix in IMAGES
        return f"{before}{target if known else f'{target}.md'}{anchor or ''}{after}"


def assemble(folder: Path) -> None:
    """Write all that Sphinx reads."""
    shutil.rmtree(folder, ignore_errors=True)
    sources = Sources(folder)
    for section in contents.SECTIONS:
        for path in section.paths():
            sources.take(path)
    listed = {path for section in contents.SECTIONS for path in section.paths()}
    for path in sources.taken - listed:
        if path.endswith(".md"):
            file = folder / path
            file.write_text(f"---\norphan: true\n---\n\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
    pages = reference.pages()
    for page in pages:
        sources.write(f"reference/{page.name}.md", reference.text(page))
    for section in contents.SECTIONS:
        sources.write(f"{section.name}.md", section_page(section, pages))
    sources.write("index.md", home())
    shutil.copyfile(HERE / "conf.py", folder / "conf.py")
    shutil.copytree(HERE / "static", folder / "static")
    for picture in ("bench/results/peers.png", "docs/page.png", "docs/blocks.png"):
        sources.take(picture)


def section_page(section: contents.Section, pages: list[reference.Page]) -> str:
    """The page of a section: what is read there, and in which order."""
    parts = [f"# {section.title}\n\n{section.text}\n"]
    rows = [
        (path.removesuffix(".md"), contents.title(path), text)
        for path, text in zip(section.paths(), section.pages.values(), strict=True)
    ]
    toctree = [path for path, _, _ in rows]
    if section.name == contents.REFERENCE:
        toctree += [f"reference/{page.name}" for page in pages]
    parts.append("| page | what it tells |\n|---|---|")
    parts += [f"| [{name}](/{path}.md) | {text} |" for path, name, text in rows]
    if section.name == contents.REFERENCE:
        parts.append("\n## Every public name\n\n| names | |\n|---|---|")
        for page in pages:
            names = ", ".join(
                reference.link(name, name.removeprefix("weft."))
                for name, _ in sorted(page.entries, key=lambda entry: entry[0].lower())
            )
            parts.append(f"| [{page.title}](/reference/{page.name}.md) | {names} |")
    parts.append("\n```{toctree}\n:hidden:\n\n" + "\n".join(f"/{path}" for path in toctree) + "\n```\n")
    return "\n".join(parts)


def home() -> str:
    """The first page: what the README begins with, and the contents."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    install, program, printed = re.findall(r"^```(?:python)?\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)[
        :3
    ]
    tree = "\n".join(f"/{section.name}" for section in contents.SECTIONS)
    cards = "\n".join(
        f":::{{grid-item-card}} {section.title}\n:link: {section.name}\n:link-type: doc\n\n{section.text}\n:::\n"
        for section in contents.SECTIONS
    )
    text = (HERE / "index.md").read_text(encoding="utf-8")
    for name, part in (("install", install), ("program", program), ("printed", printed), ("cards", cards)):
        text = text.replace(f"{{{{{name}}}}}", part.rstrip("\n"))
    return text + f"\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"


def main() -> int:
    """Build it; the exit status is that of Sphinx."""
    site = ROOT / "build" / "site"
    assemble(site / "source")
    command = ["-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", str(site / "doctrees")]
    status = subprocess.run([sys.executable, *command, str(site / "source"), str(site / "html")], check=False)
    if status.returncode == 0:
        print(f"built: {site / 'html' / 'index.html'}")
    return status.returncode


if __name__ == "__main__":
    sys.exit(main())
