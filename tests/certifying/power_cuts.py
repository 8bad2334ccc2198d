"""A power cut, made from what a process asked its system to write: `strace` records the calls, and a disk that keeps
only what was synced is built from them.

A program writes to files below a folder, and to a file `shown` outside of it what it shows to others. After a cut,

- what a file was given since it was last synced is there or not, sector by sector of 512 bytes, in any order, and at
  times as other bytes; what was synced is there;
- a file or folder that was made, and the removal of one, is there or not until its folder is synced;
- shared memory (`-shm`) is lost, or is anything.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

SECTOR = 512
CALLS = "openat,pwrite64,write,fdatasync,fsync,ftruncate,unlink,rmdir,mkdir"
OTHERS = "open,creat,pwritev,writev,truncate,rename,renameat,renameat2,unlinkat,mkdirat,fallocate,copy_file_range,msync"
CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+)")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
OPENED = re.compile(r"^\d+<((?:\\x[0-9a-f]{2})*)>")


def _text(found):
    return bytes.fromhex(found.replace("\\x", ""))


def recorded(folder, shown, trace, program, *arguments, environment):
    """Run a program, and return what it asked for: (call, path, what), in order."""
    command = ["strace", "-y", "-xx", "-s", "10000000", "--seccomp-bpf", "-f", "-o", str(trace)]
    command += ["-e", f"trace={CALLS},{OTHERS}", sys.executable, "-P", "-c", program, *map(str, arguments)]
    subprocess.run(command, env=environment, check=True)
    folder, shown, found = str(folder), str(shown), []
    for line in trace.read_text().splitlines():
        if not (match := CALL.match(line.partition(" ")[2].lstrip())) or match[3] == "-1":
            assert f"<{folder}" not in line, "calls of two threads that overlap are not read"
            continue
        call, given, _ = match.groups()
        if call in ("openat", "unlink", "mkdir", "rmdir"):
            path = os.path.abspath(_text(STRING.search(given)[1]).decode())  # noqa: PTH100 - of a string
        else:
            path = _text(opened[1]).decode() if (opened := OPENED.match(given)) else ""
        if path == shown and call == "write":
            found.append(("show", path, _text(STRING.search(given)[1])))
        elif path == folder or path.startswith(folder + os.sep):
            assert call not in OTHERS.split(","), f"{call} is not modelled"
            found += _operation(call, path, given)
    return found


def _operation(call, path, given):
    if call == "openat":
        return [("make", path, "file")] if "O_CREAT" in given else []
    if call == "mkdir":
        return [("make", path, "folder")]
    if call in ("unlink", "rmdir"):
        return [("remove", path, None)]
    if call in ("fsync", "fdatasync"):
        return [("sync", path, None)]
    if call == "ftruncate":
        return [("cut", path, int(given.rpartition(", ")[2]))]
    assert call == "pwrite64"
    return [("write", path, (int(given.rpartition(", ")[2]), _text(STRING.search(given)[1])))]


class Disk:
    """What is on a disk, and what it was asked to keep and has not promised yet.

    Parameters
    ----------
    root : the folder, which is there.
    before : its files at the beginning, by path.
    """

    def __init__(self, root, before=()):
        self.root, self.shown = str(root), []
        self.names, self.kept, self.waiting = {}, {}, {}  # of paths: the object, the object that is safe, changes
        self.safe, self.changes = {}, {}  # of files by object: bytes, and changes since they were synced
        for path, content in dict(before).items():
            for above in [str(part) for part in Path(path).parents if str(part).startswith(self.root + os.sep)][::-1]:
                self.names.setdefault(above, "folder")
            self.names[path] = len(self.safe)
            self.safe[self.names[path]], self.changes[self.names[path]] = bytearray(content), []
        self.kept = dict(self.names)

    def do(self, operation):
        """Take one operation."""
        call, path, what = operation
        if call == "show":
            self.shown.append(what)
        elif call == "make" and path not in self.names:
            self.names[path] = "folder" if what == "folder" else len(self.safe)
            if what != "folder":
                self.safe[self.names[path]], self.changes[self.names[path]] = bytearray(), []
            self.waiting.setdefault(os.path.dirname(path), []).append((path, self.names[path]))  # noqa: PTH120
        elif call == "remove":
            del self.names[path]
            self.waiting.setdefault(os.path.dirname(path), []).append((path, None))  # noqa: PTH120
        elif call == "sync":
            file = self.names.get(path, "folder")
            if file == "folder":
                for name, made in self.waiting.pop(path, []):
                    _name(self.kept, name, made)
            else:
                for change in self.changes[file]:
                    _change(self.safe[file], change)
                self.changes[file] = []
        elif call in ("write", "cut") and path in self.names:
            self.changes[self.names[path]].append(what)

    def after_cut(self, rng):
        """Return the files of the disk after a cut here, by path."""
        share, other = rng.choice((0.0, 0.2, 0.5, 0.8, 1.0)), rng.choice((0.0, 0.0, 0.1))
        names = dict(self.kept)
        for waiting in self.waiting.values():
            for name, made in waiting:
                if rng.random() < share:
                    _name(names, name, made)
        found = {}
        for path, file in names.items():
            above = [str(part) for part in Path(path).parents if str(part).startswith(self.root + os.sep)]
            if file == "folder" or not all(part in names for part in above):
                continue
            if path.endswith("-shm"):
                if rng.random() < 0.5:
                    found[path] = rng.bytes(32_768)
                continue
            content = bytearray(self.safe[file])
            for change in self.changes[file]:
                for part in _sectors(change):
                    if rng.random() < share:
                        _change(content, part)
                    elif isinstance(part, tuple) and rng.random() < other:
                        _change(content, (part[0], rng.bytes(len(part[1]))))
            found[path] = bytes(content)
        return found


def _name(names, path, made):
    if made is None:
        names.pop(path, None)
    else:
        names[path] = made


def _change(content, change):
    if isinstance(change, int):
        del content[change:]
        content.extend(bytes(change - len(content)))
        return
    offset, given = change
    content.extend(bytes(max(0, offset - len(content))))
    content[offset : offset + len(given)] = given


def _sectors(change):
    """Yield the parts of a change that reach the disk by themselves."""
    if isinstance(change, int):
        yield change
        return
    offset, given = change
    while given:
        here = SECTOR - offset % SECTOR
        yield offset, given[:here]
        offset, given = offset + here, given[here:]


def states(operations, cuts, root, rng, before=()):
    """Yield, for cuts at random operations, what is on the disk and what had been shown."""
    places = sorted(int(place) for place in rng.integers(1, len(operations) + 1, cuts))
    disk, done = Disk(root, before), 0
    for place in places:
        for operation in operations[done:place]:
            disk.do(operation)
        done = place
        yield disk.after_cut(rng), b"".join(disk.shown)
