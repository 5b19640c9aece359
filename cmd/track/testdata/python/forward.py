"""Does what its input says, line by line, and prints how many seconds each took: seed N, fork N, sent, close WAIT."""

import os
import sys
import time

import track


def record(number):
    with track.seed("s", number, label="c") as s:
        s.value("a", number)


def do(command, argument=""):
    if command == "seed":
        record(int(argument))
    elif command == "fork":
        pid = os.fork()
        if pid == 0:
            record(int(argument))
            track.close(30)
            os._exit(0)
        if os.waitpid(pid, 0)[1] != 0:
            raise SystemExit("the child failed")
    elif command == "sent":
        for spool in track._spools.values():
            spool._forwarder.wait(time.monotonic() + 60)
    elif command == "close":
        track.close(float(argument))


for line in sys.stdin:
    began = time.monotonic()
    do(*line.split())
    print("%.6f" % (time.monotonic() - began), flush=True)
