#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage, in a guest: sids.sh ROUNDS
#
# What a new label costs, in ns, which are instructions in a guest that counts
# these. Prints "NAME VALUE" lines: transition, the label of a message in a
# domain with all categories, known already; new, 4000 labels not seen before;
# known, the same again; msg, sem and shm, see ipc_bench.c.
set -eu

rounds=$1
bench=/sys/kernel/debug/sid_bench

case $(uname -r) in
6.1.*)	echo "sids.sh: security_transition_sid() is another one before 6.12" >&2; exit 1 ;;
esac
insmod /modules/sid_bench.ko
echo 65536 >/sys/fs/selinux/avc/cache_threshold
address=$(sed -n 's/ [Tt] security_transition_sid$//p' /proc/kallsyms)
echo "$address 4000 $((rounds / 1000 + 1))" >$bench
read -r new known <$bench
echo "$address 1 $rounds" >$bench
read -r _ transition <$bench
echo "transition $transition"
echo "new $new"
echo "known $known"
/selftests/ipc_bench unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023 "$rounds"
