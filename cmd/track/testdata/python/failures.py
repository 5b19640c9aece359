"""Records runs that end in every way. Exceptions come through."""

import asyncio
import errno
import os
import warnings

import track


def run(number, error, *, outcome=None):
    try:
        with track.seed("ends", number) as s:
            s.value("before", number)
            if outcome:
                s.outcome(*outcome)
            raise error
    except BaseException as caught:
        assert caught is error, caught


class Unprintable(Exception):
    def __str__(self):
        raise ValueError


run(1, IndexError("list index out of range"))
run(2, KeyError())
run(3, KeyboardInterrupt())
run(4, asyncio.CancelledError())
run(5, SystemExit(0))
run(6, SystemExit(3))
run(7, RuntimeError("who\nknows \udcff"), outcome=("collapsed", "no firms"))
run(8, TimeoutError("60 s"), outcome=("timeout",))
run(9, Unprintable())
with track.seed("ends", 10) as s:
    s.outcome("collapsed", "no firms are left")
with track.seed("ends", 11) as s:
    pass
run(12, ValueError("x" * (1 << 20)))
track._LONGEST = 1 << 16  # bytes of a line
with track.seed("ends", 13) as s:  # the good part of a run whose program asks for too much
    s.value("a", 1)
    for wrong in (lambda: s.value("a", 2), lambda: s.value("b", "x"), lambda: s.series("u", iter(lambda: 1.5, None))):
        try:
            wrong()
            raise SystemExit("taken")
        except track.InvalidInput:
            pass
try:
    s.value("late", 1)
    raise SystemExit("a value after the end was taken")
except track.Error as error:
    assert "before or after the with block" in str(error), error
try:
    with s:
        raise SystemExit("a record was used twice")
except track.Error as error:
    assert "one with block" in str(error), error
try:
    with track.execution("ends", version="v1", key="e1") as e:
        e.call("Bash", exit=0)
        raise ConnectionError("reset")
except ConnectionError:
    pass
with track.execution("ends", version="v1", key="e2") as e:
    e.status("invalid", "the judge was away")

# A disk that is full: the run is told, or its own exception comes through, and what follows is whole.
write = os.write


def full(fd, data):
    write(fd, bytes(data)[: len(data) // 2])
    raise OSError(errno.ENOSPC, "No space left on device")


os.write = full
try:
    with track.seed("ends", 14) as s:
        s.value("lost", 1)
    raise SystemExit("a record that was not written was acknowledged")
except track.Error as error:
    assert "No space left" in str(error), error
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    run(15, ValueError("mine"))
assert "not recorded" in str(said[0].message), said
os.write = write
with track.seed("ends", 16) as s:
    s.value("after", 1)

# track ingest --all takes the file while the line is written: the line is in the next file too.
fsync = os.fsync


def taken(fd):
    fsync(fd)
    os.fsync = fsync
    folder = track.spool_folder()
    os.makedirs(folder + "/ingested", exist_ok=True)
    for name in os.listdir(folder):
        if name.endswith(".open.jsonl"):
            os.rename(os.path.join(folder, name), os.path.join(folder, "ingested", name))


os.fsync = taken
with track.seed("ends", 17) as s:
    s.value("moved", 1)
assert os.fsync is fsync

# A database in a folder that does not exist is refused before the run, and the folder is not made.
os.environ["TRACK_DB"] = os.path.join(os.getcwd(), "nosuch", "x.db")
try:
    with track.seed("ends", 18) as s:
        s.value("lost", 1)
    raise AssertionError("recorded into a folder that does not exist")
except track.Error as error:
    assert "there is no folder" in str(error), error
assert not os.path.exists("nosuch")
