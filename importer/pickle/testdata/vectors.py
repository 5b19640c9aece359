# Writes vectors.json: pickles of plain values in all protocols, by Python's own pickle module.
# Usage: python3 vectors.py > vectors.json
import collections, fractions, json, pickle, struct


def describe(v):
    if v is None or v is True or v is False:
        return str(v)
    if isinstance(v, int):
        return str(v)
    if isinstance(v, float):
        return "f" + struct.pack(">d", v).hex()
    if isinstance(v, str):
        return "t" + v.encode().hex()
    if isinstance(v, (bytes, bytearray)):
        return "b" + bytes(v).hex()
    if isinstance(v, list):
        return "[" + ",".join(map(describe, v)) + "]"
    if isinstance(v, tuple):
        return "(" + ",".join(map(describe, v)) + ")"
    if isinstance(v, set):
        return "{" + ",".join(map(describe, v)) + "}"
    if type(v) is dict:
        return "<" + ",".join(describe(k) + ":" + describe(x) for k, x in v.items()) + ">"
    return "object"


same = ["x"]
values = {
    "none": None, "true": True, "false": False, "zero": 0, "byte": 255, "two bytes": 65535, "negative": -1, "four bytes": 2**31 - 1,
    "least": -(2**31), "eight bytes": 2**63 - 1, "beyond": 2**64, "far beyond": -(3**500), "float": 2.5, "minus zero": -0.0,
    "infinity": float("inf"), "text": "text", "quotes": "a'b\"c\\d\ne", "umlaut": "ä€𝄞", "empty text": "", "long text": "x" * 300,
    "bytes": b"\x00\xff'", "long bytes": bytes(range(256)) * 2, "list": [1, 2, [3]], "empty": [[], (), {}, set()], "tuples": ((1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
    "dictionary": {"a": 1, 2: "b", (1, 2): [None]}, "set": {7}, "shared": [same, same], "many": list(range(1001)), "many keys": {str(i): i for i in range(1001)},
    "ordered": collections.OrderedDict(a=1), "fraction": fractions.Fraction(1, 3), "nested": {"a": [{"b": ({"c": -1.5},)}]},
}
vectors = []
for name, value in values.items():
    for protocol in range(6):
        vectors.append({"Name": name, "Protocol": protocol, "Pickle": pickle.dumps(value, protocol).hex(), "Want": describe(value)})
print(json.dumps(vectors, indent=0))
