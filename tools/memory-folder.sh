#!/bin/sh
# Prints a folder in memory with 4 GB of room in which programs may run; nothing if there is none.
folder=/dev/shm
room=$(df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print $4 }')
[ "${room:-0}" -ge 4000000 ] || exit 0
program=$(mktemp "$folder/track-XXXXXX" 2>/dev/null) || exit 0
printf '#!/bin/sh\n' >"$program"
chmod +x "$program"
"$program" 2>/dev/null && echo "$folder"
rm -f "$program"
