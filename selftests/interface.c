// SPDX-License-Identifier: GPL-2.0-only
/* The files: which, whose, what can be read from them and written to them. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "avc.h"

#define NUMBER	"(0|[1-9][0-9]*)"

static const struct {
	const char *name;
	mode_t mode;
	const char *content;
} files[] = {
	{ "slots", 0644, NUMBER "\n" },
	{ "threshold", 0644, NUMBER "\n" },
	{ "hash_stats", 0444,
	  "entries: " NUMBER "\nbuckets used: " NUMBER "/" NUMBER
	  "\nlongest chain: " NUMBER "\n" },
	{ "chain_histogram", 0444, "length slots nodes\n(" NUMBER " " NUMBER
				   " " NUMBER "\n)+" },
	{ "cache_stats", 0444,
	  "lookups hits misses allocations reclaims frees\n(" NUMBER
	  "( " NUMBER "){5}\n)+" },
	{ "resize_stats", 0444,
	  "resizes: " NUMBER "\nfailed: " NUMBER "\nnodes moved: " NUMBER
	  "\nlast duration ns: " NUMBER "\nlongest irq-off ns: " NUMBER "\n" },
	{ "backend", 0644, "([a-z]+ )*\\[[a-z]+\\]( [a-z]+)*\n" },
};

static char text[65536];

static const char *path_of(unsigned int file)
{
	static char path[128];

	snprintf(path, sizeof(path), AVC_DIR "/%s", files[file].name);
	return path;
}

FIXTURE(interface)
{
	struct avc_settings settings;
};

FIXTURE_SETUP(interface)
{
	ASSERT_EQ(0, avc_settings_save(&self->settings));
	ASSERT_EQ(0, avc_settings_set(512, 512));
}

FIXTURE_TEARDOWN(interface)
{
	EXPECT_EQ(0, avc_settings_restore(&self->settings));
}

TEST_F(interface, modes)
{
	struct stat st;
	unsigned int i;

	ASSERT_EQ(0, stat(AVC_DIR, &st));
	EXPECT_EQ(S_IFDIR | 0755U, st.st_mode);
	EXPECT_EQ(0U, st.st_uid);
	EXPECT_EQ(0U, st.st_gid);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_EQ(0, stat(path_of(i), &st)) {
			TH_LOG("no %s", files[i].name);
		}
		EXPECT_EQ(S_IFREG | files[i].mode, st.st_mode) {
			TH_LOG("%s", files[i].name);
		}
		EXPECT_EQ(0U, st.st_uid);
		EXPECT_EQ(0U, st.st_gid);
	}
}

TEST_F(interface, formats)
{
	struct avc_resize_stats resize_stats;
	struct avc_histogram histogram;
	struct avc_hash_stats hash;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_LT(0, avc_read(path_of(i), text, sizeof(text)));
		EXPECT_TRUE(avc_matches(text, files[i].content)) {
			TH_LOG("%s: %s", files[i].name, text);
		}
	}
	EXPECT_EQ(0, avc_hash_stats(&hash));
	EXPECT_EQ(0, avc_histogram(&histogram));
	EXPECT_EQ(0, avc_resize_stats(&resize_stats));
	ASSERT_LT(0, avc_read(AVC_SLOTS, text, sizeof(text)));
	EXPECT_STREQ("512\n", text);
	ASSERT_LT(0, avc_read(AVC_THRESHOLD, text, sizeof(text)));
	EXPECT_STREQ("512\n", text);
	ASSERT_LT(0, avc_read(AVC_BACKEND, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, AVC_BUILTIN));
	EXPECT_NE(NULL, strstr(text, "[" AVC_MODULE "]"));
}

/* Byte by byte, at offsets, past the end: always the same text. */
TEST_F(interface, reads_in_parts)
{
	static const char *const names[] = {
		AVC_SLOTS, AVC_THRESHOLD, AVC_BACKEND,
	};
	char whole[256], byte;
	ssize_t length, at;
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		length = avc_read(names[i], whole, sizeof(whole));
		ASSERT_LT(0, length);
		fd = open(names[i], O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		for (at = 0; at < length; at++) {
			ASSERT_EQ(1, read(fd, &byte, 1));
			ASSERT_EQ(whole[at], byte);
		}
		EXPECT_EQ(0, read(fd, &byte, 1));
		for (at = length - 1; at >= 0; at--) {
			ASSERT_EQ(length - at,
				  pread(fd, text, sizeof(text), at));
			ASSERT_EQ(0, memcmp(text, whole + at, length - at));
		}
		EXPECT_EQ(0, pread(fd, text, sizeof(text), length));
		EXPECT_EQ(0, pread(fd, text, sizeof(text), length + 4096));
		EXPECT_EQ(0, read(fd, text, 0));
		ASSERT_EQ(1, lseek(fd, 1, SEEK_SET));
		ASSERT_EQ(length - 1, read(fd, text, sizeof(text)));
		EXPECT_EQ(0, memcmp(text, whole + 1, length - 1));
		close(fd);
	}
	/* The longer ones, whose numbers move meanwhile: the form stays. */
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		fd = open(path_of(i), O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		for (length = 0; read(fd, text + length, 1) == 1; length++)
			ASSERT_GT((ssize_t)sizeof(text) - 1, length);
		text[length] = '\0';
		EXPECT_TRUE(avc_matches(text, files[i].content)) {
			TH_LOG("%s: %s", files[i].name, text);
		}
		close(fd);
	}
}

