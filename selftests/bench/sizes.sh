#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage, in a guest: sizes.sh ROUNDS ENTRIES...
#
# For each number of entries: prints "ENTRIES MEDIAN FASTEST", in ns per check,
# which are instructions in a guest that counts these. Each set is checked
# ROUNDS times, or, for "auto", two million times in all.
set -eu

rounds=$1
shift
bench=/sys/kernel/debug/avc_bench

insmod /modules/avc_bench.ko
echo 65536 >/sys/fs/selinux/avc/cache_threshold
for entries; do
	count=$rounds
	[ "$count" != auto ] || count=$((2000000 / entries + 1))
	echo "$entries $count" >$bench/run
	read -r _ _ median _ fastest <$bench/run
	echo "$entries $median $fastest"
done
