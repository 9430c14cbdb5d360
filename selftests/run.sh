#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: run.sh [PROGRAM]...
#
# Runs the self-tests next to this script, all or those named, and prints what
# they print as the subtests of one TAP stream. The last line counts the tests:
# "# N passed, N failed, N skipped". Exits with 0 if none has failed, else 1.
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- interface stats threshold resize policy module fault

# end STATUS SECONDS: the program has ended. One that fails without a test that
# does has crashed; one that says nothing has not done its work.
end()
{
	if [ "$1" = 4 ]; then
		[ "$skipped" -gt 0 ] || skipped=1
	elif [ "$failed" = 0 ]; then
		[ "$1" = 0 ] && [ $((passed + skipped)) -gt 0 ] || failed=1
	fi
	number=$((number + 1))
	if [ "$failed" -gt 0 ]; then
		echo "not ok $number selinux_avc: $program # exit=$1"
	elif [ "$1" = 4 ]; then
		echo "ok $number selinux_avc: $program # SKIP"
	else
		echo "ok $number selinux_avc: $program"
	fi
	echo "# $program: $passed passed, $failed failed, $skipped skipped, $2 s"
	all_passed=$((all_passed + passed))
	all_failed=$((all_failed + failed))
	all_skipped=$((all_skipped + skipped))
}

# A loop and not awk, some kinds of which wait for more input than a line.
count()
{
	number=0 all_passed=0 all_failed=0 all_skipped=0
	while IFS= read -r line; do
		case $line in
		"@begin "*)
			program=${line#@begin }
			passed=0 failed=0 skipped=0
			continue
			;;
		"@end "*)
			# shellcheck disable=SC2086 # two words
			end ${line#@end }
			continue
			;;
		"ok "*"# SKIP"*|"1..0 # SKIP"*)
			skipped=$((skipped + 1)) ;;
		"ok "*)
			passed=$((passed + 1)) ;;
		"not ok "*)
			failed=$((failed + 1)) ;;
		esac
		printf '# %s\n' "$line"
	done
	echo "# $all_passed passed, $all_failed failed, $all_skipped skipped"
	[ $all_failed = 0 ]
}

echo "TAP version 13"
echo "1..$#"
for program; do
	start=$(date +%s)
	echo "@begin $program"
	"./$program" </dev/null 2>&1
	echo "@end $? $(($(date +%s) - start))"
done | count
