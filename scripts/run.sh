#!/usr/bin/env bash
# Runs heddle with the given arguments, from any directory; builds it first when the sources have changed.
#
#   scripts/run.sh check examples/choreography/fig1a_file_transfer.chor
#
# The first run installs what the build needs (scripts/setup.sh --build). A second run installs and builds nothing.
# Only heddle's own output goes to standard output. The exit code is heddle's, or 125 when it could not be built.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh" --build || exit 125
build release || exit 125
exec "$root/build/release/bin/heddle" "$@"
