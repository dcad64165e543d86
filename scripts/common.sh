# shellcheck shell=bash
# What the scripts share. Sourced, never run: sets `root`, the repository, and defines functions.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# Runs a command with its output in a file, which is shown only when the command fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    printf '%s failed (exit %d):\n' "$*" "$status" >&2
    cat "$log" >&2
  fi
  rm -f "$log"
  return "$status"
}

# configure PRESET: makes build/PRESET when it is missing or older than the presets. Otherwise the build updates itself.
configure() {
  if [ ! "$root/build/$1/build.ninja" -nt "$root/CMakePresets.json" ]; then
    (cd "$root" && quietly cmake --preset "$1")
  fi
}

# build PRESET [TARGET...]: configures and builds. Does nothing when nothing has changed. One at a time per preset.
build() {
  local preset=$1
  shift
  mkdir -p "$root/build"
  (
    flock 9
    configure "$preset" && quietly cmake --build "$root/build/$preset" ${1+--target "$@"}
  ) 9>"$root/build/.lock-$preset"
}
