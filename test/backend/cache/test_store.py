"""The files of the disk cache: read and written by anybody at any time, and never trusted."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from weft.backend.cache import store as caches
from weft.backend.cache.files import MAGIC, DamagedFile, checksum, digest, pack, unpack
from weft.backend.cache.location import UnusableDirectory, default_directory, prepared
from weft.backend.cache.store import Configuration, Store
from weft.dialect.errors import CacheWarning

DATA = {"code": b"\x00\xff" * 50, "plan": (1, None, 2.5, "name", [True, -1, 1 << 80])}
KEY = "ab" + "0" * 38


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "cache"), 1)


def test_what_is_written_is_read(store: Store) -> None:
    assert store.read(KEY) is None
    assert store.write(KEY, DATA)
    assert store.read(KEY) == DATA
    assert store.write(KEY, "another")
    assert store.read(KEY) == "another"
    store.discard(KEY)
    assert store.read(KEY) is None


def test_keys_are_found_by_their_beginning_the_newest_first(store: Store) -> None:
    for number, name in enumerate(("ab1-x", "ab1-y", "ab2-x", "cd")):
        store.write(name, number)
        os.utime(store._path(name), (number, number))
    assert store.keys("ab1") == ["ab1-y", "ab1-x"]
    store.use("ab1-x")
    assert store.keys("ab1") == ["ab1-x", "ab1-y"]
    assert store.keys("ef") == []


def test_data_has_one_name_in_all_processes() -> None:
    code = "from weft.backend.cache.files import digest; print(digest((1, 'a', b'b', 2.5, None, (True,))))"
    found = {
        subprocess.check_output([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    }
    assert found == {f"{digest((1, 'a', b'b', 2.5, None, (True,)))}{os.linesep}".encode()}
    assert digest((1, "a")) != digest(("1", "a"))


def test_every_damage_of_a_file_is_seen() -> None:
    content = pack(KEY, DATA)
    assert unpack(KEY, content) == DATA
    for length in range(len(content)):
        with pytest.raises(DamagedFile):
            unpack(KEY, content[:length])
    for position in range(len(content)):
        for mask in (0x01, 0x80, 0xFF):
            damaged = bytearray(content)
            damaged[position] ^= mask
            with pytest.raises(DamagedFile):
                unpack(KEY, bytes(damaged))
    with pytest.raises(DamagedFile):
        unpack(KEY, content + b"x")


def test_a_right_checksum_of_what_is_no_data_is_refused() -> None:
    content = pack(KEY, DATA)
    body = content[len(MAGIC) + 32 :]
    for wrong in (b"", b"?", body[:-1]):
        with pytest.raises(DamagedFile):
            unpack(KEY, MAGIC + checksum(KEY, wrong) + wrong)


def test_damaged_files_are_removed(store: Store) -> None:
    store.write(KEY, DATA)
    path = Path(store._path(KEY))
    path.write_bytes(path.read_bytes()[:-1])
    assert store.read(KEY) is None
    assert not path.exists()


posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="about users and modes")


@posix
def test_the_directory_and_the_files_are_private(store: Store) -> None:
    store.write(KEY, DATA)
    assert stat.S_IMODE(os.stat(store.path).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(store._shard(KEY)).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(store._path(KEY)).st_mode) == 0o600


@posix
@pytest.mark.parametrize("mode", [0o755, 0o770, 0o702])
def test_a_directory_that_is_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    Path(prepared(str(tmp_path))).chmod(mode)
    with pytest.raises(UnusableDirectory, match=f"is open to other users \\(mode {mode:04o}, not 0700\\)"):
        prepared(str(tmp_path))


@posix
def test_a_directory_in_one_that_others_can_write_is_refused(tmp_path: Path) -> None:
    around = tmp_path / "around"
    around.mkdir()
    around.chmod(0o777)
    with pytest.raises(UnusableDirectory, match="can be written by other users"):
        prepared(str(around))
    around.chmod(0o1777)  # as /tmp is: nobody can rename what is not theirs
    prepared(str(around))


@posix
def test_a_directory_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UnusableDirectory, match="belongs to another user"):
        prepared(str(tmp_path))


@posix
def test_files_that_others_could_write_are_not_read(store: Store) -> None:
    store.write(KEY, DATA)
    os.chmod(store._path(KEY), 0o622)
    assert store.read(KEY) is None
    os.chmod(store._path(KEY), 0o600)
    assert store.read(KEY) == DATA


@posix
def test_links_and_what_is_no_file_are_not_read(store: Store, tmp_path: Path) -> None:
    store.write(KEY, DATA)
    elsewhere = tmp_path / "elsewhere"
    os.rename(store._path(KEY), elsewhere)
    os.symlink(elsewhere, store._path(KEY))
    assert store.read(KEY) is None
    os.unlink(store._path(KEY))
    os.mkfifo(store._path(KEY))  # opening it to read waits for a writer
    assert store.read(KEY) is None
    os.unlink(store._path(KEY))
    os.mkdir(store._path(KEY))
    assert store.read(KEY) is None


def test_a_file_in_the_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "1").write_text("")
    with pytest.raises(UnusableDirectory, match="is not a directory"):
        prepared(str(tmp_path))
    (tmp_path / "file").write_text("")
    with pytest.raises(UnusableDirectory):
        prepared(str(tmp_path / "file"))


@posix
def test_without_a_home_there_is_no_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(UnusableDirectory, match="there is no home directory"):
        default_directory()


@pytest.mark.skipif(sys.platform != "linux", reason="the paths of Linux")
def test_the_default_is_the_users_cache_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert default_directory() == "/home/somebody/.cache/weft"
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert default_directory() == "/elsewhere/weft"


def test_the_oldest_files_make_room(tmp_path: Path) -> None:
    store = Store(str(tmp_path), 1)
    size = 100_000
    for number in range(40):
        name = f"{number:02}" + "0" * 38
        assert store.write(name, b"x" * size)
        os.utime(store._path(name), (number, number))
        store.use("03" + "0" * 38)
    entries = list(store.entries())
    assert sum(entry.size for entry in entries) <= 1 << 20
    assert len(entries) > 5
    assert store.read("39" + "0" * 38) is not None
    assert store.read("03" + "0" * 38) is not None, "it was used all the time"
    assert store.read("00" + "0" * 38) is None


def test_what_is_larger_than_the_cache_is_not_stored(store: Store) -> None:
    store.write(KEY, DATA)
    assert not store.write("cd", b"x" * (1 << 20))
    assert store.read(KEY) == DATA


def test_files_that_were_never_finished_are_removed(store: Store) -> None:
    store.write(KEY, DATA)
    old, new = (Path(store._shard(KEY)) / f"{name}.part" for name in ("old", "new"))
    for path in (old, new):
        path.write_text("")
    os.utime(old, (0, 0))
    store.evict()
    assert not old.exists()
    assert new.exists()
    assert store.read(KEY) == DATA


def test_clearing_removes_everything_and_the_cache_goes_on(store: Store) -> None:
    for name in (KEY, "cd"):
        store.write(name, DATA)
    assert store.clear() == 2
    assert list(store.entries()) == []
    assert store.write(KEY, DATA)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has not looked for its cache yet."""
    monkeypatch.setattr(caches, "_stores", {})
    monkeypatch.setattr(caches, "_complained", False)


