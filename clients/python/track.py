"""Records seeds of simulations and executions of agents for track, from Python.

This file is all of it: copy it next to your program, or vendor it. It needs Python 3.8 or later and nothing else.

    import track

    with track.seed("growth", 7, params={"theta": 14}) as s:
        model = simulate(seed=7, theta=14)
        s.value("unemployment_rate_mean", model.unemployment.mean())
        s.series("unemployment", model.unemployment)

    with track.execution("sepa", version="v002", task="t-17") as e:
        e.call("Bash", command="make test", exit=0)
        e.output("The tests pass.")

Values wait in memory. When the block ends, the record is appended as one line to a file in a spool, and is on the disk
once the next statement runs. No process is started. The folder is the one that the program track uses itself, see
spool_folder. track ingest brings the lines into the database. If TRACK_SERVER names a server, a thread sends the lines
to it while the program goes on, and track push sends what is left.

An exception in the block is recorded as the outcome error, with its message and what was measured until then, and is
raised again. An interruption (KeyboardInterrupt, asyncio.CancelledError, GeneratorExit) records nothing, so that the
seed can run again.

All functions may be called from several threads. Each process, a forked one too, writes a file of its own.
"""

from __future__ import annotations

import atexit
import datetime
import hashlib
import itertools
import json
import operator
import os
import random
import re
import stat
import sys
import threading
import time
import unicodedata
import warnings
import zlib
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar, Union

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Error", "Execution", "InvalidInput", "Seed", "close", "execution", "seed", "spool_folder"]

Path = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """A record could not be kept."""


class InvalidInput(Error, ValueError):
    """What was to be recorded is refused: the message names the field and the reason."""


def seed(
    scenario: str,
    number: int,
    *,
    params: Optional[Mapping[str, Any]] = None,
    label: str = "",
    commit: str = "",
    dirty: bool = False,
    environment: Optional[Mapping[str, str]] = None,
    spool: Optional[Path] = None,
) -> Seed:
    """Returns a context manager that records one run of a simulation.

    scenario, number and the configuration identify the run. The configuration is params (anything that JSON can say),
    label, commit (the revision of the code) and dirty (whether the code differs from it). environment adds to what is
    known of the machine. spool names another folder than spool_folder returns.
    """
    return Seed(scenario, number, params, label, commit, dirty, environment, spool)


def execution(
    lineage: str,
    *,
    version: str = "",
    key: str = "",
    task: str = "",
    task_type: str = "",
    complexity: str = "",
    trial: int = 0,
    session: str = "",
    model: str = "",
    prompt: Optional[str] = None,
    holdout: bool = False,
    spool: Optional[Path] = None,
) -> Execution:
    """Returns a context manager that records one execution of an agent.

    lineage and version name the agent and its prompt. key identifies the execution within the lineage; without one it
    gets a new one. complexity is simple, medium or complex. The other fields are those of a line of kind execution.
    """
    names = {"version": version, "key": key, "task": task, "task_type": task_type, "session": session, "model": model}
    return Execution(lineage, names, complexity, trial, prompt, holdout, spool)


def spool_folder() -> str:
    """Returns the folder that lines are appended to: the one that the program track uses in the same place.

    TRACK_DB names a database, TRACK_SERVER a server, by its address or by its name in track remote; TRACK_DB wins.
    Otherwise it is .track/spool in this folder or in the closest folder above that has a database, and in this folder
    if none has.
    """
    database = os.environ.get("TRACK_DB")
    if database == "":
        raise Error("TRACK_DB is empty: name a file in it, or unset it")
    if database is not None and database.startswith(("postgres://", "postgresql://")):
        return _server_folder(_without_password(database))
    if database is not None:
        return os.path.join(os.path.dirname(os.path.abspath(database)), "spool")
    if os.environ.get("TRACK_SERVER"):
        return _server_folder(_server_address())
    return os.path.join(_project_folder(), "spool")


def close(wait: float = 0.05) -> None:
    """Closes the files of this process. It happens by itself when Python exits; the next record opens another file.

    track ingest and track push put a file aside only if it is closed. Its lines are recorded in any case. wait is how
    many seconds to wait at most for what is being sent to a server.
    """
    until = time.monotonic() + wait
    with _spools_lock:
        spools = [spool for (pid, _), spool in _spools.items() if pid == os.getpid()]
    for spool in spools:
        spool.close(until)


_Self = TypeVar("_Self", bound="_Record")

# The longest line that track reads has 64 MiB. The rest is for what a line says of its end.
_LONGEST = 63 << 20
_LONGEST_MESSAGE = 64 << 10


class _Record:
    """What seeds and executions share: pieces of JSON that wait for the end of a block."""

    def __init__(self, spool: Optional[Path]) -> None:
        self._folder = os.path.abspath(os.fspath(spool)) if spool is not None else spool_folder()
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._state = "new"
        self._size = 0
        self._outcome = ""
        self._message = ""
        self._began = 0.0
        self._started_at = ""

    def __enter__(self: _Self) -> _Self:
        _prepare(self._folder)
        with self._lock:
            if self._state != "new":
                raise Error("a record is made by one with block: call seed or execution again")
            self._state = "open"
        self._started_at = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
        self._began = time.perf_counter()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        duration = time.perf_counter() - self._began
        if os.getpid() != self._pid:
            return  # a forked child leaves the block, and the record is its parent's
        with self._lock:
            self._state = "ended"
        if isinstance(error, SystemExit):
            failed = error.code not in (None, 0)
        elif error is not None and not isinstance(error, Exception):
            return  # interrupted
        else:
            failed = error is not None
        if failed:
            self._outcome = self._outcome or "error"
            self._message = self._message or _cut(_describe(error))
        try:
            line = self._line(duration).encode("utf-8")
            _spool(self._folder).add(line)
        except (Error, OSError) as problem:
            if error is None:
                raise
            warnings.warn("track: the failed run is not recorded: %s" % problem, RuntimeWarning, stacklevel=2)

    def _line(self, duration: float) -> str:
        raise NotImplementedError

    def _add(self, keep: Callable[[], None], size: int) -> None:
        """Keeps something of size characters, if the block is open and the line does not get too long."""
        if os.getpid() != self._pid:
            raise Error("this record belongs to the process that began it: a forked child begins its own")
        with self._lock:
            if self._state != "open":
                raise Error("nothing can be added before or after the with block of a record")
            if self._size + size > _LONGEST:
                raise InvalidInput("a record can have %d MiB as a line; this would be more" % (_LONGEST >> 20))
            keep()
            self._size += size

    def _end(self, outcome: str, message: str, allowed: Tuple[str, ...]) -> None:
        if outcome not in allowed:
            raise InvalidInput("%s is not one of %s" % (_quote(outcome), ", ".join(allowed)))
        text = _cut(_text("message", message))

        def keep() -> None:
            self._outcome, self._message = outcome, text

        self._add(keep, 0)


