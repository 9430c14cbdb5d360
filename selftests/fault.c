// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations that fail: each one in turn, by /proc/self/fail-nth. Needs a
 * kernel with CONFIG_FAILSLAB, CONFIG_FAIL_PAGE_ALLOC and
 * CONFIG_FAULT_INJECTION_DEBUG_FS.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "avc.h"

#define DEBUGFS	"/sys/kernel/debug"
#define COUNT	500U

/* Loading a module makes some hundreds, most of them not the module's own. */
#define MOST_ALLOCATIONS	20000U

static const struct {
	const char *path;
	const char *value;
} injection[] = {
	{ DEBUGFS "/failslab/ignore-gfp-wait", "N" },
	{ DEBUGFS "/failslab/verbose", "0" },
	{ DEBUGFS "/fail_page_alloc/ignore-gfp-wait", "N" },
	{ DEBUGFS "/fail_page_alloc/ignore-gfp-highmem", "N" },
	{ DEBUGFS "/fail_page_alloc/min-order", "0" },
	{ DEBUGFS "/fail_page_alloc/verbose", "0" },
	{ DEBUGFS "/fail_page_alloc/task-filter", "Y" },
	{ DEBUGFS "/fail_page_alloc/times", "-1" },
	{ DEBUGFS "/fail_page_alloc/probability", "100" },
};

FIXTURE(fault)
{
	struct avc_settings settings;
	struct avc_set set;
	char was[ARRAY_SIZE(injection)][16];
	int nth;
};

FIXTURE_SETUP(fault)
{
	unsigned int i;

	self->nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (self->nth < 0)
		SKIP(return, "this kernel cannot inject faults");
	for (i = 0; i < ARRAY_SIZE(injection); i++)
		if (avc_read(injection[i].path, self->was[i],
			     sizeof(self->was[i])) < 0)
			SKIP(return, "no %s", injection[i].path);
	ASSERT_EQ(0, avc_settings_save(&self->settings));
	ASSERT_EQ(0, avc_settings_set(512, 16384));
	ASSERT_EQ(0, avc_set_make(&self->set, COUNT));
	for (i = 0; i < ARRAY_SIZE(injection); i++)
		ASSERT_EQ(0, avc_write_string(injection[i].path,
					      injection[i].value));
}

FIXTURE_TEARDOWN(fault)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(injection); i++)
		EXPECT_EQ(0, avc_write_string(injection[i].path, self->was[i]));
	close(self->nth);
	avc_set_free(&self->set);
	EXPECT_EQ(0, avc_settings_restore(&self->settings));
}

/* Let allocation number @n of this thread fail, from now on; 0: none. */
static int inject(int nth, unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	return pwrite(nth, text, length, 0) == length ? 0 : -errno;
}

/* Has it failed? There may have been fewer allocations. */
static bool injected(int nth)
{
	char text[16] = "";

	if (pread(nth, text, sizeof(text) - 1, 0) <= 0)
		return false;
	return !atoi(text);
}

static int write_slots(int fd, unsigned int slots)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", slots);

	return avc_write_fd(fd, text, length);
}

/* A resize that gets no memory: -ENOMEM, counted, and nothing has changed. */
static void check_resize(struct __test_metadata *_metadata, int nth,
			 const struct avc_set *set, unsigned int slots)
{
	struct avc_resize_stats before, after;
	double end = avc_seconds() + 20;
	unsigned int failures = 0;
	unsigned int value;
	unsigned int n;
	bool failed;
	int fd, rc;

	fd = open(AVC_SLOTS, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, write_slots(fd, 512));
	ASSERT_EQ(0, avc_set_check(set));
	/* On a slow machine, fewer of the many pages of a large array. */
	for (n = 1; n < MOST_ALLOCATIONS;
	     n += 1 + n / (avc_seconds() < end ? 32 : 3)) {
		ASSERT_EQ(0, avc_resize_stats(&before));
		ASSERT_EQ(0, inject(nth, n));
		rc = write_slots(fd, slots);
		failed = injected(nth);
		ASSERT_EQ(0, inject(nth, 0));
		ASSERT_EQ(0, avc_resize_stats(&after));
		ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
		ASSERT_EQ(0, avc_set_misses(set));
		if (!rc) {
			ASSERT_EQ(slots, value);
			ASSERT_EQ(before.failed, after.failed);
			ASSERT_EQ(before.resizes + 1, after.resizes);
			/* One that could do without, kvmalloc()'s first. */
			if (!failed)
				break;
			ASSERT_EQ(0, write_slots(fd, 512));
			continue;
		}
		failures++;
		ASSERT_TRUE(failed);
		ASSERT_EQ(-ENOMEM, rc);
		ASSERT_EQ(512U, value);
		ASSERT_EQ(before.failed + 1, after.failed);
		ASSERT_EQ(before.resizes, after.resizes);
		ASSERT_EQ(before.nodes_moved, after.nodes_moved);
	}
	close(fd);
	EXPECT_GT(MOST_ALLOCATIONS, n);
	TH_LOG("512 -> %u: %u allocations at most, %u tried were fatal", slots,
	       n - 1, failures);
}

