#!/usr/bin/env bash
# fuzz.sh RUNS fuzzes every target RUNS times, such as 2000x, two packages at a time. Each package is compiled once: go
# test -fuzz compiles it for each target.
set -euo pipefail
cd "$(dirname "$0")/.."
export runs=$1 built
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
FUZZCACHE=$(go env GOCACHE)/fuzz
export FUZZCACHE

package() {
  set -euo pipefail
  local dir=$1 target test
  test=$built/$(tr / _ <<<"$dir").test
  # shellcheck disable=SC2086 # flags
  go test $TESTFLAGS -c -fuzz . -o "$test" "$dir"
  for target in $(cat "$dir"/*_test.go | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' | sort); do
    (cd "$dir" && "$test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$runs" -test.fuzzminimizetime 0x \
      -test.parallel 1 -test.fuzzcachedir "$FUZZCACHE/$(go list .)" < /dev/null > "$built/$target.txt" 2>&1) || { cat "$built/$target.txt"; exit 255; }
    echo "fuzz $dir $target: $(grep -o 'execs: [0-9]*' "$built/$target.txt" | tail -1)"
  done
  rm "$test"
}
export -f package

grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | xargs -P 2 -I DIR bash -c 'package "$1"' fuzz DIR
