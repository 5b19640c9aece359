#!/bin/sh
# Sixty executions of an agent that evolves, from the folder of a SEPA on. docs/tutorials/evolve-an-agent.md explains it. Usage: loop.sh [SEED]
set -eu
here=$(dirname "$0") seed=${1:-42} n=0 at=2026-03-05T00:00:00Z

track import sepa "$here/sepa" --lineage sepa
track lineage new sepa --seed "$seed" --policy threshold --at "$at"
track lineage set sepa --score-from own --at "$at"
while [ $n -lt 60 ]; do
  eval "$(track mutation next sepa --shell --at "$at")" && echo "$n: $action${version:+ $version}: $reason"
  case $action in
    run | wait) score=$(track version export "sepa@$version" | sh "$here/agent.sh" "$seed" $n)
                track record execution --lineage sepa --version "$version" --task "${task:-t$((n % 5))}" --key "e$n" --score "$score" --started-at "$at" --quiet > /dev/null
                n=$((n + 1)) at=$(printf '2026-03-%02dT%02d:00:00Z' $((5 + n / 12)) $((n % 12 * 2))) ;;
    mutate)     track version export "sepa@$version" | sh "$here/mutate.sh" "$operator" $n | track mutation propose --lineage sepa --child - --at "$at" || [ $? -eq 10 ] ;;
    decide)     track mutation decide "$mutation" --at "$at" || [ $? -eq 10 ] ;;
    rollback)   track rollback sepa --if-triggered --at "$at" ;;
    stop)       break ;;
  esac
done
track replay --lineage sepa --strict
