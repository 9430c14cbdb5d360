#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage, in a guest: states.sh ENTRIES THRESHOLD STATE...
#
# For each STATE, the word "stock" or a number of slots, brings the AVC into it,
# with a working set of ENTRIES decisions, and prints "STATE key value" lines.
# From one number of slots to the next it resizes while threads check the set.
set -eu

entries=$1
threshold=$2
shift 2
rounds=$((4000000 / entries + 1))

ours=/sys/kernel/security/selinux_avc
selinuxfs=/sys/fs/selinux/avc
bench=/sys/kernel/debug/avc_bench

misses()
{
	awk 'NR > 1 { sum += $3 } END { print sum }' $selinuxfs/cache_stats
}

# value KEY FILE: of a "key: value" line.
value()
{
	sed -n "s/^$1: //p" "$2"
}

# resize_to SLOTS: while two threads check the set. Sets checks and missed.
resize_to()
{
	echo 2 >$bench/threads
	sleep 0.1
	missed=$(misses)
	echo "$1" >$ours/slots
	sleep 0.1
	missed=$(($(misses) - missed))
	read -r _ checks _ <$bench/threads
	echo 0 >$bench/threads
}

resize_under_load()
{
	# Once to the size it has: the decisions on what this does are cached then.
	resize_to "$(cat $ours/slots)"
	resize_to "$1"
	echo "$1 checks $checks"
	echo "$1 misses $missed"
	echo "$1 resize_ns $(value 'last duration ns' $ours/resize_stats)"
	echo "$1 irqoff_ns $(value 'longest irq-off ns' $ours/resize_stats)"
}

insmod /modules/avc_bench.ko
echo "$threshold" >$selinuxfs/cache_threshold
for state; do
	if [ "$state" != stock ] && [ "$(cat $ours/slots)" != "$state" ]; then
		resize_under_load "$state"
	fi
	echo "$entries $rounds" >$bench/run
	read -r _ _ ns _ <$bench/run
	used=$(value 'buckets used' $selinuxfs/hash_stats)
	echo "$state slots ${used#*/}"
	echo "$state threshold $(cat $selinuxfs/cache_threshold)"
	echo "$state entries $(value entries $selinuxfs/hash_stats)"
	echo "$state used $used"
	echo "$state longest $(value 'longest chain' $selinuxfs/hash_stats)"
	echo "$state ns $ns"
done
