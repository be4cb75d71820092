#!/usr/bin/env bash
# Build the wheel and the source distribution, install each with nothing else into a bare environment, and use it outside
# of the repository: tools/try_wheel.sh [PYTHON]. Needs an index to install dependencies from, and takes minutes.
set -euo pipefail # so whoever looks for a line (grep) has to read to the end: a closed pipe is a failure too
python=${1:-python3}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/build"
"$work/build/bin/python" -m pip install --quiet --disable-pip-version-check build
"$work/build/bin/python" -m build --outdir "$work/dist" "$root"
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$root/src/feint/__init__.py")

cd "$work" # where nothing of the repository is found by accident
for file in dist/*.whl dist/*.tar.gz; do
  "$python" -m venv --clear bare
  bare/bin/python -m pip install --quiet --disable-pip-version-check "$file"
  bare/bin/feint --version | grep -x "feint $version" >/dev/null
  bare/bin/feint train cfr+ kuhn --steps 100 --out "run-${file##*.}" >/dev/null
  bare/bin/feint evaluate "run-${file##*.}" | grep "^exploitability .* (exact)$" >/dev/null
  echo q | bare/bin/feint play feint:leduc --hands 1 | grep "^Hand 1\." >/dev/null
  echo "$file works in $(bare/bin/python --version)"
done
