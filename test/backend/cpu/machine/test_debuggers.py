"""Debuggers and profilers know the lines of compiled code, where they are to."""

from __future__ import annotations

import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import numpy as np
import pytest

import weft
from weft.backend.cpu.machine.debuggers import lines_of
from weft.backend.cpu.machine.line_tables import line_rows
from weft.backend.cpu.machine.object_files import Relocation, Section, Symbol
from weft.tools.python_functions import trace_function

PROGRAM = textwrap.dedent("""\
    import os

    import numpy as np

    import weft

    @weft.function
    def kernel(x):
        s = 0.0
        for i in range(x.shape[0]):
            s = s * 0.5 + x[i]
        return s

    for _ in range(3):
        kernel(np.ones(1000))
    path = f"/tmp/perf-{os.getpid()}.map"
    if os.path.exists(path):
        print(open(path).read())
        os.remove(path)
    """)
LINE = 11

pytestmark = [
    pytest.mark.processor,
    pytest.mark.skipif(sys.platform != "linux", reason="the files and lists of other systems differ"),
]


def ran(folder, *command: str, **settings: str) -> str:
    path = folder / "program.py"
    path.write_text(PROGRAM)
    environment = os.environ | {"WEFT_CACHE": "0", "JITDUMPDIR": str(folder)} | settings
    done = subprocess.run(
        [*command, sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )
    return done.stdout + done.stderr


def test_the_map_of_perf_names_functions_with_their_lines(tmp_path):
    printed = ran(tmp_path, WEFT_DEBUG_INFO="1")
    assert re.search(r"^[0-9a-f]+ [0-9a-f]+ kernel\S* at program\.py:\d+$", printed, re.MULTILINE), printed
    assert "_entry" in printed


def records(path):
    """The header of a dump, and its records: their kinds, times and contents."""
    content = path.read_bytes()
    header = struct.unpack_from("<IIIIIIQQ", content)
    place, found = header[2], []
    while place < len(content):
        kind, size, moment = struct.unpack_from("<IIQ", content, place)
        assert size % 8 == 0
        found.append((kind, moment, content[place + 16 : place + size]))
        place += size
    assert place == len(content)
    return header, found


def lines_of_record(content):
    """The function of a record of lines, and its entries."""
    function, count = struct.unpack_from("<QQ", content)
    place, entries = 16, []
    for _ in range(count):
        address, line, _ = struct.unpack_from("<QII", content, place)
        file, _, _ = content[place + 16 :].partition(b"\0")
        place += 16 + len(file) + 1
        entries.append((address, file.decode(), line))
    return function, entries


def test_the_dump_of_perf_holds_code_and_lines(tmp_path):
    ran(tmp_path, WEFT_DEBUG_INFO="1")
    (path,) = tmp_path.glob("jit-*.dump")
    (magic, version, size, machine, _, process, began, flags), found = records(path)
    assert (magic, version, size, flags) == (0x4A695444, 1, 40, 0)
    assert machine == {"x86_64": 62, "aarch64": 183}[platform.machine()]
    assert path.name == f"jit-{process}.dump"
    moments = [began, *(moment for _, moment, _ in found)]
    assert moments == sorted(moments)
    loaded, lines = {}, {}
    for kind, _, content in found:
        if kind == 2:
            function, entries = lines_of_record(content)
            assert function not in loaded, "lines come before the code"
            lines[function] = entries
            continue
        assert kind == 0
        (owner, _, virtual, address, length, number), name = (
            struct.unpack_from("<IIQQQQ", content),
            content[40:],
        )
        text, _, code = name.partition(b"\0")
        assert (owner, virtual, number) == (process, address, len(loaded))
        assert any(code[:length])
        assert len(code) - length < 8
        loaded[address] = (text.decode(), length)
    assert any(re.fullmatch(r"kernel\S* at program\.py:\d+", name) for name, _ in loaded.values())
    assert any(name.startswith("kernel_entry") for name, _ in loaded.values())
    for function, entries in lines.items():
        addresses = [address for address, _, _ in entries]
        assert addresses == sorted(addresses)
        assert all(function <= address < function + loaded[function][1] for address in addresses)
        assert {file for _, file, _ in entries} == {str(tmp_path / "program.py")}
    assert LINE in {line for entries in lines.values() for _, _, line in entries}


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
def test_perf_reports_lines(tmp_path):
    data, injected = tmp_path / "perf.data", tmp_path / "injected.data"
    printed = ran(
        tmp_path, "perf", "record", "-k", "mono", "-e", "cpu-clock", "-o", str(data), WEFT_DEBUG_INFO="1"
    )
    if not data.exists():
        pytest.skip(f"perf may not record here: {printed}")
    subprocess.run(
        ["perf", "inject", "--jit", "-i", data, "-o", injected], check=True, cwd=tmp_path, timeout=120
    )
    assert list(tmp_path.glob("jitted-*.so"))


def test_line_tables(tmp_path):
    """A table by hand: special and standard operations, two sequences, folders of files, numbers of several bytes."""
    header = (
        bytes([1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
        + b"/src\0\0a.py\0\1\0\0/b.py\0\0\0\0\0"
    )
    address = b"\0\x09\x02" + bytes(8)
    program = (
        address  # of the first function
        + b"\x03\xe4\x00\x01"  # 100 lines on
        + b"\x4b"  # 4 bytes and one line on
        + b"\x08\x02\x80\x01\x04\x02\x03\x7f\x01"  # 17 and 128 bytes on, in the other file, a line less
        + b"\x09\x10\x00\x00\x01\x01"  # 16 bytes on, and the end
        + address
        + b"\x06\x0a\x05\x03\x14\x00\x01\x01"  # operations of no interest
    )
    table = struct.pack("<HI", 4, len(header)) + header + program
    content = struct.pack("<I", len(table)) + table
    first = content.index(address) + 3
    second = content.index(address, first) + 3
    places = {
        first: Relocation(Symbol("f", 3, 0, 0, 1), 0),
        second: Relocation(Symbol("g", 3, 0x40, 0, 2), 8),
    }
    found = SimpleNamespace(
        content=content,
        section=lambda name: Section(name, 0, 1, 0, 0, len(content), 0, 0),
        relocations=lambda section: places,
    )
    assert line_rows(found) == [
        (1, 0, "/src/a.py", 101), (1, 4, "/src/a.py", 102), (1, 149, "/b.py", 101), (1, 165, "/b.py", 0),
        (2, 0x48, "/src/a.py", 3), (2, 0x48, "/src/a.py", 0),
    ]  # fmt: skip
    with pytest.raises(weft.WeftError, match="those of DWARF 4, and not 5"):
        line_rows(SimpleNamespace(**vars(found) | {"content": content.replace(b"\4\0", b"\5\0", 1)}))


def test_nothing_is_told_unless_it_is_asked_for(tmp_path):
    assert ran(tmp_path) == ""
    assert not list(tmp_path.glob("*.dump"))


@pytest.mark.soak  # gdb takes long to read MLIR's library
@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_gdb_stops_at_a_line_of_the_program(tmp_path):
    steps = [
        "set breakpoint pending on", "set debuginfod enabled off", f"break program.py:{LINE}", "run", "bt 1", "kill",
    ]  # fmt: skip
    options = ["-iex", "set auto-load no", *(option for step in steps for option in ("-ex", step))]
    printed = ran(tmp_path, "gdb", "-q", "-nx", "-batch", *options, "--args", WEFT_DEBUG_INFO="1")
    assert re.search(rf"Breakpoint 1.*, kernel\S* \(\) at .*program\.py:{LINE}\n", printed), printed


def test_texts_have_the_lines_of_the_program(tmp_path, monkeypatch):
    (tmp_path / "debugged_program.py").write_text(PROGRAM.partition("for _ in")[0])
    monkeypatch.syspath_prepend(tmp_path)
    for stage in ("weft", "linalg", "llvm-dialect"):
        source = trace_function("debugged_program:kernel", ["f64[?]"], stage, has_locations=True)
        assert re.search(rf'debugged_program\.py":{LINE}:\d+', source.text), stage
    plain = trace_function("debugged_program:kernel", ["f64[?]"], "weft")
    assert "loc(" not in plain.text


def test_functions_that_both_parts_of_a_module_name(tmp_path, monkeypatch):
    """Scopes stand in front of what is declared, not behind it: this program is optimised in two parts."""

    @weft.function
    def f(x):
        s = 0.0
        for i in range(x.shape[0]):
            s = s * 0.5 + x[i]
        return s, x @ x + s

    import numpy as np

    monkeypatch.setenv("JITDUMPDIR", str(tmp_path))
    with weft.settings.scope(debug_info=True, cache=False):
        text = f.get_concrete_function(weft.TensorSpec((100000,))).as_text("llvm")
        s, product = f(np.ones(100000))
    assert any(place.startswith("test_debuggers.py:") for place in lines_of(text).values())
    assert (s, product) == (2.0, 100002.0)
    os.remove(f"/tmp/perf-{os.getpid()}.map")


def test_functions_without_lines_of_their_own_are_debugged_as_others() -> None:
    # What weft itself or NumPy calls comes from no line of a program; LLVM ends the process at a call without one.
    with weft.settings.scope(debug_info=True):
        function = weft.function(np.tanh, name="curve")
        assert "curve_entry:" in function.get_concrete_function(weft.TensorSpec((8,), "float32")).as_text(
            "asm"
        )
        assert function(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
