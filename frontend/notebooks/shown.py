"""What functions show of themselves in notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from ..pages.page import page_of

if TYPE_CHECKING:
    from ..calls.concrete import ConcreteFunction

MOST = 1 << 20
"""The largest page that is put into a notebook, which keeps it."""

HEIGHT = 400


def shown_concrete(concrete: ConcreteFunction) -> str:
    """The page of a compiled function in a frame of its own; its explanation where that would be too large."""
    page = page_of(concrete, passes=False)
    if len(page) > MOST:
        return concrete.explain()._repr_html_()
    return (
        f'<iframe srcdoc="{html.escape(page)}" title="{html.escape(concrete.name)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{HEIGHT}px;border:1px solid #8884;resize:vertical"></iframe>'
    )
