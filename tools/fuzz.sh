#!/usr/bin/env bash
# fuzz.sh RUNS FLAGS... fuzzes every target RUNS times, such as 1000x, two packages at a time; FLAGS are those of go
# test. Each package is compiled once: go test -fuzz compiles it for each target. What one run finds interesting is not
# kept: the next would begin with all of it. Packages that link SQLite are compiled without counters of coverage, which
# take minutes for its C code, and so are fuzzed without their guidance; FUZZ_GUIDED=all has them too.
set -euo pipefail
cd "$(dirname "$0")/.."
export runs=$1 flags="${*:2}" built
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT

package() {
  set -euo pipefail
  local dir=$1 target test guided=(-fuzz .)
  test=$built/$(tr / _ <<<"$dir").test
  if [ "${FUZZ_GUIDED:-}" != all ] && go list -deps -test "$dir" | grep -qx modernc.org/sqlite/lib; then guided=(); fi
  # shellcheck disable=SC2086 # flags
  go test $flags -c "${guided[@]}" -o "$test" "$dir"
  for target in $(cat "$dir"/*_test.go | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' | sort); do
    (cd "$dir" && "$test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$runs" -test.fuzzminimizetime 0x \
      -test.parallel 1 -test.fuzzcachedir "$test.corpus" < /dev/null > "$test.$target.txt" 2>&1) || { cat "$test.$target.txt"; exit 255; }
    echo "fuzz $dir $target: $(grep -o 'execs: [0-9]*' "$test.$target.txt" | tail -1)"
  done
  rm -r "$test" "$test".*
}
export -f package

grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | xargs -P 2 -I DIR bash -c 'package "$1"' fuzz DIR