struct input {
	const char *bytes;
	size_t length;
	unsigned int value;	/* what it means, if it is good */
};

#define INPUT(string, value)	{ string, sizeof(string) - 1, value }
#define BAD(string)		INPUT(string, 0)

/* No unsigned int, for either file. */
static const struct input not_numbers[] = {
	BAD(""), BAD(" "), BAD("\n"), BAD("\n\n"), BAD(" 512"), BAD("512 "),
	BAD("\t512"), BAD("\n512"), BAD("512\n\n"), BAD("512\n "),
	BAD("512\t\n"), BAD("512\r\n"), BAD("-1"), BAD("-512"), BAD("-0"),
	BAD("+"), BAD("-"), BAD("++512"), BAD("+-512"), BAD("+ 512"), BAD("0x"),
	BAD("x200"), BAD("0x200g"), BAD("0x 200"), BAD("512a"), BAD("512,1024"),
	BAD("512 1024"), BAD("512\n1024"), BAD("abc"), BAD("08"), BAD("01009"),
	BAD("0b1000"), BAD("1e3"), BAD("512.0"), BAD("4294967296"),
	BAD("4294967808"), BAD("0x100000200"), BAD("18446744073709551616"),
	BAD("18446744073709552128"), BAD("99999999999999999999999999999"),
	BAD("999999999999999999999999999999999999999999999999999999999999"),
	BAD("\0"), BAD("512\0"), BAD("51\0002"), BAD("512\n\0"), BAD("512\0\n"),
	BAD("\0512"), BAD("512\0garbage"), BAD("\xff"), BAD("512\xff"),
};

/* Numbers that are no number of slots. */
static const struct input not_slots[] = {
	BAD("0"), BAD("1"), BAD("2"), BAD("8"), BAD("010"), BAD("15"),
	BAD("17"), BAD("24"), BAD("511"), BAD("513"), BAD("1000"),
	BAD("1048575"), BAD("1048577"), BAD("2097152"), BAD("0x200000"),
	BAD("2147483648"), BAD("4294967295"), BAD("0xffffffff"),
};

static void check_refused(struct __test_metadata *_metadata, const char *path,
			  const struct input *inputs, unsigned int count)
{
	unsigned int value;
	unsigned int i;

	for (i = 0; i < count; i++) {
		EXPECT_EQ(-EINVAL, avc_write(path, inputs[i].bytes,
					     inputs[i].length)) {
			TH_LOG("%s: number %u, '%s'", path, i, inputs[i].bytes);
		}
		ASSERT_EQ(0, avc_get_uint(path, &value));
		ASSERT_EQ(512U, value) {
			TH_LOG("%s: number %u, '%s'", path, i, inputs[i].bytes);
		}
	}
}

