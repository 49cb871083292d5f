"""`weft profile`: a script runs as it would, and where its time went is told."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path

import pytest

from weft.tools.weft_command import main

SCRIPT = textwrap.dedent("""
    import sys
    import numpy as np
    import weft

    @weft.function
    def halved(x):
        return x / 2

    if __name__ == "__main__":
        print(sys.argv[1:], halved(np.ones(4)))
        sys.exit(3)
""")


def test_a_script_is_run_and_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, timeline = tmp_path / "script.py", tmp_path / "run.json"
    script.write_text(SCRIPT)
    before = sys.argv, sys.path[:]
    logdir = tmp_path / "logs"
    wanted = ["-o", str(timeline), "--logdir", str(logdir)]
    assert main(["profile", *wanted, str(script), "--epochs", "3"]) == 3
    told = capsys.readouterr()
    assert told.out == "['--epochs', '3'] [0.5 0.5 0.5 0.5]\n"
    assert "1 compilation in" in told.err
    assert "script.py:8  halved" in told.err
    assert any(row.get("cat") == "kernel" for row in json.loads(timeline.read_text())["traceEvents"])
    assert f"see it with tensorboard --logdir {logdir}" in told.err
    (planes,) = logdir.glob("plugins/profile/*/*.xplane.pb")
    assert b"script.py_8/kernel_0:Kernel" in planes.read_bytes()
    assert (sys.argv, sys.path) == before


def test_what_is_wrong_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(tmp_path / "missing.py")]) == 1
    assert f"weft: there is no file {tmp_path / 'missing.py'}" in capsys.readouterr().err
    script = tmp_path / "script.py"
    script.write_text("raise ZeroDivisionError('mine')")
    assert main(["profile", "-o", str(tmp_path / "no" / "run.json"), str(script)]) == 1
    assert "No such file or directory" in capsys.readouterr().err
    assert main(["profile", "--logdir", str(script), str(script)]) == 1
    assert f"weft: cannot write {script}" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError, match="mine"):
        main(["profile", str(script)])
    assert "in all" in capsys.readouterr().err
