"""`privcheck certify`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from privcheck.cli.declared_options import ContextNorm, declared_options, keywords
from privcheck.cli.options import Json, check_html, check_json, write_json
from privcheck.targets.settings import CertifySettings


@declared_options(CertifySettings, leave_out=("delta",))
def certify(
    target: Annotated[str, typer.Argument(help="A shipped id, path/to/file.py:name or package.module:name.")],
    *,
    context_norm: ContextNorm = None,
    json: Json = None,
    html: Annotated[str | None, typer.Option(help="Write a page with the ledger to this .html file.")] = None,
    plot: Annotated[str | None, typer.Option(help="Draw one picture into this .svg or .png file.")] = None,
    picture: Annotated[str, typer.Option(help="Which picture: ledger or divergence.")] = "ledger",
    **options: Any,
) -> int:
    """Certify a policy that releases through privcheck's mechanisms: at most epsilon, on every guarded execution.

    Rewards arrive wrapped, sensitivities are computed, a ledger charges every datum and a filter refuses what exceeds
    the budget; then transcripts are replayed on neighbouring streams:

        privcheck certify my_bandit.py:MyBandit --epsilon 1 --arms 2

    A contextual bandit is certified for joint differential privacy:

        privcheck certify my_contextual_bandit.py:MyBandit --epsilon 1 --arms 2
            --feedback contextual --neighbours context-reward
            --contexts 2,3 --context-norm 1

    Exit status: 0 certified (or nothing claimed and nothing found), 1 a leak or a refused certificate, 2 bad input.
    """
    from privcheck.certifying.certify import certify as run_certify
    from privcheck.reporting.pictures.plot import CERTIFICATE_PICTURES, check_plot

    check_json(json)
    check_html(html)
    check_plot(plot, picture, CERTIFICATE_PICTURES)
    certificate = run_certify(target, **keywords(options, context_norm))
    if not write_json(json, certificate.to_json()):
        from rich.console import Console

        from privcheck.reporting import certificate_details

        Console().print(certificate_details(certificate))
    if html is not None:
        certificate.save_html(html)
    if plot is not None:
        certificate.plot(plot, picture=picture)
    found = certificate.leaks or certificate.refusals or certificate.replay.divergences
    return 1 if found or (options["epsilon"] is not None and not certificate.granted) else 0