TEST_F(interface, refuses_bad_values)
{
	check_refused(_metadata, AVC_SLOTS, not_numbers,
		      ARRAY_SIZE(not_numbers));
	check_refused(_metadata, AVC_SLOTS, not_slots, ARRAY_SIZE(not_slots));
	check_refused(_metadata, AVC_THRESHOLD, not_numbers,
		      ARRAY_SIZE(not_numbers));
}

TEST_F(interface, refuses_long_and_faulty_writes)
{
	static const char *const names[] = { AVC_SLOTS, AVC_THRESHOLD };
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned int value;
	unsigned int i;
	char *area;
	int fd;

	/* A page, and one behind it that cannot be read. */
	area = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, area);
	ASSERT_EQ(0, mprotect(area + page, page, PROT_NONE));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		memset(area, '1', page);
		EXPECT_EQ(-EINVAL, avc_write(names[i], area, page));
		EXPECT_EQ(-EINVAL, avc_write(names[i], area, 32));
		memset(area, '0', page);
		EXPECT_EQ(-EINVAL, avc_write(names[i], area, page));
		memset(text, '1', sizeof(text));
		EXPECT_EQ(-EINVAL, avc_write(names[i], text, sizeof(text)));
		/* A number that ends where the page does, at an odd address. */
		memcpy(area + page - 3, "512", 3);
		EXPECT_EQ(0, avc_write(names[i], area + page - 3, 3));
		EXPECT_EQ(-EFAULT, avc_write(names[i], area + page - 3, 4));
		EXPECT_EQ(-EFAULT, avc_write(names[i], area + page, 3));
		EXPECT_EQ(-EFAULT, avc_write(names[i], NULL, 3));

		/* Not at an offset. */
		fd = open(names[i], O_WRONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-1, pwrite(fd, "256", 3, 1));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(-1, pwrite(fd, "256", 3, 4096));
		EXPECT_EQ(EINVAL, errno);
		/* A value in parts is not that value. */
		EXPECT_EQ(3, write(fd, "512", 3));
		close(fd);
		ASSERT_EQ(0, avc_get_uint(names[i], &value));
		EXPECT_EQ(512U, value);
	}
	munmap(area, 2 * page);
}

/* One write after the other to a file held open: each one counts. */
TEST_F(interface, writes_in_turn_to_one_descriptor)
{
	unsigned int value;
	int fd;

	fd = open(AVC_SLOTS, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(3, write(fd, "32\n", 3));
	ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
	EXPECT_EQ(32U, value);
	ASSERT_EQ(4, write(fd, "1024", 4));
	ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
	EXPECT_EQ(1024U, value);
	ASSERT_EQ(5, read(fd, text, sizeof(text)));
	EXPECT_EQ(0, memcmp(text, "1024\n", 5));
	close(fd);
}

static const struct input slots_values[] = {
	INPUT("16", 16), INPUT("+512", 512), INPUT("0x200", 512),
	INPUT("0X400", 1024), INPUT("01000", 512), INPUT("512\n", 512),
	INPUT("0x20\n", 32), INPUT("+0x40\n", 64), INPUT("0000000020", 16),
};

static const struct input threshold_values[] = {
	INPUT("0", 0), INPUT("1", 1), INPUT("+512", 512), INPUT("0x200", 512),
	INPUT("01000", 512), INPUT("1000\n", 1000),
	INPUT("2147483648", 2147483648), INPUT("4294967295", 4294967295),
	INPUT("0xffffffff", 4294967295), INPUT("00", 0),
};

TEST_F(interface, takes_good_values)
{
	unsigned int slots, value;
	unsigned int i;

	for (slots = AVC_SLOTS_MIN; slots <= AVC_SLOTS_MAX; slots *= 2) {
		ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, slots));
		ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
		ASSERT_EQ(slots, value);
	}
	for (i = 0; i < ARRAY_SIZE(slots_values); i++) {
		EXPECT_EQ(0, avc_write(AVC_SLOTS, slots_values[i].bytes,
				       slots_values[i].length)) {
			TH_LOG("'%s'", slots_values[i].bytes);
		}
		ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
		EXPECT_EQ(slots_values[i].value, value);
	}
	for (i = 0; i < ARRAY_SIZE(threshold_values); i++) {
		EXPECT_EQ(0, avc_write(AVC_THRESHOLD, threshold_values[i].bytes,
				       threshold_values[i].length)) {
			TH_LOG("'%s'", threshold_values[i].bytes);
		}
		ASSERT_EQ(0, avc_get_uint(AVC_THRESHOLD, &value));
		EXPECT_EQ(threshold_values[i].value, value);
		ASSERT_EQ(0, avc_get_uint(AVC_CACHE_THRESHOLD, &value));
		EXPECT_EQ(threshold_values[i].value, value);
	}
}

