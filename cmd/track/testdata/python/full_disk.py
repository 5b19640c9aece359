"""Records a seed on a disk without room, which has to be an error."""

import track

try:
    with track.seed("s", 2, label="c") as s:
        s.value("a", 1)
except track.Error as error:
    print(error)
else:
    raise SystemExit("acknowledged")
