// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a permission check costs, measured inside the kernel, on any kernel:
 * stock, with the hooks, with the module.
 *
 * The check is security_tun_dev_attach_queue(), which needs no device, is
 * exported to modules in every series, and consists of one
 *
 *	avc_has_perm(current_sid(), SID of the TUN device,
 *		     SECCLASS_TUN_SOCKET, TUN_SOCKET__ATTACH_QUEUE, NULL)
 *
 * So credentials and TUN devices' labels with n SIDs give n * n different
 * entries in the AVC. The SIDs are those of kernel_t with two categories each:
 * Debian's policy, like every reference policy, allows that domain this check
 * on itself whatever the categories, so nothing is audited.
 *
 * /sys/kernel/debug/avc_bench/
 *	run	write "ENTRIES ROUNDS": make a set of so many entries, check each
 *		once, unmeasured, then all of them ROUNDS times in an order that
 *		is the same each time. Read: entries, rounds, ns per check, how
 *		many of the entries were denied, and again ns per check. The
 *		first is the median of up to SAMPLES parts of the rounds, the
 *		other is the fastest: if they differ much, the machine was busy.
 *	verify	write "ROUNDS": check the set again. Read: checks done, how many
 *		of them had another result than at first.
 *	threads	write "N": stop the threads there are, start N that check the
 *		set until they are stopped; it cannot be changed then. Read: the
 *		number of threads, checks done, how many of them had another
 *		result than at first; go on counting until N is written again.
 *
 * Raise cache_threshold first, or there will be misses: cache_stats tells.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define ENTRIES_MAX	1000000U
#define THREADS_MAX	64U
#define SAMPLES		101U
/* Checks between two offers to give way. */
#define CHUNK		4096U

/**
 * struct subject - one SID, as a subject and as an object
 * @cred: who asks
 * @tun: what about
 */
struct subject {
	struct cred *cred;
	void *tun;
};

/**
 * struct pair - one entry
 * @from: index of the subject
 * @to: index of the object
 */
struct pair {
	u16 from;
	u16 to;
};

/**
 * struct bench_set - what is checked
 * @subjects: the SIDs
 * @nr_subjects: how many
 * @pairs: the entries, in the order in which they are checked
 * @results: the result of the first check of each
 * @entries: how many entries
 * @denied: how many of them were denied
 */
struct bench_set {
	struct subject *subjects;
	unsigned int nr_subjects;
	struct pair *pairs;
	int *results;
	unsigned int entries;
	unsigned int denied;
};

/* Protects all that follows, but for the counters. */
static DEFINE_MUTEX(bench_mutex);
static struct bench_set set;

static unsigned int last_rounds;
/* Per check, in thousandths of a ns. */
static u64 last_median;
static u64 last_fastest;

static u64 verify_checks;
static u64 verify_wrong;

static struct task_struct *threads[THREADS_MAX];
static unsigned int nr_threads;
static atomic64_t thread_checks;
static atomic64_t thread_wrong;

static struct dentry *directory;

/* Without references: whoever calls this puts the old ones back. */
static __always_inline void become(const struct cred *cred)
{
	rcu_assign_pointer(current->cred, cred);
}

static __always_inline int check(const struct pair *pair)
{
	become(set.subjects[pair->from].cred);
	return security_tun_dev_attach_queue(set.subjects[pair->to].tun);
}

/* Check entries from @first to before @end. */
static void check_range(unsigned int first, unsigned int end)
{
	const struct cred *old = current_cred();
	unsigned int i;

	for (i = first; i < end; i++)
		check(&set.pairs[i]);
	become(old);
}

/* The same, and return how many results were not as at first. */
static unsigned int verify_range(unsigned int first, unsigned int end)
{
	const struct cred *old = current_cred();
	unsigned int wrong = 0;
	unsigned int i;

	for (i = first; i < end; i++)
		wrong += check(&set.pairs[i]) != set.results[i];
	become(old);
	return wrong;
}

static void subject_free(struct subject *subject)
{
	if (subject->tun)
		security_tun_dev_free_security(subject->tun);
	if (subject->cred)
		abort_creds(subject->cred);
}

/* The @number-th SID: two categories of 1024. */
static int subject_init(struct subject *subject, unsigned int number)
{
	unsigned int low = number % 512, high = 512 + number / 512;
	const struct cred *old;
	char context[64];
	u32 secid;
	int rc;

	snprintf(context, sizeof(context),
		 "system_u:system_r:kernel_t:s0:c%u,c%u", low, high);
	rc = security_secctx_to_secid(context, strlen(context), &secid);
	if (rc) {
		pr_err("no SID for %s: %d\n", context, rc);
		return rc;
	}
	subject->cred = prepare_creds();
	if (!subject->cred)
		return -ENOMEM;
	rc = set_security_override(subject->cred, secid);
	if (rc) {
		pr_err("may not act as %s: %d\n", context, rc);
		return rc;
	}
	/* The device gets the label of who makes it. */
	old = current_cred();
	become(subject->cred);
	rc = security_tun_dev_alloc_security(&subject->tun);
	become(old);
	return rc;
}

