"""`privcheck sweep`."""

from __future__ import annotations

from typing import Annotated

import typer

from privcheck.cli._delivery import deliver
from privcheck.cli._options import Jobs, Json, check_json
from privcheck.cli._process import contained_target
from privcheck.cli._statuses import status_of_sweep


def sweep(
    file: Annotated[str, typer.Argument(help="A TOML file that says what is combined.")],
    store: Annotated[str | None, typer.Option(metavar="DIR", help="Folder of the results, on a local disk.")] = None,
    jobs: Jobs = 1,
    retry: Annotated[bool, typer.Option("--retry", help="Play cells that failed before once more.")] = False,
    json: Json = None,
) -> int:
    """Audit or simulate every combination of targets, settings and seeds, and keep each result.

        privcheck sweep sweep.toml --store results --jobs 2
        privcheck report results

    The file says which of the two, and lists what is combined. Each combination is a cell:

        kind = "audit"
        targets = ["my_bandit.py:MyBandit", "adap-ucb"]
        epsilons = [0.5, 1.0]
        seeds = {count = 2}

        [options]
        arms = 2
        runs = 500

    A simulation also needs environments, as in ["c2", [0.75, 0.5]], and horizons. Options are those of `privcheck
    audit` or `privcheck simulate`; those that vary have a list in the table product.

    The same command continues after an interruption, and plays no finished cell again but one of each target in a file,
    by which it sees whether the target still does what it did. A cell whose target (with the modules beside it), data
    files, options or versions of privcheck, numpy, scipy, numba, llvmlite or Python, or whose processor, have changed
    is new; its old result is stale, and left out of reports. Several of these commands may work in one folder at once.
    A cell that fails is kept with its error, and the others go on.

    Exit status: 0, 1 if an audit in the folder refutes a claim, 2 for bad input or cells that failed, 3 if audits are
    inconclusive, 130 or 143 interrupted: what is finished is kept.
    """
    from privcheck.errors import PrivcheckError, on_one_line
    from privcheck.progress import told_in_lines
    from privcheck.reporting import details, plural
    from privcheck.sweeps import play_sweep

    check_json(json)
    if store is None:
        raise PrivcheckError("store", None, "a folder for the results", "as in --store results")
    with told_in_lines():
        found = play_sweep(
            file, store, jobs=jobs, retry=retry, around=contained_target,
            tell=lambda text: typer.echo(text, err=json == "-"),
        )  # fmt: skip
    deliver(json, found.to_json(), lambda: details(found))
    for note in found.notes:
        typer.echo(on_one_line(f"privcheck: {note}"), err=True)
    for error, count in found.errors.items():
        typer.echo(on_one_line(f"privcheck: {plural(count, 'cell')} failed: {error}"), err=True)
    return status_of_sweep(found)
