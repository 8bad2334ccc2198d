"""`privcheck audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privcheck.cli.options import (
    Epsilon,
    Jobs,
    Json,
    Seed,
    check_html,
    check_json,
    context_space,
    number,
    reward_range,
    whole,
    write_json,
)

EXIT_STATUS = {"violation": 1, "inconclusive": 3}


def audit(
    target: Annotated[
        str, typer.Argument(help="A shipped id, also 'adap-ucb(alpha=2)'; path/to/file.py:name or package.module:name.")
    ],
    epsilon: Epsilon = None,
    delta: Annotated[float, number("delta", "delta of the claim.")] = 0.0,
    arms: Annotated[int | None, whole("arms", "Number of arms K; needed for a policy of your own.")] = None,
    horizon: Annotated[int | None, whole("horizon", "Rounds per run; 16 by default.")] = None,
    rewards: Annotated[str, typer.Option(help="Declared range of rewards.")] = "0,1",
    feedback: Annotated[
        str, typer.Option(help="bandit, full (information), contextual, semi-bandit or identification.")
    ] = "bandit",
    runs: Annotated[int | None, whole("runs", "Runs on each stream of the final pair.")] = None,
    time_budget: Annotated[
        float | None, typer.Option(help="Seconds, instead of runs; 60 for a policy of your own.")
    ] = None,
    confidence: Annotated[float, number("confidence", "Of the lower bound.")] = 0.95,
    error: Annotated[float, number("error", "Probability with which a true claim may be called violated.")] = 1e-3,
    observe: Annotated[str, typer.Option(help="What an attacker sees: actions, or releases too.")] = "actions",
    neighbours: Annotated[
        str, typer.Option(help="What one datum is: row, reward, group:k, context-reward, report.")
    ] = "row",
    streams: Annotated[str | None, typer.Option(help="A .npy or .csv file with two streams of your own.")] = None,
    contexts: Annotated[
        str | None,
        typer.Option(help="Shape of a contextual bandit's contexts: d, or K,d for a row of features an arm."),
    ] = None,
    context_norm: Annotated[float | None, typer.Option(help="Largest L2 norm of such a vector.")] = None,
    sequential: Annotated[
        bool, typer.Option("--sequential", help="Play runs until the claim is refuted, the given number at most.")
    ] = False,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Json = None,
    html: Annotated[str | None, typer.Option(help="Write a page with pictures to this .html file.")] = None,
    plot: Annotated[str | None, typer.Option(help="Draw one picture into this .svg or .png file.")] = None,
    picture: Annotated[str, typer.Option(help="Which picture: bounds, witness or trade-off.")] = "bounds",
) -> int:
    """Search for two neighbouring reward streams that a policy tells apart better than its claim allows.

    Prints a lower bound of epsilon that holds with the stated confidence over the whole search, a verdict on the claim,
    and a witness: the two streams, and an event of the actions with its probability on each.

    A policy is any class with select() and update(action, reward) that takes its numpy Generator as first argument:

        privcheck audit my_bandit.py:MyBandit --epsilon 1 --arms 2 --horizon 16

    A one-shot mechanism is any function f(data, rng), or f(data, rng, runs) that makes many runs at once:

        privcheck audit my_mechanism.py:noisy_sum --epsilon 1

    A shipped algorithm, until the claim is refuted, with a page to share:

        privcheck audit rnm-ftnl-published --epsilon 1 --arms 4 --horizon 4
            --sequential --html report.html

    Exit status: 0 consistent with the claim (or no claim), 1 violation, 2 bad input, 3 inconclusive.
    """
    from privcheck.auditing.audit import audit as run_audit
    from privcheck.reporting.pictures.plot import AUDIT_PICTURES, check_plot

    check_json(json)
    check_html(html)
    check_plot(plot, picture, AUDIT_PICTURES)
    report = run_audit(
        target,
        epsilon=epsilon,
        delta=delta,
        arms=arms,
        horizon=horizon,
        rewards=reward_range(rewards),
        feedback=feedback,
        runs=runs,
        time_budget=time_budget,
        confidence=confidence,
        error=error,
        observe=observe,
        neighbours=neighbours,
        streams=None if streams is None else Path(streams),
        contexts=context_space(contexts, context_norm),
        sequential=sequential,
        seed=seed,
        jobs=jobs,
    )
    if not write_json(json, report.to_json()):
        from rich.console import Console

        from privcheck.reporting.terminal.audit_tables import audit_details

        Console().print(audit_details(report))
    if html is not None:
        report.save_html(html)
    if plot is not None:
        report.plot(plot, picture=picture)
    return EXIT_STATUS.get(report.verdict or "", 0)
