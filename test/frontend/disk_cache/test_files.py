"""Where the disk cache cannot write, or finds files that are damaged: it says so once, and functions are compiled."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.cached_programs import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


ONE = """
    @weft.function
    def f(x):
        return x + 1

    print(f(np.ones(2)))
"""


def test_without_a_cache_nothing_is_written(project: Project) -> None:
    project.write_program(ONE)
    run = project.run(WEFT_CACHE="0")
    assert run.output == "[2. 2.]\n"
    assert not project.cache.exists()
    assert "weft.cache" not in run.errors


@pytest.mark.parametrize("place", ["a file", "open to others"])
def test_a_directory_that_cannot_be_used_is_told_once(project: Project, place: str) -> None:
    if place == "a file":
        project.cache.write_text("")
    else:
        (project.cache / "1").mkdir(parents=True)
        (project.cache / "1").chmod(0o777)
    project.write_program(ONE + "    print(weft.function(lambda x: x * 2)(np.ones(2)))\n")
    run = project.run()
    assert run.output == "[2. 2.]\n[2. 2.]\n"
    assert run.errors.count("CacheWarning: there is no disk cache: ") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="where homes are on Linux")
def test_a_home_that_is_not_there_is_told_once(project: Project) -> None:
    project.write_program(ONE)
    run = project.run(WEFT_CACHE_DIR="", XDG_CACHE_HOME="", HOME="/proc/nobody")
    assert run.output == "[2. 2.]\n"
    assert run.errors.count("CacheWarning: there is no disk cache: ") == 1


def test_a_disk_that_is_full_is_told_once(project: Project) -> None:
    limit = "    import resource\n    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    project.write_program(limit + ONE + "    print(weft.function(lambda x: x * 2)(np.ones(2)))\n")
    run = project.run()
    assert run.output == "[2. 2.]\n[2. 2.]\n"
    assert run.errors.count("CacheWarning: nothing is stored in ") == 1
    assert [*project.cache.rglob("*.part")] == []


def test_what_is_not_stored_is_told_with_its_place(project: Project) -> None:
    project.write_program("""
        import time

        @weft.function
        def timed(x):
            return x + time.time() * 0

        timed(np.ones(2))
        from weft.tools.weft_command import main
        main(["cache", "info"])
    """)
    run = project.run()
    assert "  timed (" in run.output
    assert "program.py:7): time, which is called when the program runs" in run.output
    assert project.run().output.count("  timed (") == 1


DAMAGED = """
    import glob, os, random
    from weft.backend.cache.files import pack, unpack
    from weft.backend.cache.store import store

    def plain(x, y):
        return x[y] * 2 + x

    def check():
        made = weft.function(plain)(np.arange(3.0), np.int64(1))
        assert made.tolist() == [2, 3, 4], made

    check()
    (path,) = [p for p in glob.glob(f"{store().path}/*/*.weft") if "-" in os.path.basename(p)]
    whole = open(path, "rb").read()

    def with_content(content):
        with open(path, "wb") as file:
            file.write(content)
        check()

    random.seed(0)
    for length in [0, 1, 12, 13, 44, 45, 60, len(whole) // 2, len(whole) - 1]:
        with_content(whole[:length])
    for position in [0, 12, 13, 44, 45, 46, *random.sample(range(len(whole)), 15)]:
        damaged = bytearray(whole)
        damaged[position] ^= 1 << random.randrange(8)
        with_content(bytes(damaged))
    # A right checksum of something else, as another version might write.
    key = os.path.basename(path).removesuffix(".weft")
    data = unpack(key, whole)
    for other in [None, 1, "text", (), (1, 2, 3), ((), (), ()), data[:2], ((), (), data[2][:4]), [*data, 1]]:
        with_content(pack(key, other))
    with_content(whole)
    os.unlink(path)
    os.mkdir(path)
    check()
"""


def test_damaged_files_are_as_if_they_were_not_there(project: Project) -> None:
    project.write_program(DAMAGED)
    run = project.run()
    assert run.found == 1, "when it was whole"
    assert run.missed == run.stored + 1, "it cannot be written in the place of a directory"
