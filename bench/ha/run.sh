#!/usr/bin/env bash
# Records from 8 processes into three PostgreSQL nodes under Patroni, kills the leader three times with SIGKILL, ingests what was kept while
# there was no leader, and counts what was acknowledged, lost and doubled. Usage: bench/ha/run.sh PATH/TO/track; docs/how-to/scale.md says what it showed.
# Debian and Ubuntu: apt-get install postgresql patroni etcd-server jq curl
set -euo pipefail
track=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
example=$here/../../examples/bam
: "${kills:=3}" "${writers:=8}" "${ttl:=20}" "${loop_wait:=5}" "${between:=8}"

folder=$(mktemp -d "${TMPDIR:-/tmp}/track-ha-XXXXXX")
chmod 755 "$folder"
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
. "$here/cluster.sh"
lacking=$(missing_tools)
if [ -n "$lacking" ]; then echo "ha: missing:" $lacking "(apt-get install postgresql patroni etcd-server jq curl)" >&2; exit 1; fi
read -r -a ports <<< "$(free_ports 8)"
node_pids=()
writer_pids=()
finish() {
  touch "$folder/stop"
  kill "${writer_pids[@]}" 2> /dev/null || true
  stop_cluster
  if [ -n "${keep:-}" ]; then echo "kept: $folder"; else rm -rf "$folder"; fi
}
trap finish EXIT

milliseconds() { date +%s%3N; }
seconds() { printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100)); }

# write_seeds prints $2 lines of the example with the numbers from $1, for a batch.
write_seeds() {
  awk -v first="$1" -v n="$2" '{ lines[NR] = $0 } END { for (i = 0; i < n; i++) {
    line = lines[(first + i) % NR + 1]; sub(/"seed":"[0-9]+"/, "\"seed\":\"" first + i "\"", line); print line } }' "$example/growth_plus.jsonl"
}

# write records under numbers of its own until told to stop: even writers batches of 20 seeds, every other odd one single seeds, the rest
# executions without a key. No command runs twice. One that ends with 0 has recorded its records, or kept them in the spool. Each line of the
# log: result, start, end, first number, count.
write() {
  local next=$(($1 * 1000000)) n=20 started result values
  if [ $(($1 % 2)) = 1 ]; then n=1; values=$(head -1 "$example/growth_plus.jsonl" | jq -c .values); fi
  until [ -e "$folder/stop" ]; do
    started=$(milliseconds) result=recorded
    case $(($1 % 4)) in
      1) "$track" record seed --scenario growth_plus --seed $next --label ha --commit 303e61f - <<< "$values" ;;
      3) "$track" record execution --lineage ha --version v1 --task $next --score 50 ;;
      *) write_seeds $next $n | "$track" record batch - ;;
    esac > "$folder/out.$1" 2>> "$folder/errors.$1" || result=failed
    if [ $result = recorded ] && grep -q '^kept' "$folder/out.$1"; then result=kept; fi
    echo "$result $started $(milliseconds) $next $n" >> "$folder/log.$1"
    next=$((next + n))
    if [ $result != recorded ]; then sleep 0.2; fi
  done
}

# first_after prints when the first command that began after $1 was acknowledged.
first_after() {
  cat "$folder"/log.* 2> /dev/null | awk -v after="$1" '$1 == "recorded" && $2 > after && (first == "" || $3 < first) { first = $3 } END { print first }'
}

on_leader() { psql -XAtq "postgres://postgres@$hosts/track?target_session_attrs=read-write" -c "$1"; }

start_etcd
for i in 0 1 2; do write_settings $i; start_node $i; done
wait_until_whole
hosts=127.0.0.1:$(database_port 0),127.0.0.1:$(database_port 1),127.0.0.1:$(database_port 2)
psql -XAtq "postgres://postgres@$hosts/postgres?target_session_attrs=read-write" -c 'CREATE ROLE track LOGIN' -c 'CREATE DATABASE track OWNER track'
for i in 0 1 2; do # a replica that has not replayed the creation yet refuses a connection
  until psql -XAtq "postgres://track@127.0.0.1:$(database_port $i)/track" -c '' 2> /dev/null; do sleep 0.2; done
done
export TRACK_DB="postgres://track@$hosts/track?target_session_attrs=read-write"
export XDG_CONFIG_HOME=$folder/settings # where the spool of a server lies
cd "$folder"
"$track" init > /dev/null
"$track" spec add "$example/growth_plus.yaml" > /dev/null
for i in $(seq "$writers"); do write "$i" & writer_pids+=($!); done

printf '| kill | killed | next leader | new leader wrote after | next record after | three nodes again after |\n|---|---|---|---|---|---|\n'
for k in $(seq "$kills"); do
  sleep "$between"
  old=$(leader_index)
  killed=$(milliseconds)
  kill_node "$old"
  until on_leader 'CREATE TEMPORARY TABLE probe (x int)' > /dev/null 2>&1; do sleep 0.2; done
  wrote=$(($(milliseconds) - killed))
  until [ -n "$(first_after "$killed")" ]; do
    sleep 0.5
    if [ $(($(milliseconds) - killed)) -gt 120000 ]; then echo "ha: no record for 120 s" >&2; tail -2 "$folder"/errors.* >&2; exit 1; fi
  done
  gap=$(($(first_after "$killed") - killed))
  start_node "$old"
  wait_until_whole
  new=$(leader_index)
  printf '| %d | %s | %s | %s | %s | %s |\n' "$k" "${nodes[$old]}" "${nodes[$new]}" "$(seconds $wrote)" "$(seconds $gap)" "$(seconds $(($(milliseconds) - killed)))"
done
sleep "$between"
touch "$folder/stop"
wait "${writer_pids[@]}"
"$track" ingest --format json > "$folder/ingested"

cat "$folder"/log.* | awk '$1 != "failed" { for (i = 0; i < $5; i++) print $4 + i }' | sort > "$folder/acknowledged"
on_leader 'SELECT CAST(number AS text) FROM seed UNION ALL SELECT task FROM execution' | sort > "$folder/stored"
on_leader "SELECT number FROM seed WHERE superseded_at IS NOT NULL OR (SELECT count(*) FROM json_object_keys(numbers::json)) <> 66
  OR NOT EXISTS (SELECT FROM assessment WHERE seed_id = seed.id AND json_array_length(results::json) = 66)" > "$folder/incomplete"
lost=$(comm -23 <(uniq "$folder/acknowledged") <(uniq "$folder/stored") | wc -l)
doubled=$(uniq -d "$folder/stored" | wc -l)
failed=$(cat "$folder"/log.* | grep -c '^failed' || true)
kept=$(cat "$folder"/log.* | awk '$1 == "kept" { files++; records += $5 } END { print records + 0, "records by", files + 0, "commands" }')
printf '\n%d records acknowledged, of them kept in the spool: %s; %d lost, %d doubled, %d incomplete; %d stored without an acknowledgement; %d commands failed.\n' \
  "$(wc -l < "$folder/acknowledged")" "$kept" "$lost" "$doubled" "$(wc -l < "$folder/incomplete")" \
  "$(comm -13 <(uniq "$folder/acknowledged") <(uniq "$folder/stored") | wc -l)" "$failed"
[ "$lost" = 0 ] && [ "$doubled" = 0 ] && [ ! -s "$folder/incomplete" ]
