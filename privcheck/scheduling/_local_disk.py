"""Whether a folder is on a disk of this machine, as SQLite's locks require."""

from __future__ import annotations

import sys
from pathlib import Path

from privcheck.errors import PrivcheckError, words

NETWORK = {"9p", "afs", "ceph", "cifs", "fuse.sshfs", "gpfs", "lustre", "nfs", "nfs4", "smb3", "smbfs"}
"""File systems on which SQLite's locks are not to be relied on."""


def check_local(parameter: str, folder: Path) -> None:
    """Refuse a folder on a network disk.

    Raises
    ------
    PrivcheckError : it is on one.
    """
    if (system := file_system(folder)) in NETWORK:
        got = words(f"{folder} on a network disk ({system})")
        raise PrivcheckError(parameter, got, "a folder on a local disk", "only the client writes to it")


def file_system(folder: Path) -> str:
    """Return the type of the file system of a folder; "" where that is not known."""
    if not sys.platform.startswith("linux"):
        return ""
    place, found = folder.resolve(), ("", "")
    for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        _, mounted, system = line.split()[:3]
        mounted = mounted.replace("\\040", " ")
        if place.is_relative_to(mounted) and len(mounted) >= len(found[0]):
            found = mounted, system
    return found[1]
