"""Which classifier reads this user's handwriting? A private bandit on scikit-learn's digits, from logged feedback.

In each round a user writes a digit, one of five classifiers reads it, and the user says whether it was right. This
answer must stay private. The example writes a log of uniformly random choices to CSV, reads it back by the names of
its columns, and uses it in two ways: it draws rewards from the log again (for any horizon and many runs), and it
replays the log by rejection (every row at most once). The digits are labelled, so the true accuracies are known too.

    python examples/digits_bandit.py
    python examples/digits_bandit.py digits.csv  # only writes the log
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from privcheck import simulate
from privcheck.environments import LoggedFeedback, Replay
from privcheck.simulation import replay

TRAINING = 100
POLICIES = ("adap-ucb", "adap-kl-ucb", "dp-imed", "kl-ucb")


def right_or_wrong() -> tuple[list[str], np.ndarray]:
    """Return the names of the classifiers and, for every digit not used in training, which of them read it right."""
    images, labels = load_digits(return_X_y=True)
    classifiers = {
        "tree": DecisionTreeClassifier(random_state=0),
        "naive Bayes": GaussianNB(),
        "binary naive Bayes": BernoulliNB(binarize=8.0),
        "logistic regression": LogisticRegression(max_iter=5000),
        "nearest neighbour": KNeighborsClassifier(1),
    }
    answers = []
    for classifier in classifiers.values():
        classifier.fit(images[:TRAINING], labels[:TRAINING])
        answers.append(classifier.predict(images[TRAINING:]) == labels[TRAINING:])
    return list(classifiers), np.array(answers).T


def write_log(path: Path, rounds: int, seed: int) -> np.ndarray:
    """Log `rounds` users, each with one classifier chosen at random; return the true accuracies, sorted by name."""
    rng = np.random.default_rng(seed)
    names, answers = right_or_wrong()
    with path.open("w", newline="", encoding="utf-8") as file:
        log = csv.writer(file)
        log.writerow(["user", "classifier", "right"])
        for user in range(rounds):
            image, arm = rng.integers(len(answers)), rng.integers(len(names))
            log.writerow([user, names[arm], int(answers[image, arm])])
    return answers.mean(axis=0)[np.argsort(names)]


def main() -> None:
    """Print the accuracies in the log, and how bandits do on it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.csv"
        truth = write_log(path, rounds=20_000, seed=0)
        log = LoggedFeedback.from_csv(path, action="classifier", reward="right")
    place = Replay.from_log(log)
    for name, logged, true in zip(place.names, place.means, truth, strict=True):
        print(f"{name:20s} right in {logged:.1%} of the log's rows, in truth {true:.1%}")
    print("\nrewards of the log drawn again, against the true accuracies: regret after 1e6 rounds, epsilon = 1")
    drawn = simulate(POLICIES[:3], place, horizon=1e6, runs=1000, epsilon=1.0, checkpoints=1)
    true = simulate(POLICIES[:3], tuple(truth), horizon=1e6, runs=1000, epsilon=1.0, checkpoints=1)
    for row, other in zip(drawn.summary(), true.summary(), strict=True):
        print(
            f"{row['policy']:12s} {row['mean']:8.0f} [{row['q05']:.0f}, {row['q95']:.0f}]   truth {other['mean']:8.0f}"
        )
    print("\nreplayed by rejection: share of users that were read right")
    for policy in POLICIES:
        found = replay(policy, log, runs=10, epsilon=1.0, order="shuffled").summary()
        print(f"{policy:12s} {found['reward']:.1%} in {found['rounds']:.0f} of {found['rows']} rows")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        write_log(Path(sys.argv[1]), rounds=20_000, seed=0)
    else:
        main()
