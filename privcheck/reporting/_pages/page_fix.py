"""One page about a fix: the finding, the diff, the certificate, the regret, and the other patches."""

from __future__ import annotations

import html

from privcheck.reporting._pages.elements import (
    badge,
    code_block,
    document,
    element,
    facts,
    header,
    inline_picture,
    items,
    marked_code,
    section,
    text,
)
from privcheck.reporting._pages.html_table import NUMBER, TEXT, Cell, table
from privcheck.reporting._pictures.fix_picture import fix_figure
from privcheck.reporting._text.audit_sentences import plural
from privcheck.reporting._text.certificate_facts import certificate_rows
from privcheck.reporting._text.certificate_sentences import certificate_sentence
from privcheck.reporting._text.fix_sentences import (
    audit_words,
    certify_command,
    command,
    diff_line,
    edits,
    lines,
    mark,
    notes,
    provided,
    sentence,
    share,
    tried_words,
    withdrawn,
)
from privcheck.reporting._text.numbers import clean
from privcheck.results import FIXED, NONE_LEARNS, NOTHING_TO_FIX, RECOMMENDED, WITHDRAWN, Fix, FixPatch

TITLE = "privcheck fix"

AGAIN = (
    "To apply it, after you have read it. Regret is measured again, and how often depends on the time that it takes: "
    "if fix.patch is not the patch above, another one came first."
)

TONES = {FIXED: "certified", NOTHING_TO_FIX: "certified", NONE_LEARNS: "inconclusive"}
"""The colour of an outcome."""


def render_fix(found: Fix) -> str:
    """Return the page; the same result gives the same page.

    >>> from privcheck.results._example_results import FIXED_BANDIT
    >>> "What was found" in render_fix(FIXED_BANDIT)
    True
    """
    parts = [_outcome(found), *_finding(found)]
    if found.recommended is not None:
        parts += _recommended(found, found.recommended)
    parts += _regret(found)
    parts += _others(found)
    parts += _tried(found)
    parts.append(section("What was withdrawn", [items(withdrawn(found))]) if withdrawn(found) else "")
    parts.append(section("Notes", [items(notes(found))]) if notes(found) else "")
    parts.append(section("Provided that", [items(provided(found))]) if provided(found) else "")
    parts.append(section("What was asked for", [facts(_asked(found))]))
    return document(TITLE, header(TITLE, found.target), [part for part in parts if part])


def _outcome(found: Fix) -> str:
    word, _, rest = sentence(found).partition(": ")
    tone = TONES.get(found.outcome, "not-certified")
    told = element("p", f"{badge(text(word), mark(found))}: {text(rest)}", f"verdict {tone}")
    return element("section", told, tone)


def _finding(found: Fix) -> list[str]:
    own = found.finding
    if own is None:
        return []
    parts = [element("p", text(own.sentence))]
    if own.code:
        parts.append(marked_code([(f"> {own.line}  {diff_line(own.code)}", True)]))
    return [section("What was found", parts)]


def _recommended(found: Fix, patch: FixPatch) -> list[str]:
    why = items([f"{clean(edit.name)}, line {edit.line}: {clean(edit.argument)}." for edit in patch.edits])
    apply = [element("p", AGAIN), code_block(command(found))]
    parts = [section("The patch", [diff_block(patch.diff), why, *apply])]
    if patch.certificate is not None:
        told = element("p", text(f"{certificate_sentence(patch.certificate)}."))
        parts.append(
            section(
                "Its certificate",
                [
                    told,
                    facts(certificate_rows(patch.certificate)),
                    element("p", text(audit_words(found, patch))),
                    element("p", "To see it again, of the patched file:"),
                    code_block(certify_command(found, patch)),
                ],
            )
        )
    return parts


def diff_block(diff: str) -> str:
    r"""Return a unified diff whose lines have colours; signs say the same.

    >>> diff_block("@@ -1 +1 @@\n-a\n+b\n")
    '<pre class="source diff"><code><i>@@ -1 +1 @@</i>\n<del>-a</del>\n<ins>+b</ins></code></pre>'
    """
    shown = []
    for line in diff.rstrip("\n").split("\n"):
        own = html.escape(diff_line(line))
        head = line.startswith(("diff ", "--- ", "+++ ", "@@", "\\"))
        tag = "i" if head else "ins" if line.startswith("+") else "del" if line.startswith("-") else ""
        shown.append(element(tag, own) if tag else own)
    return element("pre", element("code", "\n".join(shown)), "source diff")


def _regret(found: Fix) -> list[str]:
    if found.original is None:
        return []
    caption = (
        f"Regret after {plural(found.rounds, 'round')}, as a share of what playing arms at random loses: less is "
        "better, and 100 % has learned nothing. Lines are two standard errors."
    )
    picture = inline_picture(lambda width: fix_figure(found, width=width), "regret", caption)
    return [section("What it costs in regret", [picture, _regret_table(found)], name="regret")]


def _regret_table(found: Fix) -> str:
    assert found.original is not None
    places = [place.place.partition("with ")[2] or place.place for place in found.original.places]
    columns = [("policy", TEXT), ("runs", NUMBER), *((place, NUMBER) for place in places)]
    rows: list[list[Cell | str]] = []
    for each in (found.original, *(patch.regret for patch in found.patches), *found.others):
        if each is not None:
            shares = [
                Cell(f"{100 * place.share:.1f} % <small>last third {100 * place.late:.0f} %</small>", place.share)
                for place in each.places
            ]
            rows.append([text(each.policy), Cell(f"{each.runs:,}" if each.runs else "-", each.runs), *shares])
    caption = "Regret as a share of uniform play's, and below it that of the last third of the rounds"
    return table(caption, columns, rows, kind="stack")


def _others(found: Fix) -> list[str]:
    listed = [patch for patch in found.patches if patch.standing not in (RECOMMENDED, WITHDRAWN)]
    parts = []
    for patch in listed:
        why = f": {clean(patch.why)}" if patch.why else ""
        head = f"{patch.standing}{why}. Regret {share(patch.regret)} of uniform play's. {audit_words(found, patch)}"
        name = element("summary", text(f"Patch {patch.number}: {edits(patch)}, {lines(patch)}"))
        parts.append(element("details", name + element("p", text(head)) + diff_block(patch.diff)))
    return [section("Other patches", parts)] if parts else []


def _tried(found: Fix) -> list[str]:
    told = tried_words(found)
    return [section("What was tried", [items(told)])] if told and found.recommended is None else []


def _asked(found: Fix) -> list[tuple[str, str]]:
    return [
        ("target", found.target), ("budget", f"epsilon = {found.epsilon:g}"), ("arms", str(found.arms)),
        ("rounds of guarded runs", str(found.horizon)),
        ("rewards", f"[{found.rewards[0]:g}, {found.rewards[1]:g}]"), ("seed", str(found.seed)),
        ("texts looked at", str(found.looks)), ("SHA-256 of the file", found.sha256),
    ]  # fmt: skip