def use(monkeypatch: pytest.MonkeyPatch, enabled: bool, directory: Path, megabytes: int = 1) -> None:
    monkeypatch.setattr(caches, "_configure", lambda: Configuration(enabled, str(directory), megabytes))


def test_there_is_no_cache_where_it_is_not_wanted(
    monkeypatch: pytest.MonkeyPatch, fresh: None, tmp_path: Path
) -> None:
    use(monkeypatch, False, tmp_path / "cache")
    assert caches.store() is None
    use(monkeypatch, True, tmp_path / "cache", megabytes=0)
    assert caches.store() is None
    monkeypatch.setattr(caches, "_configure", None)
    assert caches.store() is None
    assert not (tmp_path / "cache").exists()


def test_what_is_wrong_is_said_once(monkeypatch: pytest.MonkeyPatch, fresh: None, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    use(monkeypatch, True, tmp_path / "file")
    with pytest.warns(CacheWarning, match="there is no disk cache: .*WEFT_CACHE=0 turns the cache off"):
        assert caches.store() is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert caches.store() is None
        use(monkeypatch, True, tmp_path / "file", megabytes=2)
        assert caches.store() is None


def test_a_disk_that_cannot_be_written_is_read(
    monkeypatch: pytest.MonkeyPatch, fresh: None, store: Store
) -> None:
    store.write(KEY, DATA)

    def full(path: str, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caches, "_write_whole", full)
    with pytest.warns(CacheWarning, match="nothing is stored in .*: No space left on device"):
        assert not store.write("cd", DATA)
    assert not store.write("cd", DATA)
    assert store.read(KEY) == DATA


def test_a_disk_that_was_full_is_written_later(
    monkeypatch: pytest.MonkeyPatch, fresh: None, store: Store
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(caches, "_write_whole", lambda path, content: os.write(-1, content))
        with pytest.warns(CacheWarning):
            assert not store.write(KEY, DATA)
    assert not store.write(KEY, DATA)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    assert store.write(KEY, DATA)
    assert store.read(KEY) == DATA


def test_files_that_change_places_are_misses(store: Store) -> None:
    keys = ["ab" + "0" * 38, "ab" + "1" * 38]
    paths = []
    for key in keys:
        assert store.write(key, key)
        paths.append(store._path(key))
    os.rename(paths[0], paths[0] + ".kept")
    os.rename(paths[1], paths[0])
    os.rename(paths[0] + ".kept", paths[1])
    assert [store.read(key) for key in keys] == [None, None]


@posix
def test_shards_that_others_can_open_are_not_read_nor_written(
    fresh: None, store: Store, tmp_path: Path
) -> None:
    assert store.write(KEY, DATA)
    shard = Path(store._path(KEY)).parent
    shard.chmod(0o755)
    assert store.read(KEY) is None
    assert store.keys(KEY) == []
    with pytest.warns(CacheWarning, match="is open to other users"):
        assert not store.write(KEY, DATA)
    shard.chmod(0o700)
    assert store.read(KEY) == DATA
    elsewhere = tmp_path / "elsewhere"
    shard.rename(elsewhere)
    shard.symlink_to(elsewhere)
    assert store.read(KEY) is None


LIMITED = """
import resource, sys, warnings
warnings.simplefilter("ignore")
from weft.backend.cache.store import Store
store = Store(sys.argv[1], 8)
assert store.write("ab", b"small")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
assert not store.write("cd", b"x" * 100_000)
assert store.read("ab") == b"small" and store.read("cd") is None
assert [entry.path for entry in store.entries() if not entry.path.endswith("ab.weft")] == []
print("ok")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_file_that_is_cut_off_while_it_is_written_is_not_kept(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert run.stdout == "ok\n", run.stderr


WRITER = """
import sys
from weft.backend.cache.store import Store
store = Store(sys.argv[1], 1)
for round in range(200):
    key = f"{round % 20:02}" + "0" * 38
    found = store.read(key)
    assert found is None or found == key.encode() * 1000, "a file that is not whole"
    store.write(key, key.encode() * 1000)
print("ok")
"""


def test_processes_read_and_write_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    for process in running:
        output, errors = process.communicate(timeout=120)
        assert output.strip() == b"ok", errors.decode()
    assert all(entry.path.endswith(".weft") for entry in Store(str(tmp_path), 1).entries())
