"""What is logged, by category, and what WEFT_EXPLAIN prints."""

from __future__ import annotations

import logging
import os
import subprocess
import sys

import numpy as np
import pytest

import weft


def normalised(x):
    m = x.mean()
    return (x - m) / x.std()


def test_categories_go_to_their_loggers(caplog):
    with weft.settings.scope(log="trace, fusion"):
        weft.function(normalised)(np.ones(3))
    said = {record.name: record.message for record in caplog.records}
    assert set(said) == {"weft.trace", "weft.fusion"}
    assert said["weft.trace"].startswith("normalised: compiled in ")
    assert said["weft.trace"].endswith(": first call")
    line = normalised.__code__.co_firstlineno + 2
    assert said["weft.fusion"].startswith(
        f"normalised: line {line}: `(x - m) / x.std()` is computed in one loop"
    )


@pytest.mark.processor
def test_guards_and_threads(caplog):
    with weft.settings.scope(log="guards,threads"):
        weft.function(lambda x, i: x[i] + x)(np.ones(300), np.int64(7))
    assert {record.name for record in caplog.records} == {"weft.guards", "weft.threads"}


def test_nothing_is_logged_unless_it_is_wanted(caplog):
    with caplog.at_level(logging.DEBUG):
        weft.function(normalised)(np.ones(3))
    assert [record for record in caplog.records if record.name.startswith("weft")] == []


def test_unknown_categories_are_refused():
    with pytest.raises(ValueError, match="there is no log 'guard'; did you mean guards\\? There are trace, "):
        weft.settings.log = "guard"
    assert weft.settings.log == ""


def test_explanations_are_printed_after_each_compilation(capsys):
    function = weft.function(normalised)
    with weft.settings.scope(explain=True):
        function(np.ones(3))
        function(np.ones(3))
        function(np.ones(4))
    said = capsys.readouterr().err
    assert said.count("normalised(x: f64[") == 2
    assert "is computed in one loop" in said


@pytest.mark.processor
def test_logs_come_on_stderr_where_logging_is_not_configured():
    program = "import numpy as np, weft; weft.function(lambda x: x + 1)(np.ones(2)); {}"
    environment = {**os.environ, "WEFT_LOG": "trace"}

    def said(program):
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60).stderr

    first, second = said(program.format("weft.function(lambda x: x * 2)(np.ones(2))")).splitlines()
    assert first.startswith("weft.trace: lambda: compiled in ")
    assert second.startswith("weft.trace: lambda: compiled in ")
    configured = "import logging; logging.basicConfig(format='own %(message)s'); " + program.format("")
    assert said(configured).startswith("own lambda: compiled in ")
