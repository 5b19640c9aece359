#!/usr/bin/env bash
# Records examples/bam into SQLite and into PostgreSQL, moves seed, assessment, packed_value and packed_result to hash partitions over two PostgreSQL servers,
# and compares the answers of stability, history and seeds. Usage: bench/ha/partitions.sh PATH/TO/track
# Debian and Ubuntu: apt-get install postgresql jq
set -euo pipefail
track=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
example=$here/../../examples/bam
folder=$(mktemp -d "${TMPDIR:-/tmp}/track-partitions-XXXXXX")
chmod 755 "$folder"
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
. "$here/cluster.sh"
read -r -a ports <<< "$(free_ports 2)"
servers=()
finish() {
  kill -INT "${servers[@]}" 2> /dev/null && wait "${servers[@]}" 2> /dev/null || true
  rm -rf "$folder"
}
trap finish EXIT

start_server() {
  (cd "$folder" && unprivileged "$postgres_bin/initdb" --pgdata "$folder/$1" --username track --auth trust --encoding UTF8 --locale C > "$folder/$1.log")
  unprivileged "$postgres_bin/postgres" -D "$folder/$1" -p "${ports[$1]}" -h 127.0.0.1 -k "" >> "$folder/$1.log" 2>&1 &
  servers+=($!)
  until on "$1" '' 2> /dev/null; do sleep 0.1; done
}
on() { psql -XAtq -v ON_ERROR_STOP=1 "postgres://track@127.0.0.1:${ports[$1]}/postgres" -c "$2"; }

record() { # the example into the database $1
  "$track" init --db "$1" > /dev/null
  for scenario in baseline growth_plus; do "$track" spec add "$example/$scenario.yaml" --db "$1" > /dev/null; done
  for batch in growth_plus__small_economy growth_plus__theta_14 baseline__consumer_matching_random baseline growth_plus; do
    (cd "$example" && "$track" record batch "$batch.jsonl" --db "$1" > /dev/null)
  done
  for scenario in baseline growth_plus; do "$track" baseline set "$scenario@bam-engine-0.10.2" --reason release --db "$1" > /dev/null; done
}

# answers writes what commands say of the database $1 into the folder $2.
answers() {
  mkdir -p "$2"
  for scenario in baseline growth_plus; do
    for format in table json; do
      "$track" stability "$scenario" --format $format --db "$1" > "$2/stability-$scenario.$format" || [ $? = 10 ]
      "$track" history "$scenario" --format $format --db "$1" > "$2/history-$scenario.$format"
      "$track" seeds "$scenario" --format $format --db "$1" > "$2/seeds-$scenario.$format"
    done
  done
  # Both databases were recorded apart: times of recording and ids differ. The order in which partitions give their rows changes the last
  # digits of sums.
  sed -E -i 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z/TIME/g; s/01[0-9A-HJKMNP-TV-Z]{24}/ID/g' "$2"/*
  for file in "$2"/*.json; do
    jq 'walk(if type == "number" then (. * 1e10 | round) / 1e10 else . end)' "$file" > "$file.rounded"
    mv "$file.rounded" "$file"
  done
}

# partition moves table $1 to two partitions by the hash of column $2: one here, one on the other server.
partition() {
  on 0 "ALTER TABLE $1 RENAME TO $1_whole; CREATE TABLE $1 (LIKE $1_whole) PARTITION BY HASH ($2);"
  on 0 "CREATE TABLE $1_0 PARTITION OF $1 FOR VALUES WITH (MODULUS 2, REMAINDER 0)"
  PGOPTIONS=--search_path=public "$postgres_bin/pg_dump" --schema-only --no-owner -t "$1_0" "postgres://track@127.0.0.1:${ports[0]}/postgres" |
    grep -v '^ALTER TABLE ONLY .* ATTACH PARTITION' | sed "s/$1_0/$1_1/g" | psql -Xq -v ON_ERROR_STOP=1 "postgres://track@127.0.0.1:${ports[1]}/postgres" > /dev/null
  on 0 "CREATE FOREIGN TABLE $1_1 PARTITION OF $1 FOR VALUES WITH (MODULUS 2, REMAINDER 1) SERVER other OPTIONS (table_name '$1_1')"
  on 0 "INSERT INTO $1 SELECT * FROM $1_whole"
  on 0 "SET client_min_messages = warning; DROP TABLE $1_whole CASCADE"
  on 0 "CREATE INDEX ON $1_0 ($3)"
  on 1 "CREATE INDEX ON $1_1 ($3)"
  on 0 "ANALYZE $1"
  echo "$1: $(on 0 "SELECT count(*) FROM $1_0") rows here, $(on 1 "SELECT count(*) FROM $1_1") rows on the other server"
}

start_server 0
start_server 1
server=postgres://track@127.0.0.1:${ports[0]}/postgres?sslmode=disable
record "$folder/track.db"
record "$server"
answers "$folder/track.db" "$folder/sqlite"
answers "$server" "$folder/one"
on 0 "CREATE EXTENSION postgres_fdw;
  CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '${ports[1]}', dbname 'postgres');
  CREATE USER MAPPING FOR track SERVER other OPTIONS (user 'track', password_required 'false')"
value=$(on 0 "SELECT pg_get_viewdef('value')")
result=$(on 0 "SELECT pg_get_viewdef('result')")
partition seed configuration_id "scenario_id, configuration_id, number"
partition assessment configuration_id "seed_id, spec_id"
partition packed_value configuration_id seed_id
partition packed_result configuration_id "seed_id, spec_id"
on 0 "CREATE VIEW value AS $value"
on 0 "CREATE VIEW result AS $result"
answers "$server" "$folder/two"

result=0
for name in one two; do
  for file in "$folder"/sqlite/*; do
    if ! cmp -s "$file" "$folder/$name/$(basename "$file")"; then
      result=1
      echo "$name server(s), $(basename "$file"): another answer than SQLite's:"
      diff "$file" "$folder/$name/$(basename "$file")" | head -6 || true
    fi
  done
done
if [ $result = 0 ]; then echo "$(ls "$folder/sqlite" | wc -l) answers of stability, history and seeds are those of SQLite, on one server and on two"; fi
values=$(head -1 "$example/growth_plus.jsonl" | jq -c .values)
if "$track" record seed --scenario growth_plus --seed 999999 --label bam-engine-0.10.2 --commit 303e61f --db "$server" - <<< "$values" > "$folder/record" 2>&1; then
  echo "recording a new seed into the partitions: done, without a unique index"
else
  echo "recording a new seed into the partitions: refused: $(head -1 "$folder/record")"
fi
exit $result
