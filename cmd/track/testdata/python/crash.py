"""Dies at every line of track.py, and in the middle of every write. Prints which seeds were acknowledged, by crash."""

import json
import os
import signal
import sys

import track

SEEDS = 2

# A crash of a process needs no disk. That a line is synced before it is acknowledged is checked.
synced = []
track._sync = synced.append
track._sync_folder = lambda folder: None


def die(crash):
    if crash % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(9)


def run(crash, acknowledge):
    for n in range(SEEDS):
        with track.seed("crash", n, label="c%d" % crash) as s:
            s.value("a", crash + n / 3)
            s.series("u", [crash, n])
        if len(synced) != n + 1:
            raise SystemExit("acknowledged before it was synced")
        os.write(acknowledge, b"%d\n" % n)
    track.close()


def at_line(crash, line):
    """Dies at the nth line of track.py that runs."""
    left = line

    def trace(frame, event, _):
        nonlocal left
        if frame.f_code.co_filename != track.__file__:
            return None
        left -= event == "line"
        if left < 0:
            sys.settrace(None)
            die(crash)
        return trace

    sys.settrace(trace)


def in_write(crash, nth):
    """Dies in the nth write, of which a part or all is done."""
    write, left = os.write, nth

    def cut(fd, data):
        nonlocal left
        if len(data) < 10:  # an acknowledgement
            return write(fd, data)
        left -= 1
        if left < 0:
            write(fd, bytes(data)[: len(data) * (crash % 5) // 4])
            die(crash)
        return write(fd, data)

    os.write = cut


def child(crash, prepare, place):
    """Runs in a forked child. Returns what it acknowledged, and whether it lived."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        prepare(crash, place)
        run(crash, writer)
        sys.settrace(None)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as acknowledged:
        numbers = [int(line) for line in acknowledged]
    status = os.waitpid(pid, 0)[1]
    if status not in (0, signal.SIGKILL, 9 << 8):
        raise SystemExit("a child ended with status %d" % status)
    return numbers, status == 0


seen = {}
crash = 0
for prepare, repeat in ((at_line, 1), (in_write, 5)):
    place, survived = 0, False
    while not survived:
        for _ in range(repeat):
            seen["c%d" % crash], survived = child(crash, prepare, place)
            crash += 1
        place += 1
json.dump(seen, sys.stdout)
