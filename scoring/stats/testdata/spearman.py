"""Vectors of Spearman's rank correlation, by a second implementation: python3 spearman.py > spearman.jsonl

Ranks, correlation and permutations follow their definitions; the permutations are counted with itertools, and the t
distribution is integrated numerically.
"""

import itertools
import json
import math
import random
import statistics


def ranks(xs):
    return [sum(y < x for y in xs) + (sum(y == x for y in xs) + 1) / 2 for x in xs]


def correlation(x, y):
    mx, my = statistics.fmean(x), statistics.fmean(y)
    sxy = math.fsum((a - mx) * (b - my) for a, b in zip(x, y))
    return sxy / math.sqrt(math.fsum((a - mx) ** 2 for a in x) * math.fsum((b - my) ** 2 for b in y))


def t_tail(t, df):
    """P(|T| >= t), by Simpson's rule after t = sqrt(df) tan(u)."""
    lo, n = math.atan(t / math.sqrt(df)), 200_000
    c = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    h = (math.pi / 2 - lo) / n
    f = lambda i: math.cos(min(lo + i * h, math.pi / 2)) ** (df - 1)
    total = f(0) + f(n) + math.fsum((4 if i % 2 else 2) * f(i) for i in range(1, n))
    return 2 * c * total * h / 3


def case(x, y):
    rx, ry = ranks(x), ranks(y)
    rho, n = correlation(rx, ry), len(x)
    out = {"x": x, "y": y, "rho": rho}
    if n >= 4 and abs(rho) < 1:
        half = statistics.NormalDist().inv_cdf(0.975) * math.sqrt((1 + rho * rho / 2) / (n - 3))
        out["lo"], out["hi"] = math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)
    if n <= 7:
        all_ = [abs(correlation(rx, p)) >= abs(rho) - 1e-12 for p in itertools.permutations(ry)]
        out["p"] = sum(all_) / len(all_)
    elif n > 100:
        out["p"] = t_tail(abs(rho) * math.sqrt((n - 2) / (1 - rho * rho)), n - 2)
    print(json.dumps(out))


rng = random.Random(17)
case([1, 2, 3], [1, 2, 3])
case([1, 2, 3, 4], [2, 1, 4, 3])
case([8, 8, 10, 10, 12, 12], [0.5, 0.7, 0.6, 0.9, 0.9, 1.0])
for n in (5, 6, 7, 7, 12, 30, 101, 250):
    x = [rng.choice([8, 10, 12, 14]) if n % 2 else rng.gauss(0, 1) for _ in range(n)]
    case(x, [round(0.3 * a + rng.gauss(0, 1), 2) for a in x])
