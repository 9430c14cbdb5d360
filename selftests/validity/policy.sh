#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: policy.sh mls-a|mls-b|mcs|plain
#
# Prints a policy, in CIL, for the tests of contexts' validity. It allows
# everything, so that all that is refused is refused because of a context.
#
#   mls-a   16 sensitivities that allow different sets of 1024 categories
#   mls-b   the same names, but for a user, a role and a type that are gone,
#           and other sets, ranges and rules: what was valid may not be, and
#           what was not may be
#   mcs     one sensitivity that allows all 1024 categories
#   plain   for secilc --mls false
set -euo pipefail

name=${1:-}
case $name in
mls-a|mls-b)	sensitivities=16 ;;
mcs|plain)	sensitivities=1 ;;
*)		sed -n '3,$ { /^#/!q; s/^# \{0,1\}//p }' "$0" >&2; exit 2 ;;
esac
other=
[ "$name" != mls-b ] || other=1
top=$((sensitivities - 1))

# Permissions that the kernel knows and this policy does not are allowed.
declare -A permissions=(
	[process]="fork transition dyntransition setcurrent setexec setfscreate setsockcreate setkeycreate"
	[security]="compute_av compute_create compute_member compute_relabel check_context load_policy setenforce setbool"
	[file]="create read write execute entrypoint execute_no_trans relabelfrom relabelto unlink"
	[dir]="create read write search add_name remove_name relabelfrom relabelto rmdir"
	[lnk_file]="create read unlink"
	[fifo_file]="create read write unlink"
	[sock_file]="create write unlink"
	[filesystem]="mount associate"
	[fd]="use"
	[msg]="send receive"
	[msgq]="create destroy read write enqueue"
	[sem]="create destroy read write"
	[shm]="create destroy read write"
	[ipc]="create destroy read write"
	[unix_stream_socket]="create connectto accept listen bind read write"
	[unix_dgram_socket]="create sendto"
	[tcp_socket]="create"
	[netlink_audit_socket]="create nlmsg_relay"
	[capability2]="mac_admin audit_read"
)
mapfile -t classes < <(printf '%s\n' "${!permissions[@]}" | sort)