/* What can only be read cannot be written, by root neither. */
TEST_F(interface, statistics_are_read_only)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (files[i].mode != 0444)
			continue;
		EXPECT_GT(0, avc_write_string(path_of(i), "0")) {
			TH_LOG("file number %u", i);
		}
	}
}

/* The files of avcstat and tuned speak of the table that is active. */
TEST_F(interface, backend)
{
	struct avc_hash_stats hash;
	unsigned int value;

	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 64));
	ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 300));
	ASSERT_LT(0, avc_read(SELINUXFS "/avc/hash_stats", text, sizeof(text)));
	ASSERT_EQ(0, avc_parse_hash_stats(text, &hash));
	EXPECT_EQ(64U, hash.slots);

	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, "builtin\n"));
	ASSERT_LT(0, avc_read(AVC_BACKEND, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "[" AVC_BUILTIN "]"));
	EXPECT_EQ(NULL, strstr(text, "[" AVC_MODULE "]"));
	EXPECT_NE(NULL, strstr(text, AVC_MODULE));
	ASSERT_LT(0, avc_read(SELINUXFS "/avc/hash_stats", text, sizeof(text)));
	ASSERT_EQ(0, avc_parse_hash_stats(text, &hash));
	EXPECT_NE(64U, hash.slots);
	EXPECT_LT(0U, hash.entries);
	/* The module's table is there, and empty. */
	ASSERT_EQ(0, avc_hash_stats(&hash));
	EXPECT_EQ(64U, hash.slots);
	EXPECT_EQ(0U, hash.entries);
	/* A threshold for each. */
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 777));
	ASSERT_EQ(0, avc_get_uint(AVC_CACHE_THRESHOLD, &value));
	EXPECT_EQ(777U, value);
	ASSERT_EQ(0, avc_get_uint(AVC_THRESHOLD, &value));
	EXPECT_EQ(300U, value);
	/* Its settings can be made meanwhile. */
	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 128));
	/* Again is no error. */
	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_BUILTIN));

	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_MODULE));
	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_MODULE "\n"));
	ASSERT_LT(0, avc_read(AVC_BACKEND, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "[" AVC_MODULE "]"));
	ASSERT_EQ(0, avc_get_uint(AVC_CACHE_THRESHOLD, &value));
	EXPECT_EQ(300U, value);
	ASSERT_LT(0, avc_read(SELINUXFS "/avc/hash_stats", text, sizeof(text)));
	ASSERT_EQ(0, avc_parse_hash_stats(text, &hash));
	EXPECT_EQ(128U, hash.slots);
	EXPECT_LT(0U, hash.entries);

	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_BUILTIN));
	ASSERT_EQ(0, avc_get_uint(AVC_CACHE_THRESHOLD, &value));
	EXPECT_EQ(777U, value);
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 512));
}

