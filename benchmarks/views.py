"""What each way of reading outputs costs and finds: `python benchmarks/views.py --json FILE [--markdown PAGE]`.

Audited are the broken targets of `tests/auditing/zoo/fresh` and `tests/auditing/zoo/hidden`, at default settings with
20,000 runs per stream. For each audit:

- the processor time that learning and evaluating the scores of each view takes, and that of the whole audit;
- the view whose event is in the witness; the audit is repeated without this view: is the leak found all the same?

The file is written after each audit, and what is in it is not done again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import privcheck
from privcheck.auditing._scoring import views_of
from privcheck.auditing._scoring.view import NumberView, SequenceView

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "auditing"))

from written_tables import hand_out
from zoo import fresh, hidden

SEQUENCES = {
    "output": "symbols in order",
    "actions": "actions in order",
    "actions in the first rounds from the change on": "actions from the change on",
    "actions from the change on": "actions from the change on",
    "pulls of each arm": "pulls of each arm",
}

NUMBERS = {
    "Value": "one number",
    "MostTelling": "one number",
    "Distance": "distance of a number from its median",
    "Histogram": "histogram of a number",
    "SumOfHistograms": "histograms of all numbers",
    "Discriminant": "linear discriminant",
    "TwoParts": "product or quotient of two numbers",
    "Remainder": "remainder of a number on a grid",
    "Parity": "parity of symbols",
    "LogisticScore": "logistic regression",
}

READINGS = "what else the kind of feedback shows"

WHOLE = "whole audit"


def kind(view: Any) -> str:
    """Return what a view reads, as the table calls it."""
    if isinstance(view, SequenceView):
        return SEQUENCES.get(view.name, READINGS)
    learner = getattr(view.learner, "func", view.learner)
    return NUMBERS[learner.__name__]


class Watched:
    """The time that views take, and what they say in words; one kind of them is left out."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.made: set[str] = set()
        self.said: dict[str, str] = {}
        self.without: str | None = None
        for maker in (SequenceView, NumberView):
            for method in ("learn", "scores"):
                setattr(maker, method, self._timed(getattr(maker, method)))
            maker.words = self._noted(maker.words)  # type: ignore[method-assign]
        for name in ("output_views", "policy_views"):
            setattr(views_of, name, self._made(getattr(views_of, name)))

    def begin(self, without: str | None) -> None:
        """Forget what was seen, and leave a kind out from here on."""
        self.seconds, self.made, self.said, self.without = Counter(), set(), {}, without

    def _timed(self, method: Any) -> Any:
        def timed(view: Any, *given: Any) -> Any:
            begun = time.thread_time()
            try:
                return method(view, *given)
            finally:
                self.seconds[kind(view)] += time.thread_time() - begun

        return timed

    def _noted(self, method: Any) -> Any:
        def noted(view: Any, *given: Any) -> Any:
            said = method(view, *given)
            self.said[said] = kind(view)
            return said

        return noted

    def _made(self, maker: Any) -> Any:
        def made(*given: Any, **options: Any) -> Any:
            views = maker(*given, **options)
            self.made.update(kind(view) for view in views)
            left = [view for view in views if kind(view) != self.without]
            if not left:
                raise privcheck.PrivcheckError("views", self.without, "another view besides")
            return left

        return made


def audited(watched: Watched, target: Any, options: dict[str, Any], runs: int, without: str | None) -> dict[str, Any]:
    """Return what an audit of a claim of epsilon = 1 finds, by which view, and what each view took."""
    watched.begin(without)
    begun = time.process_time()
    try:
        report = privcheck.audit(target, epsilon=1.0, runs=runs, seed=0, **options)
    except privcheck.PrivcheckError as error:  # without this view there is none
        return {"found": False, "bound": 0.0, "by": str(error), "seconds": {}}
    seconds = {WHOLE: time.process_time() - begun, **{name: watched.seconds[name] for name in watched.made}}
    by = "" if report.witness is None else watched.said.get(report.witness.event, "")
    return {
        "found": report.verdict == "violation",
        "bound": round(report.epsilon_lower or 0.0, 3),
        "by": by,
        "seconds": {name: round(each, 4) for name, each in seconds.items()},
    }


def main() -> None:
    """Parse the command line, run the audits that are not in the file, print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--most", type=int, help="targets that are audited, the first ones of both lists")
    parser.add_argument("--markdown", type=Path, help="the page whose table is written")
    asked = parser.parse_args()
    targets = {pair.name: (pair.broken, pair.options) for pair in fresh.TWINS}
    targets |= {pair.name: (pair.broken, pair.options | pair.for_broken) for pair in hidden.TWINS}
    done = json.loads(asked.json.read_text("utf-8")) if asked.json.exists() else {}
    watched = Watched()
    audited(watched, *targets["additive shares"], 1000, None)  # imports what is imported late
    for name in list(targets)[: asked.most]:
        for key, by in ((name, None), (f"without: {name}", name)):
            without = None if by is None else done[by]["by"]
            if key not in done and (by is None or (without and done[by]["found"])):
                done[key] = audited(watched, *targets[name], asked.runs, without)
                asked.json.write_text(json.dumps(done, indent=1), encoding="utf-8")
    hand_out(_table({name: done[name] for name in targets if name in done}, done), asked.markdown)


def _table(rows: dict[str, Any], done: dict[str, Any]) -> str:
    seconds: dict[str, float] = defaultdict(float)
    audits: Counter[str] = Counter()
    for row in rows.values():
        for name, each in row["seconds"].items():
            seconds[name] += each
            audits[name] += 1
    by = Counter(row["by"] for row in rows.values() if row["found"])
    lost, lower, only = Counter[str](), Counter[str](), Counter[str]()
    for name, row in rows.items():
        left = done.get(f"without: {name}")
        if left is not None:
            only[row["by"]] += not left["seconds"]
            lost[row["by"]] += bool(left["seconds"]) and not left["found"]
            lower[row["by"]] += left["found"] and left["bound"] < 0.9 * row["bound"]
    lines = [
        "| view | audits | CPU s | share of all | in the witness | the only one | lost without it | lower without it |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in sorted(audits, key=lambda name: -seconds[name]):
        if name != WHOLE:
            share = f"{100.0 * seconds[name] / seconds[WHOLE]:.1f} %"
            counts = audits[name], f"{seconds[name]:.1f}", share, by[name], only[name], lost[name], lower[name]
            lines.append(f"| {name} | {' | '.join(map(str, counts))} |")
    found = sum(row["found"] for row in rows.values())
    every = sum(each for name, each in seconds.items() if name != WHOLE)
    lines.append("")
    lines.append(
        f"{found} of {len(rows)} leaks were found. The audits took {seconds[WHOLE]:.0f} s of CPU, {every:.0f} s of it "
        f"for views; in {by['']} audits it is not known which view is in the witness."
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
