"""Clients that are killed -9 in the middle of an audit by Dask workers: the same command goes on from what was kept."""

import json
import signal
import subprocess
import sys

import pytest

pytest.importorskip("distributed", reason="needs dask.distributed, which privcheck[dask] installs")
pytest.importorskip("pyarrow", reason="needs pyarrow, which privcheck[store] installs")

pytestmark = pytest.mark.nightly

WORKERS = 2
SCRIPT = """
import json, sys
import privcheck
from privcheck.scheduling import _chunk_store as chunk_store
from privcheck.targets._runners import KernelRunner

chunk_store.KEPT_FROM = 0.0
KernelRunner.chunk_runs = 2500
kept = chunk_store.ChunkStore.keep


def keep(self, *kept_as):
    kept(self, *kept_as)
    print("kept", flush=True)


chunk_store.ChunkStore.keep = keep
options = {"store": sys.argv[1], "scheduler": "local:2"} if sys.argv[1:] else {}
if __name__ == "__main__":
    report = privcheck.audit("ucb", epsilon=1.0, arms=2, horizon=8, runs=50_000, pairs=40, **options)
    told = report.to_dict()
    for name in ("seconds", "created", "jobs", "scheduler", "store"):
        told.pop(name, None)
    print(json.dumps(told, sort_keys=True), flush=True)
"""


def client(*store):
    return subprocess.Popen([sys.executable, "-P", "-c", SCRIPT, *map(str, store)], stdout=subprocess.PIPE, text=True)


def finished(process):
    """Return the number of chunks that a client kept, and its report."""
    *kept, report = process.communicate(timeout=300)[0].splitlines()
    assert set(kept) <= {"kept"}
    return len(kept), json.loads(report)


def test_an_audit_goes_on_after_its_client_is_killed_at_10_50_and_90_percent(tmp_path):
    _, expected = finished(client())
    chunks, undisturbed = finished(client(tmp_path / "whole"))
    assert undisturbed == expected
    assert chunks > 50
    store, before = tmp_path / "killed", 0
    for share in (0.1, 0.5, 0.9):
        process = client(store)
        for _ in range(int(share * chunks) - before):
            assert process.stdout.readline() == "kept\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        before = len(list(store.rglob("*.parquet")))
    assert 0.9 * chunks - 1 <= before < chunks
    played, report = finished(client(store))
    assert report == expected
    assert played <= chunks - before + WORKERS, "at most one chunk a worker is played again"
    assert len(list(store.rglob("*.parquet"))) == chunks
