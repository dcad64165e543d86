#!/usr/bin/env bash
# Measures heddle against SPIN and Rumur, the stores against each other, a few shapes of state spaces, and the solvers of
# repairs against z3.
#
#   scripts/bench.sh                     everything: about 20 minutes on two cores
#   scripts/bench.sh --quick             small sizes, two rounds: shows that everything works
#   scripts/bench.sh --part solver       only that part
#   scripts/bench.sh --part peers --workloads "ring=12 star=15" --rounds 3
#   scripts/bench.sh --write             also puts the tables into docs/benchmarks.md
#
# Results: build/bench-results/*.csv and plots (*.svg, when gnuplot is there), tables on standard output. Options are those
# of bench/compare.py (--help). Needs scripts/setup.sh --bench.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh" --bench
build bench heddle_bench heddle_set_bench heddle_deque_bench heddle_solver_bench
build release heddle_bench
exec python3 -B "$root/bench/compare.py" --root "$root" "$@"
