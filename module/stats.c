// SPDX-License-Identifier: GPL-2.0-only
/* How full the table is, and what resizes have cost. */
#include <linux/sched.h>
#include <linux/string.h>

#include "slots.h"

static unsigned int avc_chain_length(const struct avc_slot *slot)
{
	struct hlist_node *pos;
	unsigned int length = 0;

	rcu_read_lock();
	__hlist_for_each_rcu(pos, &slot->head)
		length++;
	rcu_read_unlock();
	return length;
}

/**
 * avc_table_hash_stats - measure how full the table is
 * @table: the table
 * @stats: where to put the result
 *
 * Context: May sleep.
 */
void avc_table_hash_stats(struct avc_table *table, struct avc_hash_stats *stats)
{
	struct avc_slots *slots;
	unsigned int length;
	unsigned int i;

	memset(stats, 0, sizeof(*stats));
	mutex_lock(&table->mutex);
	slots = avc_slots_protected(table);
	stats->slots = slots->count;
	for (i = 0; i < slots->count; i++) {
		length = avc_chain_length(&slots->slot[i]);
		stats->slots_used += !!length;
		stats->longest = max(stats->longest, length);
		cond_resched();
	}
	stats->entries = atomic_read(&table->entries);
	mutex_unlock(&table->mutex);
}

/**
 * avc_table_histogram - count the slots by the length of their chain
 * @table: the table
 * @slots: for each length, the number of slots with a chain of that length
 * @lengths: how many lengths, from 0 on, @slots has room for; not 0
 *
 * Context: May sleep.
 * Return: the length of the longest chain; if it is not below @lengths, the
 * chains of @lengths and more are not in @slots.
 */
unsigned int avc_table_histogram(struct avc_table *table, unsigned int *slots,
				 unsigned int lengths)
{
	struct avc_slots *array;
	unsigned int longest = 0;
	unsigned int length;
	unsigned int i;

	memset(slots, 0, array_size(lengths, sizeof(*slots)));
	mutex_lock(&table->mutex);
	array = avc_slots_protected(table);
	for (i = 0; i < array->count; i++) {
		length = avc_chain_length(&array->slot[i]);
		if (length < lengths)
			slots[length]++;
		longest = max(longest, length);
		cond_resched();
	}
	mutex_unlock(&table->mutex);
	return longest;
}

/**
 * avc_table_resize_stats - tell what resizes have cost
 * @table: the table
 * @stats: where to put the result
 *
 * Context: May sleep.
 */
void avc_table_resize_stats(struct avc_table *table,
			    struct avc_resize_stats *stats)
{
	mutex_lock(&table->mutex);
	*stats = table->resize_stats;
	mutex_unlock(&table->mutex);
}
