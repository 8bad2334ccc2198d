"""`privcheck fix`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privcheck.cli._command_options import DECLARED
from privcheck.cli._declared_options import declared_options
from privcheck.cli._delivery import deliver
from privcheck.cli._described.code_findings import Sarif, check_findings
from privcheck.cli._options import Json, check_html, check_json
from privcheck.cli._process import contained_target
from privcheck.cli._statuses import status_of_fix, status_of_patch

if TYPE_CHECKING:
    from rich.console import Group

    from privcheck.results import Fix, FixPatch


@declared_options(DECLARED["fix"])
def fix(
    target: Annotated[str, typer.Argument(metavar="FILE:CLASS", help="A bandit of your own: path/to/file.py:Class.")],
    *,
    diff: Annotated[
        str | None, typer.Option(help="Write the recommended patch to this .diff or .patch file, for git apply.")
    ] = None,
    patch: Annotated[
        str | None,
        typer.Option(help="Show another patch, and write it with --diff: its number, or the names of its edits."),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Change the file itself; nothing else does.")] = False,
    json: Json = None,
    html: Annotated[
        str | None, typer.Option(help="Write a page with the patches, and their regret, to this .html file.")
    ] = None,
    sarif: Sarif = None,
    **options: Any,
) -> int:
    """Propose patches of a bandit's source that are certified, and recommend the one with the least regret.

    Guarded runs find what leaks; edits are made for it, and patches are judged afresh and priced in regret:

        privcheck fix my_bandit.py:MyBandit --epsilon 1 --arms 2

    A patch is a proposal: read it, and apply it with git.

        privcheck fix my_bandit.py:MyBandit --epsilon 1 --arms 2
            --diff my_bandit.patch
        git apply my_bandit.patch

    --patch takes another patch of the answer, by its number or by its edits, whose names stay the same from call to
    call, as in --patch noisy-rewards.

    --write applies the recommended one at once, if the file has not changed meanwhile; the old one stays beside it as
    FILE.orig unless git has it.

    Exit status: 0 a recommended patch, or nothing to fix; 1 nothing certifies; 2 bad input; 3 patches are certified and
    none is known to learn; 130 or 143 interrupted. With --patch it is about that patch: 1 withdrawn, and not written;
    3 not certified, or not known to learn.
    """
    from rich.console import Group

    from privcheck.errors import PrivcheckError, words
    from privcheck.fixing import check_fixable
    from privcheck.fixing import fix as run_fix
    from privcheck.progress import announced, told_in_lines
    from privcheck.reporting import details, save_sarif

    if patch is not None and write:
        hint = "leave it out: write the patch with --diff, read it, and apply it with git"
        raise PrivcheckError("write", words(f"--write beside --patch {patch}"), "the recommended patch", hint)
    check_json(json)
    check_html(html)
    check_findings(None, sarif, json)
    if diff is not None:
        from privcheck.files import check_output

        check_output(diff, "diff", (".diff", ".patch"))
    with contained_target():
        check_fixable(target, to_write=write)
        with announced(), told_in_lines():
            found = run_fix(target, **options)
    files: list[Callable[[], object]] = [partial(found.save_html, html)] if html is not None else []
    files += [partial(save_sarif, found, sarif)] if sarif is not None else []
    chosen = found.recommended if patch is None else _patch_named(found, patch)
    files += _patch_files(found, chosen, target, diff, write)
    shown = details(found) if patch is None or chosen is None else Group(details(found), _shown(chosen))
    deliver(json, found.to_json(), lambda: shown, *files)
    return status_of_fix(found) if patch is None or chosen is None else status_of_patch(chosen)


def _patch_named(found: Fix, asked: str) -> FixPatch | None:
    """Return the patch with this number or these edits; None if nothing needed one."""
    from privcheck.errors import PrivcheckError

    names = {f"{patch.number}": patch for patch in found.patches}
    for patch in found.patches:
        names.setdefault(", ".join(dict.fromkeys(edit.name for edit in patch.edits)), patch)
    if asked not in names and found.patches:
        raise PrivcheckError("patch", asked, f"one of {'; '.join(names)}", "nothing was written")
    return names.get(asked)


def _shown(patch: FixPatch) -> Group:
    """Return the diff of the patch that was asked for."""
    from rich.console import Group
    from rich.text import Text

    why = f"{patch.standing}: {patch.why}" if patch.why else patch.standing
    return Group(Text(f"\npatch {patch.number}, {why}\n"), Text(patch.diff, no_wrap=True, overflow="ignore"))


def _patch_files(
    found: Fix, patch: FixPatch | None, target: str, diff: str | None, write: bool
) -> list[Callable[[], object]]:
    """Return what writes a patch, or says on standard error that there is none though one is needed."""
    from privcheck.files import write_whole
    from privcheck.fixing import diff_bytes, save_patch
    from privcheck.results import NOTHING_TO_FIX, WITHDRAWN

    if patch is None:
        asked = " and ".join(name for name, given in (("--diff", diff is not None), ("--write", write)) if given)
        told = f"privcheck: {found.outcome}: there is no recommended patch, so {asked} wrote nothing\n"
        return [lambda: sys.stderr.write(told)] if asked and found.outcome != NOTHING_TO_FIX else []
    files: list[Callable[[], object]] = []
    if diff is not None and patch.standing == WITHDRAWN:
        told = f"privcheck: patch {patch.number} was withdrawn, so --diff wrote nothing\n"
        files.append(lambda: sys.stderr.write(told))
    elif diff is not None:
        files.append(lambda: write_whole(diff, diff_bytes(target, patch), "diff"))
    if write:
        files.append(lambda: sys.stderr.write(f"privcheck: {save_patch(found, target)}\n"))
    return files
