"""A Dask scheduler with two worker processes, which talk over TCP on loopback."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

import privcheck

POLICY = """
import helper


class Policy:
    def __init__(self, rng):
        self.rng, self.last = rng, 0.0

    def select(self):
        return int(self.last + self.rng.laplace(0.0, helper.SCALE) > 0.5)

    def update(self, action, reward):
        self.last = reward
"""


@pytest.fixture(scope="session")
def workers_started():
    """Return what starts so many workers of a scheduler for a block, by its address."""
    return _workers_started


@contextmanager
def _workers_started(address, number):
    """Start worker processes by Dask's own command; they end with the block."""
    command = [sys.executable, "-P", "-m", "distributed.cli.dask_worker", address, "--nthreads", "2", "--no-dashboard"]
    command += ["--no-nanny", "--local-directory", os.environ.get("TMPDIR", "/tmp")]
    started = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(number)]
    try:
        yield started
    finally:
        for each in started:
            each.kill()
            each.wait()


@pytest.fixture(scope="session")
def scheduler():
    """Return the address of a scheduler process with two workers of two threads each."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    from distributed import Client

    command = [sys.executable, "-P", "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen([*command, "--no-dashboard"], stderr=subprocess.PIPE, text=True)
    try:
        address = next(line.split()[-1] for line in process.stderr if "Scheduler at:" in line)
        with _workers_started(address, 2) as workers:
            with Client(address, set_as_default=False) as client:
                client.wait_for_workers(2, timeout=120)
            yield address, workers
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()


@pytest.fixture
def policy(tmp_path, monkeypatch):
    """Return the place of a policy that imports a module beside it, whose noise a test may change."""
    (tmp_path / "policy.py").write_text(POLICY)
    monkeypatch.chdir(tmp_path)

    def placed(scale):
        (tmp_path / "helper.py").write_text(f"SCALE = {scale}\n")
        monkeypatch.delitem(sys.modules, "helper", raising=False)
        return "policy.py:Policy"

    return placed


@pytest.fixture(scope="session")
def hashed():
    """Return what gives the SHA-256 of a report or a simulation, without the time that it took."""
    return _hashed


def _hashed(result):
    if isinstance(result, privcheck.AuditReport):
        fields = json.loads(result.to_json())
        del fields["seconds"]
        return hashlib.sha256(json.dumps(fields).encode()).hexdigest()
    found = hashlib.sha256()
    for each in result.results:
        found.update(each.regret.tobytes())
    return found.hexdigest()
