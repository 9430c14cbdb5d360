// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading the module, at any time and with any parameters. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "avc.h"

#define COUNT	1000U

FIXTURE(module)
{
	struct avc_settings settings;
	struct avc_set set;
};

FIXTURE_SETUP(module)
{
	ASSERT_EQ(0, avc_settings_save(&self->settings));
	if (!avc_loaded())
		ASSERT_EQ(0, avc_module_load(""));
	ASSERT_EQ(0, avc_settings_set(512, 512));
	ASSERT_EQ(0, avc_set_make(&self->set, COUNT));
}

FIXTURE_TEARDOWN(module)
{
	avc_set_free(&self->set);
	EXPECT_EQ(0, avc_settings_restore(&self->settings));
}

/* SELINUX_AVC_LOADS=N times, or 100, or what can be done in 15 seconds. */
TEST_F(module, load_and_unload_under_load)
{
	unsigned long wanted = avc_env("SELINUX_AVC_LOADS", 100);
	double start = avc_seconds();
	struct avc_load load;
	unsigned long done;

	ASSERT_EQ(0, avc_load_start(&load, &self->set, 1, 2));
	for (done = 0; done < wanted; done++) {
		if (!getenv("SELINUX_AVC_LOADS") && avc_seconds() > start + 15)
			break;
		EXPECT_EQ(0, avc_module_unload());
		EXPECT_FALSE(avc_loaded());
		EXPECT_EQ(0, avc_module_load("threshold=4000"));
		EXPECT_TRUE(avc_loaded());
		EXPECT_EQ(0, avc_set_uint(AVC_SLOTS, done % 2 ? 16 : 4096));
		if (!avc_loaded())
			break;
	}
	EXPECT_EQ(0, avc_load_wait(&load, 1));
	EXPECT_EQ(0, avc_load_stop(&load));
	EXPECT_LT(1UL, done);
	EXPECT_EQ(0, avc_set_check(&self->set));
	EXPECT_EQ(0, avc_set_misses(&self->set));
	TH_LOG("%lu times in %.1f s", done, avc_seconds() - start);
}

/* The builtin table goes on, with the files of selinuxfs. */
TEST_F(module, builtin_after_unload)
{
	struct avc_counters before, after;
	struct avc_hash_stats hash;
	unsigned int value;
	char text[512];

	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_BUILTIN));
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 512));
	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_MODULE));
	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 64));
	ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 4321));
	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_module_unload());
	EXPECT_EQ(-1, access(AVC_DIR, F_OK));
	EXPECT_EQ(ENOENT, errno);
	ASSERT_LT(0, avc_read(SELINUXFS "/avc/hash_stats", text, sizeof(text)));
	ASSERT_EQ(0, avc_parse_hash_stats(text, &hash));
	/* CONFIG_SECURITY_SELINUX_AVC_HASH_BITS is 9 unless someone changed it. */
	EXPECT_EQ(512U, hash.slots);
	/* Its own threshold, not the module's. */
	ASSERT_EQ(0, avc_get_uint(AVC_CACHE_THRESHOLD, &value));
	EXPECT_EQ(512U, value);
	/* A set that fits is in the cache. */
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 4 * COUNT));
	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_counters(&before));
	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_counters(&after));
	EXPECT_EQ(COUNT, after.hits - before.hits);
	EXPECT_EQ(0U, after.misses - before.misses);
	/* cache_threshold of the table before is what a load begins with. */
	ASSERT_EQ(0, avc_module_load(""));
	ASSERT_EQ(0, avc_get_uint(AVC_THRESHOLD, &value));
	EXPECT_EQ(4 * COUNT, value);
	ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
	EXPECT_EQ(512U, value);
	ASSERT_EQ(0, avc_module_unload());
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 512));
}

TEST_F(module, twice_is_refused)
{
	unsigned int value;

	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 64));
	EXPECT_EQ(-EEXIST, avc_module_load(""));
	ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
	EXPECT_EQ(64U, value);
}

/* An open file keeps the module, but cache_stats: that is the kernel's own. */
TEST_F(module, open_file)
{
	static const char *const names[] = {
		"slots", "threshold", "hash_stats", "chain_histogram",
		"resize_stats", "backend",
	};
	char path[128], text[4096];
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), AVC_DIR "/%s", names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EWOULDBLOCK, avc_module_unload()) {
			TH_LOG("%s", names[i]);
		}
		EXPECT_LT(0, read(fd, text, sizeof(text)));
		EXPECT_EQ(0, lseek(fd, 0, SEEK_SET));
		EXPECT_LT(0, read(fd, text, sizeof(text)));
		close(fd);
	}
	fd = open(AVC_SLOTS, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EWOULDBLOCK, avc_module_unload());
	EXPECT_EQ(2, write(fd, "64", 2));
	close(fd);
	fd = open(AVC_DIR "/cache_stats", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, avc_module_unload());
	EXPECT_LT(0, read(fd, text, sizeof(text)));
	close(fd);
}

