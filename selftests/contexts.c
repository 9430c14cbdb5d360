// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel says of contexts, written down: the policies of validity/,
 * the two modes and a sequence of operations, all chosen by a seeded random
 * number generator, so that two kernels that are given the same seed can be
 * compared by comparing what this program prints. Each operation is one line:
 * what was done, the result or the error, and the labels that came out of it,
 * followed by the audit records that it left. Of these, process and inode
 * numbers and devices are left out: they tell two boots apart, not two kernels.
 *
 * It loads policies and changes the mode: for guests only.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "kselftest.h"

#include "avc.h"

#define SELINUX_XATTR	"security.selinux"
#define WORK		"/tmp/contexts"
/* Contexts for each policy: valid in that one, and others. */
#define POOL_VALID	40
#define POOL_OTHERS	8
#define QUESTIONS	100
#define TEXT		4096
#define MARK		"contexts-mark"

static const char *const policies[] = { "mls-a", "mls-b", "mcs", "plain" };

/* With the permission that shows, in an audit record, the label come to. */
static const char *const classes[] = {
	"process", "process", "file", "dir", "lnk_file", "fifo_file", "sock_file", "msg",
	"msgq", "sem", "shm", "unix_stream_socket", "tcp_socket",
};

static unsigned long long random_state;
static char *pool[4 * (POOL_VALID + POOL_OTHERS)];
static unsigned int pool_size;
static unsigned int policy_now;

/* Questions to the security server that are asked again and again. */
static struct question {
	const char *file;
	const char *source;
	const char *target;
	const char *class;
	const char *name;
} questions[QUESTIONS];
static unsigned int nr_questions;
static int audit_fd;

/* What happened how often, by the first word of a line and its result. */
static struct tally {
	const char *what;
	unsigned long good;
	unsigned long bad;
} tallies[32];
static unsigned long audit_records;
static unsigned long audit_invalid;

/* xorshift64* (Vigna, 2016). */
static unsigned int random_u32(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (random_state * 0x2545F4914F6CDD1DULL) >> 32;
}

