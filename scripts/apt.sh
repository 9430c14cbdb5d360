# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian's archive without touching the system: an apt state of our own in the
# cache. Sourced, after lib.sh.

# mirror main|security: from the machine's own apt configuration. What a
# mirror sends is verified against Debian's keys, whichever it is.
mirror()
{
	local branch='(-updates|-backports|-proposed-updates)?'
	[ "$1" = main ] || branch=-security
	# shellcheck disable=SC2016 # the variables are apt's
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' |
	awk -v branch="$branch" '
		$3 == "main" && $2 ~ "^(bookworm|trixie|forky|sid|oldstable|stable|testing|unstable)" branch "(/updates)?$" &&
		!seen++ { print $1 }'
}

# prepare_apt STATE ARCH SUITE...: makes the folder STATE such a state, for
# Debian's architecture ARCH. The machine's configuration is kept (proxies,
# certificates), but not its hooks, which would act on the system's folders.
prepare_apt()
{
	local state=$1 arch=$2 suite uri
	shift 2
	mkdir -p "$state"/{lists,cache}/partial
	# What the system has installed concerns its own architecture.
	: >"$state/status"
	{
		apt-config dump | grep -v -e Invoke -e '^Dir::Etc::' -e '^APT::Architecture'
		cat <<-END
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
		Dir::Etc::Parts "/dev/null";
		Dir::Etc::SourceList "$state/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State::Lists "$state/lists";
		Dir::State::Status "$state/status";
		Dir::Cache "$state/cache";
		Dir::Cache::Archives "$state/cache";
		Acquire::Languages "none";
		// The sandbox's user may not be able to enter the cache.
		APT::Sandbox::User "root";
		END
	} >"$state/apt.conf"
	for suite; do
		case $suite in
		*-security)	uri=$(mirror security) ;;
		*)		uri=$(mirror main)
				[ -n "$uri" ] || die "no Debian mirror in the machine's apt configuration" ;;
		esac
		[ -z "$uri" ] ||
			echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
	done >"$state/sources.list"
}

# private STATE TOOL ARGUMENT...: an apt tool in such a state.
private()
{
	local state=$1 tool=$2
	shift 2
	APT_CONFIG=$state/apt.conf "$tool" -q "$@"
}

# candidate STATE PACKAGE: the newest version that the archive serves.
candidate()
{
	retry private "$1" apt-get update -o APT::Update::Error-Mode=any >&2 || return
	private "$1" apt-cache show --no-all-versions "$2" | sed -n 's/^Version: //p'
}

# download STATE PACKAGE[=VERSION]: prints the name of the package's file, in
# STATE/deb, which holds nothing else.
download()
{
	rm -rf "$1/deb"
	mkdir -p "$1/deb"
	(cd "$1/deb" && retry private "$1" apt-get download "$2" >&2) || return
	echo "$1/deb"/*.deb
}
