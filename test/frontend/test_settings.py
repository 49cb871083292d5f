"""Settings: from the environment, from Python, and for a scope."""

from __future__ import annotations

import os
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest

import weft
from weft.frontend.compiling import stages
from weft.frontend.settings import Settings


def settings_in(**environment: str) -> subprocess.CompletedProcess[str]:
    """Print the settings in a fresh process with some environment variables."""
    code = "import weft; print(weft.settings)"
    given = os.environ | environment
    return subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, timeout=60)


@pytest.mark.processor
def test_environment():
    done = settings_in(
        WEFT_DISABLE_JIT="yes", WEFT_MAX_TRACE_OPS="12", WEFT_VERIFY="0", WEFT_FULL_TRACEBACK=""
    )
    expected = Settings(cache=False, disable_jit=True, max_trace_ops=12, verify=False, full_traceback=False)
    assert done.stdout.strip() == repr(expected)


@pytest.mark.parametrize(
    ("variable", "text", "complaint"),
    [
        ("WEFT_VERIFY", "maybe", "WEFT_VERIFY='maybe': expected 0 or 1"),
        ("WEFT_CACHE", "/tmp/a", "WEFT_CACHE='/tmp/a': expected 0 or 1; a folder is for WEFT_CACHE_DIR"),
        (
            "WEFT_LOG",
            "trace,fusoin",
            "WEFT_LOG='trace,fusoin': there is no log 'fusoin'; did you mean fusion? There are trace, cache, "
            "conversion, guards, python, fusion, vectors, threads, memory, device, code, with commas between them",
        ),
        ("WEFT_MAX_TRACE_OPS", "-3", "WEFT_MAX_TRACE_OPS='-3': expected a whole number"),
    ],
)
def test_environment_that_cannot_be_read(variable, text, complaint):
    done = settings_in(**{variable: text})
    assert done.returncode == 1
    assert done.stderr.strip().endswith(complaint)


def test_unknown_variables_are_named():
    done = settings_in(WEFT_CACHE_DIRS="x", WEFT_NUM_THREADS="1", WEFT_TEST_SEEDS="2", WEFT_QQQQQQQQQ="1")
    assert done.returncode == 0
    assert "WeftWarning: WEFT_CACHE_DIRS is no setting of weft; did you mean WEFT_CACHE_DIR?" in done.stderr
    assert "WeftWarning: WEFT_QQQQQQQQQ is no setting of weft; there are WEFT_CACHE, " in done.stderr
    assert done.stderr.count("WeftWarning") == 2


def test_scope_restores_also_after_an_error():
    before = weft.settings.max_trace_ops
    with (
        pytest.raises(NotImplementedError, match="more than 3 operations"),
        weft.settings.scope(max_trace_ops=3),
    ):
        weft.function(lambda x: x + 1 + 2 + 3 + 4)(np.ones(2))
    assert weft.settings.max_trace_ops == before


def test_unknown_names_are_refused():
    with (
        pytest.raises(
            ValueError,
            match="there is no setting 'max_ops'; the settings are: cache, cache_dir, ",
        ),
        weft.settings.scope(max_ops=3),
    ):
        pass
    with pytest.raises(AttributeError, match="max_ops"):
        weft.settings.max_ops = 3


def test_full_traceback_keeps_the_frames_of_weft():
    lengths = []
    for keep in (False, True):
        with weft.settings.scope(full_traceback=keep), pytest.raises(ValueError, match="broadcast") as caught:
            weft.function(lambda x: x + np.ones(3))(np.ones(2))
        lengths.append(len(caught.traceback))
    assert lengths[0] < lengths[1]


def test_verify_runs_the_verifier_after_every_pass():
    for verify in (False, True):
        with (
            weft.settings.scope(verify=verify),
            mock.patch.object(stages, "run_pipeline", wraps=stages.run_pipeline) as ran,
        ):
            weft.function(lambda x: x * 2 + 1)(np.ones(2))
        assert [call.kwargs["verify"] for call in ran.call_args_list] == [verify, verify]