static unsigned int below(unsigned int limit)
{
	return random_u32() % limit;
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

/* A level as text: more often than not one that some policy may know. */
static int random_level(char *text, unsigned int sensitivity)
{
	unsigned int low, n;

	n = sprintf(text, "s%u", sensitivity);
	switch (below(6)) {
	case 0:
		return n;
	case 1:
		return n + sprintf(text + n, ":c%u", below(1030));
	case 2:
		return n + sprintf(text + n, ":c0.c1023");
	case 3:
		low = below(10);
		return n + sprintf(text + n, ":c%u,c%u", low,
				   low + 1 + below(900));
	case 4:
		return n + sprintf(text + n, ":c%u.c%u", sensitivity * 30,
				   1023 - sensitivity * 10);
	default:
		low = below(500);
		return n + sprintf(text + n, ":c%u.c%u", low,
				   low + 1 + below(500));
	}
}

static char *random_context(void)
{
	unsigned int user = below(7), role = below(6), type = below(13);
	unsigned int low = one_in(2) ? 0 : below(17);
	char text[256], *end = text;

	/* There are more rules for these. */
	if (one_in(2))
		type = below(4);
	end += sprintf(end, "u%u:", user);
	end += role >= 5 ? sprintf(end, "object_r:") : sprintf(end, "r%u:", role);
	end += sprintf(end, "t%u", type);
	if (!one_in(12)) {
		*end++ = ':';
		end += random_level(end, low);
		if (!one_in(3)) {
			*end++ = '-';
			end += random_level(end, low + below(4));
		}
	}
	*end = '\0';
	return strdup(text);
}

/* Half of the time one of those that were made for the policy in force. */
static const char *any_context(void)
{
	unsigned int part = pool_size / ARRAY_SIZE(policies);

	if (one_in(2))
		return pool[policy_now * part + below(part)];
	return pool[below(pool_size)];
}

/* Where the number of attempts is part of what is compared. */
static void count(const char *what, bool good)
{
	struct tally *tally = tallies;

	while (tally->what && strcmp(tally->what, what))
		tally++;
	tally->what = what;
	if (good)
		tally->good++;
	else
		tally->bad++;
}

/* The end of a line: a result, or the error. */
static void result(const char *what, int rc, const char *text)
{
	count(what, rc >= 0);
	if (rc < 0)
		printf(" -> %s\n", strerrorname_np(errno));
	else
		printf(" -> %s\n", text ? text : "ok");
}

/* Audit records, by the kernel's multicast group: each one, and in order. */

static void audit_open(void)
{
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = 1 << (AUDIT_NLGRP_READLOG - 1),
	};
	int size = 64 << 20;

	audit_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	if (audit_fd < 0 ||
	    setsockopt(audit_fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    bind(audit_fd, (struct sockaddr *)&address, sizeof(address)))
		err(1, "audit");
}

/*
 * A record of our own: what comes before it in the socket came before it. Of
 * this type, which the kernel also takes while auditing is off.
 */
static void audit_mark(void)
{
	struct {
		struct nlmsghdr header;
		char text[sizeof(MARK)];
	} message = {
		.header.nlmsg_len = sizeof(message),
		.header.nlmsg_type = AUDIT_USER_AVC,
		.header.nlmsg_flags = NLM_F_REQUEST,
		.text = MARK,
	};
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (sendto(audit_fd, &message, sizeof(message), 0,
		   (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		err(1, "audit mark");
}

/*
 * Leave out what differs from run to run: the time and number of the record,
 * numbers of processes and inodes.
 */
static void audit_print(unsigned int type, char *text)
{
	static const char *const drop[] = { "pid=", "ino=", "ppid=", "dev=" };
	char *word, *rest = strchr(text, ')');
	bool dropped;
	unsigned int i;

	rest = rest ? rest + 2 : text;
	printf("  audit %u", type);
	while ((word = strsep(&rest, "\n "))) {
		dropped = !*word;
		for (i = 0; i < ARRAY_SIZE(drop); i++)
			dropped |= !strncmp(word, drop[i], strlen(drop[i]));
		if (!dropped)
			printf(" %s", word);
	}
	putchar('\n');
}

static void audit_drain(bool print)
{
	char buffer[16384];
	struct nlmsghdr *header = (struct nlmsghdr *)buffer;
	ssize_t n;

	audit_mark();
	for (;;) {
		n = recv(audit_fd, buffer, sizeof(buffer) - 1, 0);
		if (n < (ssize_t)sizeof(*header))
			err(1, "audit record");
		buffer[n] = '\0';
		if (header->nlmsg_type == AUDIT_USER_AVC &&
		    strstr(NLMSG_DATA(header), MARK))
			return;
		/* Answers to the marks, and ends of events. */
		if (header->nlmsg_type < AUDIT_USER ||
		    header->nlmsg_type == AUDIT_EOE)
			continue;
		if (!print)
			continue;
		audit_records++;
		if (header->nlmsg_type == AUDIT_SELINUX_ERR)
			audit_invalid++;
		audit_print(header->nlmsg_type, NLMSG_DATA(header));
	}
}

/* Files of selinuxfs that are asked by writing and answer when read. */
static int ask(const char *file, const char *question, char *answer)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), SELINUXFS "/%s", file);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	n = write(fd, question, strlen(question) + 1);
	if (n >= 0)
		n = read(fd, answer, TEXT - 1);
	if (n < 0) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	answer[n] = '\0';
	close(fd);
	return 0;
}

static void op_context(void)
{
	const char *context = any_context();
	char answer[TEXT];
	int rc;

	printf("context %s", context);
	rc = ask("context", context, answer);
	result("context", rc, answer);
}

/* The number a class has in the policy, or 0. */
static unsigned int class_number(const char *class)
{
	unsigned int value = 0;
	char path[128];

	snprintf(path, sizeof(path), SELINUXFS "/class/%s/index", class);
	avc_get_uint(path, &value);
	return value;
}

static void compute(const struct question *q)
{
	char question[1024], answer[TEXT];
	int rc;

	printf("%s %s %s %s%s", q->file, q->source, q->target, q->class,
	       q->name);
	snprintf(question, sizeof(question), "%s %s %u%s", q->source, q->target,
		 class_number(q->class), q->name);
	rc = ask(q->file, question, answer);
	result(q->file, rc, answer);
}

static void op_compute(const char *file)
{
	struct question q = {
		.file = file,
		.source = any_context(),
		.target = any_context(),
		.class = classes[below(ARRAY_SIZE(classes))],
		.name = "",
	};

	if (!strcmp(file, "create") && one_in(4))
		q.name = one_in(2) ? " named" : " other";
	compute(&q);
	questions[nr_questions++ % QUESTIONS] = q;
}

/* Our own labels. */
static int attribute(const char *name, const char *value, char *answer)
{
	char path[64];
	ssize_t n;
	int fd, rc;

	snprintf(path, sizeof(path), "/proc/self/attr/%s", name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	rc = write(fd, value, strlen(value) + 1) < 0 ? -errno : 0;
	n = pread(fd, answer, TEXT - 1, 0);
	if (n < 0)
		err(1, "%s", path);
	answer[n] = '\0';
	close(fd);
	errno = -rc;
	return rc;
}

static void op_attribute(const char *name)
{
	const char *context = one_in(3) ? "" : any_context();
	char answer[TEXT];
	int rc;

	/* One cannot have no domain. */
	if (!strcmp(name, "current") && !*context)
		context = any_context();
	printf("attr %s '%s'", name, context);
	rc = attribute(name, context, answer);
	printf(" now '%s'", answer);
	result("attr", rc, NULL);
}

static const char *label(const char *path, char *text)
{
	ssize_t n = lgetxattr(path, SELINUX_XATTR, text, TEXT - 1);

	if (n < 0)
		return strerrorname_np(errno);
	text[n] = '\0';
	return text;
}

static void op_create_file(void)
{
	static const char *const kinds[] = {
		"file", "dir", "fifo", "link", "node", "socket",
	};
	unsigned int kind = below(ARRAY_SIZE(kinds));
	const char *name = one_in(3) ? "named" : "other";
	char path[128], text[TEXT];
	int rc = -1, fd;

	snprintf(path, sizeof(path), WORK "/d%u/%s", below(4), name);
	printf("make %s %s", kinds[kind], path);
	switch (kind) {
	case 0:
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
		rc = fd < 0 ? -1 : 0;
		if (!rc)
			close(fd);
		break;
	case 1:
		rc = mkdir(path, 0700);
		break;
	case 2:
		rc = mkfifo(path, 0600);
		break;
	case 3:
		rc = symlink("nothing", path);
		break;
	case 4:
		rc = mknod(path, S_IFREG | 0600, 0);
		break;
	case 5:
		rc = mknod(path, S_IFSOCK | 0600, 0);
		break;
	}
	result("make", rc, rc ? NULL : label(path, text));
	if (!rc)
		remove(path);
}

static void op_relabel(void)
{
	const char *context = any_context();
	char path[128], text[TEXT];
	int rc;

	snprintf(path, sizeof(path), WORK "/%c%u", one_in(2) ? 'd' : 'f', below(4));
	printf("label %s %s", path, context);
	rc = lsetxattr(path, SELINUX_XATTR, context, strlen(context) + 1, 0);
	result("label", rc, rc ? NULL : label(path, text));
}

static void op_message(void)
{
	struct {
		long type;
		char text[16];
	} message = { .type = 1, .text = "message" };
	unsigned int i, n = 1 + below(3);
	int rc, id;

	printf("message queue");
	id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	result("msgget", id, NULL);
	if (id < 0)
		return;
	for (i = 0; i < n; i++) {
		rc = msgsnd(id, &message, sizeof(message.text), IPC_NOWAIT);
		printf("  send");
		result("msgsnd", rc, NULL);
		rc = msgrcv(id, &message, sizeof(message.text), 0, IPC_NOWAIT);
		printf("  receive");
		result("msgrcv", rc, NULL);
	}
	msgctl(id, IPC_RMID, NULL);
}

static void op_semaphore(void)
{
	struct sembuf up = { .sem_num = 0, .sem_op = 1 };
	int id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);

	printf("semaphore");
	result("semget", id, NULL);
	if (id < 0)
		return;
	printf("  up");
	result("semop", semop(id, &up, 1), NULL);
	semctl(id, 0, IPC_RMID);
}

static void op_shared_memory(void)
{
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	void *address;

	printf("shared memory");
	result("shmget", id, NULL);
	if (id < 0)
		return;
	address = shmat(id, NULL, 0);
	printf("  attach");
	result("shmat", address == (void *)-1 ? -1 : 0, NULL);
	if (address != (void *)-1)
		shmdt(address);
	shmctl(id, IPC_RMID, NULL);
}

static void show_peer(int fd)
{
	char text[TEXT];
	socklen_t n = sizeof(text) - 1;
	int rc = getsockopt(fd, SOL_SOCKET, SO_PEERSEC, text, &n);

	if (!rc)
		text[n] = '\0';
	printf("  peer");
	result("peer", rc, text);
}

/* connect() gives the server's end a label with the client's range. */
static void op_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int server, client, end;
	char label_text[TEXT];

	printf("listen");
	server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	result("socket", server, NULL);
	if (server < 0)
		return;
	/* An abstract address; autobind would be different each time. */
	memcpy(address.sun_path, "\0contexts", 9);
	if (bind(server, (struct sockaddr *)&address,
		 offsetof(struct sockaddr_un, sun_path) + 9) || listen(server, 1))
		err(1, "listen");
	if (one_in(2)) {
		printf("  sockcreate");
		result("attr", attribute("sockcreate", any_context(), label_text), NULL);
	}
	client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	printf("  client");
	result("socket", client, NULL);
	if (client >= 0) {
		int rc = connect(client, (struct sockaddr *)&address,
				 offsetof(struct sockaddr_un, sun_path) + 9);

		printf("  connect");
		result("connect", rc, NULL);
		if (!rc) {
			end = accept4(server, NULL, NULL, SOCK_CLOEXEC);
			printf("  accept");
			result("accept", end, NULL);
			show_peer(client);
			if (end >= 0) {
				show_peer(end);
				close(end);
			}
		}
		close(client);
	}
	attribute("sockcreate", "", label_text);
	close(server);
}

