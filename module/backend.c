// SPDX-License-Identifier: GPL-2.0-only
/* The table as a backend of the kernel's AVC: thin wrappers around it. */

#include "main.h"

struct avc_table avc_table;

/* Whether the kernel uses the table; changed one caller at a time. */
static bool backend_active;

/*
 * Whether the next call of backend_set_threshold() is to be ignored: that of
 * selinux_avc_register(). Both hold the kernel's avc_backend_mutex.
 */
static bool keep_threshold;

static struct avc_node *backend_lookup(u32 ssid, u32 tsid, u16 tclass)
{
	return avc_table_lookup(&avc_table, ssid, tsid, tclass);
}

static bool backend_insert(u32 ssid, u32 tsid, u16 tclass,
			   struct avc_node *node)
{
	return avc_table_insert(&avc_table, ssid, tsid, tclass, node);
}

static bool backend_replace(u32 ssid, u32 tsid, u16 tclass,
			    struct avc_node *old, struct avc_node *node)
{
	return avc_table_replace(&avc_table, ssid, tsid, tclass, old, node);
}

static void backend_flush(void)
{
	avc_table_flush(&avc_table);
}

static unsigned int backend_get_threshold(void)
{
	return READ_ONCE(avc_table.threshold);
}

static void backend_set_threshold(unsigned int threshold)
{
	if (keep_threshold)
		keep_threshold = false;
	else
		avc_table_set_threshold(&avc_table, threshold);
}

/**
 * avc_hash_stats_print - write the three lines of hash_stats
 * @page: where to, PAGE_SIZE bytes
 *
 * Context: May sleep.
 * Return: the length of the text.
 */
int avc_hash_stats_print(char *page)
{
	struct avc_hash_stats stats;

	avc_table_hash_stats(&avc_table, &stats);
	return scnprintf(page, PAGE_SIZE,
			 "entries: %u\nbuckets used: %u/%u\nlongest chain: %u\n",
			 stats.entries, stats.slots_used, stats.slots,
			 stats.longest);
}

static const struct selinux_avc_backend backend = {
	.lookup = backend_lookup,
	.insert = backend_insert,
	.replace = backend_replace,
	.flush = backend_flush,
	.hash_stats = avc_hash_stats_print,
	.get_threshold = backend_get_threshold,
	.set_threshold = backend_set_threshold,
};

/**
 * avc_backend_enable - let the kernel use the table
 * @take_threshold: whether with the threshold of the builtin table
 *
 * Context: May sleep. Callers take turns.
 * Return: 0, also if it does already, or an error of selinux_avc_register().
 */
int avc_backend_enable(bool take_threshold)
{
	int rc;

	if (backend_active)
		return 0;
	keep_threshold = !take_threshold;
	rc = selinux_avc_register(&backend);
	if (!rc)
		WRITE_ONCE(backend_active, true);
	return rc;
}

/**
 * avc_backend_disable - let the kernel use its builtin table
 *
 * On return the table is empty and not in use.
 *
 * Context: May sleep. Callers take turns.
 */
void avc_backend_disable(void)
{
	if (!backend_active)
		return;
	selinux_avc_unregister(&backend);
	WRITE_ONCE(backend_active, false);
}

/**
 * avc_backend_active - does the kernel use the table?
 *
 * Return: whether it does.
 */
bool avc_backend_active(void)
{
	return READ_ONCE(backend_active);
}