static const struct input not_backends[] = {
	BAD(""), BAD("\n"), BAD("other"), BAD("slot"), BAD("slotss"),
	BAD("Slots"), BAD("[slots]"), BAD(" builtin"), BAD("builtin "),
	BAD("builtin\n\n"), BAD("builtin slots"), BAD("builtin\0"),
	BAD("built\0in"), BAD("0"), BAD("1"),
	BAD("builtinbuiltinbuiltinbuiltinbuiltinbuiltin"),
};

TEST_F(interface, refuses_unknown_backends)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(not_backends); i++) {
		EXPECT_EQ(-EINVAL, avc_write(AVC_BACKEND,
					     not_backends[i].bytes,
					     not_backends[i].length)) {
			TH_LOG("'%s'", not_backends[i].bytes);
		}
		ASSERT_LT(0, avc_read(AVC_BACKEND, text, sizeof(text)));
		ASSERT_NE(NULL, strstr(text, "[" AVC_MODULE "]"));
	}
}

/* Callers who may not. Each returns its errno. */
static const struct {
	const char *path;
	const char *value;
} writable[] = {
	{ AVC_SLOTS, "64" },
	{ AVC_THRESHOLD, "64" },
	{ AVC_BACKEND, AVC_BUILTIN },
};

static int become_nobody(void)
{
	return setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
	       setresuid(65534, 65534, 65534);
}

static int open_as_nobody(void *arg)
{
	int fd;

	if (become_nobody())
		return 255;
	fd = open(arg, O_WRONLY);
	return fd < 0 ? errno : 0;
}

static int read_as_nobody(void *arg)
{
	if (become_nobody())
		return 255;
	return avc_read(arg, text, sizeof(text)) > 0 ? 0 : 1;
}

struct write_job {
	int fd;
	const char *value;
};

static int write_value(struct write_job *job)
{
	return -avc_write_fd(job->fd, job->value, strlen(job->value));
}

static int write_as_nobody(void *arg)
{
	return become_nobody() ? 255 : write_value(arg);
}

/* Give up CAP_MAC_ADMIN, and nothing else. */
static int write_without_mac_admin(void *arg)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return 255;
	data[CAP_TO_INDEX(CAP_MAC_ADMIN)].effective &=
		~CAP_TO_MASK(CAP_MAC_ADMIN);
	if (syscall(SYS_capset, &header, data))
		return 255;
	return write_value(arg);
}

static int write_in_user_namespace(void *arg)
{
	return unshare(CLONE_NEWUSER) ? 255 : write_value(arg);
}

TEST_F(interface, others_may_not_write)
{
	struct write_job job;
	char before[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(writable); i++) {
		ASSERT_LT(0, avc_read(writable[i].path, before, sizeof(before)));
		job.value = writable[i].value;
		job.fd = open(writable[i].path, O_WRONLY | O_CLOEXEC);
		ASSERT_LE(0, job.fd);

		EXPECT_EQ(0, avc_in_child(read_as_nobody,
					  (void *)writable[i].path));
		EXPECT_EQ(EACCES, avc_in_child(open_as_nobody,
					       (void *)writable[i].path));
		EXPECT_EQ(EPERM, avc_in_child(write_as_nobody, &job));
		EXPECT_EQ(EPERM, avc_in_child(write_without_mac_admin, &job));
		if (!access("/proc/self/ns/user", F_OK))
			EXPECT_EQ(EPERM,
				  avc_in_child(write_in_user_namespace, &job));

		ASSERT_LT(0, avc_read(writable[i].path, text, sizeof(text)));
		EXPECT_STREQ(before, text);
		close(job.fd);
	}
}

/* Who may not write is told so, not what is wrong with the value. */
TEST_F(interface, permission_comes_first)
{
	struct write_job job = { .value = "garbage" };

	job.fd = open(AVC_SLOTS, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, job.fd);
	EXPECT_EQ(EPERM, avc_in_child(write_without_mac_admin, &job));
	close(job.fd);
}

/* A domain that the policy refuses: what becomes of it is in shared memory. */
struct refused {
	char context[128];
	int fd;
	int ready;
	int go;
	int done;
	int rc;
};

