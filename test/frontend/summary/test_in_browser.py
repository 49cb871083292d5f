"""A graph in TensorBoard, in Chromium without a window: scopes are drawn, and open."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.browser import chromium, tensorboard

pytestmark = pytest.mark.slow


@weft.function
def halved(x: Any) -> Any:
    while x.sum() > 1:
        x = x * 0.5
        weft.summary.scalar("sum", x.sum(), 1)
        weft.summary.histogram("values", x, 1)
        weft.summary.image("picture", x.reshape(1, 1, 2, 1) / 4, 1)
    return x


def test_the_graph_is_drawn_and_opens(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="needs tensorboard")
    writer = weft.summary.create_file_writer(tmp_path)
    with writer.as_default():
        halved(np.array([4.0, 2.0]))
        weft.summary.graph(halved.get_concrete_function(weft.TensorSpec([None, 2])))
    writer.close()
    with tensorboard(tmp_path) as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(f"{address}/#graphs")
        scope = page.locator('g.node[data-name="halved"] > g.nodeshape').first
        scope.wait_for(timeout=60_000)
        scope.dispatch_event("dblclick")
        line = page.locator('g.node[data-name$="_while_x.sum_1"] > g.nodeshape').first
        line.wait_for(timeout=60_000)
        with urllib.request.urlopen(f"{address}/data/plugin/scalars/tags") as answer:
            assert b'"sum"' in answer.read()
        page.goto(f"{address}/#images")
        picture = page.locator("tf-image-loader img").first
        picture.wait_for(timeout=60_000)
        assert picture.evaluate(
            "(img) => img.decode().then(() => [img.naturalWidth, img.naturalHeight])"
        ) == [2, 1]
        page.goto(f"{address}/#histograms")
        page.locator("vz-histogram-timeseries path").first.wait_for(timeout=60_000, state="attached")
