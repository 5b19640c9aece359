"""Gives wrong input, and checks what is said of it. Then says which of the names of standard input it takes."""

import json
import sys

import track


class Array:
    def __init__(self, ndim=1, kind="f"):
        self.ndim, self.dtype = ndim, type("dtype", (), {"kind": kind})()

    def tolist(self):
        return [1.0]

    def __float__(self):
        return 1.0


def refuse(said, act):
    try:
        act()
    except track.InvalidInput as error:
        assert said in str(error), "%r is not in %r" % (said, str(error))
        assert isinstance(error, ValueError)
        return
    raise SystemExit("not refused: " + said)


nan = float("nan")
refuse("scenario is empty", lambda: track.seed("", 1))
refuse("scenario: nan is not a text", lambda: track.seed(nan, 1))
refuse("contains @", lambda: track.seed("a@b", 1))
refuse("begins or ends with white space", lambda: track.seed(" a", 1))
refuse("U+202E, right-to-left override", lambda: track.seed("a\u202eb", 1))
refuse("is not valid UTF-8", lambda: track.seed("a\udcffb", 1))
refuse("longer than 200 bytes", lambda: track.seed("ä" * 101, 1))
refuse("seed: -1 is not from 0 to 18446744073709551615", lambda: track.seed("a", -1))
refuse("seed: 18446744073709551616 is not from", lambda: track.seed("a", 2**64))
refuse("seed: 1.0 is not a whole number", lambda: track.seed("a", 1.0))
refuse("seed: True is not a whole number", lambda: track.seed("a", True))
refuse("seed: '7' is not a whole number", lambda: track.seed("a", "7"))
refuse("params: [1] is not a dictionary", lambda: track.seed("a", 1, params=[1]))
refuse("params: the name 1 is not a text", lambda: track.seed("a", 1, params={1: 2}))
refuse("params.x: <object", lambda: track.seed("a", 1, params={"x": object()}))
refuse("params.x.y[0]: 9007199254740993 is not exact", lambda: track.seed("a", 1, params={"x": {"y": [2**53 + 1]}}))
refuse("params.x: 'a\\x00' contains U+0000", lambda: track.seed("a", 1, params={"x": "a\x00"}))
endless = []
endless.append(endless)
refuse("nested more than 100 deep", lambda: track.seed("a", 1, params={"x": endless}))
refuse("label: 3 is not a text", lambda: track.seed("a", 1, label=3))
refuse("dirty: 'yes' is not True or False", lambda: track.seed("a", 1, dirty="yes"))
refuse("environment.n: 4 is not a text", lambda: track.seed("a", 1, environment={"n": 4}))
refuse("lineage is empty", lambda: track.execution(""))
refuse("complexity: 'hard' is not one of simple, medium, complex", lambda: track.execution("a", complexity="hard"))
refuse("trial: -1 is not from", lambda: track.execution("a", trial=-1))
with track.seed("a", 1) as s:
    refuse("the name of a metric: nan is not a text", lambda: s.value(nan, 1))
    refuse("the name of a metric is empty", lambda: s.value("", 1))
    refuse("value x: '1' of type str is not a number", lambda: s.value("x", "1"))
    refuse("value x: None of type NoneType is not a number", lambda: s.value("x", None))
    refuse("value x: True of type bool is not a number", lambda: s.value("x", True))
    refuse("value x: 1j of type complex is not a number", lambda: s.value("x", 1j))
    refuse("value x: [1] of type list is not a number", lambda: s.value("x", [1]))
    refuse("of type Array is not a number", lambda: s.value("x", Array()))
    refuse("of type Array is not a number", lambda: s.value("x", Array(0, "c")))
    refuse("is beyond float64", lambda: s.value("x", 10**400))
    refuse("series u: str is not a series", lambda: s.series("u", "abc"))
    refuse("series u: set is not a series", lambda: s.series("u", {1, 2}))
    refuse("series u: 3 is not a series", lambda: s.series("u", 3))
    refuse("series u: None of type NoneType is not a number", lambda: s.series("u", [1, None]))
    refuse("series u: it has 2 dimensions", lambda: s.series("u", Array(2)))
    refuse("series u: an array of", lambda: s.series("u", Array(1, "c")))
    refuse("'bad' is not one of ok, error, timeout, collapsed", lambda: s.outcome("bad"))
    s.value("x", 1)
    refuse("'x' is recorded already", lambda: s.value("x", 1))
with track.execution("a", version="v", key="k") as e:
    refuse("tool is empty", lambda: e.call(""))
    refuse("exit: 0.5 is not a whole number", lambda: e.call("Bash", exit=0.5))
    refuse("has no exit status", lambda: e.call("Bash", exit=0, answered=False))
    refuse("duration_s: -1.0 is negative", lambda: e.call("Bash", duration_s=-1))
    refuse("request: 1 is not", lambda: e.call("Bash", request=1))
    e.call("Bash", key="c")
    refuse("key: 'c' is that of an earlier call", lambda: e.call("Bash", key="c"))
    refuse("truth reward: NaN is not finite", lambda: e.truth("reward", nan))
    refuse("score: Infinity is not finite", lambda: e.score(float("inf")))
    refuse("is not 64 hexadecimal digits", lambda: e.score(1, judge="j"))
    refuse("tokens.input: -1 is not from", lambda: e.tokens(input=-1))
    refuse("output: b'x' is not a text", lambda: e.output(b"x"))
    refuse("the name of a file is empty", lambda: e.file("", "x"))

asked = json.load(sys.stdin)
answers = {"names": [], "integers": [], "folders": []}
for name in asked["names"]:
    try:
        track.seed("a", 1, label=name)
        answers["names"].append(True)
    except track.InvalidInput:
        answers["names"].append(False)
for text in asked["integers"]:
    try:
        track.seed("a", 1, params={"n": int(text)})
        answers["integers"].append(True)
    except track.InvalidInput:
        answers["integers"].append(False)
for variable, text in asked["folders"]:
    track.os.environ[variable] = text
    try:
        answers["folders"].append(track.spool_folder())
    except track.Error as error:
        answers["folders"].append("refused")
    del track.os.environ[variable]
json.dump(answers, sys.stdout)
