#!/bin/sh
# An agent that is not there: reads its prompt, and prints what its answer to task N was worth, from 0 to 100. What it is worth follows
# from the text of the prompt and from noise that SEED and N make. From task 30 on the search that some prompts ask for is gone.
# Usage: agent.sh SEED N < prompt
awk -v seed="$1" -v n="$2" '
  function uniform() { x = (x * 16807) % 2147483647; return x / 2147483647 }
  /^Example/   { examples++ }
  /^Check/     { checks++ }
  /^First,/    { searches++ }
  /^Stay/      { personas++ }
  /^IMPORTANT/ { shouts++ }
  END {
    x = (seed * 7919 + n * 104729) % 2147483646 + 1
    for (i = 0; i < 12; i++) uniform()
    noise = 6 * (uniform() + uniform() + uniform() + uniform() - 2)
    score = 45 + 6 * (examples < 3 ? examples : 3) + 4 * (checks < 3 ? checks : 3) - 6 * personas - 3 * shouts
    if (searches) score += n < 30 ? 8 : -35
    score += noise
    printf "%.1f\n", (score < 0 ? 0 : (score > 100 ? 100 : score))
  }'
