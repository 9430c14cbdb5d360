// SPDX-License-Identifier: GPL-2.0-only
/*
 * What security_transition_sid() costs, measured inside the kernel, for the
 * label of a message: ask for (SID, SID, msg). For 6.12 and later, where it
 * takes no selinux_state.
 *
 * The function is not exported, so its address comes from who reads
 * /proc/kallsyms: this is for guests, and for nothing else.
 *
 * /sys/kernel/debug/sid_bench: write "ADDRESS SIDS ROUNDS". Read: ns per call
 * for the first call with each SID, whose result is a context not seen before
 * if SIDS is more than 1; then ns per call over ROUNDS more passes. With one
 * SID, it is that of an unconfined domain with all categories.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "flask.h"

#define SIDS_MAX	100000U

struct qstr;
typedef int transition_fn(u32 ssid, u32 tsid, u16 tclass,
			  const struct qstr *name, u32 *out_sid);

static DEFINE_MUTEX(sid_bench_mutex);
/* In thousandths of a ns. */
static u64 first_time, later_time;
static struct dentry *file;

static int make_sids(u32 *sids, unsigned int count)
{
	char context[80];
	unsigned int i;
	int rc;

	for (i = 0; i < count; i++) {
		if (count == 1)
			strscpy(context,
				"unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023",
				sizeof(context));
		else
			snprintf(context, sizeof(context),
				 "unconfined_u:unconfined_r:unconfined_t:s0:c%u,c%u-s0:c0.c1023",
				 i % 512, 512 + i / 512);
		rc = security_secctx_to_secid(context, strlen(context),
					      &sids[i]);
		if (rc) {
			pr_err("no SID for %s: %d\n", context, rc);
			return rc;
		}
		cond_resched();
	}
	return 0;
}

static int time_pass(transition_fn *transition, const u32 *sids,
		     unsigned int count, unsigned int passes, u64 *result)
{
	u64 start = ktime_get_ns();
	unsigned int i, pass;
	int failed = 0;
	u32 sid;

	for (pass = 0; pass < passes; pass++)
		for (i = 0; i < count; i++)
			failed |= transition(sids[i], sids[i], SECCLASS_MSG,
					     NULL, &sid);
	if (!passes)
		return 0;
	*result = div64_u64((ktime_get_ns() - start) * 1000,
			    (u64)passes * count);
	return failed;
}

static int run(transition_fn *transition, unsigned int count,
	       unsigned int rounds)
{
	u32 *sids = kvcalloc(count, sizeof(*sids), GFP_KERNEL);
	int rc;

	if (!sids)
		return -ENOMEM;
	rc = make_sids(sids, count);
	if (!rc)
		rc = time_pass(transition, sids, count, 1, &first_time);
	if (!rc)
		rc = time_pass(transition, sids, count, rounds, &later_time);
	kvfree(sids);
	return rc;
}

static ssize_t sid_bench_write(struct file *f, const char __user *buf,
			       size_t count, loff_t *pos)
{
	unsigned int sids, rounds;
	unsigned long address;
	char input[64];
	int rc;

	if (count >= sizeof(input))
		return -EINVAL;
	if (copy_from_user(input, buf, count))
		return -EFAULT;
	input[count] = '\0';
	if (sscanf(input, "%lx %u %u", &address, &sids, &rounds) != 3 ||
	    !address || !sids || sids > SIDS_MAX)
		return -EINVAL;

	mutex_lock(&sid_bench_mutex);
	rc = run((transition_fn *)address, sids, rounds);
	mutex_unlock(&sid_bench_mutex);
	return rc ? rc : count;
}

static ssize_t sid_bench_read(struct file *f, char __user *buf, size_t count,
			      loff_t *pos)
{
	char text[64];
	int length;

	mutex_lock(&sid_bench_mutex);
	length = scnprintf(text, sizeof(text), "%llu.%03llu %llu.%03llu\n",
			   first_time / 1000, first_time % 1000,
			   later_time / 1000, later_time % 1000);
	mutex_unlock(&sid_bench_mutex);
	return simple_read_from_buffer(buf, count, pos, text, length);
}

static const struct file_operations sid_bench_fops = {
	.owner = THIS_MODULE,
	.read = sid_bench_read,
	.write = sid_bench_write,
	.llseek = default_llseek,
};

static int __init sid_bench_init(void)
{
	file = debugfs_create_file("sid_bench", 0600, NULL, NULL,
				   &sid_bench_fops);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit sid_bench_exit(void)
{
	debugfs_remove(file);
}

module_init(sid_bench_init);
module_exit(sid_bench_exit);

MODULE_DESCRIPTION("What security_transition_sid() costs");
MODULE_LICENSE("GPL");
