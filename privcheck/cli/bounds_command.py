"""`privcheck bounds`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from privcheck.cli.options import Epsilon, Horizon, Json, Means, check_json, number, numbers, write_json
from privcheck.errors import PrivcheckError

if TYPE_CHECKING:
    from rich.table import Table

    from bounds import BoundValue, Instance


def bounds(
    file: Annotated[str | None, typer.Argument(help="A TOML file with the instance, instead of flags.")] = None,
    family: Annotated[str, typer.Option(help="Law of the rewards: bernoulli or gaussian (variance 1).")] = "bernoulli",
    means: Means = None,
    instance: Annotated[
        str | None, typer.Option(help="A named instance of the papers, such as c2, instead of means.")
    ] = None,
    epsilon: Epsilon = None,
    delta: Annotated[float, number("delta", "delta; 0 for pure differential privacy.")] = 0.0,
    horizon: Horizon = None,
    alpha: Annotated[float, number("alpha", "Exploration parameter of AdaP-UCB.")] = 3.1,
    json: Json = None,
) -> int:
    """Evaluate the theorems of the papers on an instance: every lower and upper bound, its conditions and its source.

        privcheck bounds --family bernoulli --means 0.75,0.625,0.5 --epsilon 1 --horizon 1e7

    An asymptotic bound is a rate: its constant multiplies ln T, and it is no bound at any T.
    """
    from bounds import evaluate
    from privcheck.serialise import plain, to_json

    check_json(json)
    described = _instance(file, family, means, instance, epsilon, delta, horizon, alpha)
    values = evaluate(described)
    result = {"instance": plain(described), "bounds": [plain(value.to_dict()) for value in values]}
    if not write_json(json, to_json(result)):
        from rich.console import Console

        console = Console()
        console.print(_table(described, values))
        for note in _notes(values):
            console.print(note, highlight=False, markup=False)
    return 0


def _instance(
    file: str | None,
    family: str,
    means: str | None,
    name: str | None,
    epsilon: float | None,
    delta: float,
    horizon: float | None,
    alpha: float,
) -> Instance:
    from bounds import Instance, named_instance
    from bounds.domains import Integer, check

    rounds = None if horizon is None else check("horizon", horizon, Integer(1), "the number of rounds T")

    given = [source for source in (file, means, name) if source is not None]
    if len(given) != 1:
        hint = "give FILE.toml, --means 0.75,0.5 or --instance c2"
        raise PrivcheckError("instance", " and ".join(given) or None, "one source of the arms", hint)
    if file is not None:
        return Instance.from_toml(file)
    if epsilon is None:
        raise PrivcheckError("epsilon", None, "a privacy budget", "give --epsilon 1")
    if name is not None:
        return named_instance(name, epsilon=epsilon, horizon=rounds, delta=delta, alpha=alpha)
    return Instance(family, numbers(str(means), "means"), epsilon=epsilon, horizon=rounds, delta=delta, alpha=alpha)


def _table(instance: Instance, values: list[BoundValue]) -> Table:
    from rich import box
    from rich.table import Table

    horizon = "" if instance.horizon is None else f", T = {instance.horizon:g}"
    means = ", ".join(f"{mean:g}" for mean in instance.means)
    title = f"{instance.family} arms {means}; epsilon = {instance.epsilon:g}{horizon}"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in ("theorem", "kind", "quantity", "bound"):
        table.add_column(
            column, justify="right" if column == "bound" else "left", no_wrap=column == "theorem", overflow="fold"
        )
    for value in values:
        table.add_row(value.id, value.kind, value.quantity, _number(value))
    return table


def _notes(values: list[BoundValue]) -> list[str]:
    """Say where each bound is from, and which of its conditions fail."""
    notes = []
    for value in values:
        failing = [condition.text for condition in value.conditions if not condition.holds]
        notes.append(
            f"{value.id}: {value.provenance}, {value.source}"
            + (f"; DOES NOT APPLY: asks for {', '.join(failing)}" if failing else "")
        )
    return notes


def _number(value: BoundValue) -> str:
    if not value.applies:
        return "does not apply"
    if value.asymptotic:
        return f"{value.constant:.4g} ln T (rate)"
    return "order only" if value.value is None else f"{value.value:.6g}"
