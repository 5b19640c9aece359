#!/usr/bin/env bash
# install.sh PROGRAM:PACKAGE... installs the Debian package of each program that is missing, if it may, and the packages
# of npm that tests use. Tests whose programs are missing are skipped, or fail with TRACK_OUTSIDE=required.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
for pair in "$@"; do
  command -v "${pair%%:*}" > /dev/null || packages+=("${pair##*:}")
done
if [ ${#packages[@]} -gt 0 ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "missing: ${packages[*]}: install them, or run make tools as root on Debian or Ubuntu"
  else
    apt-get update -qq
    for package in "${packages[@]}"; do # one by one: a release may lack one
      echo "installing $package"
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" > /dev/null || echo "$package could not be installed"
    done
  fi
fi

# DuckDB reads the tables that track exports; axe-core checks that pages are accessible.
for module in duckdb:@duckdb/node-api@1.5.6-r.1 axe:axe-core@4.14.1; do
  folder=bin/${module%%:*}
  [ -d "$folder/node_modules" ] || npm install --silent --no-audit --no-fund --prefix "$folder" "${module#*:}" || echo "$module could not be installed"
done
