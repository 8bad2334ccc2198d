"""Clients of "local:N" or with jobs=N that a signal ends at any time leave no process and no folder behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from privcheck.scheduling import _dask_folder as dask_folder
from privcheck.scheduling._living_processes import this_client

ORPHAN = """
import sys, time
from privcheck.scheduling import _ends_with_client as ends_with_client
ends_with_client.LOOKED = 0.05
ends_with_client.end_with(int(sys.argv[1]), sys.argv[2])
time.sleep(60)
"""


def test_a_process_whose_client_had_ended_before_it_began_ends(tmp_path):
    """The broken twin asks for its parent itself, finds the process that takes in orphans, and stays."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / "folder").mkdir()
    begun = [sys.executable, "-P", "-c", ORPHAN]
    orphan = subprocess.run([*begun, str(ended.pid), str(tmp_path / "folder")], timeout=50, check=False)
    assert orphan.returncode == 1
    assert not (tmp_path / "folder").exists()
    twin = subprocess.Popen([*begun, str(os.getpid()), ""])
    with pytest.raises(subprocess.TimeoutExpired):
        twin.wait(timeout=5)
    twin.kill()
    twin.wait()


CLIENT = """
from privcheck.scheduling import executor

with executor(1, "local:2"):
    print("begun", flush=True)
    import time
    time.sleep(600)
"""


def descendants(mark):
    """Return the processes with this text in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            content, state = (
                (place / "environ").read_bytes(),
                (place / "stat").read_text().rpartition(")")[2].split()[0],
            )
        except OSError:
            continue
        if mark.encode() in content and state != "Z":
            found.append(int(place.name))
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
@pytest.mark.parametrize("seconds", [0.0, 0.7, 1.5, None])
def test_a_killed_client_leaves_nothing_behind(seconds, tmp_path):
    """So many seconds after it has a folder for its workers, and when they have begun."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    client = subprocess.Popen([sys.executable, "-P", "-c", CLIENT], env=environment, stdout=subprocess.PIPE)
    if seconds is None:
        client.stdout.readline()
    else:
        until = time.monotonic() + 120.0
        while not list(tmp_path.glob(f"{dask_folder.PREFIX}*")):
            assert time.monotonic() < until
            time.sleep(0.01)
        time.sleep(seconds)
    client.kill()
    client.wait()
    client.stdout.close()
    until = time.monotonic() + 120.0
    while (left := descendants(str(tmp_path))) and time.monotonic() < until:
        time.sleep(0.2)
    assert left == []
    if seconds is None:
        assert list(tmp_path.iterdir()) == []


WORKERS = """
import os, signal, time
from privcheck.scheduling._worker_processes import kept_pool

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup makes it ignored

if __name__ == "__main__":
    kept_pool(2).submit(time.sleep, 600)
    print(kept_pool(2).submit(os.getpid).result(), flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP"])
def test_workers_at_work_and_at_rest_end_with_their_client(name, tmp_path):
    """They stayed for five minutes, and kept the pipes of the client open."""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    (tmp_path / "client.py").write_text(WORKERS)
    begun = [sys.executable, "-P", str(tmp_path / "client.py")]
    client = subprocess.Popen(begun, env=environment, stdout=subprocess.PIPE)
    assert client.stdout.readline().strip().isdigit()
    client.send_signal(getattr(signal, name))
    client.wait()
    client.stdout.close()
    until = time.monotonic() + 60.0
    while (left := descendants(str(tmp_path))) and time.monotonic() < until:
        time.sleep(0.2)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert left == []


def test_the_folders_of_clients_that_ended_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    machine, *_ = this_client().split(" ")
    for name, client in (("dead", f"{machine} {os.getpid()} another-start word"), ("lives", this_client())):
        folder = tmp_path / f"{dask_folder.PREFIX}{name}"
        folder.mkdir()
        (folder / dask_folder.CLIENT).write_text(client)
    (tmp_path / "other").mkdir()
    with dask_folder.dask_folder() as folder:
        assert {path.name for path in tmp_path.iterdir()} == {f"{dask_folder.PREFIX}lives", "other", folder.name}
    assert not folder.exists()
