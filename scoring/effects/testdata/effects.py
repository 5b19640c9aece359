"""Vectors of effects, by a second implementation: python3 effects.py > effects.jsonl

A random design of one number, one list and 40 configurations, whose first 5 seeds all configurations share.
"""

import json
import math
import random
import statistics as st


def t_quantile(df, tail=0.025):
    """The quantile of Student's t that tail is above, by bisection of Simpson's rule."""

    def upper(t):
        lo, n = math.atan(t / math.sqrt(df)), 4000
        c = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
        h = (math.pi / 2 - lo) / n
        f = lambda i: max(0.0, math.cos(lo + i * h)) ** (df - 1)
        return c * h / 3 * (f(0) + f(n) + math.fsum((4 if i % 2 else 2) * f(i) for i in range(1, n)))

    lo, hi = 0.0, 1000.0
    for _ in range(80):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if upper(mid) > tail else (lo, mid)
    return lo


def t_interval(xs):
    half = t_quantile(len(xs) - 1) * st.stdev(xs) / math.sqrt(len(xs))
    return [st.fmean(xs) - half, st.fmean(xs) + half]


INTERVALS = 5 + 1  # of effects: five ranges of x; the two rules mirror each other


def welch(a, b):
    va, vb = st.variance(a) / len(a), st.variance(b) / len(b)
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    half = t_quantile(df, 0.025 / INTERVALS) * math.sqrt(va + vb)
    return [st.fmean(a) - st.fmean(b) - half, st.fmean(a) - st.fmean(b) + half]


rng = random.Random(3)
noise = [rng.gauss(0, 1) for _ in range(8)]
configurations = []
for i in range(40):
    x, rule = round(rng.uniform(0, 10), 2), rng.choice("ab")
    n = 5 + i % 4
    values = [round(0.2 * x + (rule == "b") + noise[s] + rng.gauss(0, 0.5), 4) for s in range(n)]
    configurations.append({"x": x, "rule": rule, "values": values})

base = [st.fmean(c["values"][:5]) for c in configurations]
grand = st.fmean(base)


def level(at):
    here, rest = [base[i] for i in at], [base[i] for i in range(40) if i not in at]
    share = len(rest) / 40
    return {"mean": st.fmean(here), "ci": t_interval(here), "effect": st.fmean(here) - grand, "effect_ci": [share * e for e in welch(here, rest)]}


seed_mean = [st.fmean(c["values"][s] for c in configurations) for s in range(5)]
residuals = sum((c["values"][s] - b - seed_mean[s] + grand) ** 2 for c, b in zip(configurations, base) for s in range(5))
noise = residuals / (39 * 4) / 5  # of the mean of a configuration


def epsilon(groups):
    """The share of the variance of the true means; the noise of the seeds is not part of it."""
    total = sum((b - grand) ** 2 for b in base)
    within = sum(sum((base[i] - st.fmean(base[j] for j in g)) ** 2 for i in g) for g in groups)
    return max(0, (total - within - (len(groups) - 1) * within / (40 - len(groups))) / (total - 39 * noise))


order = sorted(range(40), key=lambda i: configurations[i]["x"])
bins = [order[k : k + 8] for k in range(0, 40, 8)]
rules = [[i for i in range(40) if configurations[i]["rule"] == r] for r in "ab"]
own = [st.fmean(c["values"]) for c in configurations]
ranking = sorted(range(40), key=lambda i: -own[i])
second, best = (configurations[i]["values"] for i in (ranking[1], ranking[0]))
d = [a - b for a, b in zip(second, best)]
print(
    json.dumps(
        {
            "configurations": configurations,
            "x": [level(b) for b in bins],
            "rule": [level(r) for r in rules],
            "x_share": epsilon(bins),
            "rule_share": epsilon(rules),
            "ranking": ranking,
            "second": {"n": len(d), "mean": st.fmean(d), "ci": t_interval(d)},
        }
    )
)
