#!/bin/sh
# A draw by hand: prints raw and u. Seeds from 2^63 on are too large for the arithmetic of a shell.
# Usage: draw.sh SEED LINEAGE MUTATION ATTEMPT LABEL
export LC_ALL=C
bytes() { # a number $2 in $1 bytes, the highest first
  i=$1
  while [ "$i" -gt 0 ]; do i=$((i - 1)) && printf "\\$(printf %03o $(($2 >> (8 * i) & 255)))"; done
}
seed=$1 && shift
{ printf 'track/draw/1\000' && bytes 8 "$seed" && for field; do bytes 4 ${#field} && printf %s "$field"; done; } | sha256sum |
  awk '{ for (i = 1; i <= 14; i++) { d = index("0123456789abcdef", substr($1, i, 1)) - 1; n = i < 14 ? n * 16 + d : n * 2 + (d > 7) }
         printf "%s %.16g\n", substr($1, 1, 16), n / 2 ^ 53 }'
