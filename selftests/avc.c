// SPDX-License-Identifier: GPL-2.0-only
/* What the tests share; see avc.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"
#include "avc.h"

#define TEXT_MAX	65536

/**
 * avc_require - skip the program if something is missing
 * @needs: AVC_NEED_LOADED, AVC_NEED_FILE
 */
void avc_require(unsigned int needs)
{
	const char *missing = NULL;

	if (geteuid())
		missing = "not root";
	else if (access(SELINUXFS "/policy", F_OK))
		missing = "SELinux is not enabled, or selinuxfs not mounted";
	else if (access("/sys/kernel/security/lsm", F_OK))
		missing = "securityfs is not mounted at /sys/kernel/security";
	else if ((needs & AVC_NEED_LOADED) && !avc_loaded())
		missing = "the module selinux_avc is not loaded";
	else if ((needs & AVC_NEED_FILE) && !avc_module_file())
		missing = "no module file: say SELINUX_AVC_MODULE=selinux_avc.ko";
	if (!missing)
		return;
	ksft_print_header();
	ksft_exit_skip("%s\n", missing);
}

/**
 * avc_read - read a whole file
 * @path: the file
 * @text: where to put its content and a NUL
 * @size: of @text
 *
 * Return: the length, or a negative errno.
 */
ssize_t avc_read(const char *path, char *text, size_t size)
{
	size_t length = 0;
	ssize_t got = 1;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (got > 0 && length < size - 1) {
		got = read(fd, text + length, size - 1 - length);
		if (got < 0)
			got = -errno;
		else
			length += got;
	}
	close(fd);
	if (got < 0)
		return got;
	if (length == size - 1)
		return -EFBIG;
	text[length] = '\0';
	return length;
}

/* Read a file whose size is known into memory that is to be freed. */
static int read_all(const char *path, void **data, size_t *size)
{
	struct stat st;
	ssize_t got;
	size_t done;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !st.st_size) {
		close(fd);
		return -EIO;
	}
	*size = st.st_size;
	*data = malloc(*size);
	for (done = 0; *data && done < *size; done += got) {
		got = read(fd, (char *)*data + done, *size - done);
		if (got <= 0)
			break;
	}
	close(fd);
	if (*data && done == *size)
		return 0;
	free(*data);
	*data = NULL;
	return -EIO;
}

/* A short write is an error: no file here takes part of a value. */
int avc_write_fd(int fd, const void *data, size_t size)
{
	ssize_t done = write(fd, data, size);

	if (done < 0)
		return -errno;
	return (size_t)done == size ? 0 : -EIO;
}

int avc_write(const char *path, const void *data, size_t size)
{
	int fd, rc;

	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = avc_write_fd(fd, data, size);
	close(fd);
	return rc;
}

int avc_write_string(const char *path, const char *string)
{
	return avc_write(path, string, strlen(string));
}

/* Read a file that has a number and at most a line feed. */
int avc_get_uint(const char *path, unsigned int *value)
{
	unsigned long long number;
	char text[64];
	ssize_t rc;
	char *end;

	rc = avc_read(path, text, sizeof(text));
	if (rc < 0)
		return rc;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (*end == '\n')
		end++;
	if (text[0] < '0' || text[0] > '9' || *end || errno ||
	    number > UINT_MAX)
		return -EBADMSG;
	*value = number;
	return 0;
}

int avc_set_uint(const char *path, unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	return avc_write_string(path, text);
}

/* Is the whole of @text as @regex, extended, says? */
bool avc_matches(const char *text, const char *regex)
{
	regmatch_t match;
	regex_t compiled;
	bool matches;

	if (regcomp(&compiled, regex, REG_EXTENDED))
		return false;
	matches = !regexec(&compiled, text, 1, &match, 0) && !match.rm_so &&
		  (size_t)match.rm_eo == strlen(text);
	regfree(&compiled);
	return matches;
}

/*
 * Wait until nobody asks SELinux anything. Those who pass on what is printed
 * do, for a while: each read and write is one check, since they have opened
 * their files before the last change of policy. Reading the counters may be
 * some, too, but the same number each time, pause or no pause.
 */
