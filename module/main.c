// SPDX-License-Identifier: GPL-2.0-only
/*
 * selinux_avc: an access vector cache for SELinux that an administrator can
 * resize, watch and tune while the machine runs.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>

#include "main.h"

static char *slots;
module_param(slots, charp, 0);
MODULE_PARM_DESC(slots,
		 "slots to begin with, a power of two from 16 to 1048576 (default: selinux_avc_cache_slots= of the kernel command line, or 512)");

static char *threshold;
module_param(threshold, charp, 0);
MODULE_PARM_DESC(threshold,
		 "most nodes kept to begin with (default: cache_threshold of the table in use before)");

/* The number of slots to begin with, or 0 after a message. */
static unsigned int __init initial_slots(void)
{
	unsigned int value = selinux_avc_cache_slots;

	if (slots) {
		if (!kstrtouint(slots, 0, &value) && avc_slots_valid(value))
			return value;
		pr_err("slots=%s is not a power of two from %u to %u\n", slots,
		       AVC_SLOTS_MIN, AVC_SLOTS_MAX);
		return 0;
	}
	if (!value)
		return AVC_SLOTS_DEFAULT;
	if (avc_slots_valid(value))
		return value;
	/* A bad default is no reason to refuse the module. */
	pr_warn("selinux_avc_cache_slots=%u on the kernel command line is not a power of two from %u to %u, using %u\n",
		value, AVC_SLOTS_MIN, AVC_SLOTS_MAX, AVC_SLOTS_DEFAULT);
	return AVC_SLOTS_DEFAULT;
}

static int __init selinux_avc_module_init(void)
{
	unsigned int nr_slots = initial_slots();
	unsigned int nr_nodes = 0;
	int rc;

	if (!nr_slots)
		return -EINVAL;
	if (threshold && kstrtouint(threshold, 0, &nr_nodes)) {
		pr_err("threshold=%s is not a number from 0 to %u\n", threshold,
		       UINT_MAX);
		return -EINVAL;
	}

	rc = avc_table_init(&avc_table, nr_slots, nr_nodes, selinux_avc_retire);
	if (rc) {
		pr_err("no memory for %u slots\n", nr_slots);
		return rc;
	}
	rc = avc_backend_enable(!threshold);
	if (rc) {
		pr_err("cannot take the place of the kernel's table: %s\n",
		       rc == -EBUSY ? "another backend has it" :
				      "SELinux is not enabled");
		goto destroy;
	}
	rc = avc_securityfs_init();
	if (rc) {
		pr_err("cannot create the files in securityfs: %d\n", rc);
		goto disable;
	}
	pr_info("%u slots, threshold %u\n", nr_slots,
		READ_ONCE(avc_table.threshold));
	return 0;

disable:
	avc_backend_disable();
destroy:
	avc_table_destroy(&avc_table);
	return rc;
}

static void __exit selinux_avc_module_exit(void)
{
	avc_securityfs_exit();
	avc_backend_disable();
	avc_table_destroy(&avc_table);
}

module_init(selinux_avc_module_init);
module_exit(selinux_avc_module_exit);

MODULE_DESCRIPTION("Resizable access vector cache for SELinux");
MODULE_LICENSE("GPL");
