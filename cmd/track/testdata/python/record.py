"""Records what is hard to keep, and prints the bits of the numbers that are recorded."""

import array
import fractions
import random
import struct

import track


class Scalar:
    """A number as NumPy has it."""

    def __init__(self, number, kind="f"):
        self.number, self.dtype, self.ndim = number, type("dtype", (), {"kind": kind})(), 0

    def __float__(self):
        return float(self.number)


class Array:
    """An array as NumPy has it."""

    def __init__(self, numbers, ndim=1, kind="f"):
        self.numbers, self.ndim, self.dtype = numbers, ndim, type("dtype", (), {"kind": kind})()

    def tolist(self):
        return list(self.numbers)


bits = random.Random(1)
numbers = [0.1, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, float("nan"), float("inf"), float("-inf"), 1e22, 1e-7]
numbers += [struct.unpack("<d", struct.pack("<Q", bits.getrandbits(64)))[0] for _ in range(500)]


def show(name, values):
    for i, x in enumerate(values):
        print(name, i, struct.pack(">d", float(x)).hex() if x == x else "nan")


params = {"theta": 14, "beta": 2.5, "list": [1, (2, 3)], "text": "ä", "none": None, "flag": True, "gap": float("nan"), "n": Scalar(1)}
params["n"] = 2**60  # exact, and its shortest digits are others: refused
try:
    track.seed("refused", 1, params=params)
    raise SystemExit("a parameter that would be rounded was taken")
except track.InvalidInput as error:
    assert "params.n: 1152921504606846976 is not exact" in str(error), error
params["n"] = 2**53

with track.seed("bits", 2**64 - 1, params=params, label="v1", commit="c0ffee", dirty=True, environment={"queue": "long"}) as s:
    for i, x in enumerate(numbers):
        s.value("m%03d" % i, x)
    s.series("list", numbers)
    s.series("iterator", (x for x in numbers))
    s.series("array", array.array("d", numbers))
    s.series("numpy", Array(numbers))
    s.series("integers", range(25000))
    s.series("empty", [])
show("value", numbers)
for name in ("list", "iterator", "array", "numpy"):
    show(name, numbers)
show("integers", range(25000))

with track.seed("kinds", 0) as s:
    s.value("int", 3)
    s.value("big", 2**70)
    s.value("fraction", fractions.Fraction(1, 3))
    s.value("scalar", Scalar(0.25))
    s.value("Größe in €", 1)

with track.execution("sepa", version="v002", key="t-17/1", task="t-17", task_type="coding", complexity="medium", trial=2, session="s1", model="m-1", prompt="Fix\nit", holdout=True) as e:
    asked = e.request(input=1000, output=5, cache_read=0)
    e.call("Bash", key="c1", request=asked, command="make test", input={"a": [1, "x"]}, exit=2, error="failed", output="no\n", duration_s=0.25)
    e.call("Read", answered=False)
    e.request(model="m-2", output=2)
    e.output("Done. \udcff", truncated=True)
    e.truth("reward", 1)
    e.tokens(input=1200, output=7, reasoning=0)
    e.cost(0.25)
    e.corrections(1)
    e.file("a/b.py", "x = 1\n")
    e.score(70.5, judge="j-1", judge_prompt_sha256="ab" * 32)
with track.execution("sepa", version="v002", task="t-18") as e:
    e.request(input=3, output=4)
    e.request(input=5, output=6)
    e.output("once")
