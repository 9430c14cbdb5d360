#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: parameters.sh [MODULE]
#
# How many slots the module (default: /modules/selinux_avc.ko) begins with:
# selinux_avc_cache_slots= of the kernel command line, an options line of
# modprobe.d, an argument of modprobe, and each together with the others. Boot
# with and without the first, and with selinux_avc.slots=, which modprobe takes
# from the command line, too. Needs root, kmod, and the module not loaded.
module=${1:-/modules/selinux_avc.ko}
dir=/sys/kernel/security/selinux_avc
conf=/run/modprobe.d/selinux_avc_test.conf
release=$(uname -r)

echo "TAP version 13"
skip_all()
{
	echo "1..0 # SKIP $*"
	echo "# 0 passed, 0 failed, 1 skipped"
	exit 4
}
[ "$(id -u)" = 0 ] || skip_all "only root can load modules"
[ -e "$module" ] || skip_all "there is no $module"
[ ! -e /sys/module/selinux_avc ] || skip_all "the module is loaded: unload it first"
case $(modprobe --version 2>/dev/null) in
kmod*)	;;
*)	skip_all "modprobe is not that of kmod" ;;
esac

# A folder of modules that has just this one, for modprobe to look in.
base=$(mktemp -d)
trap 'rmmod selinux_avc 2>/dev/null; rm -rf "$base" "$conf"' EXIT
mkdir -p "$base/lib/modules/$release" "${conf%/*}"
cp "$module" "$base/lib/modules/$release"
depmod -b "$base" 2>/dev/null

# What a load without any parameter must come to.
line=$(sed -n 's/.*\bselinux_avc_cache_slots=\([^ ]*\).*/\1/p' /proc/cmdline)
default=512
bad=
given=$(sed -n 's/.*\bselinux_avc\.slots=\([^ ]*\).*/\1/p' /proc/cmdline)
case $line in
""|0)
	;;
16|64|256|1024|2048|4096|8192|65536|1048576)
	default=$line ;;
*)
	bad=$line ;;
esac

passed=0
failed=0
# verdict NAME STATUS [WHY]
verdict()
{
	number=$((passed + failed + 1))
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
		echo "ok $number $1"
	else
		failed=$((failed + 1))
		echo "# ${3:-}"
		echo "not ok $number $1"
	fi
}

# begins_with NAME SLOTS [ARGUMENT]...: load it with these, look, unload it.
begins_with()
{
	name=$1 wanted=$2 got=
	shift 2
	if modprobe -d "$base" selinux_avc "$@"; then
		got=$(cat $dir/slots)
		rmmod selinux_avc
	fi
	[ "$got" = "$wanted" ]
	verdict "$name" $? "slots: wanted $wanted, got '$got'"
}

echo 1..6
dmesg -c >/dev/null
begins_with "no parameter: the kernel command line (${given:-${line:-not given}}), else 512" "${given:-$default}"
said=$(dmesg | grep -c "selinux_avc_cache_slots=$bad on the kernel command line is not")
if [ -n "$bad" ]; then
	[ "$said" = 1 ]
	verdict "a bad value on the command line is reported" $?
else
	[ "$said" = 0 ]
	verdict "no complaint about the command line" $?
fi

echo "options selinux_avc slots=1024" >$conf
begins_with "modprobe.d wins over the command line, but not over selinux_avc.slots= there" "${given:-1024}"
begins_with "an argument wins over all" 2048 slots=2048
! modprobe -d "$base" selinux_avc slots=1000 2>/dev/null && [ ! -e /sys/module/selinux_avc ]
verdict "a bad argument is refused, whatever else is said" $?
rm -f $conf
begins_with "without modprobe.d it is the command line again" "${given:-$default}"

echo "# $passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
