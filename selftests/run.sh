#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: run.sh [PROGRAM]...
#
# Runs the self-tests next to this script, all or those named, and prints what
# they print as the subtests of one TAP stream. The last line counts the tests:
# "# N passed, N failed, N skipped". Exits with 0 if none has failed, else 1.
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- interface stats threshold resize policy module fault

for program; do
	echo "@begin $program $(date +%s)"
	"./$program" </dev/null 2>&1
	echo "@end $? $(date +%s)"
done | awk -v programs=$# '
function line(text)
{
	print text
	fflush()
}

BEGIN {
	line("TAP version 13")
	line("1.." programs)
}

$1 == "@begin" {
	program = $2
	start = $3
	passed = failed = skipped = 0
	next
}

# 4: all of it was skipped. A program that fails without a test that does has
# crashed.
$1 == "@end" {
	if ($2 != 0 && $2 != 4 && !failed)
		failed = 1
	if ($2 == 0 && !passed && !failed && !skipped)
		failed = 1
	if ($2 == 4 && !skipped)
		skipped = 1
	all_passed += passed
	all_failed += failed
	all_skipped += skipped
	result = failed ? "not ok " : "ok "
	note = $2 == 4 ? " # SKIP" : failed ? " # exit=" $2 : ""
	number++
	line(result number " selinux_avc: " program note)
	line("# " program ": " passed " passed, " failed " failed, " \
		skipped " skipped, " $3 - start " s")
	next
}

/^ok .*# SKIP/ || /^1\.\.0 # SKIP/	{ skipped++ }
/^ok / && !/# SKIP/			{ passed++ }
/^not ok /				{ failed++ }
					{ line("# " $0) }

END {
	line("# " all_passed + 0 " passed, " all_failed + 0 " failed, " \
		all_skipped + 0 " skipped")
	exit all_failed > 0
}'
