// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/security/selinux_avc/: what an administrator sees and sets.
 *
 * The inodes have selinux_avc_file_ops, which are the kernel's, and i_private
 * has the operations that those hand a file over to. An open file holds a
 * reference on the module (file_operations.owner), so the module cannot go away
 * meanwhile. avc_securityfs_exit() takes care of those about to open one.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "main.h"

/* Longer than any number or name, line feed included. */
#define INPUT_MAX 32

#define BACKEND_BUILTIN	"builtin"
#define BACKEND_SLOTS	"slots"

/* Writers take turns, so that the last one to return is the one in effect. */
static DEFINE_MUTEX(write_mutex);

static struct dentry *directory;

/*
 * Who may write: who has CAP_MAC_ADMIN in the initial user namespace, and, as
 * for cache_threshold, a domain that the policy lets set parameters; a denial
 * of that is audited.
 *
 * Not capable(): that would ask the policy for capability2 { mac_admin }, which
 * in SELinux stands for another thing, contexts that the policy does not know,
 * and which policies grant to next to no one, unconfined domains included.
 */
static int may_write(void)
{
	const struct cred *cred = current_cred();

	if (cred->user_ns != &init_user_ns ||
	    !cap_raised(cred->cap_effective, CAP_MAC_ADMIN))
		return -EPERM;
	return selinux_avc_may_set();
}

/*
 * Check the caller, then copy what is written as a string to @input, of
 * INPUT_MAX bytes. One write sets one value: no offset, nothing longer than a
 * value, no NUL inside.
 */
static int get_input(char *input, const char __user *buf, size_t count,
		     loff_t pos)
{
	int rc = may_write();

	if (rc)
		return rc;
	if (pos || count >= INPUT_MAX)
		return -EINVAL;
	if (copy_from_user(input, buf, count))
		return -EFAULT;
	input[count] = '\0';
	return strlen(input) == count ? 0 : -EINVAL;
}

/* Check the caller, parse an unsigned int, and hand it to @set. */
static ssize_t write_uint(const char __user *buf, size_t count, loff_t pos,
			  int (*set)(unsigned int value))
{
	char input[INPUT_MAX];
	unsigned int value;
	int rc;

	rc = get_input(input, buf, count, pos);
	if (rc)
		return rc;
	if (kstrtouint(input, 0, &value))
		return -EINVAL; /* out of range, too */

	mutex_lock(&write_mutex);
	rc = set(value);
	mutex_unlock(&write_mutex);
	return rc ? rc : count;
}

static ssize_t read_uint(char __user *buf, size_t count, loff_t *pos,
			 unsigned int value)
{
	char text[INPUT_MAX];
	int length = scnprintf(text, sizeof(text), "%u\n", value);

	return simple_read_from_buffer(buf, count, pos, text, length);
}

static int set_slots(unsigned int value)
{
	return avc_table_resize(&avc_table, value);
}

static ssize_t slots_read(struct file *file, char __user *buf, size_t count,
			  loff_t *pos)
{
	return read_uint(buf, count, pos, avc_table_slots(&avc_table));
}

static ssize_t slots_write(struct file *file, const char __user *buf,
			   size_t count, loff_t *pos)
{
	return write_uint(buf, count, *pos, set_slots);
}

static const struct file_operations slots_fops = {
	.owner = THIS_MODULE,
	.read = slots_read,
	.write = slots_write,
	.llseek = default_llseek,
};

static int set_threshold(unsigned int value)
{
	avc_table_set_threshold(&avc_table, value);
	return 0;
}

static ssize_t threshold_read(struct file *file, char __user *buf, size_t count,
			      loff_t *pos)
{
	return read_uint(buf, count, pos, READ_ONCE(avc_table.threshold));
}

static ssize_t threshold_write(struct file *file, const char __user *buf,
			       size_t count, loff_t *pos)
{
	return write_uint(buf, count, *pos, set_threshold);
}

static const struct file_operations threshold_fops = {
	.owner = THIS_MODULE,
	.read = threshold_read,
	.write = threshold_write,
	.llseek = default_llseek,
};

static ssize_t backend_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	const char *text = avc_backend_active() ?
				   BACKEND_BUILTIN " [" BACKEND_SLOTS "]\n" :
				   "[" BACKEND_BUILTIN "] " BACKEND_SLOTS "\n";

	return simple_read_from_buffer(buf, count, pos, text, strlen(text));
}

static ssize_t backend_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *pos)
{
	char input[INPUT_MAX];
	int rc;

	rc = get_input(input, buf, count, *pos);
	if (rc)
		return rc;

	mutex_lock(&write_mutex);
	if (sysfs_streq(input, BACKEND_SLOTS))
		rc = avc_backend_enable(false);
	else if (sysfs_streq(input, BACKEND_BUILTIN))
		avc_backend_disable();
	else
		rc = -EINVAL;
	mutex_unlock(&write_mutex);
	return rc ? rc : count;
}