/* A program that says which domain it has come to. */
static void op_exec(void)
{
	char text[TEXT];
	int pipes[2], status;
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	if (pipe2(pipes, O_CLOEXEC))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		dup2(pipes[1], 1);
		execl(WORK "/program", "contexts", "--domain", NULL);
		dprintf(1, "%s", strerrorname_np(errno));
		_exit(1);
	}
	close(pipes[1]);
	n = read(pipes[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	close(pipes[0]);
	waitpid(pid, &status, 0);
	printf("exec");
	errno = EACCES;
	result("exec", status ? -1 : 0, text);
	if (status)
		printf("  %s\n", text);
}

static void op_boolean(void)
{
	unsigned int value = below(2);

	printf("boolean %u\n", value);
	if (avc_set_uint(SELINUXFS "/booleans/flip", value) ||
	    avc_set_uint(SELINUXFS "/commit_pending_bools", 1))
		err(1, "boolean");
}

static void operation(void)
{
	static const char *const attributes[] = {
		"current", "exec", "fscreate", "sockcreate", "keycreate",
	};

	switch (below(28)) {
	case 0 ... 2:
		op_context();
		break;
	case 3 ... 6:
		op_compute("create");
		break;
	case 7:
		op_compute("member");
		break;
	case 8:
		op_compute("relabel");
		break;
	case 9 ... 11:
		op_attribute("current");
		break;
	case 12:
		op_attribute(attributes[below(ARRAY_SIZE(attributes))]);
		break;
	case 13 ... 16:
		op_create_file();
		break;
	case 17 ... 18:
		op_relabel();
		break;
	case 19 ... 22:
		op_message();
		break;
	case 23:
		op_semaphore();
		break;
	case 24:
		op_shared_memory();
		break;
	case 25:
		op_socket();
		break;
	case 26:
		op_boolean();
		break;
	default:
		op_exec();
		break;
	}
	audit_drain(true);
}

static void load_policy(const char *folder, const char *name)
{
	char path[256];
	char *data;
	struct stat st;
	int fd, rc;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	data = malloc(st.st_size);
	if (!data || read(fd, data, st.st_size) != st.st_size)
		err(1, "%s", path);
	close(fd);
	rc = avc_write(SELINUXFS "/load", data, st.st_size);
	free(data);
	errno = -rc;
	printf("== load %s", name);
	result("load", rc, NULL);
	if (rc)
		err(1, "%s", path);
}

/*
 * Random contexts, chosen so that enough of them are valid in some policy. Not
 * many of the files' role, which any user may have, with any range.
 */
static void make_pool(const char *folder)
{
	char answer[TEXT];
	unsigned int i, valid, others;
	char *context;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		load_policy(folder, policies[i]);
		for (valid = 0, others = 0; valid < POOL_VALID || others < POOL_OTHERS;) {
			context = random_context();
			if (!ask("context", context, answer)) {
				if (valid == POOL_VALID ||
				    (strstr(context, "object_r") && !one_in(10)))
					continue;
				valid++;
			} else {
				if (others == POOL_OTHERS)
					continue;
				others++;
			}
			pool[pool_size++] = context;
		}
	}
}

