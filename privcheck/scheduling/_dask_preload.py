"""What Dask loads into the scheduler and the nannies of "local:N": they end when the client does, and leave nothing."""

from __future__ import annotations

from typing import Any

import click

from privcheck.scheduling._ends_with_client import end_with


@click.command()
@click.argument("client", type=int)
@click.argument("folder")
def dask_setup(_: Any, client: int, folder: str) -> None:
    """Begin to look; Dask calls this with its server and with what it was told to hand over."""
    end_with(client, folder)
