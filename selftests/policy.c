// SPDX-License-Identifier: GPL-2.0-only
/*
 * A change of policy: after it, no decision from before is used, whichever
 * table it was in and whichever is active since.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "avc.h"

#define COUNT	1500U

FIXTURE(policy)
{
	struct avc_settings settings;
	struct avc_set set;
};

FIXTURE_SETUP(policy)
{
	ASSERT_EQ(0, avc_settings_save(&self->settings));
	ASSERT_EQ(0, avc_settings_set(512, 16384));
	ASSERT_EQ(0, avc_set_make(&self->set, COUNT));
	ASSERT_EQ(0, avc_policy_read());
}

FIXTURE_TEARDOWN(policy)
{
	avc_set_free(&self->set);
	EXPECT_EQ(0, avc_settings_restore(&self->settings));
}

/* All that was decided is decided again, once; afterwards nothing is. */
static void check_flushed(struct __test_metadata *_metadata,
			  const struct avc_set *set, const char *when)
{
	struct avc_counters counters;

	/* The file itself was checked under the old policy. */
	ASSERT_EQ(0, avc_counters(&counters));
	ASSERT_EQ((int)set->count, avc_set_misses(set)) {
		TH_LOG("%s: first pass", when);
	}
	ASSERT_EQ(0, avc_set_misses(set)) {
		TH_LOG("%s: second pass", when);
	}
}

static void check_kept(struct __test_metadata *_metadata,
		       const struct avc_set *set)
{
	ASSERT_EQ(0, avc_set_check(set));
	ASSERT_EQ(0, avc_set_misses(set));
}

TEST_F(policy, load_flushes)
{
	static const unsigned int sizes[] = { 16, 65536, 256, 4096 };
	double end = avc_seconds() + 20;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (i && avc_seconds() > end)
			break;
		ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, sizes[i]));
		check_kept(_metadata, &self->set);
		ASSERT_EQ(0, avc_policy_reload());
		check_flushed(_metadata, &self->set, "policy load");
	}
	TH_LOG("%u sizes", i);
}

/* One decision of each slot, and of each place in a chain. */
TEST_F(policy, load_flushes_to_the_last_node)
{
	struct avc_hash_stats hash;

	check_kept(_metadata, &self->set);
	ASSERT_EQ(0, avc_policy_reload());
	ASSERT_EQ(0, avc_hash_stats(&hash));
	/* What is there now was asked since: for this file, and by others. */
	EXPECT_GT(64U, hash.entries);
	EXPECT_GE(hash.entries, hash.slots_used);
}

/* Between the tables. The builtin one is left with the default threshold. */
TEST_F(policy, switching_flushes)
{
	check_kept(_metadata, &self->set);
	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_BUILTIN));
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 16384));
	check_flushed(_metadata, &self->set, "to builtin");
	ASSERT_EQ(0, avc_policy_reload());
	check_flushed(_metadata, &self->set, "policy load in builtin");
	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_MODULE));
	check_flushed(_metadata, &self->set, "from builtin");
	ASSERT_EQ(0, avc_policy_reload());
	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_BUILTIN));
	check_flushed(_metadata, &self->set, "to builtin after a policy load");
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 512));
}

TEST_F(policy, loading_flushes)
{
	if (!avc_module_file())
		SKIP(return, "no module file to load");
	check_kept(_metadata, &self->set);
	ASSERT_EQ(0, avc_module_unload());
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 16384));
	check_flushed(_metadata, &self->set, "unloading");
	ASSERT_EQ(0, avc_policy_reload());
	check_flushed(_metadata, &self->set, "policy load, unloaded");
	ASSERT_EQ(0, avc_module_load(""));
	check_flushed(_metadata, &self->set, "loading");
	ASSERT_EQ(0, avc_policy_reload());
	check_flushed(_metadata, &self->set, "policy load, loaded again");
	ASSERT_EQ(0, avc_policy_reload());
	ASSERT_EQ(0, avc_module_unload());
	check_flushed(_metadata, &self->set, "unloading after a policy load");
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 512));
	ASSERT_EQ(0, avc_module_load(""));
}

/* A load in the middle of a resize reaches the nodes in both arrays. */
TEST_F(policy, load_flushes_while_resizing)
{
	double end = avc_seconds() + 10;
	unsigned long resizes = 0;
	unsigned int i;

	for (i = 0; i < 5 && (!i || avc_seconds() < end); i++) {
		struct avc_resizer resizer;

		check_kept(_metadata, &self->set);
		ASSERT_EQ(0, avc_resizer_start(&resizer));
		EXPECT_EQ(0, avc_policy_reload());
		ASSERT_EQ(0, avc_resizer_stop(&resizer));
		resizes += resizer.done;
		check_flushed(_metadata, &self->set, "while resizing");
	}
	EXPECT_LT(0U, resizes);
}