static void set_free(void)
{
	unsigned int i;

	if (set.subjects)
		for (i = 0; i < set.nr_subjects; i++)
			subject_free(&set.subjects[i]);
	kvfree(set.subjects);
	kvfree(set.pairs);
	kvfree(set.results);
	memset(&set, 0, sizeof(set));
}

/* In an order that no prefetcher guesses, and that is always the same. */
static void shuffle(void)
{
	u32 random = 1;
	unsigned int i;

	for (i = set.entries - 1; i; i--) {
		random = random * 1664525 + 1013904223;
		swap(set.pairs[i],
		     set.pairs[mul_u64_u32_shr(random, i + 1, 32)]);
	}
}

static int set_make(unsigned int entries)
{
	const struct cred *old;
	unsigned int i;
	int rc;

	set_free();
	set.nr_subjects = int_sqrt(entries - 1) + 1;
	set.subjects = kvcalloc(set.nr_subjects, sizeof(*set.subjects),
				GFP_KERNEL);
	set.pairs = kvcalloc(entries, sizeof(*set.pairs), GFP_KERNEL);
	set.results = kvcalloc(entries, sizeof(*set.results), GFP_KERNEL);
	rc = -ENOMEM;
	if (!set.subjects || !set.pairs || !set.results)
		goto free;
	for (i = 0; i < set.nr_subjects; i++) {
		rc = subject_init(&set.subjects[i], i);
		if (rc)
			goto free;
	}
	set.entries = entries;
	for (i = 0; i < entries; i++) {
		set.pairs[i].from = i / set.nr_subjects;
		set.pairs[i].to = i % set.nr_subjects;
	}
	shuffle();
	for (i = 0; i < entries; i++) {
		old = current_cred();
		set.results[i] = check(&set.pairs[i]);
		become(old);
		set.denied += !!set.results[i];
		cond_resched();
	}
	return 0;

free:
	set_free();
	return rc;
}

static int compare_u64(const void *left, const void *right)
{
	u64 a = *(const u64 *)left, b = *(const u64 *)right;

	return a < b ? -1 : a > b;
}

/* How long a pass takes, in thousandths of a ns per check. */
static u64 time_passes(unsigned int passes)
{
	u64 start = ktime_get_ns();
	unsigned int i;

	for (i = 0; i < passes; i++)
		check_range(0, set.entries);
	return div64_u64((ktime_get_ns() - start) * 1000,
			 (u64)passes * set.entries);
}

static void measure(unsigned int rounds)
{
	unsigned int samples = min(rounds, SAMPLES);
	unsigned int left = rounds;
	u64 sample[SAMPLES];
	unsigned int passes;
	unsigned int i;

	for (i = 0; i < samples; i++) {
		passes = left / (samples - i);
		sample[i] = time_passes(passes);
		left -= passes;
		cond_resched();
	}
	sort(sample, samples, sizeof(*sample), compare_u64, NULL);
	last_rounds = rounds;
	last_median = sample[samples / 2];
	last_fastest = sample[0];
}

static int bench_thread(void *number)
{
	/* Not all of them in the same place. */
	unsigned int first = (unsigned long)number * 997 % set.entries;
	unsigned int end;

	while (!kthread_should_stop()) {
		end = min(first + CHUNK, set.entries);
		atomic64_add(verify_range(first, end), &thread_wrong);
		atomic64_add(end - first, &thread_checks);
		first = end == set.entries ? 0 : end;
		cond_resched();
	}
	return 0;
}

static void threads_stop(void)
{
	while (nr_threads)
		kthread_stop(threads[--nr_threads]);
}

static int threads_start(unsigned int count)
{
	struct task_struct *thread;

	atomic64_set(&thread_checks, 0);
	atomic64_set(&thread_wrong, 0);
	while (nr_threads < count) {
		thread = kthread_run(bench_thread,
				     (void *)(unsigned long)nr_threads,
				     "avc_bench/%u", nr_threads);
		if (IS_ERR(thread)) {
			threads_stop();
			return PTR_ERR(thread);
		}
		threads[nr_threads++] = thread;
	}
	return 0;
}

/* What is written: one or two numbers, and nothing else. */
static int get_numbers(const char __user *buf, size_t count,
		       unsigned int *first, unsigned int *second)
{
	char text[32], rest;
	bool valid;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	text[count] = '\0';
	if (second)
		valid = sscanf(text, "%u %u %c", first, second, &rest) == 2;
	else
		valid = sscanf(text, "%u %c", first, &rest) == 1;
	return valid ? 0 : -EINVAL;
}

