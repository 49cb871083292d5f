"""Files of several members, a zip: written whole or not at all, and read within bounds, whatever they claim."""

from __future__ import annotations

import errno
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...backend.cache.digests import sha256
from ...dialect.errors import ArtifactError

MANIFEST = "manifest.json"
STATE = "state.safetensors"
LAYOUT = 1
"""The version of what files hold and how."""

_MOST_MEMBERS = 4096
_LARGEST_MANIFEST = 16 << 20
DEFAULT_BYTES = 8 << 30
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""What `zipfile` raises for files that are none."""
_TIME = (1980, 1, 1, 0, 0, 0)
"""That of all members: a program that is saved twice gives the same bytes."""


def write_archive(path: str, manifest: Mapping[str, Any], members: Mapping[str, bytes]) -> None:
    """Write a file; one of this name is replaced when all is written."""
    digests = {name: sha256(content) for name, content in sorted(members.items())}
    text = json.dumps({"weft": LAYOUT, **manifest, "sha256": digests}, indent=1, sort_keys=True)
    draft = f"{path}.{os.getpid()}.draft"
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    try:
        with zipfile.ZipFile(draft, "w") as archive:
            for name, content in ((MANIFEST, text.encode()), *sorted(members.items())):
                information = zipfile.ZipInfo(name, _TIME)
                information.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(information, content)
        try:
            os.replace(draft, path)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, path) from None
    finally:
        Path(draft).unlink(missing_ok=True)


class Archive:
    """A file that is read; what is wrong with it is an `ArtifactError`."""

    def __init__(self, path: str, max_bytes: int = DEFAULT_BYTES) -> None:
        self.path = path
        self._left = max_bytes
        try:
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
                if len(names) > _MOST_MEMBERS or len(set(names)) < len(names):
                    raise self.damaged("it has too many members, or one twice")
                self._names = frozenset(names)
                text = self._read(archive, MANIFEST, _LARGEST_MANIFEST)
        except _DAMAGES as error:
            raise self._explained(error) from error
        self.manifest = self._parsed(text)

    def read(self, name: str, most: int | None = None) -> bytes:
        """A member, as it was written."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                content = self._read(archive, name, most)
        except _DAMAGES as error:
            raise self._explained(error) from error
        if sha256(content) != self.manifest["sha256"].get(name):
            raise self.damaged(f"{name} is not what was written")
        return content

    def damaged(self, why: str) -> ArtifactError:
        """The error that says that the file is not what `weft.save` writes."""
        return ArtifactError(f"{self.path} is damaged, or no file of weft.save: {why}")

    def _explained(self, error: Exception) -> ArtifactError:
        return error if isinstance(error, ArtifactError) else self.damaged(str(error))

    def _read(self, archive: zipfile.ZipFile, name: str, most: int | None) -> bytes:
        """A member: as many bytes as there are, not as many as the header says, and no more than are allowed."""
        if name not in self._names:
            raise self.damaged(f"it has no {name}")
        entry = archive.getinfo(name)
        if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.damaged(f"{name} is encrypted, or compressed in a way of others")
        if entry.header_offset < 0:
            raise self.damaged(f"{name} begins before the file")
        allowed = self._left if most is None else min(most, self._left)
        with archive.open(name) as member:
            content = member.read(allowed + 1)
        if len(content) > allowed:
            raise ArtifactError(
                f"{self.path}: {name} has more than {allowed} bytes; pass a larger max_bytes= if you trust the file"
            )
        self._left -= len(content)
        return content

    def _parsed(self, text: bytes) -> dict[str, Any]:
        try:
            manifest = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.damaged(f"{MANIFEST} is not JSON ({error})") from error
        if not isinstance(manifest, dict) or not isinstance(manifest.get("sha256"), dict):
            raise self.damaged(f"{MANIFEST} says nothing of the members")
        layout = manifest.get("weft")
        if type(layout) is not int or layout < 1:
            raise self.damaged("it does not say which version it is of")
        if layout > LAYOUT:
            raise ArtifactError(
                f"{self.path} was written by weft {str(manifest.get('producer'))[:20]} in version {layout} of the "
                f"file; this weft reads up to {LAYOUT}: install a newer one"
            )
        return manifest