/* A large array has several ways to its memory: all of them closed. */
static void check_no_pages(struct __test_metadata *_metadata,
			   const struct avc_set *set, unsigned int slots)
{
	struct avc_resize_stats before, after;
	unsigned int value;
	int fd, fail;
	int on, rc, off;

	fd = open(AVC_SLOTS, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	fail = open("/proc/thread-self/make-it-fail", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fail);
	ASSERT_EQ(0, write_slots(fd, 512));
	ASSERT_EQ(0, avc_set_check(set));
	ASSERT_EQ(0, avc_resize_stats(&before));
	on = pwrite(fail, "1", 1, 0);
	rc = write_slots(fd, slots);
	off = pwrite(fail, "0", 1, 0);
	ASSERT_EQ(1, on);
	ASSERT_EQ(1, off);
	EXPECT_EQ(-ENOMEM, rc);
	ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
	EXPECT_EQ(512U, value);
	EXPECT_EQ(0, avc_set_misses(set));
	ASSERT_EQ(0, avc_resize_stats(&after));
	EXPECT_EQ(before.failed + 1, after.failed);
	EXPECT_EQ(before.resizes, after.resizes);
	EXPECT_EQ(before.nodes_moved, after.nodes_moved);
	/* And then there is memory. */
	EXPECT_EQ(0, write_slots(fd, slots));
	EXPECT_EQ(0, avc_set_misses(set));
	close(fail);
	close(fd);
}

TEST_F(fault, resize_small)
{
	check_resize(_metadata, self->nth, &self->set, 16);
}

/* Larger than the page allocator can give: vmalloc(), in many steps. */
TEST_F(fault, resize_large)
{
	check_resize(_metadata, self->nth, &self->set, 524288);
}

TEST_F(fault, resize_without_pages)
{
	check_no_pages(_metadata, &self->set, 4096);
	check_no_pages(_metadata, &self->set, 524288);
}

/* A load that fails leaves nothing behind, and the next one is not bothered. */
TEST_F(fault, load)
{
	double end = avc_seconds() + 30;
	unsigned int failures = 0;
	unsigned int n;
	bool failed;
	int rc;

	if (avc_module_read())
		SKIP(return, "no module file to load");
	ASSERT_EQ(0, avc_module_unload());
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 16384));
	/* On a slow machine not each one: a module's own come last. */
	for (n = 1; n < MOST_ALLOCATIONS;
	     n += avc_seconds() < end ? 1 : 1 + n / 16) {
		ASSERT_EQ(0, inject(self->nth, n));
		rc = avc_module_load("");
		failed = injected(self->nth);
		ASSERT_EQ(0, inject(self->nth, 0));
		ASSERT_EQ(!rc, avc_loaded()) {
			TH_LOG("allocation %u: %d", n, rc);
		}
		ASSERT_EQ(!!rc, !!access("/sys/module/selinux_avc", F_OK)) {
			TH_LOG("allocation %u: %d", n, rc);
		}
		if (!rc) {
			if (!failed)
				break;
			ASSERT_EQ(0, avc_module_unload());
			continue;
		}
		failures++;
		ASSERT_TRUE(failed);
		ASSERT_EQ(-1, access(AVC_DIR, F_OK)) {
			TH_LOG("allocation %u: %d", n, rc);
		}
		/* The builtin table works. */
		if (n % 16 == 0) {
			ASSERT_EQ(0, avc_set_check(&self->set));
			ASSERT_EQ(0, avc_set_misses(&self->set));
		}
	}
	EXPECT_GT(MOST_ALLOCATIONS, n);
	EXPECT_LT(10U, failures);
	EXPECT_TRUE(avc_loaded());
	ASSERT_EQ(0, avc_set_check(&self->set));
	EXPECT_EQ(0, avc_set_misses(&self->set));
	ASSERT_EQ(0, avc_module_unload());
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 512));
	ASSERT_EQ(0, avc_module_load(""));
	TH_LOG("%u allocations at most, %u tried were fatal", n - 1, failures);
}

