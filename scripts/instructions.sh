#!/usr/bin/env bash
# Counts the instructions that one transition costs, and compares them with bench/instructions.csv.
#
#   scripts/instructions.sh            fails when a workload costs over 2 % more than it did, or more than its limit
#   scripts/instructions.sh --update   writes bench/instructions.csv anew
#   scripts/instructions.sh --show     prints the counts and compares nothing
#
# Counted by valgrind's callgrind on the release build with one thread; see bench/instructions.py for what and how.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build release heddle_bench
exec python3 -B "$root/bench/instructions.py" --program "$root/build/release/bin/heddle-bench" \
  --baseline "$root/bench/instructions.csv" "$@"