/* KASAN keeps freed memory for a while, up to a part of all memory. */
static bool kasan_keeps_memory(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, " kasan_quarantine_put");
	if (file)
		fclose(file);
	return found;
}

/*
 * Memory: COUNT nodes of some hundred bytes each, flushed 50 times, are more
 * than 15 MiB if they are not freed. Allow 4 MiB for what else goes on: a
 * policy of some MiB is copied in and converted each time.
 */
TEST_F(policy, flushed_nodes_are_freed)
{
	char text[8192], *line;
	long before = 0, after = 0;
	unsigned int i;

	if (kasan_keeps_memory())
		SKIP(return, "KASAN keeps what is freed");
	for (i = 0; i < 60; i++) {
		ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 0));
		ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 16384));
		ASSERT_EQ(0, avc_set_check(&self->set));
		if (i != 9 && i != 59)
			continue;
		/* Let them be freed. */
		usleep(500000);
		ASSERT_LT(0, avc_read("/proc/meminfo", text, sizeof(text)));
		line = strstr(text, "\nMemAvailable:");
		ASSERT_NE(NULL, line);
		after = strtol(line + strlen("\nMemAvailable:"), NULL, 10);
		if (i == 9)
			before = after;
	}
	EXPECT_GE(after, before - 4096);
}

/*
 * A decision that changes with a boolean of the policy, seen by a process in a
 * domain for which the policy says so. SELinux must enforce.
 */