int avc_settle(void)
{
	double end = avc_seconds() + AVC_WAIT_TIMEOUT;
	struct avc_counters first, second, third;
	unsigned int quiet = 0;
	int rc;

	while (quiet < 2) {
		rc = avc_counters(&first);
		if (!rc)
			rc = avc_counters(&second);
		usleep(5000);
		if (!rc)
			rc = avc_counters(&third);
		if (rc)
			return rc;
		if (third.lookups - second.lookups ==
		    second.lookups - first.lookups)
			quiet++;
		else
			quiet = 0;
		if (avc_seconds() > end)
			return -EBUSY;
	}
	return 0;
}

/*
 * Where SELinux enforces a policy that does not let this domain write the
 * files, be permissive until avc_settings_restore().
 */
static int be_allowed(const struct avc_settings *settings)
{
	int rc;

	rc = avc_set_uint(AVC_THRESHOLD, settings->threshold);
	if (!settings->enforce || (rc != -EPERM && rc != -EACCES))
		return rc;
	return avc_set_uint(SELINUXFS "/enforce", 0);
}

int avc_settings_save(struct avc_settings *settings)
{
	int rc;

	memset(settings, 0, sizeof(*settings));
	settings->loaded = avc_loaded();
	rc = avc_get_uint(SELINUXFS "/enforce", &settings->enforce);
	if (!rc)
		rc = avc_get_uint(AVC_CACHE_THRESHOLD,
				  &settings->cache_threshold);
	if (rc || !settings->loaded)
		return rc;
	rc = avc_get_uint(AVC_SLOTS, &settings->slots);
	if (!rc)
		rc = avc_get_uint(AVC_THRESHOLD, &settings->threshold);
	return rc ? rc : be_allowed(settings);
}

/* Use the module's table, empty, with these settings. */
int avc_settings_set(unsigned int slots, unsigned int threshold)
{
	int rc;

	rc = avc_write_string(AVC_BACKEND, AVC_MODULE);
	if (!rc)
		rc = avc_set_uint(AVC_SLOTS, slots);
	if (!rc)
		rc = avc_set_uint(AVC_THRESHOLD, 0);
	if (!rc)
		rc = avc_set_uint(AVC_THRESHOLD, threshold);
	return rc ? rc : avc_settle();
}

int avc_settings_restore(const struct avc_settings *settings)
{
	unsigned int enforce;
	int rc = 0;

	if (settings->loaded && !avc_loaded())
		rc = avc_module_load("");
	if (!settings->loaded && avc_loaded())
		rc = avc_module_unload();
	if (rc)
		return rc;
	if (settings->loaded)
		rc = avc_settings_set(settings->slots, settings->threshold);
	else
		rc = avc_set_uint(AVC_CACHE_THRESHOLD,
				  settings->cache_threshold);
	if (!rc)
		rc = avc_get_uint(SELINUXFS "/enforce", &enforce);
	if (rc || enforce == settings->enforce)
		return rc;
	return avc_set_uint(SELINUXFS "/enforce", settings->enforce);
}

#define NUMBER "(0|[1-9][0-9]*)"

int avc_parse_counters(const char *text, struct avc_counters *sum)
{
	static const char header[] =
		"lookups hits misses allocations reclaims frees\n";
	struct avc_counters row;
	const char *line;

	if (!avc_matches(text, "lookups hits misses allocations reclaims frees\n"
			       "(" NUMBER "( " NUMBER "){5}\n)+"))
		return -EBADMSG;
	memset(sum, 0, sizeof(*sum));
	for (line = text + strlen(header); *line; line = strchr(line, '\n') + 1) {
		if (sscanf(line, "%u %u %u %u %u %u", &row.lookups, &row.hits,
			   &row.misses, &row.allocations, &row.reclaims,
			   &row.frees) != 6)
			return -EBADMSG;
		sum->lookups += row.lookups;
		sum->hits += row.hits;
		sum->misses += row.misses;
		sum->allocations += row.allocations;
		sum->reclaims += row.reclaims;
		sum->frees += row.frees;
		sum->rows++;
	}
	return 0;
}

