#!/bin/sh
# Installs what heddle needs, from Debian 12 (bookworm), and fetches the Go grammar with npm into the source tree
# (frontends/minigo/grammar; its lock file says what and with which checksum). Needs only a shell and apt-get; asks for
# nothing.
#
#   scripts/setup.sh            what building and testing need
#   scripts/setup.sh --build    only what building the command needs
#   scripts/setup.sh --bench    what scripts/bench.sh needs: building, and the explorers it compares with
#   scripts/setup.sh --dev      testing, and the tools of scripts/check, debugging and packaging
#   scripts/setup.sh --go       testing, and Go, with which the full tier compares what it says of Go programs
#
# When everything is there it says nothing, calls no apt-get and is done at once. On a system without dpkg it checks
# that the tools and libraries are there and, when one is missing, says which. An npm that did not come from Debian's
# package serves as well.
set -eu

build_packages="gcc libc6-dev cmake ninja-build pkg-config libxxhash-dev libjemalloc-dev libjansson-dev \
  libcadical-dev libstdc++-12-dev libtree-sitter-dev"
command -v npm >/dev/null 2>&1 || build_packages="$build_packages npm"
test_packages="g++ libcriterion-dev libz3-dev python3 python3-jsonschema clang-14 libclang-rt-14-dev git patch valgrind"
dev_packages="clang-format-14 clang-tidy-14 cppcheck shellcheck libomp-14-dev llvm-14 gdb graphviz dpkg-dev"

bench_packages="$build_packages python3 valgrind spin rumur gnuplot-nox libz3-dev"

build_commands="cc cmake ninja pkg-config npm"
test_commands="c++ python3 clang-14 git patch valgrind"
dev_commands="clang-format-14 clang-tidy-14 cppcheck shellcheck dot"
bench_commands="$build_commands python3 valgrind spin rumur gnuplot"
build_modules="libxxhash jemalloc jansson tree-sitter"
test_modules="criterion"

say() { printf 'setup: %s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 1
}

case ${1-} in
  --build)
    packages=$build_packages commands=$build_commands modules=$build_modules ;;
  "")
    packages="$build_packages $test_packages" commands="$build_commands $test_commands"
    modules="$build_modules $test_modules" ;;
  --bench)
    packages=$bench_packages commands=$bench_commands modules=$build_modules ;;
  --go)
    packages="$build_packages $test_packages golang-go" commands="$build_commands $test_commands go"
    modules="$build_modules $test_modules" ;;
  --dev)
    packages="$build_packages $test_packages $dev_packages"
    commands="$build_commands $test_commands $dev_commands" modules="$build_modules $test_modules" ;;
  *)
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
    exit 2 ;;
esac
[ $# -le 1 ] || fail "one argument at most"

# The packages of $packages that are not installed. dpkg-query fails when it does not know one: that is an answer too.
missing_packages() {
  # shellcheck disable=SC2086 # a list of names
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>/dev/null || true)
  for package in $packages; do
    case "
$installed
" in
      *"
$package installed
"*) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

missing_parts() {
  for command in $commands; do
    command -v "$command" >/dev/null 2>&1 || printf '%s ' "$command"
  done
  for module in $modules; do
    pkg-config --exists "$module" 2>/dev/null || printf '%s (library) ' "$module"
  done
}

# Runs a command up to three times, for mirrors and locks come and go. Its output is shown only when the last try fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
try() {
  for pause in 2 10 0; do
    if "$@" >"$log" 2>&1; then return 0; fi
    sleep "$pause"
  done
  cat "$log" >&2
  return 1
}

# The grammar's package, exactly as the lock file has it. A copy of that file beside it tells that nothing is to be done.
grammar=$(dirname "$0")/../frontends/minigo/grammar
fetch_grammar() {
  if cmp -s "$grammar/package-lock.json" "$grammar/node_modules/heddle-lock.json"; then return 0; fi
  say "fetching the Go grammar"
  try npm --prefix "$grammar" ci --no-audit --no-fund --ignore-scripts ||
    fail "npm could not fetch the Go grammar (frontends/minigo/grammar/package-lock.json); is the network there?"
  cp "$grammar/package-lock.json" "$grammar/node_modules/heddle-lock.json"
}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  missing=$(missing_parts)
  [ -z "$missing" ] || fail "this is not a Debian system; install by hand: $missing"
  fetch_grammar
  exit 0
fi

missing=$(missing_packages)
if [ -z "$missing" ]; then
  fetch_grammar
  exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root=sudo
else
  fail "not root and no sudo; as root, run: apt-get install $missing"
fi

# `env` carries the variable through sudo, which drops the caller's environment.
apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@"
}

# The package lists may be absent or too old for the mirror: then, and only then, they are fetched.
install() {
  # shellcheck disable=SC2086
  apt install --no-install-recommends $missing
}
say "installing $missing"
if ! install >"$log" 2>&1; then
  try apt update || fail "apt-get update failed; is the network there?"
  try install || fail "apt-get install failed; the packages are those of Debian 12 (bookworm)"
fi
missing=$(missing_packages)
[ -z "$missing" ] || fail "still missing after the installation: $missing"
fetch_grammar
