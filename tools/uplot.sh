#!/usr/bin/env bash
# uplot.sh FOLDER compares the files of uPlot in FOLDER with those of its package on npm.
set -euo pipefail
package=$(mktemp -d)
trap 'rm -r "$package"' EXIT
npm pack --silent --pack-destination "$package" uplot@1.6.32 > /dev/null
tar -xzf "$package/uplot-1.6.32.tgz" -C "$package"
for file in LICENSE dist/uPlot.iife.min.js dist/uPlot.min.css; do
  cmp "$package/package/$file" "$1/${file##*/}"
done
echo "uPlot is that of the package"