/**
 * avc_counters - read the counters without disturbing them
 * @counters: where to put them
 *
 * From selinuxfs, whose file is there without the module as well. It stays
 * open: reading it again then asks SELinux nothing, except after a change of
 * policy.
 */
int avc_counters(struct avc_counters *counters)
{
	static __thread char text[TEXT_MAX];
	static int fd = -1;
	ssize_t length;

	if (fd < 0)
		fd = open(SELINUXFS "/avc/cache_stats", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = pread(fd, text, sizeof(text) - 1, 0);
	if (length < 0)
		return -errno;
	text[length] = '\0';
	return avc_parse_counters(text, counters);
}

int avc_parse_hash_stats(const char *text, struct avc_hash_stats *stats)
{
	if (!avc_matches(text, "entries: " NUMBER "\n"
			       "buckets used: " NUMBER "/" NUMBER "\n"
			       "longest chain: " NUMBER "\n"))
		return -EBADMSG;
	if (sscanf(text, "entries: %u\nbuckets used: %u/%u\nlongest chain: %u",
		   &stats->entries, &stats->slots_used, &stats->slots,
		   &stats->longest) != 4)
		return -EBADMSG;
	return 0;
}

int avc_hash_stats(struct avc_hash_stats *stats)
{
	char text[512];
	ssize_t rc;

	rc = avc_read(AVC_DIR "/hash_stats", text, sizeof(text));
	return rc < 0 ? rc : avc_parse_hash_stats(text, stats);
}

int avc_parse_histogram(const char *text, struct avc_histogram *histogram)
{
	static const char header[] = "length slots nodes\n";
	unsigned int length, slots, nodes;
	const char *line;
	bool first = true;

	if (!avc_matches(text, "length slots nodes\n"
			       "(" NUMBER " " NUMBER " " NUMBER "\n)+"))
		return -EBADMSG;
	memset(histogram, 0, sizeof(*histogram));
	for (line = text + strlen(header); *line; line = strchr(line, '\n') + 1) {
		if (sscanf(line, "%u %u %u", &length, &slots, &nodes) != 3)
			return -EBADMSG;
		/* Ascending lengths, and the product is right. */
		if (nodes != length * slots ||
		    (!first && length <= histogram->longest))
			return -EBADMSG;
		first = false;
		if (!length)
			histogram->empty = slots;
		histogram->slots += slots;
		histogram->nodes += nodes;
		if (slots)
			histogram->longest = length;
	}
	return 0;
}

int avc_histogram(struct avc_histogram *histogram)
{
	char *text = malloc(TEXT_MAX);
	ssize_t rc = -ENOMEM;

	if (text)
		rc = avc_read(AVC_DIR "/chain_histogram", text, TEXT_MAX);
	if (rc >= 0)
		rc = avc_parse_histogram(text, histogram);
	free(text);
	return rc;
}

int avc_parse_resize_stats(const char *text, struct avc_resize_stats *stats)
{
	if (!avc_matches(text, "resizes: " NUMBER "\n"
			       "failed: " NUMBER "\n"
			       "nodes moved: " NUMBER "\n"
			       "last duration ns: " NUMBER "\n"
			       "longest irq-off ns: " NUMBER "\n"))
		return -EBADMSG;
	if (sscanf(text,
		   "resizes: %llu\nfailed: %llu\nnodes moved: %llu\nlast duration ns: %llu\nlongest irq-off ns: %llu",
		   &stats->resizes, &stats->failed, &stats->nodes_moved,
		   &stats->last_ns, &stats->irqoff_ns) != 5)
		return -EBADMSG;
	return 0;
}

int avc_resize_stats(struct avc_resize_stats *stats)
{
	char text[512];
	ssize_t rc;

	rc = avc_read(AVC_DIR "/resize_stats", text, sizeof(text));
	return rc < 0 ? rc : avc_parse_resize_stats(text, stats);
}

/* The own context up to and without the level. */
static int context_base(char *base, size_t size)
{
	unsigned int colons = 0;
	ssize_t length;
	char *c;

	length = avc_read("/proc/self/attr/current", base, size);
	if (length < 0)
		return length;
	for (c = base; *c; c++) {
		if (*c == ':' && ++colons == 3) {
			*c = '\0';
			return 0;
		}
	}
	return -EOPNOTSUPP; /* a policy without levels */
}

/* Socket number @index, labelled with two categories that no other one has. */
static int labelled_socket(int attr, const char *base, unsigned int index)
{
	unsigned int categories = 1024;
	unsigned int first = 0;
	char context[512];
	int length, fd, rc;

	while (index >= categories - 1 - first) {
		index -= categories - 1 - first;
		first++;
	}
	length = snprintf(context, sizeof(context), "%s:s0:c%u,c%u", base,
			  first, first + 1 + index);
	rc = avc_write_fd(attr, context, length);
	if (rc)
		return rc;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* Add sockets, up to @count of them; -EOPNOTSUPP without categories. */
int avc_set_grow(struct avc_set *set, unsigned int count)
{
	struct rlimit limit = { count + 256, count + 256 };
	struct rlimit old;
	char base[512];
	int *fds;
	int attr;
	int rc;

	rc = context_base(base, sizeof(base));
	if (rc)
		return rc;
	if (!getrlimit(RLIMIT_NOFILE, &old) && old.rlim_cur < limit.rlim_cur) {
		if (old.rlim_max > limit.rlim_max)
			limit.rlim_max = old.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			return -errno;
	}
	fds = realloc(set->fds, count * sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	set->fds = fds;
	attr = open("/proc/thread-self/attr/sockcreate", O_RDWR | O_CLOEXEC);
	if (attr < 0)
		return -errno;
	while (set->count < count) {
		rc = labelled_socket(attr, base, set->count);
		if (rc < 0)
			break;
		set->fds[set->count++] = rc;
		rc = 0;
	}
	avc_write_fd(attr, "\n", 1);
	close(attr);
	return rc;
}

int avc_set_make(struct avc_set *set, unsigned int count)
{
	memset(set, 0, sizeof(*set));
	return avc_set_grow(set, count);
}

void avc_set_free(struct avc_set *set)
{
	while (set->count)
		close(set->fds[--set->count]);
	free(set->fds);
	set->fds = NULL;
}

int avc_set_check(const struct avc_set *set)
{
	struct sockaddr_un address;
	socklen_t length;
	unsigned int i;

	for (i = 0; i < set->count; i++) {
		length = sizeof(address);
		if (getsockname(set->fds[i], (struct sockaddr *)&address,
				&length))
			return -errno;
	}
	return 0;
}

/**
 * avc_set_misses - check all of the set once
 * @set: the set
 *
 * Somebody else may ask SELinux something meanwhile, however quiet it was just
 * before. The number of lookups tells: if there were more than ours, and so
 * few misses that all can be theirs, the set is checked again. Otherwise, as
 * many as can be are counted as ours, up to all of the set.
 *
 * Return: the number of the set's decisions that were missed, or a negative
 * errno.
 */
int avc_set_misses(const struct avc_set *set)
{
	struct avc_counters first, before, after;
	unsigned int lookups, misses, own;
	unsigned int try;
	int rc;

	for (try = 0; try < 10; try++) {
		rc = avc_settle();
		if (!rc)
			rc = avc_counters(&first);
		if (!rc)
			rc = avc_counters(&before);
		if (!rc)
			rc = avc_set_check(set);
		if (!rc)
			rc = avc_counters(&after);
		if (rc)
			return rc;
		/* Reading the counters may be a lookup of its own. */
		own = before.lookups - first.lookups;
		lookups = after.lookups - before.lookups - own;
		misses = after.misses - before.misses;
		if (lookups <= set->count || misses > lookups - set->count)
			return misses < set->count ? misses : set->count;
		if (!misses)
			return 0;
		printf("# %u checks of others, %u misses: once more\n",
		       lookups - set->count, misses);
		fflush(stdout);
	}
	return -EBUSY;
}

static void work(struct avc_load *load, unsigned int worker)
{
	struct avc_shared *shared = load->shared;
	int rc;

	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		rc = avc_set_check(load->set);
		if (rc) {
			__atomic_store_n(&shared->error, rc, __ATOMIC_RELAXED);
			return;
		}
		__atomic_fetch_add(&shared->passes[worker], 1,
				   __ATOMIC_RELAXED);
	}
}

struct thread_start {
	struct avc_load *load;
	unsigned int worker;
};

static void *thread_work(void *arg)
{
	struct thread_start start = *(struct thread_start *)arg;

	free(arg);
	work(start.load, start.worker);
	return NULL;
}

static void pin(unsigned int worker)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(worker % sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/**
 * avc_load_start - check a set over and over
 * @load: what this fills in, for avc_load_stop()
 * @set: the set
 * @threads: how many threads shall do so
 * @processes: how many processes shall, each pinned to a CPU
 */
int avc_load_start(struct avc_load *load, const struct avc_set *set,
		   unsigned int threads, unsigned int processes)
{
	struct thread_start *start;
	pid_t pid;

	memset(load, 0, sizeof(*load));
	if (threads + processes > AVC_WORKERS_MAX)
		return -EINVAL;
	load->set = set;
	load->shared = mmap(NULL, sizeof(*load->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (load->shared == MAP_FAILED)
		return -errno;
	/* Processes first: they are to have one thread. */
	for (; load->processes < processes; load->processes++) {
		pid = fork();
		if (pid < 0)
			goto fail;
		if (!pid) {
			pin(load->processes);
			work(load, load->processes);
			_exit(0);
		}
		load->process[load->processes] = pid;
	}
	for (; load->threads < threads; load->threads++) {
		start = malloc(sizeof(*start));
		if (!start)
			goto fail;
		start->load = load;
		start->worker = processes + load->threads;
		if (pthread_create(&load->thread[load->threads], NULL,
				   thread_work, start)) {
			free(start);
			goto fail;
		}
	}
	return 0;

fail:
	avc_load_stop(load);
	return -EAGAIN;
}

/* Wait until each worker has checked the whole set @passes times more. */
int avc_load_wait(struct avc_load *load, unsigned int passes)
{
	unsigned int workers = load->processes + load->threads;
	unsigned long before[AVC_WORKERS_MAX];
	double end = avc_seconds() + AVC_WAIT_TIMEOUT;
	unsigned int i;
	int error;

	for (i = 0; i < workers; i++)
		before[i] = __atomic_load_n(&load->shared->passes[i],
					    __ATOMIC_RELAXED);
	for (i = 0; i < workers; i++) {
		/* One more: the pass under way may have begun before. */
		while (__atomic_load_n(&load->shared->passes[i],
				       __ATOMIC_RELAXED) - before[i] <= passes) {
			error = __atomic_load_n(&load->shared->error,
						__ATOMIC_RELAXED);
			if (error)
				return error;
			if (avc_seconds() > end)
				return -ETIMEDOUT;
			usleep(1000);
		}
	}
	return 0;
}

unsigned long avc_load_passes(const struct avc_load *load)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < load->processes + load->threads; i++)
		sum += __atomic_load_n(&load->shared->passes[i],
				       __ATOMIC_RELAXED);
	return sum;
}

/* Returns what went wrong in a worker, if anything. */
int avc_load_stop(struct avc_load *load)
{
	int status, rc;

	__atomic_store_n(&load->shared->stop, 1, __ATOMIC_RELAXED);
	while (load->threads)
		pthread_join(load->thread[--load->threads], NULL);
	rc = load->shared->error;
	while (load->processes) {
		if (waitpid(load->process[--load->processes], &status, 0) < 0 ||
		    status)
			rc = rc ? rc : -ECHILD;
	}
	munmap(load->shared, sizeof(*load->shared));
	load->shared = NULL;
	return rc;
}

/* Write a number of slots to the open file @fd. */
int avc_resize(int fd, unsigned int slots)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u\n", slots);

	return avc_write_fd(fd, text, length);
}

static void *resize_on(void *arg)
{
	struct avc_resizer *resizer = arg;

	while (!__atomic_load_n(&resizer->stop, __ATOMIC_RELAXED) &&
	       !resizer->rc) {
		resizer->rc = avc_resize(resizer->fd,
					 resizer->done % 2 ? 64 : 16384);
		resizer->done++;
	}
	return NULL;
}

int avc_resizer_start(struct avc_resizer *resizer)
{
	int rc;

	*resizer = (struct avc_resizer){ 0 };
	resizer->fd = open(AVC_SLOTS, O_RDWR | O_CLOEXEC);
	if (resizer->fd < 0)
		return -errno;
	rc = pthread_create(&resizer->thread, NULL, resize_on, resizer);
	if (rc)
		close(resizer->fd);
	return -rc;
}

/* Returns the error that a resize ended with, if any. */
int avc_resizer_stop(struct avc_resizer *resizer)
{
	int rc;

	__atomic_store_n(&resizer->stop, true, __ATOMIC_RELAXED);
	rc = pthread_join(resizer->thread, NULL);
	close(resizer->fd);
	return rc ? -rc : resizer->rc;
}

#define AUDIT_GROUP	1	/* AUDIT_NLGRP_READLOG */

/* Listen to the audit records; returns a socket or a negative errno. */
int avc_audit_open(void)
{
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = AUDIT_GROUP,
	};
	struct timeval wait = { .tv_sec = 60 };
	/* Room for what was denied before: it is still being sent. */
	int room = 16 << 20;
	int fd;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait))) {
		close(fd);
		return -EOPNOTSUPP;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	return fd;
}