class Seed(_Record):
    """One run of a simulation; seed returns it."""

    def __init__(
        self,
        scenario: str,
        number: int,
        params: Optional[Mapping[str, Any]],
        label: str,
        commit: str,
        dirty: bool,
        environment: Optional[Mapping[str, str]],
        spool: Optional[Path],
    ) -> None:
        self._scenario = _name("scenario", scenario)
        if "@" in scenario:
            raise InvalidInput("scenario: %s contains @, which separates a scenario from its configuration" % _quote(scenario))
        self._number = _whole("seed", number, 2**64 - 1)
        self._configuration = _configuration(params, label, commit, dirty)
        self._environment = _environment(environment)
        super().__init__(spool)
        self._values: Dict[str, str] = {}
        self._series: Dict[str, str] = {}

    def value(self, name: str, number: Any) -> None:
        """Records a measured number. NaN and infinities are numbers. A metric has one value."""
        text = _number_json("value " + str(name)[:50], number)
        self._put(self._values, "the name of a metric", name, text)

    def series(self, name: str, numbers: Iterable[Any]) -> None:
        """Records numbers over time: a list, an iterator, or an array of one dimension. It reads an iterator to its end."""
        text = _series_json(name, numbers)
        self._put(self._series, "the name of a series", name, text)

    def outcome(self, outcome: str, message: str = "") -> None:
        """Says how the run ended: ok, error, timeout or collapsed, and why. It wins over that of an exception."""
        self._end(outcome, message, ("ok", "error", "timeout", "collapsed"))

    def _put(self, to: Dict[str, str], what: str, name: str, text: str) -> None:
        encoded = _name(what, name)

        def keep() -> None:
            if encoded in to:
                raise InvalidInput("%s: %s is recorded already; numbers over time are a series" % (what, _quote(name)))
            to[encoded] = text

        self._add(keep, len(encoded.encode()) + len(text) + 2)

    def _line(self, duration: float) -> str:
        outcome, message = self._outcome or "ok", self._message
        if outcome == "ok" and not self._values and not self._series:
            outcome, message = "error", message or "the run ended without a value"
        fields = ['"kind":"seed"', '"scenario":' + self._scenario, '"seed":"%d"' % self._number]
        if self._configuration:
            fields.append('"configuration":' + self._configuration)
        if outcome != "ok":
            fields.append('"outcome":"%s"' % outcome)
        if message:
            fields.append('"message":' + _json(message))
        fields.append('"started_at":"%s"' % self._started_at)
        fields.append('"duration_s":%r' % round(duration, 6))
        fields.append('"environment":' + self._environment)
        if self._values:
            fields.append('"values":' + _object(self._values))
        if self._series:
            fields.append('"series":' + _object(self._series))
        return "{" + ",".join(fields) + "}\n"