/* Held without being open: a path, a folder, the working directory. */
TEST_F(module, held_over_unload)
{
	static const char *const names[] = {
		"slots", "threshold", "hash_stats", "chain_histogram",
		"cache_stats", "resize_stats", "backend",
	};
	int paths[ARRAY_SIZE(names)];
	char path[128], text[64];
	unsigned int i, again;
	int folder, fd;

	folder = open(AVC_DIR, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ASSERT_LE(0, folder);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		paths[i] = openat(folder, names[i], O_PATH | O_CLOEXEC);
		ASSERT_LE(0, paths[i]);
	}
	ASSERT_EQ(0, chdir(AVC_DIR));
	for (again = 0; again < 2; again++) {
		ASSERT_EQ(0, avc_module_unload());
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			snprintf(path, sizeof(path), "/proc/self/fd/%d",
				 paths[i]);
			fd = open(path, O_RDONLY | O_CLOEXEC);
			EXPECT_EQ(-1, fd);
			EXPECT_TRUE(errno == ENODEV || errno == ENOENT) {
				TH_LOG("%s: %s", names[i], strerror(errno));
			}
			EXPECT_EQ(-1, open(path, O_WRONLY | O_CLOEXEC));
			EXPECT_EQ(-1, openat(folder, names[i], O_RDONLY));
			EXPECT_EQ(ENOENT, errno);
			EXPECT_EQ(-1, open(names[i], O_RDONLY));
			EXPECT_EQ(ENOENT, errno);
		}
		ASSERT_EQ(0, avc_module_load(""));
		/* They are those of the past, not of the module's new life. */
		snprintf(path, sizeof(path), "/proc/self/fd/%d", paths[0]);
		EXPECT_EQ(-1, open(path, O_RDONLY | O_CLOEXEC));
		EXPECT_LT(0, avc_read(AVC_SLOTS, text, sizeof(text)));
	}
	ASSERT_EQ(0, chdir("/"));
	close(folder);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		close(paths[i]);
}

/*
 * Some open the files, read and write them while the module comes and goes:
 * the files are there and do as they should, or they are not there. The kernel
 * has nothing to warn of.
 */
#define OPENERS	4
#define TAINT_WARN	512U

struct opener {
	pthread_t thread;
	bool *stop;
	unsigned int first;
	unsigned long there;
	unsigned long gone;
	int rc;
};

static void *open_on(void *arg)
{
	static const char *const names[] = {
		AVC_SLOTS, AVC_DIR "/hash_stats", AVC_DIR "/cache_stats",
		AVC_DIR "/chain_histogram", AVC_THRESHOLD,
	};
	struct opener *opener = arg;
	char text[4096];
	unsigned int i;
	ssize_t rc;

	for (i = 0; !__atomic_load_n(opener->stop, __ATOMIC_RELAXED); i++) {
		if ((i + opener->first) % 8)
			rc = avc_read(names[(i + opener->first) %
					    ARRAY_SIZE(names)],
				      text, sizeof(text));
		else
			rc = avc_set_uint(AVC_SLOTS, 32) ?: 1;
		if (rc > 0) {
			opener->there++;
		} else if (rc == -ENOENT || rc == -ENODEV) {
			opener->gone++;
		} else {
			opener->rc = rc ? rc : -ENODATA;
			break;
		}
		/* Leave a moment for the module to go. */
		if (i % 16 == 15)
			usleep(1000);
	}
	return NULL;
}

TEST_F(module, opened_meanwhile)
{
	struct opener openers[OPENERS] = { 0 };
	unsigned long there = 0, gone = 0;
	unsigned int done = 0, busy = 0;
	unsigned int tainted, value;
	double start = avc_seconds();
	bool stop = false;
	unsigned int i;
	int rc;

	ASSERT_EQ(0, avc_get_uint("/proc/sys/kernel/tainted", &tainted));
	for (i = 0; i < OPENERS; i++) {
		openers[i].stop = &stop;
		openers[i].first = i;
		ASSERT_EQ(0, pthread_create(&openers[i].thread, NULL, open_on,
					    &openers[i]));
	}
	while (done < 200 && avc_seconds() < start + (done ? 8 : AVC_WAIT_TIMEOUT)) {
		rc = avc_module_unload();
		if (rc == -EWOULDBLOCK) {
			busy++;
			usleep(500);
			continue;
		}
		EXPECT_EQ(0, rc);
		rc = avc_module_load("");
		EXPECT_EQ(0, rc);
		if (rc)
			break;
		done++;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < OPENERS; i++) {
		ASSERT_EQ(0, pthread_join(openers[i].thread, NULL));
		EXPECT_EQ(0, openers[i].rc) {
			TH_LOG("opener %u: %s", i, strerror(-openers[i].rc));
		}
		there += openers[i].there;
		gone += openers[i].gone;
	}
	EXPECT_LT(0U, done);
	EXPECT_LT(0UL, there);
	ASSERT_EQ(0, avc_get_uint("/proc/sys/kernel/tainted", &value));
	EXPECT_EQ(tainted & TAINT_WARN, value & TAINT_WARN);
	TH_LOG("%u times, %u times busy; %lu times the files were there, %lu times not",
	       done, busy, there, gone);
}