sids="kernel security unlabeled fs file file_labels init any_socket port netif netmsg node
igmp_packet icmp_socket tcp_socket sysctl_modprobe sysctl sysctl_fs sysctl_kernel sysctl_net
sysctl_net_unix sysctl_vm sysctl_dev kmod policy scmp_packet devnull"
sids=${sids//$'\n'/ }

echo '(handleunknown allow)'
echo '(mls true)'
for class in "${classes[@]}"; do
	echo "(class $class (${permissions[$class]}))"
done
echo "(classorder (${classes[*]}))"

for ((s = 0; s <= top; s++)); do
	echo "(sensitivity s$s)"
done
echo "(sensitivityorder ($(seq -s ' ' -f s%.0f 0 "$top")))"
for ((c = 0; c < 1024; c++)); do
	echo "(category c$c)"
done
echo "(categoryorder ($(seq -s ' ' -f c%.0f 0 1023)))"
# s0 and the last allow all of them; those between some, unequally many.
for ((s = 0; s <= top; s++)); do
	if [ "$s" = 0 ] || [ "$s" = "$top" ]; then
		echo "(sensitivitycategory s$s (range c0 c1023))"
		continue
	fi
	if [ -n "$other" ]; then
		echo "(sensitivitycategory s$s (range c$((s * 20)) c$((1023 - s * 25))))"
	else
		echo "(sensitivitycategory s$s (c0 c$s (range c$((s * 30)) c$((1023 - s * 10)))))"
	fi
	[ $((s % 3)) != 0 ] || echo "(sensitivitycategory s$s (c$((1023 - s)) c5))"
done

types=12 roles=5 users=6
gone=99
[ -z "$other" ] || gone=4
# Types t0..., and all of them as an attribute.
all=()
for ((t = 0; t < types; t++)); do
	[ "$t" != $((gone + 5)) ] || continue
	all+=("t$t")
	echo "(type t$t)"
done
echo '(typeattribute every)'
echo "(typeattributeset every (${all[*]}))"
for class in "${classes[@]}"; do
	echo "(allow every every ($class (${permissions[$class]})))"
done
# What is let through shows the label that a transition has come to.
for class in file dir fifo_file lnk_file sock_file unix_stream_socket; do
	echo "(auditallow every every ($class (create)))"
done
echo '(auditallow every every (msg (send receive)))'
echo '(auditallow every every (process (transition)))'

# Each role has two of three types, but not the same ones in mls-b as in the
# others; role r0 has them all, r4 two only. object_r has every type.
echo '(role object_r)'
for ((r = 0; r < roles; r++)); do
	[ "$r" != "$gone" ] || continue
	echo "(role r$r)"
	for type in "${all[@]}"; do
		t=${type#t}
		if [ "$r" = 4 ] && [ "$t" -gt 1 ]; then
			continue
		fi
		[ $(((t + r + ${#other}) % 3)) = 1 ] && [ "$r" != 0 ] && continue
		echo "(roletype r$r $type)"
	done
	[ "$r" = 0 ] || echo "(roleallow r0 r$r)"
done
for type in "${all[@]}"; do
	echo "(roletype object_r $type)"
done
# Each user has two or three roles, u0 all, and a range of its own.
for ((u = 0; u < users; u++)); do
	[ "$u" != $((gone + 1)) ] || continue
	echo "(user u$u)"
	echo "(userrole u$u object_r)"
	for ((r = 0; r < roles; r++)); do
		[ "$r" != "$gone" ] || continue
		if [ "$u" = 0 ] || [ $(((u + r + ${#other}) % 2)) = 0 ]; then
			echo "(userrole u$u r$r)"
		fi
	done
	echo "(userlevel u$u (s0))"
	high=$((u * 3 > top ? top : u * 3))
	case $u$other in
	0*)	echo "(userrange u$u ((s0) (s$top (range c0 c1023))))" ;;
	1)	echo "(userrange u$u ((s0) (s0 (range c0 c99))))" ;;
	11)	echo "(userrange u$u ((s0) (s0 (range c0 c9))))" ;;
	21)	echo "(userrange u$u ((s0) (s0 (range c0 c99))))" ;;
	*)	# What the highest sensitivity of the range allows.
		if [ "$high" = 0 ] || [ "$high" = "$top" ]; then
			echo "(userrange u$u ((s0) (s$high (range c0 c1023))))"
		elif [ -n "$other" ]; then
			echo "(userrange u$u ((s0) (s$high (range c$((high * 20)) c$((1023 - high * 25))))))"
		else
			echo "(userrange u$u ((s0) (s$high (range c$((high * 30)) c$((1023 - high * 10))))))"
		fi ;;
	esac
done

# Rules. Those that lead to a role or a type that the user or the role may not
# have, or out of a user's range, are what this is about.
n=${#other}
echo "(typetransition t0 t1 process t2)"
echo "(typetransition t2 t1 process t3)"
echo "(typetransition t0 t3 process t1)"
echo "(typetransition t1 t0 process t$((3 + n)))"
echo "(typetransition t1 t3 file t$((4 + 2 * n)))"
echo "(typetransition t0 t3 dir t5)"
echo "(typetransition t0 t0 fifo_file t8)"
echo "(typetransition t0 t0 msg t6)"
echo "(typetransition t1 t1 msg t7)"
echo "(typetransition t2 t2 unix_stream_socket t3)"
echo '(typetransition t0 t3 file "named" t7)'
echo "(typemember t0 t3 dir t6)"
echo "(typechange t0 t4 file t$((5 - n)))"
echo "(typechange t3 t4 process t2)"
echo "(roletransition r0 t4 process r$((4 - n)))"
echo "(roletransition r1 t5 process r$((2 + n)))"
echo "(roletransition r2 t3 file r1)"
echo "(defaultuser dir target)"
echo "(defaultrole fifo_file source)"
echo "(defaulttype fifo_file target)"
echo "(defaultrange file target low-high)"
echo "(defaultrange dir source high)"
echo "(defaultrange msg source low-high)"
# Messages have the role of who sends them, so that they can be invalid, too.
[ "$name" = mls-a ] || echo "(defaultrole msg source)"
echo "(defaultrange lnk_file glblub)"
echo "(rangetransition t0 t2 process ((s0) (s$top (c1 c7))))"
echo "(rangetransition t1 t2 process ((s$((top / 2 + n > top ? top : top / 2 + n))) (s$top)))"
echo "(rangetransition t0 t3 process ((s0) (s0 (range c0 c50))))"
echo "(rangetransition t0 t5 file ((s0) (s0 (range c0 c1023))))"
echo "(boolean flip false)"
echo "(booleanif flip (true (typetransition t3 t3 msg t0) (typetransition t3 t3 dir t1)) (false (typetransition t3 t3 msg t2)))"

context="(u0 r0 t0 ((s0) (s$top (range c0 c1023))))"
for sid in $sids; do
	echo "(sid $sid)"
	case $sid in
	unlabeled)	echo "(sidcontext $sid (u0 object_r t0 ((s0) (s0))))" ;;
	file|fs)	echo "(sidcontext $sid (u0 object_r t3 ((s0) (s0))))" ;;
	*)		echo "(sidcontext $sid $context)" ;;
	esac
done
echo "(sidorder ($sids))"
echo "(fsuse trans tmpfs (u0 object_r t3 ((s0) (s0))))"
echo "(fsuse trans devtmpfs (u0 object_r t3 ((s0) (s0))))"
echo "(fsuse task pipefs (u0 object_r t3 ((s0) (s0))))"
echo "(fsuse task sockfs (u0 object_r t3 ((s0) (s0))))"
for fs in proc sysfs selinuxfs hostfs; do
	echo "(genfscon $fs \"/\" (u0 object_r t3 ((s0) (s0))))"
done