static bool make_tcp_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool map_executable_memory(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *area;

	area = mmap(NULL, page, PROT_READ | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return false;
	munmap(area, page);
	return true;
}

static const struct switched {
	const char *boolean;
	bool allows;		/* the value that allows it */
	const char *context;	/* or the own one */
	bool (*try)(void);
	const char *permission;
} switches[] = {
	{ "allow_ypbind", true, "system_u:system_r:fsadm_t:s0",
	  make_tcp_socket, "create" },
	{ "allow_execmem", true, NULL, map_executable_memory, "execmem" },
	{ "deny_execmem", false, NULL, map_executable_memory, "execmem" },
};

static int set_boolean(const char *boolean, bool value)
{
	char path[256];
	int rc;

	snprintf(path, sizeof(path), SELINUXFS "/booleans/%s", boolean);
	rc = avc_write_string(path, value ? "1" : "0");
	return rc ? rc : avc_write_string(SELINUXFS "/commit_pending_bools",
					  "1");
}

static int get_boolean(const char *boolean)
{
	char path[256], text[16];
	ssize_t rc;

	snprintf(path, sizeof(path), SELINUXFS "/booleans/%s", boolean);
	rc = avc_read(path, text, sizeof(text));
	return rc < 0 ? rc : text[0] == '1';
}

static int set_allowed(const struct switched *what, bool allowed)
{
	return set_boolean(what->boolean, allowed == what->allows);
}

/*
 * Those who try, over and over, so that the decision is always in the cache
 * and often about to be inserted. They answer in shared memory, for which
 * nobody asks SELinux. Two, for as many CPUs; both must be right.
 */
#define PROBES	2

struct probe {
	int ready;
	unsigned int question;
	unsigned int answered;
	bool allowed;
	bool stop;
};

static void probe_on(struct probe *probe, const struct switched *what)
{
	unsigned int question, answered = 0;
	bool allowed;
	int rc = 0;

	if (what->context)
		rc = avc_write_string("/proc/self/attr/current", what->context);
	__atomic_store_n(&probe->ready, rc ? rc : 1, __ATOMIC_RELEASE);
	while (!rc && !__atomic_load_n(&probe->stop, __ATOMIC_RELAXED) &&
	       getppid() != 1) {
		question = __atomic_load_n(&probe->question, __ATOMIC_ACQUIRE);
		allowed = what->try();
		if (question == answered)
			continue;
		probe->allowed = allowed;
		answered = question;
		__atomic_store_n(&probe->answered, answered, __ATOMIC_RELEASE);
	}
	_exit(0);
}

struct watch {
	const struct switched *what;
	struct probe *probes;
	pid_t pids[PROBES];
	int was;
};

/* What the probes say, asked after this was called: 0, 1, or an error. */
static int ask(struct probe *probes)
{
	double end = avc_seconds() + AVC_WAIT_TIMEOUT;
	unsigned int i;

	for (i = 0; i < PROBES; i++)
		__atomic_fetch_add(&probes[i].question, 1, __ATOMIC_RELEASE);
	for (i = 0; i < PROBES; i++) {
		while (__atomic_load_n(&probes[i].answered, __ATOMIC_ACQUIRE) !=
		       probes[i].question) {
			if (avc_seconds() > end)
				return -ETIMEDOUT;
			sched_yield();
		}
		if (probes[i].allowed != probes[0].allowed)
			return -EDOM;
	}
	return probes[0].allowed;
}

static void stop_probes(struct watch *watch)
{
	unsigned int i;

	for (i = 0; i < PROBES; i++)
		__atomic_store_n(&watch->probes[i].stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < PROBES; i++)
		if (watch->pids[i] > 0)
			waitpid(watch->pids[i], NULL, 0);
}

/* Start probes, and see whether the boolean makes a difference to them. */
static bool start_probes(struct watch *watch, const struct switched *what)
{
	bool ready = true;
	unsigned int i;

	watch->was = get_boolean(what->boolean);
	if (watch->was < 0 || avc_set_uint(SELINUXFS "/enforce", 0))
		return false;
	memset(watch->probes, 0, PROBES * sizeof(*watch->probes));
	for (i = 0; i < PROBES; i++) {
		watch->pids[i] = fork();
		if (!watch->pids[i])
			probe_on(&watch->probes[i], what);
		while (watch->pids[i] > 0 &&
		       !__atomic_load_n(&watch->probes[i].ready, __ATOMIC_ACQUIRE))
			usleep(1000);
		ready &= watch->probes[i].ready == 1;
	}
	if (ready && !avc_set_uint(SELINUXFS "/enforce", 1) &&
	    !set_allowed(what, true) && ask(watch->probes) == 1 &&
	    !set_allowed(what, false) && ask(watch->probes) == 0)
		return true;
	set_boolean(what->boolean, watch->was);
	stop_probes(watch);
	return false;
}

FIXTURE(stale)
{
	struct avc_settings settings;
	struct watch watch;
};

FIXTURE_SETUP(stale)
{
	struct watch *watch = &self->watch;
	unsigned int i;

	ASSERT_EQ(0, avc_settings_save(&self->settings));
	ASSERT_EQ(0, avc_settings_set(512, 512));
	ASSERT_EQ(0, avc_policy_read());
	/* Before enforcing; without it, some tests are skipped. */
	avc_module_read();
	watch->probes = mmap(NULL, PROBES * sizeof(*watch->probes),
			     PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, watch->probes);
	watch->what = NULL;
	for (i = 0; i < ARRAY_SIZE(switches) && !watch->what; i++)
		if (start_probes(watch, &switches[i]))
			watch->what = &switches[i];
	if (watch->what)
		return;
	avc_set_uint(SELINUXFS "/enforce", 0);
	avc_settings_restore(&self->settings);
	SKIP(return, "no boolean known here changes a decision, or it cannot be set");
}

FIXTURE_TEARDOWN(stale)
{
	struct watch *watch = &self->watch;

	if (!watch->what)
		return;
	stop_probes(watch);
	EXPECT_EQ(0, set_boolean(watch->what->boolean, watch->was));
	EXPECT_EQ(0, avc_set_uint(SELINUXFS "/enforce", 0));
	EXPECT_EQ(0, avc_settings_restore(&self->settings));
}

/* The steps, of which every order is tried. */
static int step_boolean(const struct switched *what, bool *allowed)
{
	*allowed = !*allowed;
	return set_allowed(what, *allowed);
}

static int step_module(void)
{
	return avc_loaded() ? avc_module_unload() : avc_module_load("");
}

static int step_backend(void)
{
	char text[64];
	int rc;

	rc = avc_read(AVC_BACKEND, text, sizeof(text));
	if (rc < 0)
		return rc;
	return avc_write_string(AVC_BACKEND,
				strstr(text, "[" AVC_MODULE "]") ?
					AVC_BUILTIN : AVC_MODULE);
}

static int step_resize(void)
{
	unsigned int slots;
	int rc;

	rc = avc_get_uint(AVC_SLOTS, &slots);
	return rc ? rc : avc_set_uint(AVC_SLOTS, slots == 512 ? 16 : 512);
}

static int step(char which, const struct switched *what, bool *allowed)
{
	switch (which) {
	case 'b': return step_boolean(what, allowed);
	case 'p': return avc_policy_reload();
	case 'm': return step_module();
	case 's': return step_backend();
	default: return step_resize();
	}
}

/* All words of @length letters; after each letter the decision must be right. */
static void every_order(struct __test_metadata *_metadata,
			const struct watch *watch, const char *letters,
			unsigned int length, double seconds)
{
	unsigned int count = strlen(letters);
	unsigned int words = 1, word, rest, i;
	double end = avc_seconds() + seconds;
	bool allowed = false;
	unsigned long steps = 0;

	for (i = 0; i < length; i++)
		words *= count;
	for (word = 0; word < words && avc_seconds() < end; word++) {
		char done[16] = "";

		/* Mixed, so that few of them are different ones. */
		rest = (word * 37 + 11) % words;
		for (i = 0; i < length; i++, rest /= count) {
			done[i] = letters[rest % count];
			ASSERT_EQ(0, step(done[i], watch->what, &allowed)) {
				TH_LOG("%s", done);
			}
			/* Cached now, for the next step to revoke. */
			ASSERT_EQ(allowed, ask(watch->probes)) {
				TH_LOG("stale after %s", done);
			}
			steps++;
		}
	}
	TH_LOG("%u of %u orders of %s, %lu steps", word, words, letters, steps);
}

TEST_F(stale, loaded_and_unloaded)
{
	if (!avc_module_file())
		SKIP(return, "no module file to load");
	every_order(_metadata, &self->watch, "bmp", 4, 15);
}

/* May the module's files be written now? A policy may be against it. */
static bool may_set(void)
{
	unsigned int slots;

	return !avc_get_uint(AVC_SLOTS, &slots) &&
	       !avc_set_uint(AVC_SLOTS, slots);
}

TEST_F(stale, switched_and_resized)
{
	if (!may_set())
		SKIP(return, "when enforced, the policy does not let this domain write the files");
	every_order(_metadata, &self->watch, "bsr", 4, 15);
}

/*
 * The same in permissive mode: what is denied is audited, and then allowed from
 * the cache. So after each step that revokes all decisions, a denial must come
 * again; it does not if a decision that allowed was kept.
 */
static int be_permissive(const struct watch *watch)
{
	if (!watch->what->context || avc_set_uint(SELINUXFS "/enforce", 0))
		return -EOPNOTSUPP;
	return avc_audit_open();
}

static bool denied_anew(const struct watch *watch, int audit)
{
	return avc_audit_denies(audit, watch->what->context,
				watch->what->permission);
}

TEST_F(stale, switched_and_resized_permissive)
{
	static const char letters[] = "bsr";
	const struct watch *watch = &self->watch;
	double end = avc_seconds() + 15;
	unsigned int word, rest, i;
	unsigned long denials = 0;
	bool allowed = false;
	int audit;

	audit = be_permissive(watch);
	if (audit < 0)
		SKIP(return, "no audit records: %s", strerror(-audit));
	for (word = 0; word < 81 && avc_seconds() < end; word++) {
		char done[16] = "";

		rest = (word * 37 + 11) % 81;
		for (i = 0; i < 4; i++, rest /= 3) {
			done[i] = letters[rest % 3];
			avc_audit_drain(audit);
			ASSERT_EQ(0, step(done[i], watch->what, &allowed)) {
				TH_LOG("%s", done);
			}
			ASSERT_EQ(1, ask(watch->probes));
			if (allowed || done[i] == 'r')
				continue;
			ASSERT_TRUE(denied_anew(watch, audit)) {
				TH_LOG("stale after %s", done);
			}
			denials++;
		}
	}
	EXPECT_LT(0UL, denials);
	close(audit);
	TH_LOG("%u of 81 orders of %s, %lu denials", word, letters, denials);
}

/* The boolean back and forth while resizes go on without pause. */
TEST_F(stale, while_resizing)
{
	const struct watch *watch = &self->watch;
	struct avc_resizer resizer;
	double end = avc_seconds() + 10;
	bool allowed = false;
	unsigned int i;
	int audit;

	audit = be_permissive(watch);
	if (audit < 0)
		SKIP(return, "no audit records: %s", strerror(-audit));
	ASSERT_EQ(0, avc_resizer_start(&resizer));
	for (i = 0; i < 60 && (i < 4 || avc_seconds() < end); i++) {
		avc_audit_drain(audit);
		EXPECT_EQ(0, step_boolean(watch->what, &allowed));
		EXPECT_EQ(1, ask(watch->probes));
		if (!allowed)
			EXPECT_TRUE(denied_anew(watch, audit));
	}
	EXPECT_EQ(0, avc_resizer_stop(&resizer));
	EXPECT_LT(1UL, resizer.done);
	close(audit);
	TH_LOG("%lu resizes, %u changes", resizer.done, i);
}

AVC_TEST_MAIN(AVC_NEED_LOADED)
