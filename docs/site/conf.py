"""How Sphinx builds the site; `build.py` puts this file beside the pages."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

import weft

project = "weft"
version = release = weft.__version__
copyright = "the weft contributors"
extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
exclude_patterns = ["conf.py"]
default_role = "code"
highlight_language = "text"
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
toc_object_entries = False
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "weft"
html_static_path = ["static"]
html_css_files = ["weft.css"]
html_logo = "static/logo.svg"
html_favicon = "static/logo.svg"
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars = {"index": []}
html_theme_options = {
    "show_toc_level": 2,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "navbar_end": ["theme-switcher"],
    "logo": {"text": "weft"},
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "navigation_with_keys": True,
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


class LinkNames(SphinxPostTransform):
    """Public names that stand in a text in type of code lead to the reference."""

    default_priority = 5

    def run(self, **options: Any) -> None:
        objects = self.env.get_domain("py").objects  # type: ignore[attr-defined]
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext().partition("(")[0]
            here = name in objects and objects[name].docname == self.env.docname
            if not name.startswith("weft.") or name not in objects or here:
                continue
            if any(
                isinstance(parent, (nodes.reference, addnodes.desc_signature, nodes.title))
                for parent in _parents(literal)
            ):
                continue
            found = objects[name]
            uri = self.app.builder.get_relative_uri(self.env.docname, found.docname)
            reference = nodes.reference("", "", internal=True, refuri=f"{uri}#{found.node_id}")
            literal.replace_self(reference)
            reference += literal


def _parents(node: nodes.Node) -> list[nodes.Node]:
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_post_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