static ssize_t run_write(struct file *file, const char __user *buf,
			 size_t count, loff_t *pos)
{
	unsigned int entries, rounds;
	int rc;

	rc = get_numbers(buf, count, &entries, &rounds);
	if (rc)
		return rc;
	if (!entries || entries > ENTRIES_MAX || !rounds)
		return -EINVAL;

	mutex_lock(&bench_mutex);
	rc = nr_threads ? -EBUSY : set_make(entries);
	if (!rc)
		measure(rounds);
	mutex_unlock(&bench_mutex);
	return rc ? rc : count;
}

static ssize_t run_read(struct file *file, char __user *buf, size_t count,
			loff_t *pos)
{
	u32 median_part, fastest_part;
	u64 median, fastest;
	char text[100];
	int length;

	mutex_lock(&bench_mutex);
	median = div_u64_rem(last_median, 1000, &median_part);
	fastest = div_u64_rem(last_fastest, 1000, &fastest_part);
	length = scnprintf(text, sizeof(text), "%u %u %llu.%03u %u %llu.%03u\n",
			   set.entries, last_rounds, median, median_part,
			   set.denied, fastest, fastest_part);
	mutex_unlock(&bench_mutex);
	return simple_read_from_buffer(buf, count, pos, text, length);
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.read = run_read,
	.write = run_write,
	.llseek = default_llseek,
};

static ssize_t verify_write(struct file *file, const char __user *buf,
			    size_t count, loff_t *pos)
{
	unsigned int rounds, first, end;
	int rc;

	rc = get_numbers(buf, count, &rounds, NULL);
	if (rc)
		return rc;

	mutex_lock(&bench_mutex);
	verify_checks = 0;
	verify_wrong = 0;
	if (!set.entries)
		rc = -ENODATA;
	for (; !rc && rounds; rounds--)
		for (first = 0; first < set.entries; first = end) {
			end = min(first + CHUNK, set.entries);
			verify_wrong += verify_range(first, end);
			verify_checks += end - first;
			cond_resched();
		}
	mutex_unlock(&bench_mutex);
	return rc ? rc : count;
}

static ssize_t verify_read(struct file *file, char __user *buf, size_t count,
			   loff_t *pos)
{
	char text[64];
	int length;

	mutex_lock(&bench_mutex);
	length = scnprintf(text, sizeof(text), "%llu %llu\n", verify_checks,
			   verify_wrong);
	mutex_unlock(&bench_mutex);
	return simple_read_from_buffer(buf, count, pos, text, length);
}

static const struct file_operations verify_fops = {
	.owner = THIS_MODULE,
	.read = verify_read,
	.write = verify_write,
	.llseek = default_llseek,
};

static ssize_t threads_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *pos)
{
	unsigned int wanted;
	int rc;

	rc = get_numbers(buf, count, &wanted, NULL);
	if (rc)
		return rc;
	if (wanted > THREADS_MAX)
		return -EINVAL;

	mutex_lock(&bench_mutex);
	threads_stop();
	if (wanted)
		rc = set.entries ? threads_start(wanted) : -ENODATA;
	mutex_unlock(&bench_mutex);
	return rc ? rc : count;
}

static ssize_t threads_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	char text[64];
	int length;

	mutex_lock(&bench_mutex);
	length = scnprintf(text, sizeof(text), "%u %llu %llu\n", nr_threads,
			   (u64)atomic64_read(&thread_checks),
			   (u64)atomic64_read(&thread_wrong));
	mutex_unlock(&bench_mutex);
	return simple_read_from_buffer(buf, count, pos, text, length);
}

static const struct file_operations threads_fops = {
	.owner = THIS_MODULE,
	.read = threads_read,
	.write = threads_write,
	.llseek = default_llseek,
};

static int __init avc_bench_init(void)
{
	directory = debugfs_create_dir("avc_bench", NULL);
	if (IS_ERR(directory))
		return PTR_ERR(directory);
	debugfs_create_file("run", 0600, directory, NULL, &run_fops);
	debugfs_create_file("verify", 0600, directory, NULL, &verify_fops);
	debugfs_create_file("threads", 0600, directory, NULL, &threads_fops);
	return 0;
}

static void __exit avc_bench_exit(void)
{
	/* Nobody is in a file's operation, nor can be, after this. */
	debugfs_remove(directory);
	threads_stop();
	set_free();
}

module_init(avc_bench_init);
module_exit(avc_bench_exit);

MODULE_DESCRIPTION("Benchmark of SELinux permission checks");
MODULE_LICENSE("GPL");
