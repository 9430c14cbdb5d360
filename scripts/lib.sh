# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-only
#
# What the scripts share: sourced, never run. Every script prints its result
# on stdout and everything else on stderr, so that callers can use $(...).

PROGRAM=${0##*/}
TOP=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# kbuild cannot build a module in such a folder, and says something else.
case $TOP in
*[[:space:]]*)
	echo "$PROGRAM: cannot work in a folder whose path has a space: $TOP" >&2
	exit 2 ;;
esac
CACHE=${SELINUX_AVC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/selinux-avc}
mkdir -p "$CACHE"
CACHE=$(cd -- "$CACHE" && pwd -P)

ARCHS="um x86_64 aarch64 ppc64le"
ALL_SERIES="6.1 6.12 7.2 7.3"
FLAVOURS="stock hooked debug regressed cured mutant-kept mutant-copied mutant-invalid"

# The host's own architecture, in the kernel's words.
HOST_ARCH=$(uname -m)

msg()
{
	printf '%s: %s\n' "$PROGRAM" "$*" >&2
}

die()
{
	msg "$*"
	exit 1
}

# A mistake in how the script was called.
usage_error()
{
	msg "$* (try --help)"
	exit 2
}

# The comment at the head of a script is its manual: print that.
print_help()
{
	sed -n '3,$ { /^#/!q; s/^# \{0,1\}//p }' "$0"
}

# need_value OPTION COUNT: there is a word after this option.
need_value()
{
	[ "$2" -ge 2 ] || usage_error "$1 needs a value"
}

# one_of WHAT VALUE LIST
one_of()
{
	local word
	for word in $3; do
		[ "$word" = "$2" ] && return
	done
	usage_error "unknown $1 '$2': one of $3"
}

# number WHAT VALUE: a positive decimal number.
number()
{
	[[ $2 =~ ^[1-9][0-9]*$ ]] || usage_error "$1 must be a positive number, not '$2'"
}

# lock NAME: wait for the lock and hold it until the (sub)shell ends. Two
# calls that want the same thing then build it once. Run make, and anything
# else that may leave a daemon behind, with 9>&- so as not to pass it on.
lock()
{
	mkdir -p "$CACHE/lock"
	exec 9>"$CACHE/lock/$1"
	flock -n 9 && return
	msg "waiting for another process that makes $1"
	flock 9
}

# retry COMMAND...: mirrors have bad moments.
retry()
{
	local try
	for try in 1 2 3 4; do
		"$@" && return
		msg "failed (attempt $try): $*"
		sleep $((try * 5))
	done
	return 1
}

# quietly LOG COMMAND...: show a command's output only if it fails, but once a
# minute a sign of life.
quietly()
{
	local log=$1 rc=0 ticker
	shift
	(
		while sleep 60 >/dev/null 2>&1 && kill -0 $$; do
			msg "still at it:$(tail -n 1 "$log")"
		done
	) 9>&- &
	ticker=$!
	"$@" >>"$log" 2>&1 9>&- || rc=$?
	kill "$ticker"
	wait "$ticker" 2>/dev/null || :
	[ "$rc" -ne 0 ] || return 0
	tail -n 40 "$log" >&2
	msg "failed: $*"
	msg "the whole log: $log"
	return 1
}

# medians WHAT <rows "ARCH KERNEL WHAT VALUE", sorted by all four: a table with tabs,
# for each kind of row the median of its values, the lowest and the highest.
medians()
{
	awk -v what="$1" '
		BEGIN { OFS = "\t"; print "arch", "kernel", what, "median", "lowest", "highest" }
		function flush()
		{
			if (n)
				print key, (value[int((n + 1) / 2)] + value[int(n / 2) + 1]) / 2, value[1], value[n]
			n = 0
		}
		{ if ($1 OFS $2 OFS $3 != key) flush(); key = $1 OFS $2 OFS $3; value[++n] = $4 }
		END { flush() }'
}

# The words on make's command line that choose the architecture.
arch_make_args()
{
	case $1 in
	um)		echo "ARCH=um" ;;
	x86_64)		echo "ARCH=x86_64 $(cross_compile x86_64-linux-gnu-)" ;;
	aarch64)	echo "ARCH=arm64 $(cross_compile aarch64-linux-gnu-)" ;;
	ppc64le)	echo "ARCH=powerpc $(cross_compile powerpc64le-linux-gnu-)" ;;
	esac
}

# cross_compile PREFIX: nothing where the native compiler will do.
cross_compile()
{
	case $1 in
	"$HOST_ARCH"-*)	;;
	powerpc64le-*)	[ "$HOST_ARCH" = ppc64le ] || echo "CROSS_COMPILE=$1" ;;
	*)		echo "CROSS_COMPILE=$1" ;;
	esac
}

# Debian's name of an architecture.
debian_arch()
{
	case $1 in
	um)		dpkg --print-architecture ;;
	x86_64)		echo amd64 ;;
	aarch64)	echo arm64 ;;
	ppc64le)	echo ppc64el ;;
	esac
}

# The file to boot, in a kernel's build folder.
arch_image()
{
	case $1 in
	um)		echo linux ;;
	# The ELF file: QEMU enters it by PVH, and nothing has to be decompressed.
	x86_64)		echo vmlinux ;;
	aarch64)	echo arch/arm64/boot/Image ;;
	ppc64le)	echo vmlinux ;;
	esac
}

# has_hook FLAVOUR: a module can take the place of the table.
has_hook()
{
	[ "$1" = hooked ] || [ "$1" = debug ] || [[ $1 = mutant-* ]]
}

# has_smp ARCH SERIES: User Mode Linux has had it since 6.19.
has_smp()
{
	[ "$1" != um ] || [[ $2 != 6.* ]]
}

# kernel_is_smp ARCH SERIES FLAVOUR CPUS. Only User Mode Linux has both: per-CPU
# counters and irq-save cost it hundreds of ns with SMP, so it is timed without.
kernel_is_smp()
{
	has_smp "$1" "$2" || return
	[ "$1" != um ] || [ "$3" = debug ] || [ "$4" -gt 1 ]
}

# check_cpus ARCH SERIES CPUS
check_cpus()
{
	number --cpus "$3"
	[ "$3" = 1 ] || has_smp "$1" "$2" || usage_error "$1 has one CPU only in $2"
}

# kernel_name ARCH SERIES FLAVOUR CPUS: the name that tells kernels apart.
kernel_name()
{
	local smp=
	if [ "$1" = um ] && kernel_is_smp "$@"; then
		smp=-smp
	fi
	echo "$1-$2-$3$smp"
}
