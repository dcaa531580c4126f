#!/bin/sh
# The Python package: numpy blocks beside C, and five jobs beside the peers from PyPI, each in
# time and lines of code.  A peer that is not there, or does not do a job, says so.
set -u
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make --no-print-directory -s python BRIEF=1 || exit 1
/usr/bin/python3 -m venv --system-site-packages --without-pip "$work/venv" &&
	/usr/bin/python3 -m pip --python "$work/venv/bin/python" install -q --no-index --no-deps \
		--disable-pip-version-check "$(cat build/python/wheel)" || exit 1
unset PYTHONPATH
python=$work/venv/bin/python

echo "numpy blocks: processor time for a value"
printf '%-28s %10s %12s %8s\n' '' C Python ratio
status=0
"$python" bench/python/block.py || status=1

# where PEER: the folder that bench/peers unpacked it into
where() {
	case $1 in
	python-dp | smartnoise-sql | tumult) echo ".cache/peers-$1" ;;
	*) echo .cache/peers ;;
	esac
}

# job NAME PEER...
job() {
	name=$1
	shift
	for peer; do
		if [ "$peer" = sotto ]; then path=; else path=$PWD/$(where "$peer"); fi
		if [ -n "$path" ] && [ ! -e "$path/done" ]; then
			printf '%-12s %-16s %s\n' "$name" "$peer" '- could not be fetched'
			continue
		fi
		if said=$(PYTHONPATH=$path timeout 300 "$python" bench/python/jobs.py "$name" "$peer" 2> "$work/err"); then
			printf '%-12s %-16s %10.3f s %6d\n' "$name" "$peer" $said
		else
			printf '%-12s %-16s %s\n' "$name" "$peer" "- $(tail -n 1 "$work/err" | cut -c1-60)"
		fi
	done
}

printf '\nfive jobs\n%-12s %-16s %12s %6s\n' job library time lines
job group_by sotto opendp diffprivlib python-dp smartnoise-sql tumult
job year sotto opendp diffprivlib dp-accounting
job histogram sotto opendp diffprivlib python-dp
job rappor sotto pure-ldp
job audit sotto opendp diffprivlib
exit $status
