"""Vectors of convergence of a series, by a second implementation: python3 convergence.py > convergence.jsonl"""

import json
import math
import random
import statistics as st


def sequence(xs):
    n, m = len(xs), st.fmean(xs)
    gamma = [math.fsum((xs[i] - m) * (xs[i + k] - m) for i in range(n - k)) / n for k in range(n // 2 + 1)]
    pairs = []
    for k in range(0, n // 2 - 1, 2):
        pair = gamma[k] + gamma[k + 1]
        if pair <= 0:
            break
        pairs.append(min(pair, *pairs) if pairs else pair)
    return max(2 * math.fsum(pairs) - gamma[0], gamma[0] / n), max(0, 2 * len(pairs) - 1)


def two_sided(t, df):
    lo, n = math.atan(abs(t) / math.sqrt(df)), 20_000
    c = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    h = (math.pi / 2 - lo) / n
    f = lambda i: max(0.0, math.cos(lo + i * h)) ** (df - 1)
    return 2 * c * h / 3 * (f(0) + f(n) + math.fsum((4 if i % 2 else 2) * f(i) for i in range(1, n)))


def case(xs):
    n = len(xs)
    long_run, _ = sequence(xs)
    ess = max(1, min(n * math.log10(n), st.pvariance(xs) * n / long_run))
    out = {"x": xs, "ess": ess, "mcse": st.stdev(xs) / math.sqrt(ess), "verdict": "too short"}
    late = xs[n // 2 :]
    long_run, lags = sequence(late)
    df = len(late) / (2 * lags + 1) - 1
    if n >= 20 and df >= 5:
        long_run /= 1 - (2 * lags + 1) / len(late)
        best = None
        for part, early in (("first tenth", xs[: n // 10]), ("first half", xs[: n // 2])):
            z = (st.fmean(late) - st.fmean(early)) / math.sqrt(long_run * (1 / len(early) + 1 / len(late)))
            p = min(1, 2 * two_sided(z, df))
            if best is None or p < best["p"]:
                best = {"part": part, "early": st.fmean(early), "late": st.fmean(late), "z": z, "df": df, "p": p}
        out.update(best, verdict="drifts" if best["p"] < 0.05 else "no drift seen")
    print(json.dumps(out))


rng = random.Random(11)
for phi, n, transient in [(0, 30, 0), (0, 100, 3), (0.5, 200, 0), (0.5, 201, 4), (0.9, 150, 0), (0.9, 400, 0), (-0.6, 120, 0), (0.8, 300, 6), (0.95, 60, 0)]:
    xs, x = [], rng.gauss(0, 1) / math.sqrt(1 - phi * phi)
    for t in range(n):
        xs.append(round(0.3 + 0.01 * (x + transient * math.exp(-t / (0.1 * n))), 6))
        x = phi * x + rng.gauss(0, 1)
    case(xs)
