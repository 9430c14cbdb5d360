#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: kunit.sh [MODULE [SUITE]]
#
# Loads a KUnit module (default: /modules/selinux_avc_kunit.ko), which runs its
# tests, and prints the results of SUITE (default: selinux_avc_table) as KTAP.
# Exits with 0 if all of them passed, else with 1. Needs root and debugfs.
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
ktap=$(cat "$results")
rmmod "$name" || fail "cannot unload $name"
printf '%s\n' "$ktap"

# The last line is the suite's verdict. A suite that was skipped, or that has
# no test in it, is "ok", too: that is no success here.
case $(printf '%s\n' "$ktap" | tail -n 1) in
*"# SKIP"*)	fail "$suite was skipped" ;;
"ok 1 $suite")	;;
*)		exit 1 ;;
esac
! printf '%s\n' "$ktap" | grep -q '^ *not ok' || exit 1
printf '%s\n' "$ktap" | grep -q '^    ok ' || fail "$suite has no tests"