static const struct {
	const char *parameters;
	unsigned int slots;
	unsigned int threshold;
} good[] = {
	{ "", 512, 512 },
	{ "slots=16", 16, 512 },
	{ "slots=1048576", 1048576, 512 },
	{ "slots=0x400 threshold=01000", 1024, 512 },
	{ "threshold=0", 512, 0 },
	{ "threshold=4294967295", 512, 4294967295 },
	{ "slots=4096 threshold=8192", 4096, 8192 },
};

TEST_F(module, good_parameters)
{
	unsigned int value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_EQ(0, avc_module_unload());
		ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 512));
		ASSERT_EQ(0, avc_module_load(good[i].parameters)) {
			TH_LOG("'%s'", good[i].parameters);
		}
		ASSERT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
		EXPECT_EQ(good[i].slots, value) {
			TH_LOG("'%s'", good[i].parameters);
		}
		ASSERT_EQ(0, avc_get_uint(AVC_THRESHOLD, &value));
		EXPECT_EQ(good[i].threshold, value) {
			TH_LOG("'%s'", good[i].parameters);
		}
		ASSERT_EQ(0, avc_get_uint(AVC_CACHE_THRESHOLD, &value));
		EXPECT_EQ(good[i].threshold, value);
	}
}

/* A bad one: the load fails with a message that says which. */
static const struct {
	const char *parameters;
	const char *says;
} bad[] = {
	{ "slots=0", "slots=0" },
	{ "slots=1", "slots=1" },
	{ "slots=8", "slots=8" },
	{ "slots=17", "slots=17" },
	{ "slots=513", "slots=513" },
	{ "slots=2097152", "slots=2097152" },
	{ "slots=4294967296", "slots=4294967296" },
	{ "slots=4294967808", "slots=4294967808" },
	{ "slots=-1", "slots=-1" },
	{ "slots=-512", "slots=-512" },
	{ "slots=", "slots=" },
	{ "slots=abc", "slots=abc" },
	{ "slots=512x", "slots=512x" },
	{ "slots=512,1024", "slots=512,1024" },
	{ "threshold=-1", "threshold=-1" },
	{ "threshold=", "threshold=" },
	{ "threshold=abc", "threshold=abc" },
	{ "threshold=4294967296", "threshold=4294967296" },
	{ "slots=64 threshold=1e3", "threshold=1e3" },
	{ "threshold=512 slots=63", "slots=63" },
};

static bool log_says(int kmsg, const char *what)
{
	static char record[8192];
	bool found = false;
	ssize_t length;

	/* A record a read; -EPIPE: some were overwritten, go on. */
	for (;;) {
		length = read(kmsg, record, sizeof(record) - 1);
		if (length < 0 && errno == EPIPE)
			continue;
		if (length <= 0)
			return found;
		record[length] = '\0';
		if (strstr(record, "selinux_avc: ") && strstr(record, what))
			found = true;
	}
}

TEST_F(module, bad_parameters)
{
	unsigned int value;
	unsigned int i;
	int kmsg;

	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, kmsg);
	ASSERT_EQ(0, avc_module_unload());
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 600));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ASSERT_EQ(0, lseek(kmsg, 0, SEEK_END));
		EXPECT_EQ(-EINVAL, avc_module_load(bad[i].parameters)) {
			TH_LOG("'%s'", bad[i].parameters);
		}
		EXPECT_TRUE(log_says(kmsg, bad[i].says)) {
			TH_LOG("no message for '%s'", bad[i].parameters);
		}
		/* Nothing is left behind, nothing has changed. */
		ASSERT_EQ(-1, access(AVC_DIR, F_OK));
		ASSERT_EQ(-1, access("/sys/module/selinux_avc", F_OK));
		ASSERT_EQ(0, avc_get_uint(AVC_CACHE_THRESHOLD, &value));
		EXPECT_EQ(600U, value);
	}
	close(kmsg);
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 512));
	ASSERT_EQ(0, avc_module_load(""));
}

AVC_TEST_MAIN(AVC_NEED_FILE)
