"""Pages in Chromium, without a window: they open, and clicks, keys and addresses find what belongs together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import weft
from support.browser import chromium
from support.pages import line_of

from . import programs

pytestmark = pytest.mark.slow

HERE = programs.__file__


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "shrink.html"
    specs = weft.TensorSpec((None,), "float64"), weft.TensorSpec((), "float64")
    programs.shrink.get_concrete_function(*specs).save_html(path)
    return path


@pytest.fixture
def opened(browser: Any, file: Path) -> Iterator[Callable[..., Any]]:
    contexts, errors = [], []

    def open_page(address: str = "", scheme: str = "light", width: int = 1366) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 768}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: request.url.startswith("file:") or errors.append(request.url))
        page.goto(f"{file.as_uri()}#{address}")
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []  # none in the page, and nothing asked of a network


def chosen(page: Any, stage: str) -> list[str]:
    """The marked lines of a pane."""
    found: list[str] = page.locator(f'.pane[data-stage="{stage}"] .code .l.sel').all_inner_texts()
    return found


def python_line(page: Any, line: int) -> Any:
    return page.locator(".source .l").filter(has=page.locator(f'.n:text-is("{line}")'))


def chosen_python(page: Any) -> list[int]:
    return [int(text) for text in page.locator(".source .l.sel .n").all_inner_texts()]


def test_a_line_of_python_marks_what_it_became(opened: Callable[..., Any]) -> None:
    page = opened("/weft+asm")
    assert page.title() == "shrink · weft"
    python_line(page, line_of("return np.sqrt", HERE)).click()
    assert any("weft.sqrt" in line for line in chosen(page, "weft"))
    assert chosen(page, "asm")
    assert page.evaluate("location.hash") == f"#{line_of('return np.sqrt', HERE)}/weft+asm"
    assert page.locator(".source .notes.on p").count() > 0  # its sentences


def test_a_line_of_a_stage_marks_the_python_that_it_comes_from(opened: Callable[..., Any]) -> None:
    page = opened("/weft")
    page.locator('.pane[data-stage="weft"] .l', has_text="weft.negative").first.click()
    assert chosen_python(page) == [line_of("x = -x", HERE)]
    page.locator('.pane[data-stage="weft"] .l', has_text="weft.sqrt").first.click()
    assert chosen_python(page) == [line_of("return np.sqrt", HERE)]
    called = page.locator(".source .l.via .n").all_inner_texts()
    assert called == [str(line_of("while norm(x)", HERE))]


def test_an_address_chooses_line_and_stages(opened: Callable[..., Any]) -> None:
    line = line_of("x = x * 0.5", HERE)
    page = opened(f"{line}/linalg")
    assert chosen_python(page) == [line]
    assert page.locator(".pane:not(.source)").count() == 1
    assert any("arith.mulf" in text or "linalg.generic" in text for text in chosen(page, "linalg"))
    page.evaluate(f"location.hash = '#{line_of('x = -x', HERE)}/weft'")
    page.wait_for_selector('.pane[data-stage="weft"] .l.sel')
    assert any("weft.negative" in text for text in chosen(page, "weft"))


def test_keys_walk_through_lines_stages_and_passes(opened: Callable[..., Any]) -> None:
    page = opened("/weft")
    page.keyboard.press("ArrowDown")
    first = chosen_python(page)
    page.keyboard.press("ArrowDown")
    assert first < chosen_python(page)
    page.keyboard.press("ArrowUp")
    assert chosen_python(page) == first
    page.keyboard.press("Escape")
    assert chosen_python(page) == []
    page.keyboard.press("ArrowRight")
    assert page.locator('.pane[data-stage="optimized"]').count() == 1
    page.keyboard.press("Shift+Digit2")
    assert page.locator(".pane:not(.source)").count() == 2
    page.evaluate("location.hash = '#/passes'")
    page.wait_for_selector('.pane[data-stage="passes"]')
    page.keyboard.press("]")
    assert page.locator('[data-pass="1"].on').count() == 1
    page.keyboard.press("[")
    assert page.locator('[data-pass="0"].on').count() == 1


def test_passes_show_what_they_changed(opened: Callable[..., Any]) -> None:
    page = opened("/passes")
    page.get_by_text("weft-fuse-elementwise").first.click()
    pane = page.locator('.pane[data-stage="passes"]')
    assert pane.locator(".l.add").count() > 0
    assert pane.locator(".l.del").count() > 0
    assert "producers fused" in pane.locator(".told").inner_text()


def test_a_chosen_line_shows_a_pass_that_changed_what_it_became(opened: Callable[..., Any]) -> None:
    page = opened(f"{line_of('return np.sqrt', HERE)}/passes")
    pane = page.locator('.pane[data-stage="passes"]')
    pane.locator(".list button:not(.has)").first.click()
    page.keyboard.press("Escape")
    python_line(page, line_of("return np.sqrt", HERE)).click()
    assert "has" in pane.locator(".list button.on").get_attribute("class").split()


def test_machine_code_is_shown_one_function_at_a_time(opened: Callable[..., Any]) -> None:
    page = opened(f"{line_of('return np.sqrt', HERE)}/asm")
    pane = page.locator('.pane[data-stage="asm"]')
    assert "instructions" in pane.locator(".told").inner_text()
    names = pane.locator(".list button span").all_inner_texts()
    pane.locator(".list button").nth(1).click()
    assert pane.locator(".code .l").first.inner_text() == f"{names[1]}:"


def test_costs_lead_to_lines(opened: Callable[..., Any]) -> None:
    page = opened("/overview")
    link = page.locator(".overview td a").first
    line = int(link.inner_text().removeprefix("line "))
    link.click()
    assert chosen_python(page) == [line]


def test_times_of_llvms_passes_are_told(opened: Callable[..., Any]) -> None:
    overview = opened("/overview").locator(".overview")
    assert "LLVM's passes, all runs of each" in overview.inner_text()
    assert "Instruction Selection" in overview.locator("h3 + .times").inner_text()


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
def test_light_and_dark(opened: Callable[..., Any], scheme: str, is_dark: bool) -> None:
    page = opened("", scheme)
    shade = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((a, b) => a + +b, 0)"
    assert (page.evaluate(shade) < 200) == is_dark
    page.keyboard.press("t")
    assert (page.evaluate(shade) < 200) != is_dark


def test_narrow_windows_hold_it_without_a_scroll_bar_of_their_own(opened: Callable[..., Any]) -> None:
    page = opened(f"{line_of('return np.sqrt', HERE)}/asm", "light", 420)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.locator(".source .l.sel").is_visible()
    assert page.locator('.pane[data-stage="asm"] .code .l').first.is_visible()


def test_a_click_on_a_rewrite_shows_it_alone(opened: Callable[..., Any]) -> None:
    page = opened("/passes")
    pane = page.locator('.pane[data-stage="passes"]')
    rules = pane.locator("[data-rewrite]")
    for button in pane.locator("[data-pass]").all():
        button.click()
        if rules.count():
            break
    assert rules.count() > 2  # all of them, and each
    name, whole = rules.nth(1).inner_text(), pane.locator(".l.add, .l.del").all_inner_texts()
    assert pane.locator(f'.l[data-note="{name}"]').count() > 0
    rules.nth(1).click()
    assert rules.nth(1).get_attribute("class") == "on"
    alone = pane.locator(".l.add, .l.del").all_inner_texts()
    assert len(alone) > 0
    assert alone != whole
    page.keyboard.press(",")
    assert pane.locator(".l.add, .l.del").all_inner_texts() == whole
    pane.locator(".l[data-note].k").first.click()
    assert chosen_python(page)


def test_machine_code_is_drawn_as_blocks(opened: Callable[..., Any]) -> None:
    line = line_of("return np.sqrt", HERE)
    page = opened(f"{line}/asm")
    pane = page.locator('.pane[data-stage="asm"]')
    text = pane.locator(".code .l").all_inner_texts()
    page.keyboard.press("g")
    assert page.evaluate("location.hash") == f"#{line}/asm/graph"
    blocks = pane.locator(".block")
    assert blocks.count() > 2
    assert pane.locator(".graph .l").all_inner_texts() == text  # all of it, once
    assert pane.locator(".graph .l.sel").count() > 0
    labels = [block.locator(".l").first.inner_text() for block in blocks.all()]
    for number, block in enumerate(blocks.all()):
        last = block.locator(".l").last.inner_text().split()
        if last[0].startswith("j") and f"{last[-1]}:" in labels:
            assert pane.locator(f'path[data-edge="{number}-{labels.index(f"{last[-1]}:")}"]').count() == 1
    page.keyboard.press("Escape")
    pane.locator(".graph .l.k").first.click(force=True)
    assert chosen_python(page)
    pane.locator(".drawn").click()
    assert pane.locator(".code .l").all_inner_texts() == text
    assert pane.locator(".block").count() == 0


def test_ops_are_drawn_with_the_values_that_they_hand_on(opened: Callable[..., Any]) -> None:
    page = opened("/weft+optimized-llvm/graph")
    ops = page.locator('.pane[data-stage="weft"] .block').all_inner_texts()
    at = {
        name: number for number, text in enumerate(ops) for name in ("weft.sqrt", "weft.sum") if name in text
    }
    edge = f'path[data-edge="{at["weft.sum"]}-{at["weft.sqrt"]}"]'
    assert page.locator(f'.pane[data-stage="weft"] {edge}').count() == 1
    assert page.locator('.pane[data-stage="optimized-llvm"] .where').first.inner_text().startswith("@")
    assert page.locator('.pane[data-stage="optimized-llvm"] .block').count() > 2


GRAPHS = {
    "x86-64": (
        "blocksOf",
        ["f:", "    testq  %rdi, %rdi", "    je  .LBB0_2", "    decq  %rdi", ".LBB0_2:", "    jmp  .LBB0_2"],
        ["0-2 yes", "0-1 no", "1-2 on", "2-2 on"],
    ),
    "aarch64": (
        "blocksOf",
        ["f:", "    cbz  x0, .LBB0_2", ".LBB0_1:", "    b.ne  .LBB0_1", "    ret", ".LBB0_2:", "    ret"],
        ["0-3 yes", "0-1 no", "1-1 yes", "1-2 no"],
    ),
    "ptx": (
        "blocksOf",
        [
            ".entry k(",
            "    @%p1 bra  $L__BB0_2;",
            "$L__BB0_1:",
            "    bra.uni  $L__BB0_1;",
            "$L__BB0_2:",
            "    ret;",
        ],
        ["0-2 yes", "0-1 no", "1-1 on"],
    ),
    "sass": (
        "blocksOf",
        ["k:", "  0010  @P0   EXIT ;", "  0020        NOP ;", ".L_x_0:", "  b030        BRA `(.L_x_0);"],
        ["0-1 no", "1-2 on", "2-2 on"],
    ),
    "llvm": (
        "llvmBlocksOf",
        ["  br i1 %c, label %a, label %2", "a:", "  br label %a", "2:    ; preds = %0", "  ret void"],
        ["0-1 yes", "0-2 no", "1-1 on"],
    ),
    "mlir": (
        "opsOf",
        [
            "  func.func @f(%x: tensor<3xf32>, %n: index) -> tensor<3xf32> {",
            "    %0 = scf.for %i = %n to %n step %n iter_args(%y = %x) -> (tensor<3xf32>) {",
            "      %1 = weft.add %y, %x : tensor<3xf32>",
            "      scf.yield %1 : tensor<3xf32>",
            "    }",
            "    return %0 : tensor<3xf32>",
        ],
        ["0-1 on", "1-2 on", "0-2 on", "2-3 on", "3-1 back", "1-4 on"],
    ),
}


def test_jumps_and_values_are_edges(opened: Callable[..., Any]) -> None:
    page = opened()
    for name, lines, edges in GRAPHS.values():
        found = page.evaluate(f"(lines) => {name}(lines, 0, lines.length).edges", lines)
        assert sorted(f"{one}-{other} {how}" for one, other, how in found) == sorted(edges)
    lines = [f".L{number}:" for number in range(401)]
    markup = page.evaluate(
        "(lines) => graphMarkup({ title: '', ...blocksOf(lines, 0, lines.length) }, lines, String)", lines
    )
    assert "401 of them are too many to draw" in markup


def test_memory_is_drawn_over_time(opened: Callable[..., Any]) -> None:
    page = opened("/overview")
    held = [["workspace", 0, 64, 1, 8, 0, "line 3: 64 bytes"], ["workspace", 64, 64, 2, 4, None, "rest"]]
    boxes = page.evaluate("(held) => made(memoryMarkup(held, (p) => '--c:red')).innerHTML", held)
    assert '<rect x="12.50%" width="87.50%" y="50.00%" height="50.00%" data-place="0"' in boxes
    assert '<rect x="25.00%" width="25.00%" y="0.00%" height="50.00%"><title>rest' in boxes
    shown = page.locator(".lifetimes rect")
    if shown.count():
        shown.first.click()
        assert chosen_python(page)


def test_instructions_say_what_they_do(opened: Callable[..., Any]) -> None:
    page = opened(f"{line_of('return np.sqrt', HERE)}/asm")
    lines = page.locator('.pane[data-stage="asm"] .code .l').all()
    told = [line.get_attribute("title") for line in lines if line.inner_text().startswith("    ")]
    assert sum(bool(title) for title in told) > 0.95 * len(told)
    known = {
        "    vfmadd231ps %ymm0, %ymm1, %ymm2": "rounded once: operands 2 and 3 are multiplied; f32, a vector",
        "    jne         .LBB0_2": "go on there if not equal, or not zero",
        "    @%p1  bra                $L__BB0_2;": "go on there, if the predicate before it holds",
        "    st.local.b64        [%rd1], %rd2;": "store to memory of the thread: a spill",
        "    fmla        v0.4s, v1.4s, v2.4s": "multiply and add, rounded once",
    }
    for line, meant in known.items():
        assert page.evaluate("meaning", line).endswith(meant)
    assert page.evaluate("meaning", ".LBB0_2:") == page.evaluate("meaning", "    frobnicate  %rax") == ""


def test_mnemonics_and_registers_of_gpus_are_coloured(opened: Callable[..., Any]) -> None:
    page = opened()
    for line, mnemonic, register in (
        ("  07a0  @!P1   FADD.FTZ R10, -R12, 0x3 ;", "FADD.FTZ", "R10"),
        ("    @%p1  bra    $L__BB0_2;", "bra", "%p1"),
        ("    vaddps %ymm0, %ymm1, %ymm2", "    vaddps", "%ymm0"),
    ):
        found = page.evaluate("(line) => coloured(line, 'asm')", line)
        assert f'<span class="o">{mnemonic}' in found, found
        assert f'<span class="y">{register}</span>' in found, found


def test_long_blocks_scroll_and_look_like_it(opened: Callable[..., Any]) -> None:
    page = opened()
    lines = ["start:", *["  f"] * 40, "end:", *["  f"] * 60]
    markup = page.evaluate(
        "(lines) => graphMarkup({title: '', ...blocksOf(lines, 0, lines.length)}, lines, (i) => lines[i])",
        lines,
    )
    assert [part.split('"')[0] for part in markup.split('<div class="')[1:]] == ["block", "block more"]


def test_a_page_in_a_notebook_is_a_frame_of_its_own(browser: Any, tmp_path: Path) -> None:
    concrete = programs.softmax.get_concrete_function(weft.TensorSpec((None, None), "float32"))
    page, errors = browser.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    (tmp_path / "notebook.html").write_text(f"<!doctype html><body>{concrete._repr_html_()}")
    page.goto((tmp_path / "notebook.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator(".source .l.k").last.click()
    frame.locator('.pane[data-stage="weft"] .l.sel').first.wait_for()
    page.close()
    assert errors == []
