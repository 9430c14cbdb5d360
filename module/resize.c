// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resizing the table under its readers and writers.
 *
 * Each node has two links. The chains of the current array use one, the array
 * that is being built uses the other, so that a node is in both arrays at
 * once and no reader is ever between the two. The steps:
 *
 *  1. Slot after slot, under the slot's lock, link its nodes into the new
 *     array, then advance avc_slots.moved past the slot. From then on writers
 *     change both arrays; see avc_lock_key().
 *  2. Publish the new array. It has all nodes.
 *  3. Wait for a grace period, then free the old array, which nobody looks at
 *     any more, and with it the use of the other link.
 *
 * Steps 1 and 3 hold off the next resize (which needs the other link), flushes
 * and statistics, by the mutex, but no lookup and no insertion.
 */
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "slots.h"

/**
 * avc_slots_valid - can a table have this many slots?
 * @slots: the number of slots
 *
 * Return: whether it is a power of two from AVC_SLOTS_MIN to AVC_SLOTS_MAX.
 */
bool avc_slots_valid(unsigned int slots)
{
	return is_power_of_2(slots) && slots >= AVC_SLOTS_MIN &&
	       slots <= AVC_SLOTS_MAX;
}

/**
 * avc_slots_alloc - allocate an array of empty slots
 * @count: how many slots, a power of two, at least two
 * @link: which link of the nodes its chains use
 *
 * Context: May sleep.
 * Return: the array, to be freed with kvfree(), or NULL.
 */
struct avc_slots *avc_slots_alloc(unsigned int count, unsigned int link)
{
	struct avc_slots *slots;
	unsigned int i;

	slots = kvzalloc(struct_size(slots, slot, count),
			 GFP_KERNEL | __GFP_NOWARN);
	if (!slots)
		return NULL;
	slots->shift = 64 - ilog2(count);
	slots->link = link;
	slots->to_node = -(long)offsetof(struct avc_tnode, link[link]);
	slots->count = count;
	for (i = 0; i < count; i++) {
		INIT_HLIST_HEAD(&slots->slot[i].head);
		spin_lock_init(&slots->slot[i].lock);
	}
	return slots;
}

/**
 * avc_table_slots - the number of slots
 * @table: the table
 *
 * Context: Any.
 * Return: the number of slots in use now.
 */
unsigned int avc_table_slots(struct avc_table *table)
{
	unsigned int count;

	rcu_read_lock();
	count = rcu_dereference(table->slots)->count;
	rcu_read_unlock();
	return count;
}

static struct hlist_node *avc_chain_last(const struct hlist_head *head)
{
	struct hlist_node *pos, *last = NULL;

	hlist_for_each(pos, head)
		last = pos;
	return last;
}

static struct hlist_node *avc_chain_prev(const struct hlist_head *head,
					 struct hlist_node *pos)
{
	if (pos->pprev == &head->first)
		return NULL;
	return container_of(pos->pprev, struct hlist_node, next);
}

/*
 * Link the nodes of slot number @index into the new array as well; the oldest
 * first, so that the new chains have the newest in front, too.
 */
static void avc_move_slot(struct avc_table *table, struct avc_slots *slots,
			  unsigned int index)
{
	struct avc_resize_stats *stats = &table->resize_stats;
	struct avc_slot *slot = &slots->slot[index];
	struct avc_slots *next = slots->next;
	struct avc_slot *next_slot;
	struct avc_tnode *node;
	struct hlist_node *pos;
	unsigned long flags;
	u64 start, irqoff;

	spin_lock_irqsave(&slot->lock, flags);
	start = ktime_get_ns();
	for (pos = avc_chain_last(&slot->head); pos;
	     pos = avc_chain_prev(&slot->head, pos)) {
		node = avc_tnode_of(pos, slots->link);
		next_slot = &next->slot[avc_slot_index(next,
						       avc_tnode_hash(node))];
		spin_lock_nested(&next_slot->lock, SINGLE_DEPTH_NESTING);
		hlist_add_head_rcu(&node->link[next->link], &next_slot->head);
		spin_unlock(&next_slot->lock);
		stats->nodes_moved++;
	}
	/* Holders of other slots' locks read it at the same time. */
	WRITE_ONCE(slots->moved, index + 1);
	irqoff = ktime_get_ns() - start;
	spin_unlock_irqrestore(&slot->lock, flags);
	stats->longest_irqoff_ns = max(stats->longest_irqoff_ns, irqoff);
}

/**
 * avc_table_resize - change the number of slots
 * @table: the table
 * @count: the new number of slots
 *
 * No decision is lost, and no lookup misses one because of it.
 *
 * Context: May sleep.
 * Return: 0, -EINVAL for a wrong number of slots, or -ENOMEM; the table is
 * as before then.
 */
int avc_table_resize(struct avc_table *table, unsigned int count)
{
	struct avc_resize_stats *stats = &table->resize_stats;
	struct avc_slots *slots, *next;
	int rc = 0;
	u64 start;
	unsigned int i;

	if (!avc_slots_valid(count))
		return -EINVAL;

	mutex_lock(&table->mutex);
	start = ktime_get_ns();
	slots = avc_slots_protected(table);
	if (slots->count == count)
		goto unlock;
	next = avc_slots_alloc(count, !slots->link);
	if (!next) {
		stats->failed++;
		rc = -ENOMEM;
		goto unlock;
	}
	slots->next = next;
	for (i = 0; i < slots->count; i++) {
		avc_move_slot(table, slots, i);
		cond_resched();
	}
	rcu_assign_pointer(table->slots, next);
	synchronize_rcu();
	kvfree(slots);
	stats->resizes++;
	stats->last_duration_ns = ktime_get_ns() - start;
unlock:
	mutex_unlock(&table->mutex);
	return rc;
}