class Execution(_Record):
    """One execution of an agent; execution returns it."""

    def __init__(
        self,
        lineage: str,
        names: Mapping[str, str],
        complexity: str,
        trial: int,
        prompt: Optional[str],
        holdout: bool,
        spool: Optional[Path],
    ) -> None:
        self._fields = {"lineage": _name("lineage", lineage)}
        if "@" in lineage:
            raise InvalidInput("lineage: %s contains @, which separates a lineage from its version" % _quote(lineage))
        for field, name in names.items():
            if name != "":
                self._fields[field] = _name(field, name)
        self._fields.setdefault("key", _json(_ulid()))
        if complexity not in ("", "simple", "medium", "complex"):
            raise InvalidInput("complexity: %s is not one of simple, medium, complex" % _quote(complexity))
        if complexity:
            self._fields["complexity"] = _json(complexity)
        if _whole("trial", trial, 2**31 - 1):
            self._fields["trial"] = str(trial)
        if prompt is not None:
            self._fields["prompt"] = _json(_text("prompt", prompt))
        if not isinstance(holdout, bool):
            raise InvalidInput("holdout: %s is not True or False" % _quote(holdout))
        if holdout:
            self._fields["holdout"] = "true"
        super().__init__(spool)
        self._calls: List[str] = []
        self._requests: List[str] = []
        self._call_keys: Dict[str, bool] = {}
        self._truths: Dict[str, str] = {}
        self._files: Dict[str, str] = {}
        self._size = sum(len(text) for text in self._fields.values())

    def call(
        self,
        tool: str,
        *,
        key: str = "",
        input: Any = None,
        command: str = "",
        exit: Optional[int] = None,
        error: str = "",
        answered: bool = True,
        rejected: bool = False,
        output: Optional[str] = None,
        duration_s: Optional[float] = None,
        request: int = 0,
    ) -> None:
        """Records a call of a tool, in the order of their start. answered is False if there was no result.

        request is the number of the request to the model that asked for it, as request returned it.
        """
        fields: Dict[str, str] = {"tool": _name("tool", tool)}
        if key != "":
            fields["key"] = _name("key", key)
        if input is not None:
            fields["input"] = _json(_plain("input", input))
        if exit is not None:
            if not answered:
                raise InvalidInput("exit: a call without a result has no exit status")
            fields["exit"] = str(_integer("exit", exit))
        for field, text in (("command", command), ("error", error)):
            if text != "":
                fields[field] = _json(_text(field, text))
        if output is not None:
            fields["output"] = _json(_text("output", output))
        for field, given in (("answered", answered), ("rejected", rejected)):
            if not isinstance(given, bool):
                raise InvalidInput("%s: %s is not True or False" % (field, _quote(given)))
            fields[field] = _json(given)
        if duration_s is not None:
            fields["duration_s"] = _not_negative("duration_s", duration_s)
        if _whole("request", request, len(self._requests)):
            fields["request"] = str(request)
        text = "{" + ",".join('"%s":%s' % item for item in fields.items()) + "}"

        def keep() -> None:
            if key != "" and key in self._call_keys:
                raise InvalidInput("key: %s is that of an earlier call" % _quote(key))
            self._call_keys[key] = True
            self._calls.append(text)

        self._add(keep, len(text.encode()))

    def output(self, text: str, *, truncated: bool = False) -> None:
        """Records the answer of the agent, and whether it was cut off."""
        self._set("output", _json(_text("output", text)))
        if truncated:
            self._set("truncated", "true")

    def file(self, name: str, content: str) -> None:
        """Records a file that the agent wrote."""
        encoded = _json(_text("name", name))
        text = '{"name":%s,"content":%s}' % (encoded, _json(_text("content", content)))
        if name == "":
            raise InvalidInput("the name of a file is empty")
        self._put(self._files, "file", encoded, text)

    def truth(self, name: str, number: Any) -> None:
        """Records what is known to be true of the outcome, such as reward: 1. The number is finite."""
        self._put(self._truths, "truth", _name("truth", name), _finite("truth " + name, number))

    def score(self, score: Any, *, judge: str = "", judge_prompt_sha256: str = "") -> None:
        """Records a score; judge is the model that gave it, and judge_prompt_sha256 the hash of its prompt."""
        text = _finite("score", score)
        if judge != "" or judge_prompt_sha256 != "":
            if not re.fullmatch("[0-9a-f]{64}", judge_prompt_sha256):
                raise InvalidInput("judge_prompt_sha256: %s is not 64 hexadecimal digits" % _quote(judge_prompt_sha256))
            self._set("judge", '{"model":%s,"prompt_sha256":"%s"}' % (_name("judge", judge), judge_prompt_sha256))
        self._set("score", text)

    def tokens(
        self,
        *,
        input: Optional[int] = None,
        output: Optional[int] = None,
        cache_read: Optional[int] = None,
        cache_write: Optional[int] = None,
        reasoning: Optional[int] = None,
    ) -> None:
        """Records counts of tokens; those of a later call replace those of an earlier one."""
        self._set("tokens", _counts(input, output, cache_read, cache_write, reasoning))

    def request(
        self,
        *,
        model: str = "",
        input: Optional[int] = None,
        output: Optional[int] = None,
        cache_read: Optional[int] = None,
        cache_write: Optional[int] = None,
        reasoning: Optional[int] = None,
    ) -> int:
        """Records what a request to the model used, in their order, and returns its number.

        model is left out if it is the model of the execution. Without tokens, the sum of the requests counts.
        """
        text = '{"tokens":%s}' % _counts(input, output, cache_read, cache_write, reasoning)
        if model != "":
            text = '{"model":%s,%s' % (_name("model", model), text[1:])
        number: List[int] = []

        def keep() -> None:
            self._requests.append(text)
            number.append(len(self._requests))

        self._add(keep, len(text.encode()))
        return number[0]

    def cost(self, usd: Any) -> None:
        """Records what the execution cost, in US dollars."""
        self._set("cost_usd", _not_negative("cost_usd", usd))

    def corrections(self, n: int) -> None:
        """Records how often the user rejected or interrupted."""
        self._set("corrections", str(_whole("corrections", n, 2**31 - 1)))

    def status(self, status: str, message: str = "") -> None:
        """Says how the execution ended: ok, error, timeout or invalid, and why. It wins over that of an exception."""
        self._end(status, message, ("ok", "error", "timeout", "invalid"))

    def _set(self, field: str, text: str) -> None:
        self._add(lambda: self._fields.__setitem__(field, text), len(text.encode()))

    def _put(self, to: Dict[str, str], what: str, encoded: str, text: str) -> None:
        def keep() -> None:
            if encoded in to:
                raise InvalidInput("%s: %s is recorded already" % (what, encoded))
            to[encoded] = text

        self._add(keep, len(encoded.encode()) + len(text.encode()) + 2)

    def _line(self, duration: float) -> str:
        fields = ['"kind":"execution"'] + ['"%s":%s' % item for item in self._fields.items()]
        if self._outcome and self._outcome != "ok":
            fields.append('"status":"%s"' % self._outcome)
        if self._message:
            fields.append('"message":' + _json(self._message))
        fields.append('"started_at":"%s"' % self._started_at)
        fields.append('"duration_s":%r' % round(duration, 6))
        if self._calls:
            fields.append('"calls":[' + ",".join(self._calls) + "]")
        if self._requests:
            fields.append('"requests":[' + ",".join(self._requests) + "]")
        if self._truths:
            fields.append('"truths":' + _object(self._truths))
        if self._files:
            fields.append('"files":[' + ",".join(self._files.values()) + "]")
        return "{" + ",".join(fields) + "}\n"


# Checks and JSON


def _quote(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else text[:80] + "…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _counts(
    input: Optional[int],
    output: Optional[int],
    cache_read: Optional[int],
    cache_write: Optional[int],
    reasoning: Optional[int],
) -> str:
    counts = {"input": input, "output": output, "cache_read": cache_read, "cache_write": cache_write, "reasoning": reasoning}
    return _json({name: _whole("tokens." + name, n, 2**63 - 1) for name, n in counts.items() if n is not None})


def _object(members: Mapping[str, str]) -> str:
    return "{" + ",".join(name + ":" + text for name, text in members.items()) + "}"


def _describe(error: Optional[BaseException]) -> str:
    try:
        text = str(error)
    except Exception:
        text = "its message cannot be read"
    return _text("message", "%s: %s" % (type(error).__name__, text) if text else type(error).__name__)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"