/* Is there, before a minute of silence, a record that denies @context this? */
bool avc_audit_denies(int fd, const char *context, const char *permission)
{
	char denied[64], source[160];
	static char record[8192];
	ssize_t length;

	snprintf(denied, sizeof(denied), "denied  { %s }", permission);
	snprintf(source, sizeof(source), "scontext=%s ", context);
	for (;;) {
		length = recv(fd, record, sizeof(record) - 1, 0);
		/* Some records were lost, not necessarily this one. */
		if (length < 0 && errno == ENOBUFS)
			continue;
		if (length < (ssize_t)sizeof(struct nlmsghdr))
			return false;
		record[length] = '\0';
		if (strstr(record + sizeof(struct nlmsghdr), denied) &&
		    strstr(record + sizeof(struct nlmsghdr), source))
			return true;
	}
}

/* Forget the records up to now. They are sent a little later than made. */
void avc_audit_drain(int fd)
{
	char record[64];

	usleep(10000);
	while (recv(fd, record, sizeof(record), MSG_DONTWAIT | MSG_TRUNC) > 0 ||
	       errno == ENOBUFS)
		;
}

bool avc_loaded(void)
{
	return !access(AVC_SLOTS, F_OK);
}

/* The module's file, or NULL. */
const char *avc_module_file(void)
{
	const char *file = getenv("SELINUX_AVC_MODULE");

	if (!file)
		file = "/modules/selinux_avc.ko";
	return access(file, R_OK) ? NULL : file;
}

