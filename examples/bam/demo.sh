#!/bin/sh
# Records the real results of examples/bam in a fresh database, judges them, and writes the reports. Usage: demo.sh PATH/TO/track
set -eu
track=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
TRACK_DB=$folder/track.db
export TRACK_DB

"$track" init
for scenario in baseline growth_plus buffer_stock; do
  "$track" spec add "$here/$scenario.yaml"
done
for batch in growth_plus__small_economy growth_plus__theta_14 \
  baseline__consumer_matching_random baseline growth_plus buffer_stock; do
  (cd "$here" && "$track" record batch "$batch.jsonl")
done
# The parameters of the others differ, so the release is pinned: a scenario without a configuration means it.
for scenario in baseline growth_plus; do
  "$track" baseline set "$scenario@bam-engine-0.10.2" --reason "release 0.10.2"
done
for scenario in baseline growth_plus buffer_stock; do
  printf '\n%s\n\n' "==> track stability $scenario"
  "$track" stability "$scenario"
done
printf '\n%s\n\n' "==> track history growth_plus"
"$track" history growth_plus
printf '\n%s\n\n' "==> track report index -o $folder/reports/index.html"
"$track" report index -o "$folder/reports/index.html"
"$track" report index -o "$folder/reports/index.md"
printf '\n%s\n' "The database is $TRACK_DB: try TRACK_DB=$TRACK_DB $1 stability growth_plus@theta-14"
printf '%s\n' "To look at it in a browser: $1 ui --db $TRACK_DB"
