#!/bin/sh
# A mutator that is not there: reads a prompt, and prints a child of it, made by an operator. N makes each child another.
# Usage: mutate.sh OPERATOR N < prompt
case $1 in
  instruction_rephrase) sed "s/^Say .*/Say in one sentence what is broken, and how to see it happen (rule $2)./" ;;
  example_inject)       cat && echo "Example $2: \"the login hangs\" is high, and belongs to accounts." ;;
  constraint_add)       cat && echo "Check $2: is the severity that of the worst case that the report shows?" ;;
  step_reorder)         cat && echo "First, search the reports of before for the same words, up to $2 of them." ;;
  persona_adjust)       cat && echo "Stay cheerful, whatever is broken, and use $2 exclamation marks." ;;
  emphasis_shift)       cat && echo "IMPORTANT: rule $2 IS THE RULE THAT COUNTS." ;;
  format_change)        cat && echo "NEVER follow the format of the report: write $2 lines." ;; # refused: a forbidden pattern
  constraint_remove)    sed 1q && echo "Answer report $2." ;;                              # refused: too short
esac