static const struct file_operations backend_fops = {
	.owner = THIS_MODULE,
	.read = backend_read,
	.write = backend_write,
	.llseek = default_llseek,
};

static int hash_stats_show(struct seq_file *seq, void *v)
{
	char *page = kmalloc(PAGE_SIZE, GFP_KERNEL);

	if (!page)
		return -ENOMEM;
	avc_hash_stats_print(page);
	seq_puts(seq, page);
	kfree(page);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hash_stats);

static int chain_histogram_show(struct seq_file *seq, void *v)
{
	unsigned int lengths = 64;
	unsigned int *slots;
	unsigned int longest;
	unsigned int i;

	/* Chains may grow between two attempts; leave them some room. */
	for (;;) {
		slots = kvmalloc_array(lengths, sizeof(*slots), GFP_KERNEL);
		if (!slots)
			return -ENOMEM;
		longest = avc_table_histogram(&avc_table, slots, lengths);
		if (longest < lengths)
			break;
		kvfree(slots);
		lengths = 2 * longest;
	}

	seq_puts(seq, "length slots nodes\n");
	for (i = 0; i <= longest; i++)
		if (slots[i])
			seq_printf(seq, "%u %u %u\n", i, slots[i], i * slots[i]);
	kvfree(slots);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(chain_histogram);

static int resize_stats_show(struct seq_file *seq, void *v)
{
	struct avc_resize_stats stats;

	avc_table_resize_stats(&avc_table, &stats);
	seq_printf(seq, "resizes: %llu\n", stats.resizes);
	seq_printf(seq, "failed: %llu\n", stats.failed);
	seq_printf(seq, "nodes moved: %llu\n", stats.nodes_moved);
	seq_printf(seq, "last duration ns: %llu\n", stats.last_duration_ns);
	seq_printf(seq, "longest irq-off ns: %llu\n", stats.longest_irqoff_ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(resize_stats);

static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
} files[] = {
	{ "slots", 0644, &slots_fops },
	{ "threshold", 0644, &threshold_fops },
	{ "hash_stats", 0444, &hash_stats_fops },
	{ "chain_histogram", 0444, &chain_histogram_fops },
#ifdef CONFIG_SECURITY_SELINUX_AVC_STATS
	/* The kernel counts, whichever backend is active. */
	{ "cache_stats", 0444, &sel_avc_cache_stats_ops },
#endif
	{ "resize_stats", 0444, &resize_stats_fops },
	{ "backend", 0644, &backend_fops },
};

static struct dentry *dentries[ARRAY_SIZE(files)];

/**
 * avc_securityfs_init - create the directory and its files
 *
 * The last thing in the module's init that may fail.
 *
 * Context: May sleep.
 * Return: 0 or an error; then there is neither.
 */
int avc_securityfs_init(void)
{
	unsigned int i;

	directory = securityfs_create_dir("selinux_avc", NULL);
	if (IS_ERR(directory))
		return PTR_ERR(directory);

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		struct dentry *dentry;

		dentry = securityfs_create_file(files[i].name, files[i].mode,
						directory, NULL,
						&selinux_avc_file_ops);
		if (IS_ERR(dentry)) {
			avc_securityfs_exit();
			return PTR_ERR(dentry);
		}
		dentries[i] = dentry;
	}

	/*
	 * Nobody waits for open files if the module's init fails: so none can be
	 * opened before nothing can fail any more.
	 */
	for (i = 0; i < ARRAY_SIZE(files); i++)
		WRITE_ONCE(d_inode(dentries[i])->i_private,
			   (void *)files[i].fops);
	return 0;
}

/*
 * In 6.12 and older, what somebody holds keeps its name in the directory when
 * securityfs_remove() has removed it; the directory then counts as not empty,
 * stays, and the next load finds it there. So take the name away, too. The
 * file system stays, since securityfs has a file of its own.
 */
static void remove_entry(struct dentry *dentry)
{
	if (!dentry)
		return;
	dget(dentry);
	securityfs_remove(dentry);
	d_drop(dentry);
	dput(dentry);
}

/**
 * avc_securityfs_exit - remove the directory and its files
 *
 * Somebody may hold an inode without having opened it (O_PATH, or half-way
 * through open()), and look for the operations, and the owner in there, after
 * the module has gone. So take them away first; then wait for those who have
 * read the old pointer, under rcu_read_lock(), and not yet asked for the module.
 *
 * Context: May sleep.
 */
void avc_securityfs_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (dentries[i])
			WRITE_ONCE(d_inode(dentries[i])->i_private, NULL);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		remove_entry(dentries[i]);
		dentries[i] = NULL;
	}
	remove_entry(directory);
	synchronize_rcu();
}
