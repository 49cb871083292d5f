"""What is read is changed at random: functions that run, and those that another process has stored, are never stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cached_programs import Project
from support.changing_programs import OTHER, STEPS, changing_program
from support.outcomes import seeds


@pytest.mark.parametrize("seed", seeds(1))
def test_what_is_changed_at_random_is_seen(tmp_path: Path, seed: int) -> None:
    project = Project(tmp_path)
    program, changed = changing_program(seed)
    project.write("other.py", OTHER)
    project.write_program(program)
    found = 0
    for start in (0, STEPS // 2, 0):
        run = project.run(str(start))
        stale = [line for line in run.output.splitlines() if "stale" in line]
        assert stale == [], [changed[int(line.split()[0])] for line in stale]
        found = run.found
    assert found > 0
