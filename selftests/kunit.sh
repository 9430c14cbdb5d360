#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: kunit.sh [MODULE [SUITE]]
#
# Loads a KUnit module (default: /modules/selinux_avc_kunit.ko), which runs its
# tests, and prints the results of SUITE (default: selinux_avc_table) as KTAP.
# The last line counts them: "# N passed, N failed, N skipped". Exits with 0 if
# none has failed, else with 1. Needs root and debugfs.
module=${1:-/modules/selinux_avc_kunit.ko}
suite=${2:-selinux_avc_table}
results=/sys/kernel/debug/kunit/$suite/results
name=${module##*/}
name=${name%.ko}

fail()
{
	echo "Bail out! $*"
	exit 1
}

[ -e "$module" ] || fail "there is no $module"
# Results of an earlier load would prove nothing.
if [ -d "/sys/module/$name" ]; then
	rmmod "$name" || fail "$name is loaded already"
fi
insmod "$module" || fail "cannot load $module"
[ -r "$results" ] || fail "no results in $results: is CONFIG_KUNIT_DEBUGFS set?"
# A test's line: kernels before 6.2 write "ok 1 - name".
has_tests()
{
	grep -qE '^    (not )?ok [0-9]+ ' "$results"
}
# Without kunit.autorun, loading the module runs nothing.
if ! has_tests && [ -w "${results%/*}/run" ]; then
	echo run >"${results%/*}/run"
fi
has_tests || fail "no test was run: does the kernel command line need kunit.enable=1?"
ktap=$(cat "$results")
rmmod "$name" || fail "cannot unload $name"
printf '%s\n' "$ktap"
# The cases; deeper lines are the parameters of one.
printf '%s\n' "$ktap" | awk '
	/^    ok .*# SKIP/			{ skipped++ }
	/^    ok / && !/# SKIP/			{ passed++ }
	/^    not ok /				{ failed++ }
	END { printf "# %d passed, %d failed, %d skipped\n", passed, failed, skipped }'

# The last line is the suite's verdict; one that was skipped is "ok", too.
case $(printf '%s\n' "$ktap" | tail -n 1) in
*"# SKIP"*)
	fail "$suite was skipped" ;;
"ok 1 $suite"|"ok 1 - $suite")
	! printf '%s\n' "$ktap" | grep -q '^ *not ok' ;;
*)
	exit 1 ;;
esac
