"""What is imported when something is compiled."""

from __future__ import annotations

import ast
import gc
import importlib
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import weft
from support.package import ROOT, source_files
from weft.dialect.imports import is_loaded, load_on_first_use, uncollected, uncollected_once


class Node:
    """Something that can be garbage."""

    def __init__(self) -> None:
        self.itself = self


def test_nothing_is_collected_meanwhile_and_everything_afterwards() -> None:
    with uncollected():
        assert not gc.isenabled()
        reference = weakref.ref(Node())
    assert gc.isenabled()
    gc.collect()
    assert reference() is None


def test_errors_leave_it_as_it_was() -> None:
    with pytest.raises(ImportError), uncollected():
        raise ImportError
    assert gc.isenabled()


def test_what_the_user_has_chosen_stays() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
    were_frozen = gc.get_freeze_count()  # those of conftest.py stay so
    gc.freeze()
    frozen = gc.get_freeze_count()
    try:
        with uncollected():
            pass
        assert gc.get_freeze_count() == frozen
    finally:
        if not were_frozen:
            gc.unfreeze()


def test_only_the_first_block_goes_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.dialect.imports._has_begun", [])
    with uncollected_once():
        assert not gc.isenabled()
        with uncollected_once():
            assert not gc.isenabled()
    assert gc.isenabled()
    with uncollected_once():
        assert gc.isenabled()


def test_public_modules_are_imported_by_their_names() -> None:
    """In a process of its own, where none of them is loaded yet."""
    program = """
import sys
for name in "dask", "data", "distributed", "fft", "linalg", "onnx", "summary":
    module = __import__(f"weft.{name}", fromlist=["*"])
    import weft
    assert module is getattr(weft, name) and sys.modules[module.__name__] is module, name
    assert module.__spec__.name == module.__name__, name
from weft.distributed import Mesh, P
from weft.linalg import norm
try:
    import weft.random
except ModuleNotFoundError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("No module named 'weft.random'\n", "")


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package whose modules are loaded on first use, of which one cannot be."""
    folder = tmp_path / "weft_room"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from weft.dialect.imports import load_on_first_use\n"
        "load_on_first_use(__name__, 'heavy', 'broken', 'missing')\n"
    )
    (folder / "heavy.py").write_text(
        "import time\nfirst = 1\ndef both():\n    return first, last\ntime.sleep(0.05)\nlast = first + 1\n"
    )
    (folder / "broken.py").write_text("1 / 0\n")
    (folder / "user.py").write_text("from . import heavy\ndef use():\n    return heavy.last\n")
    (folder / "eager.py").write_text("from .heavy import last\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("weft_room")
    for name in [name for name in sys.modules if name.startswith("weft_room")]:
        del sys.modules[name]  # others look at what all modules have, and would load it


def test_a_module_is_loaded_on_first_use(room: ModuleType) -> None:
    user = importlib.import_module("weft_room.user")
    assert not is_loaded(user.heavy)
    assert user.use() == 2
    assert is_loaded(user.heavy)
    assert type(user.heavy) is ModuleType
    assert user.heavy is room.heavy is importlib.import_module("weft_room.heavy")
    assert user.heavy.__file__.endswith("heavy.py")
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        _ = user.heavy.other


def test_all_that_a_module_has_loads_it(room: ModuleType) -> None:
    assert vars(room.heavy)["last"] == 2
    assert is_loaded(room.heavy)


def test_a_name_that_is_imported_loads_the_module(room: ModuleType) -> None:
    assert importlib.import_module("weft_room.eager").last == 2
    assert is_loaded(room.heavy)


def test_what_does_not_load_says_so_each_time(room: ModuleType) -> None:
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            _ = room.broken.name
        with pytest.raises(ModuleNotFoundError, match=r"No module named 'weft_room\.missing'"):
            _ = room.missing.name
    assert not is_loaded(room.broken)


def test_threads_find_all_of_a_module(room: ModuleType) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(room.heavy.last)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 4


def test_threads_do_not_call_what_is_not_loaded_to_its_end(room: ModuleType) -> None:
    found: list[object] = []

    def call() -> None:
        try:
            found.append(room.heavy.both())
        except NameError as error:
            found.append(error)

    loading = threading.Thread(target=lambda: room.heavy.last)
    loading.start()
    while room.heavy.__spec__ is None:
        time.sleep(0.001)
    time.sleep(0.01)  # the function is there, and what it needs is not
    call()
    loading.join()
    assert found == [(1, 2)]


def test_modules_that_are_there_stay(room: ModuleType) -> None:
    heavy, _ = room.heavy, room.heavy.last
    load_on_first_use("weft_room", "heavy")
    assert sys.modules["weft_room.heavy"] is heavy
    assert is_loaded(heavy)


def test_what_rooms_name_is_there() -> None:
    named = [
        ROOT / path.parent / str(name.value)
        for path in source_files()
        if path.name == "__init__.py"
        for call in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "load_on_first_use"
        for name in call.args[1:]
        if isinstance(name, ast.Constant)
    ]
    assert len(named) > 40
    assert [
        path for path in named if not path.with_suffix(".py").exists() and not (path / "__init__.py").exists()
    ] == []


def test_names_that_packages_load_on_first_use_are_suggested() -> None:
    assert "scalar" in dir(weft.summary)
    with pytest.raises(AttributeError, match=r"has no attribute 'scalr'; did you mean scalar\?"):
        weft.summary.scalr  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(weft.data, "__wrapped__")
