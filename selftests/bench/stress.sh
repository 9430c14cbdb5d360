#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage, in a guest with the host's programs: stress.sh SECONDS
#
# stress-ng's System V IPC in a domain with all categories. Prints "NAME VALUE"
# lines: stress-msg, stress-sem and stress-shm, in operations per second.
set -eu

seconds=$1
printf 'unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023' >/proc/self/attr/current
# Of a stressor's lines the first is the one that counts operations.
for stressor in msg:msg sem-sysv:sem shm-sysv:shm; do
	stress-ng "--${stressor%:*}" 1 --timeout "${seconds}s" --metrics-brief --temp-path /tmp 2>&1 |
		awk -v stressor="${stressor%:*}" -v name="${stressor#*:}" \
			'$4 == stressor && !n { print "stress-" name, $(NF - 1); n = 1 } END { exit !n }'
done
