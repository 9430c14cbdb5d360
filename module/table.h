/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash table for the AVC that can be resized while it is read and written.
 *
 * The table stands alone: it knows nodes with a key, two links and an RCU
 * head, and neither the hooks of the kernel nor securityfs. Of a decision it
 * only keeps the pointer.
 *
 * Where a lookup goes: avc_table.slots (RCU) -> the slot of the key's hash ->
 * its chain, linked by one of a node's two links -> the decision.
 *
 * Who holds what:
 *   readers	rcu_read_lock(), nothing else
 *   writers	rcu_read_lock() and the lock of the key's slot; while a resize is
 *		under way, and has already taken that slot over, also the lock of
 *		the key's slot in the new array
 *   resize,	avc_table.mutex; they see no other array appear, and take the
 *   flush,	slots' locks one at a time
 *   statistics
 */
#ifndef SELINUX_AVC_TABLE_H
#define SELINUX_AVC_TABLE_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "hash.h"

#define AVC_SLOTS_MIN		16U
#define AVC_SLOTS_MAX		1048576U
#define AVC_SLOTS_DEFAULT	512U

struct avc_node; /* a decision; the table does not look into it */

/**
 * struct avc_tnode - a decision's place in the table
 * @sids: source and target SID, see avc_key_sids()
 * @tclass: target class
 * @decision: the decision; replaced under the slot's lock
 * @link: in a chain of the array whose &avc_slots.link is the index, so that a
 *	resize can build the new chains while the old ones are read
 * @rhead: to free it after a grace period
 *
 * The order puts what a lookup reads next to each other.
 */
struct avc_tnode {
	u64 sids;
	u16 tclass;
	struct avc_node __rcu *decision;
	struct hlist_node link[2];
	struct rcu_head rhead;
};

/**
 * struct avc_slot - one hash bucket
 * @head: the chain of nodes, newest first
 * @lock: taken by whoever changes the chain or a decision in it
 */
struct avc_slot {
	struct hlist_head head;
	spinlock_t lock; /* for @head and the decisions in it */
};

/**
 * struct avc_slots - an array of slots that carries its own size
 * @shift: a hash shifted right by this is the index of its slot
 * @link: which link of the nodes the chains use
 * @to_node: from that link to the start of its node, in bytes
 * @count: the number of slots
 * @moved: of the slots below this one, all nodes are in @next, too; written by
 *	the resize under the lock of slot @moved - 1, read under a slot's lock
 * @next: the array that a resize is building; set before @moved leaves 0
 * @slot: the slots
 */
struct avc_slots {
	unsigned int shift;
	unsigned int link;
	long to_node;
	unsigned int count;
	unsigned int moved;
	struct avc_slots *next;
	struct avc_slot slot[];
};

/**
 * struct avc_resize_stats - what resizes have cost
 * @resizes: how many succeeded
 * @failed: how many failed
 * @nodes_moved: nodes moved in all
 * @last_duration_ns: time the last one took, grace period included
 * @longest_irqoff_ns: longest time for which one of them kept interrupts off
 */
struct avc_resize_stats {
	u64 resizes;
	u64 failed;
	u64 nodes_moved;
	u64 last_duration_ns;
	u64 longest_irqoff_ns;
};

/**
 * struct avc_hash_stats - how full the table is
 * @entries: nodes
 * @slots: slots
 * @slots_used: slots with at least one node
 * @longest: nodes in the longest chain
 */
struct avc_hash_stats {
	unsigned int entries;
	unsigned int slots;
	unsigned int slots_used;
	unsigned int longest;
};

/**
 * struct avc_table - the table
 * @slots: the current array
 * @retire: takes over a decision that left the table, which may still be read
 *	until a grace period has passed; called in any context
 * @threshold: most nodes kept
 * @entries: nodes now, those about to be inserted included
 * @hand: the slot where reclaim looked last
 * @mutex: held to resize, flush and gather statistics; may be held for a
 *	grace period
 * @resize_stats: under @mutex
 */
struct avc_table {
	struct avc_slots __rcu *slots;
	void (*retire)(struct avc_node *decision, bool reclaimed);
	unsigned int threshold;
	atomic_t entries;
	atomic_t hand;
	struct mutex mutex; /* for the array as a whole */
	struct avc_resize_stats resize_stats;
};