static void prepare(void)
{
	char path[512], self[256];
	unsigned int i;
	ssize_t n;
	int fd;

	mkdir(WORK, 0700);
	if (mount("none", WORK, "tmpfs", 0, NULL))
		err(1, "tmpfs");
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), WORK "/d%u", i);
		if (mkdir(path, 0700))
			err(1, "%s", path);
		snprintf(path, sizeof(path), WORK "/f%u", i);
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		if (fd < 0)
			err(1, "%s", path);
		close(fd);
	}
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		err(1, "/proc/self/exe");
	self[n] = '\0';
	/* A copy, so that it has a label of its own. */
	snprintf(path, sizeof(path), "cp %s " WORK "/program", self);
	if (system(path))
		err(1, "cp");
}

/*
 * What came out before comes out again, in the kernel's eyes: what it may have
 * remembered of it may be right no longer.
 */
static void ask_again(void)
{
	unsigned int i, times;

	for (times = 0; times < 2; times++) {
		for (i = 0; i < nr_questions && i < QUESTIONS; i++) {
			compute(&questions[i]);
			audit_drain(true);
		}
	}
}

static void phase(const char *folder, unsigned int operations)
{
	unsigned int enforce = below(2);
	unsigned int i;

	/* Either may change first: a policy is also loaded while enforcing. */
	if (one_in(2))
		avc_set_uint(SELINUXFS "/enforce", enforce);
	/* Most often from one of the first two to the other. */
	policy_now = below(10) % ARRAY_SIZE(policies);
	if (one_in(2))
		policy_now %= 2;
	load_policy(folder, policies[policy_now]);
	audit_drain(true);
	if (avc_set_uint(SELINUXFS "/enforce", enforce))
		err(1, "enforce");
	printf("== enforcing %u\n", enforce);
	audit_drain(true);
	ask_again();
	for (i = 0; i < operations; i++) {
		if (one_in(100)) {
			enforce = !enforce;
			if (avc_set_uint(SELINUXFS "/enforce", enforce))
				err(1, "enforce");
			printf("== enforcing %u\n", enforce);
		}
		operation();
	}
	ask_again();
}

