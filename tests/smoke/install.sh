#!/usr/bin/env bash
# Installs the release build into an empty folder and uses it from outside, once through the CMake package and once
# through pkg-config; then makes the Debian package and looks into it.
set -euo pipefail
root=$1
here=$root/tests/smoke
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$root/scripts/common.sh"

fail() {
  printf 'smoke: %s\n' "$*" >&2
  exit 1
}

build release
quietly cmake --install "$root/build/release" --prefix "$scratch/first"
mv "$scratch/first" "$scratch/prefix" # nothing installed may remember where it was
prefix=$scratch/prefix

"$prefix/bin/heddle" --version >/dev/null
grep -rIl "$root" "$prefix" && fail "installed files name the source tree"

quietly cmake -S "$here/consumer" -B "$scratch/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$scratch/consumer"
"$scratch/consumer/consumer"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name heddle.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # lists of flags
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "$here/consumer/consumer.c" -o "$scratch/by-pkg-config" \
  $(pkg-config --cflags --libs heddle)
"$scratch/by-pkg-config"

(cd "$scratch" && quietly cpack --config "$root/build/release/CPackConfig.cmake" -B "$scratch/package")
package=$(find "$scratch/package" -maxdepth 1 -name '*.deb')
[ -n "$package" ] || fail "no Debian package"
dpkg-deb --contents "$package" | grep ' \./usr/bin/heddle$' >/dev/null || fail "the package lacks the command"
dpkg-deb --field "$package" Depends | grep libjansson >/dev/null || fail "the package does not depend on libjansson"