/* Opens and reads a file as soon as it is there. */
static void *open_at_once(void *arg)
{
	bool *stop = arg;
	char text[16];
	int fd;

	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		fd = open(AVC_SLOTS, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (read(fd, text, sizeof(text)) < 0)
			perror(AVC_SLOTS);
		close(fd);
	}
	return NULL;
}

/* A file of a module whose loading fails cannot be opened, or it is kept. */
TEST_F(fault, load_while_opened)
{
	double end = avc_seconds() + 20;
	bool failed, stop = false;
	pthread_t opener;
	unsigned int n;
	int rc;

	if (avc_module_read())
		SKIP(return, "no module file to load");
	ASSERT_EQ(0, avc_module_unload());
	ASSERT_EQ(0, pthread_create(&opener, NULL, open_at_once, &stop));
	for (n = 1; n < MOST_ALLOCATIONS;
	     n += avc_seconds() < end ? 1 : 1 + n / 8) {
		if (inject(self->nth, n))
			break;
		rc = avc_module_load("");
		failed = injected(self->nth);
		if (inject(self->nth, 0))
			break;
		if (rc)
			continue;
		do
			rc = avc_module_unload();
		while (rc == -EWOULDBLOCK);
		EXPECT_EQ(0, rc);
		if (!failed)
			break;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(opener, NULL));
	EXPECT_LT(10U, n);
	EXPECT_GT(MOST_ALLOCATIONS, n);
	ASSERT_EQ(0, avc_module_load(""));
}

/* Reading fails with -ENOMEM, or not at all. */
TEST_F(fault, read)
{
	static const char *const names[] = {
		"slots", "threshold", "hash_stats", "chain_histogram",
		"cache_stats", "resize_stats", "backend",
	};
	char path[128], text[8192];
	unsigned int i, n;
	bool failed;
	ssize_t rc;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), AVC_DIR "/%s", names[i]);
		ASSERT_LT(0, avc_read(path, text, sizeof(text)));
		for (n = 1; n < MOST_ALLOCATIONS; n++) {
			ASSERT_EQ(0, inject(self->nth, n));
			rc = avc_read(path, text, sizeof(text));
			failed = injected(self->nth);
			ASSERT_EQ(0, inject(self->nth, 0));
			ASSERT_TRUE(rc > 0 || rc == -ENOMEM) {
				TH_LOG("%s, allocation %u: %zd", path, n, rc);
			}
			if (!failed)
				break;
		}
		ASSERT_GT(MOST_ALLOCATIONS, n);
		ASSERT_LT(0, rc);
	}
}

/*
 * A decision for which there is no memory is not kept, but it is made; nothing
 * else suffers.
 */
TEST_F(fault, insert)
{
	struct avc_set one = { .count = 1 };
	unsigned int n, kept = 0, lost = 0;
	struct avc_histogram histogram;
	struct avc_hash_stats hash;
	unsigned int i;
	bool failed;
	int misses;

	for (i = 0; i < COUNT; i += 5) {
		one.fds = &self->set.fds[i];
		for (n = 1; n < 20; n++) {
			/* Out of the cache with it. */
			ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 0));
			ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 16384));
			ASSERT_EQ(0, inject(self->nth, n));
			ASSERT_EQ(0, avc_set_check(&one));
			failed = injected(self->nth);
			ASSERT_EQ(0, inject(self->nth, 0));
			misses = avc_set_misses(&one);
			ASSERT_TRUE(misses == 0 || misses == 1);
			lost += misses;
			kept += !misses;
			if (!failed) {
				ASSERT_EQ(0, misses);
				break;
			}
		}
		ASSERT_GT(20U, n);
		if (i >= 50)
			break;
	}
	EXPECT_LT(0U, lost);
	EXPECT_LT(0U, kept);
	ASSERT_EQ(0, avc_histogram(&histogram));
	ASSERT_EQ(0, avc_hash_stats(&hash));
	ASSERT_EQ(0, avc_histogram(&histogram));
	EXPECT_EQ(hash.entries, histogram.nodes);
	TH_LOG("%u kept, %u not", kept, lost);
}

AVC_TEST_MAIN(AVC_NEED_LOADED)