static int print_domain(void)
{
	char text[TEXT];
	ssize_t n = avc_read("/proc/self/attr/current", text, sizeof(text) - 1);

	if (n < 0)
		return 1;
	text[n] = '\0';
	printf("%s", text);
	return 0;
}

/* A run in which one kind of thing never happened, or always, shows nothing. */
static int summary(void)
{
	static const char *const both[] = {
		"context", "create", "relabel", "attr", "make", "msgsnd",
	};
	unsigned long operations = 0;
	struct tally *tally;
	int rc = 0;
	unsigned int i;

	for (tally = tallies; tally->what; tally++) {
		operations += tally->good + tally->bad;
		fprintf(stderr, "# %-10s %7lu done %7lu refused\n", tally->what,
			tally->good, tally->bad);
		for (i = 0; i < ARRAY_SIZE(both); i++) {
			if (!strcmp(tally->what, both[i]) &&
			    (!tally->good || !tally->bad))
				rc = 1;
		}
	}
	fprintf(stderr, "# %lu results, %lu audit records, %lu of them of invalid contexts\n",
		operations, audit_records, audit_invalid);
	if (!audit_invalid || rc) {
		fprintf(stderr, "contexts: too few operations to show anything\n");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long phases, operations, seed;
	unsigned int i;

	if (argc == 2 && !strcmp(argv[1], "--domain"))
		return print_domain();
	if (argc != 5) {
		fputs("Usage: contexts FOLDER SEED PHASES OPERATIONS\n"
		      "Loads policies from FOLDER and changes the mode: for guests only.\n",
		      stderr);
		return 2;
	}
	seed = strtoul(argv[2], NULL, 10);
	phases = strtoul(argv[3], NULL, 10);
	operations = strtoul(argv[4], NULL, 10);
	random_state = (seed + 1) * 0x9E3779B97F4A7C15ULL;

	/* Nothing may be evicted: the builtin table and the module's would not
	 * evict the same, and a permissive grant is audited once per entry.
	 */
	if (avc_set_uint(AVC_CACHE_THRESHOLD, 1000000))
		err(1, "cache_threshold");
	avc_write_string("/proc/sys/kernel/printk", "1");
	audit_open();
	audit_drain(false);
	avc_set_uint(SELINUXFS "/enforce", 0);
	make_pool(argv[1]);
	prepare();
	for (i = 0; i < phases; i++)
		phase(argv[1], operations);
	avc_set_uint(SELINUXFS "/enforce", 0);
	return summary();
}
