/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests share: the files, the counters, and decisions to check. */
#ifndef SELINUX_AVC_SELFTESTS_AVC_H
#define SELINUX_AVC_SELFTESTS_AVC_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define AVC_DIR		"/sys/kernel/security/selinux_avc"
#define SELINUXFS	"/sys/fs/selinux"

#define AVC_SLOTS_MIN	16U
#define AVC_SLOTS_MAX	1048576U

#define AVC_BUILTIN	"builtin"
#define AVC_MODULE	"slots"

/*
 * Functions that return int return 0, or a negative errno, unless they say
 * otherwise.
 */

/* What a program needs; without it, it says so and is skipped. */
#define AVC_NEED_LOADED	1	/* the module, loaded */
#define AVC_NEED_FILE	2	/* the module's file, so that it can be loaded */

void avc_require(unsigned int needs);

/*
 * Seconds until a test, and until what a test waits for, counts as hanging. A
 * debug kernel that is emulated on a busy machine takes minutes for what takes
 * another one a second: what could go on forever is bounded by time instead.
 */
#define AVC_TEST_TIMEOUT	3600
#define AVC_WAIT_TIMEOUT	600
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	AVC_TEST_TIMEOUT

/* In place of TEST_HARNESS_MAIN. */
#define AVC_TEST_MAIN(needs)						\
	static void __attribute__((constructor)) avc_require_first(void)\
	{								\
		avc_require(needs);					\
	}								\
	TEST_HARNESS_MAIN

/* Files. */
ssize_t avc_read(const char *path, char *text, size_t size);
int avc_write(const char *path, const void *data, size_t size);
int avc_write_fd(int fd, const void *data, size_t size);
int avc_write_string(const char *path, const char *string);
int avc_get_uint(const char *path, unsigned int *value);
int avc_set_uint(const char *path, unsigned int value);
bool avc_matches(const char *text, const char *regex);

/* The builtin table's files that both kinds of table answer for. */
#define AVC_SLOTS	AVC_DIR "/slots"
#define AVC_THRESHOLD	AVC_DIR "/threshold"
#define AVC_BACKEND	AVC_DIR "/backend"
#define AVC_CACHE_THRESHOLD SELINUXFS "/avc/cache_threshold"

/* The settings, to put them back after a test. */
struct avc_settings {
	bool loaded;
	unsigned int enforce;
	unsigned int slots;
	unsigned int threshold;
	unsigned int cache_threshold;
};

int avc_settings_save(struct avc_settings *settings);
int avc_settings_set(unsigned int slots, unsigned int threshold);
int avc_settings_restore(const struct avc_settings *settings);

/* cache_stats, summed over the CPUs. They wrap around. */
struct avc_counters {
	unsigned int lookups;
	unsigned int hits;
	unsigned int misses;
	unsigned int allocations;
	unsigned int reclaims;
	unsigned int frees;
	unsigned int rows;
};

int avc_parse_counters(const char *text, struct avc_counters *counters);
int avc_counters(struct avc_counters *counters);
int avc_settle(void);

struct avc_hash_stats {
	unsigned int entries;
	unsigned int slots_used;
	unsigned int slots;
	unsigned int longest;
};

int avc_parse_hash_stats(const char *text, struct avc_hash_stats *stats);
int avc_hash_stats(struct avc_hash_stats *stats);

struct avc_histogram {
	unsigned int slots;
	unsigned int empty;
	unsigned int nodes;
	unsigned int longest;
};

int avc_parse_histogram(const char *text, struct avc_histogram *histogram);
int avc_histogram(struct avc_histogram *histogram);

struct avc_resize_stats {
	unsigned long long resizes;
	unsigned long long failed;
	unsigned long long nodes_moved;
	unsigned long long last_ns;
	unsigned long long irqoff_ns;
};

int avc_parse_resize_stats(const char *text, struct avc_resize_stats *stats);
int avc_resize_stats(struct avc_resize_stats *stats);

/*
 * A set of decisions that can be checked at will: sockets with a label each.
 * Asking one for its name makes exactly one lookup, of (own SID, the socket's
 * SID, unix_stream_socket), and nothing else that SELinux is asked about.
 */
struct avc_set {
	int *fds;
	unsigned int count;
};

int avc_set_make(struct avc_set *set, unsigned int count);
int avc_set_grow(struct avc_set *set, unsigned int count);
void avc_set_free(struct avc_set *set);
int avc_set_check(const struct avc_set *set);

int avc_set_misses(const struct avc_set *set);

/* Workers that check a set over and over. */
#define AVC_WORKERS_MAX	16

struct avc_shared {
	unsigned int stop;
	int error;
	unsigned long passes[AVC_WORKERS_MAX];
};

struct avc_load {
	const struct avc_set *set;
	struct avc_shared *shared;	/* with the processes, too */
	unsigned int threads;
	unsigned int processes;
	unsigned long thread[AVC_WORKERS_MAX];
	pid_t process[AVC_WORKERS_MAX];
};

int avc_load_start(struct avc_load *load, const struct avc_set *set,
		   unsigned int threads, unsigned int processes);
int avc_load_wait(struct avc_load *load, unsigned int passes);
unsigned long avc_load_passes(const struct avc_load *load);
int avc_load_stop(struct avc_load *load);

/* A thread that resizes the table back and forth, through one open file. */
struct avc_resizer {
	int fd;
	bool stop;
	int rc;
	unsigned long done;
	unsigned long thread;
};

int avc_resize(int fd, unsigned int slots);
int avc_resizer_start(struct avc_resizer *resizer);
int avc_resizer_stop(struct avc_resizer *resizer);

/* The module. */
bool avc_loaded(void);
const char *avc_module_file(void);
int avc_module_read(void);
int avc_module_load(const char *parameters);
int avc_module_unload(void);

/* The policy: read once, written back as it is. */
int avc_policy_read(void);
int avc_policy_reload(void);

/* Audit records. */
int avc_audit_open(void);
bool avc_audit_denies(int fd, const char *context, const char *permission);
void avc_audit_drain(int fd);

/* Others. */
int avc_in_child(int (*function)(void *arg), void *arg);
unsigned long avc_env(const char *name, unsigned long otherwise);
double avc_seconds(void);

#endif /* SELINUX_AVC_SELFTESTS_AVC_H */
