# Functions that run etcd and three PostgreSQL nodes under Patroni on loopback. To be sourced, with $folder set.

nodes=(a b c)
postgres_bin=$(dirname "$(ls -d /usr/lib/postgresql/*/bin/postgres | sort -V | tail -1)")

missing_tools() {
  for tool in patroni etcd psql curl jq setpriv; do command -v "$tool" > /dev/null || echo "$tool"; done
}

# A server refuses to run as root.
unprivileged() {
  if [ "$(id -u)" = 0 ]; then exec setpriv --reuid postgres --regid postgres --clear-groups env HOME="$folder" "$@"; else exec "$@"; fi
}

free_ports() { # of $1 ports
  /usr/bin/python3 -c 'import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in held: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])' "$1"
}

start_etcd() {
  local client=http://127.0.0.1:${ports[0]} peer=http://127.0.0.1:${ports[1]}
  unprivileged etcd --data-dir "$folder/etcd" --name one --initial-cluster "one=$peer" --logger zap --log-level warn \
    --listen-client-urls "$client" --advertise-client-urls "$client" --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
    > "$folder/etcd.log" 2>&1 &
  etcd_pid=$!
}

database_port() { echo "${ports[$((2 + $1))]}"; }
rest_port() { echo "${ports[$((5 + $1))]}"; }

# write_settings writes the settings of node $1. The key of a leader that is killed lasts ttl seconds.
write_settings() {
  cat > "$folder/${nodes[$1]}.yml" << SETTINGS
scope: track
name: ${nodes[$1]}
restapi: {listen: "127.0.0.1:$(rest_port "$1")", connect_address: "127.0.0.1:$(rest_port "$1")"}
etcd3: {host: "127.0.0.1:${ports[0]}"}
bootstrap:
  dcs:
    ttl: $ttl
    loop_wait: $loop_wait
    retry_timeout: $loop_wait
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: {wal_log_hints: "on", max_connections: 100, shared_buffers: 64MB, wal_keep_size: 512MB}
  initdb: [{encoding: UTF8}, {locale: C}]
postgresql:
  listen: 127.0.0.1:$(database_port "$1")
  connect_address: 127.0.0.1:$(database_port "$1")
  data_dir: $folder/${nodes[$1]}
  bin_dir: $postgres_bin
  pgpass: $folder/${nodes[$1]}.pgpass
  parameters: {unix_socket_directories: ""}
  pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
  authentication:
    superuser: {username: postgres, password: postgres}
    replication: {username: replicator, password: replicator}
    rewind: {username: postgres, password: postgres}
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
SETTINGS
}

start_node() {
  unprivileged patroni "$folder/${nodes[$1]}.yml" >> "$folder/${nodes[$1]}.log" 2>&1 &
  node_pids[$1]=$!
}

# kill_node ends Patroni and all processes of PostgreSQL of node $1, without a chance to say good-bye.
kill_node() {
  local server backends
  server=$(head -1 "$folder/${nodes[$1]}/postmaster.pid")
  kill -STOP "${node_pids[$1]}" "$server" # so that neither sees the other processes end
  backends=$(ps -o pid= --ppid "$server")
  kill -KILL $backends "$server" "${node_pids[$1]}" 2> /dev/null || true
  wait "${node_pids[$1]}" 2> /dev/null || true
}

cluster_state() { # from any node that answers
  for i in 0 1 2; do curl -fsS --max-time 2 "http://127.0.0.1:$(rest_port $i)/cluster" 2> /dev/null && return; done
  echo '{"members":[]}'
}

# leader_index prints which of the nodes leads; nothing if none does.
leader_index() {
  local name
  name=$(cluster_state | jq -r '.members[] | select(.role == "leader" and .state == "running") | .name')
  for i in 0 1 2; do if [ "${nodes[$i]}" = "$name" ]; then echo "$i"; fi; done
}

# wait_until_whole waits for a leader, a synchronous standby and a replica, all of them running.
wait_until_whole() {
  for _ in $(seq 240); do
    if cluster_state | jq -e '[.members[] | select(.role == "leader" and .state == "running")] == [] | not' > /dev/null &&
       cluster_state | jq -e '([.members[] | select(.role == "sync_standby" and (.state == "running" or .state == "streaming"))] | length) >= 1
                              and ([.members[] | select(.state == "running" or .state == "streaming")] | length) == 3' > /dev/null; then return; fi
    sleep 0.5
  done
  echo "the cluster is not whole after 120 s:" >&2; cluster_state >&2; tail -3 "$folder"/?.log >&2
  return 1
}

stop_cluster() {
  kill "${node_pids[@]}" 2> /dev/null && wait "${node_pids[@]}" 2> /dev/null || true
  kill "$etcd_pid" 2> /dev/null && wait "$etcd_pid" 2> /dev/null || true
}
