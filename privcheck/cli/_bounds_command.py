"""`privcheck bounds`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privcheck.cli._command_options import DECLARED
from privcheck.cli._declared_options import declared_options, taken
from privcheck.cli._delivery import deliver
from privcheck.cli._described.instance import InstanceOptions
from privcheck.cli._options import Json, check_html, check_json
from privcheck.errors import PrivcheckError

if TYPE_CHECKING:
    from privcheck.bounds import Bounds, Curve


@declared_options(DECLARED["bounds"])
def bounds(
    file: Annotated[str | None, typer.Argument(help="A TOML file with the instance, instead of options.")] = None,
    plot: Annotated[str | None, typer.Option(help="Save a picture of the curve to this .png or .svg file.")] = None,
    csv: Annotated[str | None, typer.Option(help="Write the bounds, or the curve, to this .csv file.")] = None,
    html: Annotated[str | None, typer.Option(help="Write a page with tables and a picture to this .html file.")] = None,
    json: Json = None,
    **options: Any,
) -> int:
    """Evaluate the theorems of the papers on an instance: every lower and upper bound, its conditions and its source.

        privcheck bounds --means 0.75,0.625,0.5 --epsilon 1 --horizon 1e7
        privcheck bounds --instance fig3 --epsilon 1 --curve epsilon --plot fig3.png
        privcheck bounds --instance c2 --rho 0.005 --horizon 1e7
        privcheck bounds --base-arms 6 --size 2 --gap 0.1 --epsilon 1 --horizon 1e6
        privcheck bounds mine.toml --epsilon 0.5 --csv bounds.csv
        privcheck bounds --instance c2 --epsilon 1 --explain azize-basu-2022/thm3
        privcheck bounds --instance c2 --epsilon 0.5 --horizon 1e6 --claimed '5 ln T'

    Only bounds in the same block can be compared; a star marks the best of them. An asymptotic bound is a rate: its
    constant multiplies ln T, and it is not a bound at any T. Negative numbers need an equals sign, as in --means=-1,1.

    Exit status: 0, or 2 for bad input.
    """
    from privcheck.bounds import curve as follow
    from privcheck.reporting import as_json, details

    everything, curve, explain, claimed = (options.pop(name) for name in ("everything", "curve", "explain", "claimed"))
    check_json(json)
    check_html(html)
    _check_outputs(curve, plot, csv, json, html)
    _check_claimed(claimed, curve, html, explain)
    asked = taken(options, InstanceOptions)
    if explain is not None and file is None and asked.instance is None and not asked.given:
        return _explained(explain, None)
    described = asked.made(file)
    if explain is not None:
        return _explained(explain, described)
    if curve is not None:
        return _curve(follow(described, curve), plot, csv, json, html)
    values = _evaluated(described)
    if claimed is not None:
        return _claimed(values, claimed, csv, json)
    files: list[Callable[[], object]] = [partial(values.save, csv)] if csv is not None else []
    files += [partial(_save_page, described, html)] if html is not None else []
    deliver(json, as_json(values), lambda: details(values, everything=everything), *files)
    return 0


def _check_claimed(claimed: str | None, curve: str | None, html: str | None, explain: str | None) -> None:
    others = {"curve": curve, "html": html, "explain": explain}
    for name in (name for name, given in others.items() if claimed is not None and given is not None):
        raise PrivcheckError("claimed", claimed, f"no --{name}", f"run the command once with --{name} and once without")


def _claimed(values: Bounds, claimed: str, csv: str | None, json: str | None) -> int:
    from dataclasses import asdict

    from rich.text import Text

    from privcheck.bounds import claimed_regret
    from privcheck.serialise import to_json

    found = claimed_regret(values, claimed)
    files: list[Callable[[], object]] = [partial(found.save, csv)] if csv is not None else []
    deliver(json, to_json({"claimed_regret": asdict(found)}), lambda: Text(repr(found)), *files)
    return 0


def _explained(name: str, instance: Any) -> int:
    from rich.text import Text

    from privcheck.cli._delivery import show
    from privcheck.reporting import explain

    show(Text(explain(name, instance)))
    return 0


def _evaluated(instance: Any) -> Bounds:
    from privcheck.bounds import ContradictionWarning, evaluate

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContradictionWarning)  # shown in the table, and in the JSON
        return evaluate(instance)


def _save_page(instance: Any, path: str, along: Curve | None = None) -> None:
    from privcheck.reporting import save_page

    save_page(_evaluated(instance), path, along=along)


def _check_outputs(curve: str | None, plot: str | None, csv: str | None, json: str | None, html: str | None) -> None:
    from privcheck.files import check_output

    if plot is not None:
        check_output(plot, "plot", (".png", ".svg"))
    if csv is not None:
        check_output(csv, "csv", (".csv",))
    if plot is not None and curve is None:
        raise PrivcheckError(
            "curve", None, "an axis for the picture", "give --curve epsilon, --curve horizon or --curve gap"
        )
    if curve is not None and plot is None and csv is None and json is None and html is None:
        raise PrivcheckError(
            "plot", None, "an output file for the curve", "give --plot bounds.png, --html, --csv or --json"
        )


def _curve(found: Curve, plot: str | None, csv: str | None, json: str | None, html: str | None) -> int:
    from privcheck.files import write_whole
    from privcheck.reporting import as_csv, as_json, details
    from privcheck.reporting import plot as draw

    files: list[Callable[[], object]] = []
    if csv is not None:
        files.append(partial(write_whole, csv, as_csv(found), "csv"))
    if plot is not None:
        files.append(partial(draw, found, plot))
    if html is not None:
        files.append(partial(_save_page, found.instance, html, found))
    paths = [path for path in (plot, html, csv, json) if path is not None]
    deliver(json, as_json(found), lambda: details(found, paths=paths), *files)
    return 0