int avc_table_init(struct avc_table *table, unsigned int slots,
		   unsigned int threshold,
		   void (*retire)(struct avc_node *decision, bool reclaimed));
void avc_table_destroy(struct avc_table *table);
bool avc_table_insert(struct avc_table *table, u32 ssid, u32 tsid, u16 tclass,
		      struct avc_node *decision);
bool avc_table_replace(struct avc_table *table, u32 ssid, u32 tsid, u16 tclass,
		       struct avc_node *old, struct avc_node *decision);
void avc_table_flush(struct avc_table *table);
void avc_table_set_threshold(struct avc_table *table, unsigned int threshold);

bool avc_slots_valid(unsigned int slots);
unsigned int avc_table_slots(struct avc_table *table);
int avc_table_resize(struct avc_table *table, unsigned int slots);

void avc_table_hash_stats(struct avc_table *table,
			  struct avc_hash_stats *stats);
unsigned int avc_table_histogram(struct avc_table *table, unsigned int *slots,
				 unsigned int lengths);
void avc_table_resize_stats(struct avc_table *table,
			    struct avc_resize_stats *stats);

/* The upper bits, so that a slot's nodes go to neighbouring slots on growth. */
static __always_inline unsigned long
avc_slot_index(const struct avc_slots *slots, u64 hash)
{
	return hash >> slots->shift;
}

/* The node whose link number @link is @pos. */
static __always_inline struct avc_tnode *avc_tnode_of(struct hlist_node *pos,
						      unsigned int link)
{
	return container_of(pos - link, struct avc_tnode, link[0]);
}

static __always_inline bool avc_key_equal(const struct avc_tnode *node,
					  u32 ssid, u32 tsid, u16 tclass)
{
	return node->sids == avc_key_sids(ssid, tsid) && node->tclass == tclass;
}

/*
 * Go on to the next node unless @pos is that of @sids: without a branch, as
 * the compiler makes a conditional move of it, and must not know why @pos is
 * what it is.
 */
static __always_inline struct hlist_node *
avc_skip_other(struct hlist_node *pos, u64 sids, long to_node)
{
	const struct avc_tnode *node = (const void *)pos + to_node;
	struct hlist_node *next = rcu_dereference(hlist_next_rcu(pos));

	if (node->sids != sids)
		pos = next;
	OPTIMIZER_HIDE_VAR(pos);
	return pos;
}

/**
 * avc_table_lookup - find a decision
 * @table: the table
 * @ssid: source SID
 * @tsid: target SID
 * @tclass: target class
 *
 * Takes no lock, and no branch for a resize: until the new array is published,
 * with all nodes in it, the old one has them all.
 *
 * Which node of a chain it is cannot be predicted, and to mispredict takes as
 * long as all the rest. So for the first three there is no branch to predict.
 *
 * Context: Any, under rcu_read_lock().
 * Return: the decision, valid until rcu_read_unlock(), or NULL.
 */
static __always_inline struct avc_node *
avc_table_lookup(const struct avc_table *table, u32 ssid, u32 tsid, u16 tclass)
{
	const struct avc_slots *slots = rcu_dereference(table->slots);
	u64 hash = avc_key_hash(ssid, tsid, tclass);
	unsigned long offset = avc_slot_index(slots, hash) *
			       sizeof(struct avc_slot);
	u64 sids = avc_key_sids(ssid, tsid);
	long to_node = slots->to_node;
	const struct avc_tnode *node;
	const struct avc_slot *slot;
	struct hlist_node *pos;

	/* Or else gcc adds the offset of the first slot in steps of a slot. */
	OPTIMIZER_HIDE_VAR(offset);
	slot = (const void *)slots->slot + offset;
	pos = rcu_dereference(hlist_first_rcu(&slot->head));
	if (!pos)
		return NULL;
	pos = avc_skip_other(pos, sids, to_node);
	if (!pos)
		return NULL;
	pos = avc_skip_other(pos, sids, to_node);
	for (; pos; pos = rcu_dereference(hlist_next_rcu(pos))) {
		node = (const void *)pos + to_node;
		if (node->sids == sids && node->tclass == tclass)
			return rcu_dereference(node->decision);
	}
	return NULL;
}

#endif /* SELINUX_AVC_TABLE_H */