def _text(what: str, text: Any) -> str:
    """Returns a text for people. What UTF-8 cannot say, such as a byte of a file name, is escaped."""
    if not isinstance(text, str):
        raise InvalidInput("%s: %s is not a text" % (what, _quote(text)))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


# Spaces, and characters that cannot be seen or change how others are seen. The program refuses them in names too.
_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\ufffd\ue000-\uf8ff\U000e0000-\U000e007f\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
)


def _visible(what: str, text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInput("%s %s is not valid UTF-8" % (what, _quote(text))) from None
    hidden = _HIDDEN.search(text)
    if hidden:
        name = unicodedata.name(hidden.group(), "a control character")
        raise InvalidInput("%s %s contains U+%04X, %s" % (what, _quote(text), ord(hidden.group()), name.lower()))


def _name(what: str, name: Any) -> str:
    """Returns a name as JSON, if it can be one."""
    if not isinstance(name, str):
        raise InvalidInput("%s: %s is not a text" % (what, _quote(name)))
    if name == "":
        raise InvalidInput("%s is empty" % what)
    _visible(what, name)
    if len(name) > 200 or len(name.encode("utf-8")) > 200:
        raise InvalidInput("%s %s is longer than 200 bytes" % (what, _quote(name)))
    if name.strip(_SPACES) != name:
        raise InvalidInput("%s %s begins or ends with white space" % (what, _quote(name)))
    return _json(name)


def _integer(what: str, number: Any) -> int:
    if not _is_bool(number):
        try:
            return operator.index(number)
        except TypeError:
            pass
    raise InvalidInput("%s: %s is not a whole number" % (what, _quote(number)))


def _whole(what: str, number: Any, largest: int) -> int:
    n = _integer(what, number)
    if not 0 <= n <= largest:
        raise InvalidInput("%s: %s is not from 0 to %d" % (what, _quote(number), largest))
    return n


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def _number(what: str, number: Any) -> float:
    """Returns what is a number as a float: those of Python, NumPy and others that can be made one, but no text."""
    if type(number) is float:
        return number
    dtype = getattr(number, "dtype", None)
    is_number = not _is_bool(number) and not isinstance(number, (str, bytes, bytearray, complex))
    if is_number and getattr(dtype, "kind", "f") in "iuf" and not getattr(number, "ndim", 0):
        if hasattr(number, "__float__") or hasattr(number, "__index__"):
            try:
                return float(number)
            except OverflowError:
                raise InvalidInput("%s: %s is beyond float64" % (what, _quote(number))) from None
            except (TypeError, ValueError) as error:
                raise InvalidInput("%s: %s is not a number: %s" % (what, _quote(number), error)) from None
    raise InvalidInput("%s: %s of type %s is not a number" % (what, _quote(number), type(number).__name__))


_NON_FINITE = {"nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}


def _float_json(number: float) -> str:
    """Returns the shortest digits that are read back as the same number; names for what JSON cannot say."""
    text = float.__repr__(number)
    return _NON_FINITE.get(text, text)


def _number_json(what: str, number: Any) -> str:
    return _float_json(_number(what, number))


def _finite(what: str, number: Any) -> str:
    text = _number_json(what, number)
    if text[0] == '"':
        raise InvalidInput("%s: %s is not finite: leave it out" % (what, text.strip('"')))
    return text


def _not_negative(what: str, number: Any) -> str:
    text = _finite(what, number)
    if float(text) < 0:
        raise InvalidInput("%s: %s is negative" % (what, text))
    return text


def _series_json(name: str, numbers: Iterable[Any]) -> str:
    what = "series " + str(name)[:50]
    if isinstance(numbers, (str, bytes, bytearray, Mapping, set, frozenset)):
        raise InvalidInput("%s: %s is not a series of numbers: give a list, an iterator or an array" % (what, type(numbers).__name__))
    if getattr(numbers, "ndim", 1) != 1:
        raise InvalidInput("%s: it has %s dimensions; a series has one" % (what, getattr(numbers, "ndim")))
    kind = getattr(getattr(numbers, "dtype", None), "kind", "O")
    if kind in "bcSUVmM":
        raise InvalidInput("%s: an array of %s is not a series of numbers" % (what, getattr(numbers, "dtype")))
    if kind in "iuf" and hasattr(numbers, "tolist"):
        numbers = numbers.tolist()
    try:
        iterator = iter(numbers)
    except TypeError:
        raise InvalidInput("%s: %s is not a series of numbers: give a list, an iterator or an array" % (what, _quote(numbers))) from None
    parts: List[str] = []
    size = 0
    while True:
        part = ",".join([_number_json(what, number) for number in itertools.islice(iterator, 10000)])
        if not part:
            return "[" + ",".join(parts) + "]"
        parts.append(part)
        size += len(part) + 1
        if size > _LONGEST:
            raise InvalidInput("%s: a record can have %d MiB as a line; this would be more" % (what, _LONGEST >> 20))


def _plain(what: str, value: Any, depth: int = 0) -> Any:
    """Returns a value as JSON can say it. Numbers that JSON does not have become texts, as the format has it."""
    if depth > 100:
        raise InvalidInput("%s: nested more than 100 deep" % what)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(what, value)
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise InvalidInput("%s: the name %s is not a text" % (what, _quote(name)))
        return {_text(what, name): _plain(what + "." + name, member, depth + 1) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain("%s[%d]" % (what, i), element, depth + 1) for i, element in enumerate(value)]
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        return _plain(what, value.tolist(), depth + 1)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        text = _float_json(value)
        return text.strip('"') if text[0] == '"' else float(value)
    raise InvalidInput("%s: %s of type %s cannot be JSON" % (what, _quote(value), type(value).__name__))


def _check_params(what: str, value: Any) -> None:
    """Refuses parameters that would not be kept as they are: they identify a configuration."""
    if isinstance(value, dict):
        for name, member in value.items():
            _visible(what + ": the name", name)
            _check_params(what + "." + name, member)
    elif isinstance(value, list):
        for i, element in enumerate(value):
            _check_params("%s[%d]" % (what, i), element)
    elif isinstance(value, str):
        _visible(what + ":", value)
    elif isinstance(value, int) and not isinstance(value, bool):
        if not _is_exact(value):
            raise InvalidInput("%s: %s is not exact in float64; give it as a text" % (what, _quote(value)))


def _is_exact(number: int) -> bool:
    """Reports whether the shortest digits of the number as a float64 are its own."""
    if abs(number) <= 2**53:
        return True
    try:
        digits = repr(float(number))
    except OverflowError:
        return False
    mantissa, _, exponent = digits.partition("e")
    whole, _, fraction = mantissa.partition(".")
    places = int(exponent or 0)
    return int(whole + fraction.ljust(places, "0")[:places]) == number if exponent else int(whole) == number


def _configuration(params: Optional[Mapping[str, Any]], label: str, commit: str, dirty: bool) -> str:
    fields: Dict[str, str] = {}
    for field, text in (("label", label), ("commit", commit)):
        if text != "":
            fields[field] = _name(field, text)
    if not isinstance(dirty, bool):
        raise InvalidInput("dirty: %s is not True or False" % _quote(dirty))
    if dirty:
        fields["dirty"] = "true"
    if params is not None:
        if not isinstance(params, Mapping):
            raise InvalidInput("params: %s is not a dictionary" % _quote(params))
        plain = _plain("params", params)
        _check_params("params", plain)
        fields["params"] = _json(plain)
    return "{" + ",".join('"%s":%s' % item for item in fields.items()) + "}" if fields else ""


def _environment(more: Optional[Mapping[str, str]]) -> str:
    """Returns where this runs, as JSON: the machine, and this Python."""
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    known = {
        "host": _host(),
        "os": {"win32": "windows"}.get(sys.platform, sys.platform),
        "arch": {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "ARM64": "arm64"}.get(machine, machine),
        "python": "%d.%d.%d" % sys.version_info[:3],
    }
    if more is not None and not isinstance(more, Mapping):
        raise InvalidInput("environment: %s is not a dictionary" % _quote(more))
    for name, text in (more or {}).items():
        _name("environment", name)
        known[name] = _text("environment." + name, text)
    return _json(known)


def _host() -> str:
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")


# The spool


class _Spool:
    """The file in a folder that this process appends lines to."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._fd = -1
        self._path = ""  # without its ending
        self._size = 0
        self._forwarder: Optional[_Forwarder] = None
        self._earlier: List[_Forwarder] = []  # of files before, which may still be sent

    def add(self, line: bytes) -> None:
        """Appends a line, which is on the disk when this returns. It may be there twice; track records it once."""
        with self._lock:
            while True:
                try:
                    if self._fd < 0:
                        self._create()
                    self._write(line)
                    if self._is_mine():
                        if self._forwarder is not None:
                            self._forwarder.forward(self._size)
                        return
                    # track ingest --all took the file for that of a process that is gone, and may have missed the line.
                    self._leave()
                except OSError as error:
                    raise Error("the record is not kept in %s: %s" % (self._folder, error)) from error

    def close(self, until: float) -> None:
        """Gives the file its final name, once it is sent or the time has come."""
        with self._lock:
            forwarder = self._forwarder if self._fd >= 0 else None
            if forwarder is not None:
                forwarder.wait(until)
            self._finish()
            if forwarder is not None:
                forwarder.close()

    def warn(self) -> None:
        """Warns of records that are not sent, when Python ends."""
        for forwarder in self._earlier + [self._forwarder]:
            if forwarder is not None and forwarder.warn():
                return

    def abandon(self) -> None:
        """Leaves the file to the parent of this process."""
        self._leave()

    def _create(self) -> None:
        _make_folder(self._folder)
        host = re.sub("[^A-Za-z0-9-]", "-", _host())
        path = os.path.join(self._folder, "%s-%s-%d" % (_ulid().lower(), host, os.getpid()))
        flags = os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self._fd, self._path, self._size = os.open(path + ".open.jsonl", flags, 0o644), path, 0
        _sync_folder(self._folder)
        if self._forwarder is not None:
            self._earlier = [earlier for earlier in self._earlier + [self._forwarder] if earlier.is_behind()]
        self._forwarder = _forwarder(self._folder, path)
        _close_at_end_of_worker()

    def _write(self, line: bytes) -> None:
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            _sync(self._fd)
            self._size += len(line)
        except BaseException:
            try:
                os.ftruncate(self._fd, self._size)
            except OSError:
                pass  # what remains of the line has no end, or was never acknowledged
            self._finish()
            raise

    def _is_mine(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path + ".open.jsonl"), os.fstat(self._fd))
        except FileNotFoundError:
            return False

    def _leave(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            try:
                os.close(fd)
            except OSError:
                pass  # every line was synced before

    def _finish(self) -> None:
        if self._fd < 0:
            return
        self._leave()
        try:
            if self._size == 0:
                os.remove(self._path + ".open.jsonl")
            else:
                os.rename(self._path + ".open.jsonl", self._path + ".jsonl")
        except OSError:
            pass  # its lines are recorded under the name that it has


_spools: Dict[Tuple[int, str], _Spool] = {}
_spools_lock = threading.Lock()


def _spool(folder: str) -> _Spool:
    with _spools_lock:
        return _spools.setdefault((os.getpid(), folder), _Spool(folder))


def _after_fork() -> None:
    """Lets a forked child begin without the files and the locks of its parent."""
    global _spools, _spools_lock, _sending, _network
    inherited, _spools, _spools_lock, _sending, _network = _spools, {}, threading.Lock(), threading.Lock(), _Network()
    for spool in inherited.values():
        spool.abandon()


def _before_fork() -> None:
    """Waits a moment for what is being sent: a child should not begin in the middle of it."""
    _forking.holds = _sending.acquire(timeout=0.05)


def _after_fork_in_parent() -> None:
    if getattr(_forking, "holds", False):
        _sending.release()


def _close_at_end_of_worker() -> None:
    """Has a process of multiprocessing close its files: it ends without atexit."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, close, exitpriority=0)


def _end() -> None:
    """Ends what this process records: Python exits."""
    close()
    _network.end()
    with _spools_lock:
        spools = list(_spools.values())
    for spool in spools:
        spool.warn()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork)


def _prepare(folder: str) -> None:
    """Makes the folder before a run that may take hours. The folder of a database must exist."""
    database = os.environ.get("TRACK_DB")
    parent = os.path.dirname(folder)
    if database and "://" not in database and parent == os.path.dirname(os.path.abspath(database)) and not os.path.isdir(parent):
        raise Error("TRACK_DB is %s, and there is no folder %s: make it, or correct TRACK_DB" % (database, parent))
    try:
        _make_folder(folder)
    except OSError as error:
        raise Error("there can be no spool in %s: %s" % (folder, error)) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Error("there can be no spool in %s: it cannot be written to" % folder)
    if os.environ.get("TRACK_SERVER"):
        # Read here, and not by the thread that sends: a child that is forked meanwhile would have half of a module.
        import encodings.idna
        import urllib.request


def _make_folder(folder: str) -> None:
    if os.path.isdir(folder):
        return
    parent = os.path.dirname(folder)
    if parent != folder:
        _make_folder(parent)
    try:
        os.mkdir(folder, 0o755)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise
    _sync_folder(parent)


def _sync(fd: int) -> None:
    if hasattr(fcntl, "F_FULLFSYNC"):
        try:
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
        except OSError:
            pass  # not on this file system
    os.fsync(fd)


def _sync_folder(folder: str) -> None:
    """Makes sure that the name of a new file survives a power cut, where the system can."""
    try:
        fd = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return  # Windows
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)


