#!/usr/bin/env bash
# scripts/run.sh from a directory that is not the repository: the user's relative paths hold, standard output is only
# heddle's, exit codes pass through, and a second run builds nothing.
set -euo pipefail
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir "with space"
cat >"with space/transfer.chor" <<'CHOR'
choreography FileTransfer
state s0:
  P1 -> P2 : start => s1
state s1:
  P1 -> P2 : cancel => s2
  P2 -> P1 : finished => s3
state s2:
  P2 -> P1 : finished => s4
CHOR

fail() {
  printf 'smoke: %s\n' "$*" >&2
  exit 1
}

run() { "$root/scripts/run.sh" "$@"; }

status=0
run check --format=json "with space/transfer.chor" >first.json || status=$?
[ "$status" -eq 1 ] || fail "exit code $status for a choreography that is not realizable, expected 1"
[ "$(wc -l <first.json)" -eq 1 ] || fail "more than one line of JSON on standard output"
grep -q '"verdict":"violated"' first.json || fail "no verdict in: $(cat first.json)"
grep -q '"file":"with space/transfer.chor"' first.json || fail "the file's name was changed"

status=0
run check nowhere.chor >out 2>err || status=$?
[ "$status" -eq 3 ] || fail "exit code $status for a file that does not exist, expected 3"
[ ! -s out ] || fail "an error was printed on standard output"
grep -q nowhere.chor err || fail "the error does not name the file"

status=0
run no-such-command >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "exit code $status for a wrong command, expected 2"

# Nothing below build/release may change in a second run.
stamp() { find "$root/build/release" -type f -printf '%p %T@ %s\n' | sort; }
stamp >before
run --version >version
stamp >after
cmp -s before after || fail "a second run changed the build: $(diff before after | head -n 5)"
grep -Eq '[0-9]+\.[0-9]+\.[0-9]+' version || fail "no version in: $(cat version)"