/* Read once: a policy that is enforced may not let the file be loaded. */
static void *module;
static size_t module_size;

int avc_module_read(void)
{
	const char *file = avc_module_file();

	if (module)
		return 0;
	if (!file)
		return -ENOENT;
	return read_all(file, &module, &module_size);
}

int avc_module_load(const char *parameters)
{
	int rc = avc_module_read();

	if (!rc && syscall(SYS_init_module, module, module_size, parameters))
		rc = -errno;
	return rc;
}

int avc_module_unload(void)
{
	return syscall(SYS_delete_module, "selinux_avc", O_NONBLOCK) ? -errno :
								       0;
}

static void *policy;
static size_t policy_size;

int avc_policy_read(void)
{
	return policy ? 0 : read_all(SELINUXFS "/policy", &policy, &policy_size);
}

/* Load the policy that is loaded. It takes one write. */
int avc_policy_reload(void)
{
	int rc = avc_policy_read();

	return rc ? rc : avc_write(SELINUXFS "/load", policy, policy_size);
}

/* Call @function in a child, whose exit status is what it returns: 0..255. */
int avc_in_child(int (*function)(void *arg), void *arg)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(function(arg));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return WEXITSTATUS(status);
}

/* A positive number from the environment. */
unsigned long avc_env(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);
	unsigned long value = text ? strtoul(text, NULL, 10) : 0;

	return value ? value : otherwise;
}

double avc_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