def _ulid() -> str:
    """Returns a new ULID: the time, then chance."""
    return _base32((time.time_ns() // 1000000) << 80 | int.from_bytes(os.urandom(10), "big"), 130)


def _base32(n: int, bits: int) -> str:
    return "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[n >> shift & 31] for shift in range(bits - 5, -1, -5))


# Sending to a server

# What is sent together; a line that is longer goes alone.
_SENT_BYTES = 1 << 20
_SENT_LINES = 1000
_SENDING_TIME = 30.0
_ENDING_TIME = 10.0
_AGAIN = (408, 429, 502, 503, 504)

_sending = threading.Lock()  # held while a thread sends
_forking = threading.local()


class _Network:
    """Ends the thread that sends before Python ends.

    OpenSSL is taken apart when the process exits. A thread that is in it then crashes the program. So a thread holds a
    lock, which the end of Python takes, wherever it may be in OpenSSL: everywhere but while it connects.
    """

    def __init__(self) -> None:
        self.ended = False
        self._lock = threading.Lock()
        self._socket: Any = None  # a duplicate of the one in use

    def __enter__(self) -> None:
        self._lock.acquire()
        if self.ended:
            self._lock.release()
            raise Error("Python ends")

    def __exit__(self, *_: Any) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._lock.release()

    def connect(self, *where: Any) -> Any:
        """Connects as socket.create_connection does."""
        import socket

        self._lock.release()
        try:
            connected = socket.create_connection(*where)
        finally:
            self._lock.acquire()
        self._socket = connected.dup()
        if self.ended:
            connected.close()
            raise Error("Python ends")
        return connected

    def end(self) -> None:
        """Cuts a connection off, and waits until the thread is out of OpenSSL: what it computes takes no long time."""
        self.ended = True
        used = self._socket
        if used is not None:
            try:
                used.shutdown(2)
            except OSError:
                pass  # closed meanwhile
        self._lock.acquire(timeout=_ENDING_TIME)


_network = _Network()


def _forwarder(folder: str, path: str) -> Optional[_Forwarder]:
    """Returns what sends a file, if the folder is the spool of the server that TRACK_SERVER names."""
    try:
        if "TRACK_DB" in os.environ or not os.environ.get("TRACK_SERVER") or folder != _server_folder(_server_address()):
            return None
    except Error:
        return None  # the record is kept, and track push says what is wrong
    forwarder = _Forwarder(path, _server_address())
    forwarder.prepare()
    return forwarder


class _Forwarder:
    """Sends a file of a spool to a server by position, as track push does, which goes on where this ends.

    Its thread lives while there is something to send: a program that forks finds it seldom. After a failure the next
    record begins another one, once a pause is over.
    """

    def __init__(self, path: str, address: str) -> None:
        self._path = path  # without its ending
        self._address = address
        self._token = ""
        self._lock = threading.Lock()
        self._thread: Optional[threading.Thread] = None
        self._size = 0  # bytes that are on the disk
        self._sent = 0  # bytes that the server has
        self._lines = 0  # lines in them
        self._closed = False
        self._stopped = False  # for good: track push sends the rest, and says why
        self._pause = 0.1
        self._not_before = 0.0
        self._failure = ""  # why the last sending failed

    def prepare(self) -> None:
        """Finds the token, and writes down whose records lie in the spool."""
        self._keep("address", self._address)
        try:
            self._token = _server_token()
        except (Error, OSError) as problem:
            self._stop(str(problem))

    def is_behind(self) -> bool:
        """Reports whether the server lacks something, or does not take it."""
        with self._lock:
            return self._stopped or self._sent != self._size

    def warn(self) -> bool:
        """Warns of records that are not sent, unless a warning was given, and reports whether there are any."""
        with self._lock:
            if self._sent == self._size or self._stopped:
                return self._stopped
            failure = self._failure
        if not failure:
            failure = "%s did not answer before Python ended" % self._address
            self._tell_status(failure)
        warnings.warn("track: records wait in %s: %s; send them with track push" % (os.path.dirname(self._path), failure), RuntimeWarning)
        return True

    def forward(self, size: int) -> None:
        """Sends what was added, up to a size of the file, while the program goes on."""
        with self._lock:
            self._size = size
            if self._thread is None and not self._stopped and not _network.ended and time.monotonic() >= self._not_before:
                thread = threading.Thread(target=self._run, name="track", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    return  # Python exits
                self._thread = thread

    def wait(self, until: float) -> None:
        """Waits until all is sent, or no more is tried, or the time has come."""
        while True:
            with self._lock:
                thread = self._thread
                left = until - time.monotonic()
                pause = self._not_before - time.monotonic()
                if left <= 0 or self._sent == self._size or self._stopped or thread is None and pause >= left:
                    return
            if thread is not None:
                thread.join(left)
            else:
                time.sleep(max(0.0, pause))
                self.forward(self._size)
                with self._lock:
                    if self._thread is None:
                        return  # Python exits

    def close(self) -> None:
        """Puts the file aside that has its final name now, if the server has all of it."""
        with self._lock:
            self._closed = True
            self._put_aside()

    def _run(self) -> None:
        try:
            while True:
                with self._lock:
                    size = self._size
                    if self._sent == size or self._stopped:
                        self._thread = None
                        self._put_aside()
                        return
                with _sending, _network:
                    self._send(size)
        except Exception as error:  # also what a library raises while Python exits
            failure = self._failed(error)
            with self._lock:
                self._thread = None
                self._failure = failure
                self._not_before = time.monotonic() + max(getattr(error, "wait", 0.0), self._pause * random.uniform(0.5, 1.5))
                self._pause = min(60.0, self._pause * 2)

    def _failed(self, error: Exception) -> str:
        """Returns why sending failed, and writes it down for track status. The end of Python is no failure."""
        if _network.ended:
            return self._failure
        import urllib.error

        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        said = ": " if isinstance(error, _Away) else " cannot be asked: "
        failure = self._address + said + (str(reason) or type(reason).__name__)
        if "CERTIFICATE_VERIFY_FAILED" in failure:
            failure += "; if the certificate is of an authority of your own, set SSL_CERT_FILE to the file with its certificate"
        self._tell_status(failure)
        return failure

    def _send(self, size: int) -> None:
        """Sends the next lines, and notes how far the server is."""
        text = self._next(size)
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        packed = packer.compress(text) + packer.flush()
        status, answer = _post("%s/api/v1/spools/%s/lines?from=%d" % (self._address, self._id(), self._lines), self._token, packed)
        if status == 200:
            self._acknowledge(text, answer)
        elif status == 409 and isinstance(answer.get("through"), int):
            self._go_back(answer["through"])
        elif status in _AGAIN:
            raise _Away(answer, answer.get("message", "it answers with status %d" % status))
        elif "message" in answer:
            self._stop("%s refuses them: %s" % (self._address, answer["message"]))
        else:
            self._stop("%s answers with status %d: is it a server of track?" % (self._address, status))

    def _acknowledge(self, text: bytes, answer: Dict[str, Any]) -> None:
        count = text.count(b"\n")
        if answer.get("through") is None or answer["through"] < self._lines + count:
            raise _Away({}, "it answers about other lines than those that were sent")
        self._keep("epoch", str(answer["server_epoch"]))
        self._keep("address", self._address)
        refused = bool(answer["rejected"] or answer["conflicts"] or answer["skipped"] and answer["refused"])
        sent, lines = self._sent + len(text), self._lines + count
        with self._lock:
            self._sent, self._lines, self._pause, self._failure = sent, lines, 0.1, ""
            self._stopped = refused
        self._tell_status("")
        if refused:
            self._stop("%s does not take some of them" % self._address)

    def _go_back(self, lines: int) -> None:
        """Goes on behind a number of lines: the server has lost those behind it."""
        with open(self._name(), "rb") as file:
            size = sum(len(line) for line in itertools.islice(file, lines))
        with self._lock:
            if not lines < self._lines:
                raise _Away({}, "it refuses lines that follow those that it has")
            self._sent, self._lines = size, lines

    def _next(self, size: int) -> bytes:
        """Returns whole lines from where the server is."""
        with open(self._name(), "rb") as file:
            file.seek(self._sent)
            text = file.read(min(_SENT_BYTES, size - self._sent))
            if b"\n" not in text:
                text += file.readline()
        end = -1
        for _ in range(_SENT_LINES):
            next_end = text.find(b"\n", end + 1)
            if next_end < 0:
                break
            end = next_end
        return text[: end + 1]

    def _name(self) -> str:
        path = self._path + ".open.jsonl"
        return path if os.path.exists(path) else self._path + ".jsonl"

    def _id(self) -> str:
        """Returns the ULID of the file for the server: its time, and a hash of its name."""
        name = os.path.basename(self._path)
        return name[:10].upper() + _base32(int.from_bytes(hashlib.sha256(name.encode()).digest()[:10], "big"), 80)

    def _keep(self, name: str, text: str) -> None:
        """Writes down what is known of the server, unless it is known."""
        path = os.path.join(os.path.dirname(os.path.dirname(self._path)), name)
        try:
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(text + "\n")

    def _tell_status(self, failure: str) -> None:
        """Writes down why the last sending failed, as track push does; nothing if it did not."""
        path = os.path.join(os.path.dirname(os.path.dirname(self._path)), "failure")
        try:
            if not failure:
                os.remove(path)
                return
            fd = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            with os.fdopen(fd, "w", encoding="utf-8", errors="replace") as file:
                file.write(" ".join(failure.split()) + "\n")
        except OSError:
            pass  # sending went as it went

    def _put_aside(self) -> None:
        """Moves a closed file that the server has to where track push moves it."""
        if not self._closed or self._stopped or self._size == 0 or self._sent != self._size:
            return
        folder, name = os.path.split(self._path + ".jsonl")
        done = os.path.join(folder, "ingested")
        try:
            os.makedirs(done, 0o755, exist_ok=True)
            os.rename(os.path.join(folder, name), os.path.join(done, name))
            os.utime(os.path.join(done, name))
        except OSError:
            pass  # track push does it

    def _stop(self, why: str) -> None:
        with self._lock:
            self._stopped = True
        self._tell_status(why)
        warnings.warn("track: records wait in %s: %s; track push says more" % (os.path.dirname(self._path), why), RuntimeWarning)


class _Away(Exception):
    """The server cannot take lines now."""

    def __init__(self, answer: Mapping[str, Any], why: str) -> None:
        super().__init__(why)
        self.wait = min(60.0, float(answer.get("retry_after", 0.0)))


def _post(address: str, token: str, packed: bytes) -> Tuple[int, Dict[str, Any]]:
    """Sends lines, and returns the status and the answer. A token goes to no other address."""
    import http.client
    import urllib.error
    import urllib.request

    def watched(connection: Any) -> Any:
        """Returns what makes a connection that the end of Python cuts off."""

        def make(*where: Any, **options: Any) -> Any:
            made = connection(*where, **options)
            made._create_connection = _network.connect
            return made

        return make

    class Plain(urllib.request.HTTPHandler):
        def http_open(self, request: Any) -> Any:
            return self.do_open(watched(http.client.HTTPConnection), request)

    handlers: List[Any] = [Plain]
    if hasattr(urllib.request, "HTTPSHandler"):  # Python can be built without TLS

        class Secure(urllib.request.HTTPSHandler):
            def https_open(self, request: Any) -> Any:
                return self.do_open(watched(http.client.HTTPSConnection), request)

        handlers.append(Secure)

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
    if token:
        headers["Authorization"] = "Bearer " + token
    request = urllib.request.Request(address, data=packed, headers=headers)
    try:
        with urllib.request.build_opener(Stay, *handlers).open(request, timeout=_SENDING_TIME) as response:
            status, body, after = response.status, response.read(), ""
    except urllib.error.HTTPError as error:
        status, body, after = error.code, error.read(), error.headers.get("Retry-After", "")
    try:
        answer = json.loads(body)
    except ValueError:
        answer = {}
    if not isinstance(answer, dict):
        answer = {}
    if after.isdigit():
        answer["retry_after"] = int(after)
    if status == 200 and "through" not in answer:
        raise _Away(answer, "the answer was cut off")
    return status, answer


def _server_address() -> str:
    return _checked_address(_named_address(os.environ.get("TRACK_SERVER", "")))


def _server_token() -> str:
    """Returns the token for the server: that of its name, TRACK_TOKEN, or that of a server which this user started here."""
    server = os.environ.get("TRACK_SERVER", "")
    token = os.environ.get("TRACK_TOKEN", "")
    if _is_name(server):
        if os.name == "posix" and os.stat(_named_file(server)).st_mode & 0o077:
            raise Error("others may have read the token of the server %s" % server)
        token = str(_named(server).get("token", ""))
    if token:
        return token
    found = re.fullmatch(r"https?://(\[::1\]|127[0-9.]+|localhost):([0-9]+)(/.*)?", _server_address())
    if not found:
        return ""
    host = {"localhost": "127.0.0.1"}.get(found.group(1), found.group(1))
    name = ("%s:%s" % (host, found.group(2))).replace("[", "%5B").replace("]", "%5D")
    try:
        with open(os.path.join(_settings_folder(), "track", "serving", name), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


# Where the spool is


def _project_folder() -> str:
    start = os.getcwd()
    folder = start
    while True:
        found = os.path.join(folder, ".track")
        if os.path.exists(os.path.join(found, "track.db")) and (folder == start or not _writable_by_all(folder)):
            return found
        parent = os.path.dirname(folder)
        if parent == folder:
            return os.path.join(start, ".track")
        folder = parent


def _writable_by_all(folder: str) -> bool:
    return os.name == "posix" and bool(os.stat(folder).st_mode & stat.S_IWOTH)


def _server_folder(address: str) -> str:
    digest = hashlib.sha256(address.encode("utf-8")).hexdigest()[:16]
    return os.path.join(_settings_folder(), "track", "servers", digest, "spool")


def _settings_folder() -> str:
    if sys.platform == "win32":
        variable, rest = "AppData", ""
    elif sys.platform == "darwin":
        variable, rest = "HOME", "Library/Application Support"
    else:
        variable, rest = "HOME", ".config"
        configured = os.environ.get("XDG_CONFIG_HOME", "")
        if configured:
            if not os.path.isabs(configured):
                raise Error("XDG_CONFIG_HOME is not an absolute path: %s" % _quote(configured))
            return configured
    home = os.environ.get(variable, "")
    if not home:
        raise Error("%s is not set: there is no place for the spool of a server" % variable)
    return os.path.join(home, rest) if rest else home


def _is_name(server: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", server) is not None


def _named(name: str) -> Dict[str, Any]:
    """Returns what track remote add keeps of a server."""
    try:
        with open(_named_file(name), encoding="utf-8") as file:
            return dict(json.load(file))
    except (OSError, ValueError, TypeError) as error:
        raise Error("TRACK_SERVER: there is no server of the name %s; track remote add gives names" % name) from error


def _named_file(name: str) -> str:
    return os.path.join(_settings_folder(), "track", "remotes", name + ".json")


def _named_address(address: str) -> str:
    """Returns the address of a server that track remote add gave a name. An address is returned as it is."""
    return str(_named(address).get("url")) if _is_name(address) else address


def _checked_address(address: str) -> str:
    found = re.fullmatch(r"(https?)(://[A-Za-z0-9.:_\[\]-]+(?:/[A-Za-z0-9._~/-]*)?)", address, re.IGNORECASE)
    if not found:
        raise Error("TRACK_SERVER is not the address of a server, such as https://track.example.org")
    whole = found.group(1).lower() + found.group(2)
    return whole[:-1] if whole.endswith("/") else whole


def _without_password(url: str) -> str:
    """Returns the URL of a database without its password, as the program names its folder by."""
    found = re.fullmatch(r"(postgres(?:ql)?://)(?:([A-Za-z0-9._~-]+)(?::[^@/?#]*)?@)?([A-Za-z0-9.,:_\[\]-]*(?:/[A-Za-z0-9._~-]*)?(?:\?[^#]*)?)", url)
    if not found or "password=" in found.group(3):
        raise Error("TRACK_DB: the spool of this URL is not known here; name the folder with spool=, which track ingest takes")
    user = found.group(2)
    return found.group(1) + (user + "@" if user else "") + found.group(3)
