"""The Top Two algorithm on the likelihoods of noisy sums: the kernel and the reference of DP-Exact-TT and Top Two."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.batch_likelihood import divergence_sum, kl_from_complements, most_likely_mean, nearest_plausible
from privcheck.bandits.best_arm import forced_arm, record_end, record_symbols
from privcheck.bandits.exact_stopping_threshold import threshold
from privcheck.bandits.geometric_batches import next_total
from privcheck.bandits.mean_grid import DROPPED, POINTS, add_sum, least_probability, mean_grid
from privcheck.bandits.pair_evidence import LOG_PAIRS, pair_evidence
from privcheck.bandits.reward_coins import coin_sum
from privcheck.bandits.top_two_batches import INDISTINCT, TopTwoBatchesPolicy, weighted_mean
from privcheck.kernels import compiled
from privcheck.mechanisms import NOISE_SLACK, Laplace

LONGEST_RATIO = 3.0
"""The most by which a batch that is longer than usual multiplies an arm's rewards: what it is worth is an estimate."""


@compiled
def leader_of(estimates: Array) -> int:
    """Return the arm with the largest estimate, the lowest of those within 1e-9.

    >>> leader_of(np.array([0.5, 0.7, 0.7 + 1e-12]))
    1
    """
    leader = 0
    for a in range(estimates.shape[0]):
        if estimates[a] > estimates[leader] + INDISTINCT:
            leader = a
    return leader


@compiled
def costs_of_pair(high: float, low: float, high_pulls: float, low_pulls: float, epsilon: float) -> tuple[float, float]:
    """Return d(high, u) and d(low, u) at the minimiser u of their sum with these weights.

    If u is within epsilon of both on the logit scale, it is the weighted mean. Then the distances are multiples of the
    gap, and the ratio of the costs has all its digits however small they are.

    >>> ahead, behind = costs_of_pair(0.5 + 1e-9, 0.5, 20.0, 10.0, 1.0)
    >>> round(ahead / behind, 6)
    0.25
    """
    share = high_pulls / (high_pulls + low_pulls)
    gap = high - low
    up, down = share * gap, (1.0 - share) * gap
    u, u_bar = low + up, 1.0 - high + down
    least, most = nearest_plausible(u, epsilon)
    if least <= low and high <= most:
        ahead = kl_from_complements(high, 1.0 - high, u, u_bar, -down)
        return ahead, kl_from_complements(low, 1.0 - low, u, u_bar, up)
    means, weights = np.array([high, low]), np.array([high_pulls, low_pulls])
    u = most_likely_mean(means, weights, 2, epsilon, high, low)
    weights[:] = 1.0
    return divergence_sum(means, weights, 1, u, epsilon), divergence_sum(means[1:], weights, 1, u, epsilon)


@compiled
def plays_leader(estimates: Array, pulls: Integers, leader: int, epsilon: float) -> bool:
    """Tell whether the sum over the other arms of d(mu_B, u_a) / d(mu_a, u_a) exceeds 1.

    u_a minimises n_B d(mu_B, u) + n_a d(mu_a, u). An arm that is level with the leader, up to 1e-9, makes the sum
    infinite.
    """
    total = 0.0
    for a in range(estimates.shape[0]):
        if a == leader:
            continue
        if estimates[a] >= estimates[leader] - INDISTINCT:
            return True
        ahead, behind = costs_of_pair(estimates[leader], estimates[a], pulls[leader], pulls[a], epsilon)
        total += ahead / behind if behind > 0.0 else math.inf
    return total > 1.0 + INDISTINCT


@compiled
def challenger_of(top: Array, null: Array, pulls: Integers, leader: int) -> int:
    """Return the arm with the smallest max L_B + max L_a - null_a + ln n_a, the lowest of those within 1e-9."""
    challenger, lowest = -1, math.inf
    for a in range(top.shape[0]):
        cost = top[leader] + top[a] - null[a] + math.log(pulls[a])
        if a != leader and (challenger < 0 or cost < lowest - INDISTINCT):
            challenger, lowest = a, cost
    return challenger


