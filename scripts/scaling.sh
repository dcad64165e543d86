#!/usr/bin/env bash
# Measures how heddle gets faster with threads: strong and weak scaling, pinned, and what that predicts for more cores.
#
#   scripts/scaling.sh                    ring 13, counter 4,5 and wider ones; about 5 minutes on two cores
#   scripts/scaling.sh --quick            small sizes: shows that everything works
#   scripts/scaling.sh --program PROGRAM  uses a heddle-bench that was built elsewhere: builds and installs nothing
#   scripts/scaling.sh --write            also puts the tables into docs/benchmarks.md
#
# Results: build/bench-results/scaling*.csv (--out FOLDER) and plots. Options are those of bench/scaling.py (--help).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case " $* " in
  *" --program "*) exec python3 -B "$root/bench/scaling.py" --root "$root" "$@" ;;
esac
build bench heddle_bench
build bench-plain heddle_bench
exec python3 -B "$root/bench/scaling.py" --root "$root" --program "$root/build/bench/bin/heddle-bench" \
  --plain "$root/build/bench-plain/bin/heddle-bench" "$@"