static int write_as_domain(void *arg)
{
	struct refused *refused = arg;
	double end = avc_seconds() + AVC_WAIT_TIMEOUT;

	refused->ready = avc_write_string("/proc/self/attr/current",
					  refused->context);
	if (!refused->ready)
		refused->ready = 1;
	while (!__atomic_load_n(&refused->go, __ATOMIC_ACQUIRE))
		if (avc_seconds() > end)
			_exit(1);
	refused->rc = avc_write_fd(refused->fd, "64", 2);
	__atomic_store_n(&refused->done, 1, __ATOMIC_RELEASE);
	_exit(0);
}

/* Does the policy allow @subject this? Asked without the cache. */
static bool policy_allows(const char *subject, const char *object,
			  const char *class, const char *permission)
{
	unsigned int index, bit, allowed;
	char query[512];
	bool allows = false;
	ssize_t length;
	int fd;

	snprintf(query, sizeof(query), SELINUXFS "/class/%s/index", class);
	if (avc_get_uint(query, &index))
		return false;
	snprintf(query, sizeof(query), SELINUXFS "/class/%s/perms/%s", class,
		 permission);
	if (avc_get_uint(query, &bit))
		return false;
	fd = open(SELINUXFS "/access", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = snprintf(query, sizeof(query), "%s %s %u", subject, object,
			  index);
	if (!avc_write_fd(fd, query, length)) {
		length = read(fd, query, sizeof(query) - 1);
		query[length > 0 ? length : 0] = '\0';
		allowed = strtoul(query, NULL, 16);
		allows = allowed & (1U << (bit - 1));
	}
	close(fd);
	return allows;
}

/* A domain that may write the file, but not set the AVC's parameters. */
static bool find_refused_domain(char *context, size_t size)
{
	static const char *const domains[] = {
		"crond_t", "restorecond_t", "local_login_t", "newrole_t",
		"lvm_t", "passwd_t", "udev_t", "getty_t",
	};
	char file[256] = "", own[256];
	unsigned int i;

	if (getxattr(AVC_SLOTS, "security.selinux", file, sizeof(file) - 1) < 0 ||
	    avc_read("/proc/self/attr/current", own, sizeof(own)) < 0)
		return false;
	for (i = 0; i < ARRAY_SIZE(domains); i++) {
		snprintf(context, size, "system_u:system_r:%s:s0", domains[i]);
		if (policy_allows(context, file, "file", "write") &&
		    policy_allows(context, own, "fd", "use") &&
		    !policy_allows(context, "system_u:object_r:security_t:s0",
				   "security", "setsecparam"))
			return true;
	}
	return false;
}

static int run_refused(struct refused *refused, bool enforce)
{
	double end = avc_seconds() + AVC_WAIT_TIMEOUT;
	unsigned int was = 0;
	pid_t pid;
	int rc;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		write_as_domain(refused);
	while (!__atomic_load_n(&refused->ready, __ATOMIC_ACQUIRE))
		if (avc_seconds() > end)
			break;
	rc = refused->ready == 1 ? 0 : refused->ready;
	if (!rc)
		rc = avc_get_uint(SELINUXFS "/enforce", &was);
	if (!rc && enforce != was)
		rc = avc_set_uint(SELINUXFS "/enforce", enforce);
	__atomic_store_n(&refused->go, 1, __ATOMIC_RELEASE);
	while (!rc && !__atomic_load_n(&refused->done, __ATOMIC_ACQUIRE))
		if (avc_seconds() > end)
			rc = -ETIMEDOUT;
	if (enforce != was)
		avc_set_uint(SELINUXFS "/enforce", was);
	waitpid(pid, NULL, 0);
	return rc;
}

static void check_refused_domain(struct __test_metadata *_metadata,
				 bool enforce)
{
	struct refused *refused;
	unsigned int value;
	int audit;

	refused = mmap(NULL, sizeof(*refused), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, refused);
	if (!find_refused_domain(refused->context, sizeof(refused->context)))
		SKIP(return, "no domain of this policy may write the file and not setsecparam");
	audit = avc_audit_open();
	if (audit < 0)
		SKIP(return, "no audit records: %s", strerror(-audit));
	refused->fd = open(AVC_SLOTS, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, refused->fd);
	if (run_refused(refused, enforce)) {
		close(refused->fd);
		SKIP(return, "this domain may not become %s, or not enforce",
		     refused->context);
	}
	close(refused->fd);
	ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
	if (!enforce) {
		EXPECT_EQ(0, refused->rc);
		EXPECT_EQ(64U, value);
		EXPECT_TRUE(avc_audit_denies(audit, refused->context, "setsecparam"));
	} else {
		EXPECT_EQ(-EACCES, refused->rc);
		EXPECT_EQ(512U, value);
		EXPECT_TRUE(avc_audit_denies(audit, refused->context, "setsecparam"));
	}
	TH_LOG("%s: %s", refused->context, strerror(-refused->rc));
	close(audit);
	munmap(refused, sizeof(*refused));
}

TEST_F(interface, refused_domain_permissive)
{
	unsigned int enforce;

	ASSERT_EQ(0, avc_get_uint(SELINUXFS "/enforce", &enforce));
	if (enforce)
		SKIP(return, "SELinux enforces");
	check_refused_domain(_metadata, false);
}

TEST_F(interface, refused_domain_enforcing)
{
	check_refused_domain(_metadata, true);
}

/* One's own domain may if the policy says so; mac_admin is not asked for. */
TEST_F(interface, allowed_domain_enforcing)
{
	unsigned int was, value;
	char own[256];
	int enforced, rc;

	ASSERT_LT(0, avc_read("/proc/self/attr/current", own, sizeof(own)));
	if (!policy_allows(own, "system_u:object_r:security_t:s0", "security",
			   "setsecparam") ||
	    !policy_allows(own, "system_u:object_r:security_t:s0", "security",
			   "setenforce"))
		SKIP(return, "%s may not setsecparam and setenforce", own);
	ASSERT_EQ(0, avc_get_uint(SELINUXFS "/enforce", &was));
	enforced = avc_set_uint(SELINUXFS "/enforce", 1);
	rc = avc_set_uint(AVC_SLOTS, 64);
	ASSERT_EQ(0, avc_set_uint(SELINUXFS "/enforce", was));
	ASSERT_EQ(0, enforced);
	ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
	EXPECT_EQ(0, rc);
	EXPECT_EQ(64U, value);
}

struct writer {
	unsigned int slots;
	int rc;
};

static void *write_often(void *arg)
{
	struct writer *writer = arg;
	unsigned int i;

	for (i = 0; i < 30 && !writer->rc; i++) {
		writer->rc = avc_set_uint(AVC_SLOTS, writer->slots);
		if (!writer->rc)
			writer->rc = avc_set_uint(AVC_THRESHOLD, writer->slots);
	}
	return NULL;
}

TEST_F(interface, writers_take_turns)
{
	struct writer writers[6];
	pthread_t threads[6];
	struct avc_resize_stats before, after;
	bool one_of_them = false;
	unsigned int value;
	unsigned int i;

	ASSERT_EQ(0, avc_resize_stats(&before));
	for (i = 0; i < ARRAY_SIZE(writers); i++) {
		writers[i].slots = 32U << i;
		writers[i].rc = 0;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, write_often,
					    &writers[i]));
	}
	for (i = 0; i < ARRAY_SIZE(writers); i++) {
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
		EXPECT_EQ(0, writers[i].rc);
	}
	ASSERT_EQ(0, avc_resize_stats(&after));
	EXPECT_LE(6U, after.resizes - before.resizes);
	EXPECT_EQ(before.failed, after.failed);
	ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
	for (i = 0; i < ARRAY_SIZE(writers); i++)
		one_of_them |= value == writers[i].slots;
	EXPECT_TRUE(one_of_them);
}

AVC_TEST_MAIN(AVC_NEED_LOADED)