@compiled
def planned_total(
    pulls: int, ahead: float, behind: float, ratio: float, first: int, epsilon: float, worth: float
) -> int:
    """Return an arm's number of pulls n after its next batch, which is longer than usual while noise dominates.

    The usual batch has l rewards (`next_total`), and 2 / epsilon^2 is a share w = 8 / (8 + l epsilon^2) or more of the
    variance of its noisy sum. If the leader and the arm that it is compared with have the means `ahead` and `behind`,
    and both are played for as long, a batch of w worth / min_u (d(ahead, u) + d(behind, u)) rewards is expected to
    bring w worth nats. So many it has, up to 2 w n.

    >>> planned_total(1000, 0.6, 0.4, 1.5, 1000, 0.01, 4.5), planned_total(1000, 0.9, 0.1, 1.5, 1000, 0.01, 4.5)
    (2988, 1561)
    >>> planned_total(1000, 0.6, 0.4, 1.5, 1000, 1.0, 4.5), planned_total(1000, 0.6, 0.4, 1.5, 1000, math.inf, 4.5)
    (1500, 1500)
    """
    usual = next_total(pulls, ratio, first)
    share = 8.0 / (8.0 + (usual - pulls) * epsilon * epsilon)
    longest, rate = (LONGEST_RATIO - 1.0) * share * pulls, 0.0
    if behind < ahead - INDISTINCT:
        rate = sum(costs_of_pair(ahead, behind, 1.0, 1.0, epsilon))
    length = min(share * worth / rate, longest) if rate > 0.0 else longest
    return max(usual, pulls + math.ceil(length - INDISTINCT)) if worth > 0.0 else usual


@compiled
def next_arm(estimates: Array, top: Array, null: Array, pulls: Integers, leader: int, t: int, epsilon: float) -> int:
    """Return the arm of the next batch: a forced one, the leader or its challenger."""
    arm = forced_arm(pulls, t)
    if arm >= 0:
        return arm
    return leader if plays_leader(estimates, pulls, leader, epsilon) else challenger_of(top, null, pulls, leader)


@compiled
def least_evidence(
    likelihood: Array,
    start: Array,
    windows: Integers,
    pulls: Integers,
    first: int,
    slack: Array,
    leader: int,
    null: Array,
) -> float:
    """Return the smallest evidence that the leader is better than another arm; write null_a of all others."""
    evidence = math.inf
    for a in range(pulls.shape[0]):
        if a != leader:
            found, null[a] = pair_evidence(likelihood, start, windows, pulls, first, slack, leader, a)
            evidence = min(evidence, found)
    return evidence


@compiled
def record_stops(stops: Integers, levels: Array, evidence: float, t: int, leader: int) -> int:
    """Write t and the leader for each level that is reached for the first time; return how many are open."""
    left = 0
    for d in range(levels.shape[0]):
        if stops[d, 0] == 0 and evidence >= levels[d]:
            stops[d, 0], stops[d, 1] = t, leader
        left += stops[d, 0] == 0
    return left


@compiled
def top_two_kernel(
    parameters: Array,
    table: Array,
    means: Array,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    deltas: Array,
    stops: Integers,
) -> None:
    """Run Top Two; `parameters`: epsilon (infinite for no noise), ratio, first batch, 1 for coins, a batch's worth."""
    epsilon, ratio, first, toss_coins = parameters[0], parameters[1], int(parameters[2]), parameters[3] > 0.0
    worth = parameters[4]
    scale, drawn = (1.0 + NOISE_SLACK) / epsilon, epsilon / (1.0 + NOISE_SLACK)
    arms = means.shape[0]
    points, slack = mean_grid(drawn)
    likelihood, windows = np.zeros((arms, POINTS)), np.zeros((arms, 2), np.int64)
    start, top, estimate = np.zeros((arms, POINTS)), np.zeros(arms), np.zeros(arms)
    null, pulls = np.zeros(arms), np.zeros(arms, np.int64)
    levels = np.zeros(deltas.shape[0])
    for d in range(deltas.shape[0]):
        levels[d] = threshold(arms, deltas[d])
    for run in range(runs):
        likelihood[:] = 0.0
        windows[:, 0], windows[:, 1] = 0, POINTS - 1
        pulls[:] = 0
        stops[run, :, 0], stops[run, :, 1] = 0, -1
        t, left, arm, planned = 0, deltas.shape[0], 0, first
        while t < horizon and left > 0:
            length = planned - pulls[arm]
            stop = min(t + length, horizon)
            total = coin_sum(toss_coins, table, means, rewards, coins, arm, t, stop)
            record_symbols(actions, run, arm, t, stop)
            whole, t = stop - t == length, stop
            if not whole:
                break
            if epsilon < math.inf:
                total += noise.laplace(0.0, scale)
            pulls[arm] = planned
            top[arm], estimate[arm] = add_sum(
                likelihood[arm], windows[arm], points, slack, total, length, planned, drawn
            )
            if planned == first:
                start[arm] = likelihood[arm]
            if pulls[arms - 1] == 0:
                arm += 1
                continue
            leader = leader_of(estimate)
            evidence = least_evidence(likelihood, start, windows, pulls, first, slack, leader, null)
            left = record_stops(stops[run], levels, evidence, t, leader)
            arm = next_arm(estimate, top, null, pulls, leader, t, drawn)
            other = challenger_of(top, null, pulls, leader) if arm == leader else arm
            planned = planned_total(pulls[arm], estimate[leader], estimate[other], ratio, first, drawn, worth)
        record_end(actions, run, arms, stops, t, horizon)


