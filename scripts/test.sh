#!/usr/bin/env bash
# Sets up, builds and tests heddle. Ends with the line `N passed, N failed`; exit 0 only when nothing failed.
#
#   scripts/test.sh          the tier of at most ten minutes: every test in the dev build, the tests under
#                            AddressSanitizer and UndefinedBehaviorSanitizer, the parallel parts under ThreadSanitizer,
#                            the release build as a user meets it, the layer and sync-pair checks, a mutant per module
#   scripts/test.sh --full   also every mutant, and the tests that only run with `ctest -C full`
#
# docs/testing.md says what the kinds of tests are and how to run one of them alone.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "$#:${1-}" in
  0:) configuration="" ;;
  1:--full) configuration=full ;;
  *)
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

passed=0
failed=0

# ctest_in PRESET TARGET [ARGUMENT...]: builds the target, runs the preset's tests and adds ctest's own counts to ours. A
# build that fails counts as one failure.
ctest_in() {
  local preset=$1 target=$2 report begin=$SECONDS
  shift 2
  if ! build "$preset" "$target"; then
    failed=$((failed + 1))
    return
  fi
  printf '== %s: built in %d s\n' "$preset" $((SECONDS - begin))
  begin=$SECONDS
  report=$root/build/$preset/junit.xml
  rm -f "$report"
  # The presets' environment (sanitizer options) comes with --preset. The exit code says nothing that the counts do not.
  (cd "$root" && ctest --preset "$preset" -j "$(nproc)" ${configuration:+-C "$configuration"} \
    --output-junit "$report" "$@") || true
  printf '== %s: tested in %d s\n' "$preset" $((SECONDS - begin))
  count "$report"
}

# Adds up the attributes of ctest's report: <testsuite tests="12" failures="1" disabled="0" skipped="0" ...>.
count() {
  local tests failures skipped
  if ! { tests=$(attribute tests "$1") && failures=$(attribute failures "$1") && skipped=$(attribute skipped "$1"); }; then
    printf 'no report from ctest: %s\n' "$1" >&2
    failed=$((failed + 1))
    return
  fi
  # A test that could not be run ("skipped" in the report: its program is missing) was not passed.
  passed=$((passed + tests - failures - skipped))
  failed=$((failed + failures + skipped))
}

attribute() {
  awk -v name="$1" '
    $0 ~ "^[ \t]*" name "=\"[0-9]+\"" && !seen {
      gsub(/[^0-9]/, "")
      print
      seen = 1
    }
    END { exit !seen }' "$2"
}

"$root/scripts/setup.sh"
ctest_in dev all ${configuration:+-E "^mutants_quick$"} # the full tier runs them all
ctest_in asan all
ctest_in tsan thread_tests -L '^threads$'

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