class GridTopTwoPolicy(TopTwoBatchesPolicy):
    """The reference of DP-Exact-TT, which sums over all values of the Binomial where the kernel uses beta functions.

    Guarantee
    ---------
    That of `BatchesPolicy`: which arm is played, when the policy stops and what it recommends are functions of released
    sums, at the moments at which sums are released.
    """

    def __init__(
        self,
        arms: int,
        epsilon: float,
        delta: float,
        ratio: float,
        noise: np.random.Generator,
        coins: np.random.Generator | None,
        first: int,
        worth: float = 0.0,
    ) -> None:
        mechanism = Laplace(sensitivity=1.0, epsilon=epsilon) if epsilon < math.inf else None
        level = math.log((arms - 1) / (delta - least_probability(arms)))
        super().__init__(arms, mechanism, ratio, noise, coins, first, level=level)
        self.drawn = epsilon / (1.0 + NOISE_SLACK)
        self.worth, self.planned = worth, [first] * arms
        self.points, self.slack = mean_grid(self.drawn)
        self.likelihood, self.start = np.zeros((arms, POINTS)), np.zeros((arms, POINTS))
        self.kept = [np.arange(POINTS) for _ in range(arms)]

    def plan(self, arm: int, ahead: float, behind: float) -> None:
        """Take note of how long the next batch is: see `planned_total`."""
        pulls, total = self.pulls[arm], super().next_total(arm)
        share = 1.0 / (1.0 + (total - pulls) * self.drawn**2 / 8.0)
        if self.worth > 0.0:
            rate = sum(self.least_costs(ahead, behind, 1, 1)) if behind < ahead - INDISTINCT else 0.0
            longest = (LONGEST_RATIO - 1.0) * share * pulls
            length = min(share * self.worth / rate, longest) if rate > 0.0 else longest
            total = max(total, pulls + math.ceil(length - INDISTINCT))
        self.planned[arm] = total

    def next_total(self, arm: int) -> int:
        """Return the arm's number of pulls after its next batch, which was decided when the last one closed."""
        return self.planned[arm]

    def take_in(self, arm: int, length: int, private_sum: float) -> None:
        """Add the sum to the arm's likelihood, and drop points 40 nats below the maximum from the ends."""
        kept, n = self.kept[arm], self.pulls[arm]
        self.likelihood[arm, kept] += self.log_densities(private_sum, length, self.points[kept])
        values = self.likelihood[arm, kept]
        if n == length:
            self.start[arm] = self.likelihood[arm]
        low = values + self.slack[kept] * n < values.max() - DROPPED
        alive = np.flatnonzero(~low)
        self.kept[arm] = kept[max(alive[0] - 1, 0) : alive[-1] + 2]

    def log_densities(self, private_sum: float, length: int, points: Array) -> Array:
        """Return the logarithm of the density of a released sum at every point, up to the factor epsilon / 2."""
        from scipy.special import gammaln

        sums = np.arange(length + 1.0)
        coefficients = gammaln(length + 1.0) - gammaln(sums + 1.0) - gammaln(length - sums + 1.0)
        with_noise = coefficients - self.drawn * np.abs(private_sum - sums)
        found = []
        for some in np.array_split(points, max(len(points) * length // 200_000, 1)):
            terms = with_noise + np.log(some / (1.0 - some))[:, None] * sums
            most = terms.max(axis=1, keepdims=True)
            found.append(most[:, 0] + np.log(np.exp(terms - most).sum(axis=1)) + length * np.log1p(-some))
        return np.concatenate(found)

    def least_costs(self, high: float, low: float, high_pulls: int, low_pulls: int) -> list[float]:
        """Return d(high, u) and d(low, u) at the minimiser u of their sum with these weights; d is d_epsilon."""
        from privcheck.bounds import d_epsilon

        with localcontext(prec=40):
            exact = Decimal(high), Decimal(low)
            pooled = log_odds(weighted_mean(*exact, high_pulls, low_pulls))
            if all(abs(log_odds(mean) - pooled) <= Decimal(self.drawn) for mean in exact):  # nothing is clipped
                return super().least_costs(high, low, high_pulls, low_pulls)
        means = np.array([high, low])
        shrink = math.exp(-self.drawn)
        for _ in range(60):
            u = 0.5 * (low + high)
            if not low < u < high:
                break
            # the derivative is that of n kl(z, u), with z the mean moved to within epsilon of u on the logit scale
            ahead = min(float(means[0]), u / (u + (1.0 - u) * shrink))
            behind = max(float(means[1]), u * shrink / (1.0 - u + u * shrink))
            rising = high_pulls * (u - ahead) + low_pulls * (u - behind) > 0.0
            low, high = (low, u) if rising else (u, high)
        return list(d_epsilon(means, 0.5 * (low + high), self.drawn).tolist())

    def estimate(self, arm: int) -> float:
        """Return the vertex of the parabola through the largest likelihood and its neighbours, in arcsin(sqrt(q))."""
        kept, values = self.kept[arm], self.likelihood[arm]
        best = int(kept[values[kept].argmax()])
        # a point that was dropped no longer has its likelihood: there it counts as flat, as beyond 0 and pi / 2
        left, centre, right = values[max(best - 1, kept[0])], values[best], values[min(best + 1, kept[-1])]
        bend, shift = left - 2.0 * centre + right, 0.0
        if bend < 0.0:
            shift = 0.5 * (left - right) / bend
        return math.sin((best + 0.5 + shift) * 0.5 * math.pi / POINTS) ** 2

    def top(self, arm: int) -> float:
        """Return the largest log-likelihood on the grid."""
        return float(self.likelihood[arm, self.kept[arm]].max())

    def null(self, leader: int, arm: int) -> float:
        """Return the bound on the likelihood of both arms' sums if the leader is no better than the other arm."""
        return self.null_bound(self.likelihood, self.pulls, leader, arm)

    def null_bound(self, likelihood: Array, pulls: list[int], leader: int, arm: int) -> float:
        """Return a bound on the sup over q <= r of L_B(q) + L_a(r)."""
        bounds = np.full((2, POINTS), -math.inf)
        for row, a in enumerate((leader, arm)):
            kept = self.kept[a]
            bounds[row, kept] = likelihood[a, kept] + self.slack[kept] * pulls[a]
        return float((np.maximum.accumulate(bounds[0]) + bounds[1]).max())

    def evidence(self, leader: int, arm: int, null: float) -> float:
        """Return the logarithm of the average of `all` and `later` (`privcheck.bandits.pair_evidence`)."""
        kept, everything = [self.kept[leader], self.kept[arm]], [np.arange(POINTS)] * 2
        mass = log_mass_of_pairs(self.likelihood[[leader, arm]], kept)
        later = self.null_bound(self.likelihood - self.start, [n - self.first for n in self.pulls], leader, arm)
        start = log_mass_of_pairs(self.start[[leader, arm]], everything)
        return float(np.logaddexp(mass - LOG_PAIRS - null, mass - start - later)) - math.log(2.0)


def log_mass_of_pairs(likelihoods: Array, kept: list[Integers]) -> float:
    """Return ln of the sum of e^(L(i) + L'(j)) over kept i > j, by adding up logarithms from below."""
    logs = np.full((2, POINTS), -math.inf)
    for row in range(2):
        logs[row, kept[row]] = likelihoods[row, kept[row]]
    return float(np.logaddexp.reduce(logs[0, 1:] + np.logaddexp.accumulate(logs[1])[:-1]))


def log_odds(q: Decimal) -> Decimal:
    """Return ln(q / (1 - q)) for q in [0, 1]."""
    return Decimal("-Infinity") if q == 0 else Decimal("Infinity") if q == 1 else (q / (1 - q)).ln()
