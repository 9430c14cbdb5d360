// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table: insert, replace, evict, flush. See table.h for who holds what,
 * resize.c for how it grows and shrinks.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "slots.h"

/* Nodes evicted at a time, as the builtin table does (AVC_CACHE_RECLAIM). */
#define AVC_RECLAIM_BATCH 16

/*
 * Nodes evicted at a time when the threshold is lowered: each batch walks a
 * chain from its start, so small ones would take forever on long chains.
 */
#define AVC_LOWER_BATCH 1024U

/*
 * Slots looked at for a full batch; beyond these one node is enough. In a table
 * with many more slots than nodes a batch is too far to go at a time.
 */
#define AVC_RECLAIM_SCAN 512

/**
 * struct avc_locked - the slots of one key, locked
 * @slots: the current array
 * @slot: the key's slot there
 * @next: the array that a resize is building, if it has already taken @slot
 *	over, else NULL
 * @next_slot: the key's slot in @next
 * @flags: interrupt state to restore
 */
struct avc_locked {
	struct avc_slots *slots;
	struct avc_slot *slot;
	struct avc_slots *next;
	struct avc_slot *next_slot;
	unsigned long flags;
};

/*
 * Lock the slot of @node in the array that a resize is building, @slots->next.
 * The resize may just have published it; then @slots is of the past: others
 * change the new array alone, and nothing may be done any more on the strength
 * of what @slots says. Once the lock is held with @slots still current,
 * nobody else can change this key before the lock is given back.
 */
static struct avc_slot *avc_lock_next(const struct avc_table *table,
				      struct avc_slots *slots, u64 hash)
{
	struct avc_slots *next = slots->next;
	struct avc_slot *slot = &next->slot[avc_slot_index(next, hash)];

	spin_lock_nested(&slot->lock, SINGLE_DEPTH_NESTING);
	if (likely(rcu_access_pointer(table->slots) == slots))
		return slot;
	spin_unlock(&slot->lock);
	return NULL;
}

static void avc_lock_key(const struct avc_table *table, u64 hash,
			 struct avc_locked *locked)
{
	struct avc_slots *slots;
	struct avc_slot *slot;
	unsigned int index;

	for (;;) {
		slots = rcu_dereference(table->slots);
		index = avc_slot_index(slots, hash);
		slot = &slots->slot[index];

		spin_lock_irqsave(&slot->lock, locked->flags);
		locked->slots = slots;
		locked->slot = slot;
		locked->next = NULL;
		if (likely(!avc_slot_moved(slots, index)))
			return;
		locked->next_slot = avc_lock_next(table, slots, hash);
		if (locked->next_slot) {
			locked->next = slots->next;
			return;
		}
		spin_unlock_irqrestore(&slot->lock, locked->flags);
	}
}

static void avc_unlock_key(struct avc_locked *locked)
{
	if (locked->next)
		spin_unlock(&locked->next_slot->lock);
	spin_unlock_irqrestore(&locked->slot->lock, locked->flags);
}

static struct avc_tnode *avc_find_locked(const struct avc_locked *locked,
					 u32 ssid, u32 tsid, u16 tclass)
{
	struct avc_tnode *node;
	struct hlist_node *pos;

	lockdep_assert_held(&locked->slot->lock);
	hlist_for_each(pos, &locked->slot->head) {
		node = avc_tnode_of(pos, locked->slots->link);
		if (avc_key_equal(node, ssid, tsid, tclass))
			return node;
	}
	return NULL;
}

static void avc_replace_locked(struct avc_table *table, struct avc_slot *slot,
			       struct avc_tnode *node,
			       struct avc_node *decision)
{
	struct avc_node *old;

	old = rcu_replace_pointer(node->decision, decision,
				  lockdep_is_held(&slot->lock));
	table->retire(old, false);
}

/* Give up a node that is in no chain any more. */
static void avc_tnode_retire(struct avc_table *table, struct avc_tnode *node,
			     bool reclaimed)
{
	/* Unlinked, so nobody replaces the decision any more. */
	table->retire(rcu_dereference_protected(node->decision, true),
		      reclaimed);
	atomic_dec(&table->entries);
	kfree_rcu(node, rhead);
}

/*
 * Evict up to @want nodes from slot number @index, the oldest ones first.
 * Passes the slot over if somebody is at work there.
 */
static unsigned int avc_reclaim_slot(struct avc_table *table,
				     struct avc_slots *slots,
				     unsigned int index, unsigned int want)
{
	struct avc_slot *slot = &slots->slot[index];
	struct avc_slot *next_slot = NULL;
	struct hlist_node *pos, *tmp;
	struct avc_tnode *node;
	unsigned int length = 0;
	unsigned int done = 0;
	unsigned long flags;

	if (!spin_trylock_irqsave(&slot->lock, flags))
		return 0;
	hlist_for_each(pos, &slot->head)
		length++;
	hlist_for_each_safe(pos, tmp, &slot->head) {
		if (length > want) {
			length--;
			continue;
		}
		node = avc_tnode_of(pos, slots->link);
		if (avc_slot_moved(slots, index)) {
			next_slot = avc_lock_next(table, slots,
						  avc_tnode_hash(node));
			if (!next_slot)
				break;
			hlist_del_rcu(&node->link[slots->next->link]);
		}
		hlist_del_rcu(pos);
		avc_tnode_retire(table, node, true);
		done++;
		if (next_slot)
			spin_unlock(&next_slot->lock);
	}
	spin_unlock_irqrestore(&slot->lock, flags);
	return done;
}

/*
 * Evict up to @want nodes: from the next slots in turn, wherever it stopped
 * last. Returns how many went, 0 only if there are none, or others were at
 * work on all of them.
 */
static unsigned int avc_reclaim(struct avc_table *table, unsigned int want)
{
	struct avc_slots *slots;
	unsigned int done = 0;
	unsigned int index;
	unsigned int try;

	do {
		slots = rcu_dereference(table->slots);
		for (try = 0; try < slots->count && done < want; try++) {
			if (done && try >= AVC_RECLAIM_SCAN)
				return done;
			index = (unsigned int)atomic_inc_return(&table->hand) &
				(slots->count - 1);
			if (hlist_empty(&slots->slot[index].head))
				continue;
			done += avc_reclaim_slot(table, slots, index,
						 want - done);
		}
		/* From an array of the past nothing is evicted: start over. */
	} while (done < want && rcu_access_pointer(table->slots) != slots);
	return done;
}

/**
 * avc_table_insert - put a decision into the table
 * @table: the table
 * @ssid: source SID
 * @tsid: target SID
 * @tclass: target class
 * @decision: the decision
 *
 * A decision with the same key is retired. If there are more nodes than the
 * threshold, some others are evicted.
 *
 * Context: Any, under rcu_read_lock().
 * Return: true if the table has taken @decision over, false if there is no
 * memory.
 */
bool avc_table_insert(struct avc_table *table, u32 ssid, u32 tsid, u16 tclass,
		      struct avc_node *decision)
{
	unsigned int threshold = READ_ONCE(table->threshold);
	struct avc_tnode *node, *old;
	struct avc_locked locked;

	if (unlikely(!threshold)) {
		table->retire(decision, true);
		return true;
	}
	node = kmalloc(sizeof(*node), GFP_NOWAIT | __GFP_NOWARN);
	if (!node)
		return false;
	node->sids = avc_key_sids(ssid, tsid);
	node->tclass = tclass;
	RCU_INIT_POINTER(node->decision, decision);

	if ((unsigned int)atomic_inc_return(&table->entries) > threshold)
		avc_reclaim(table, AVC_RECLAIM_BATCH);

	avc_lock_key(table, avc_tnode_hash(node), &locked);
	old = avc_find_locked(&locked, ssid, tsid, tclass);
	if (old) {
		avc_replace_locked(table, locked.slot, old, decision);
		atomic_dec(&table->entries);
		kfree(node);
	} else {
		/* New array first: who sees it in the old one finds it later. */
		if (locked.next)
			hlist_add_head_rcu(&node->link[locked.next->link],
					   &locked.next_slot->head);
		hlist_add_head_rcu(&node->link[locked.slots->link],
				   &locked.slot->head);
	}
	avc_unlock_key(&locked);

	/*
	 * Pairs with the barrier in avc_table_set_threshold(): either that sees
	 * this node, or this sees the new threshold.
	 */
	smp_mb();
	if (unlikely((unsigned int)atomic_read(&table->entries) >
		     READ_ONCE(table->threshold)))
		avc_reclaim(table, AVC_RECLAIM_BATCH);
	return true;
}

/**
 * avc_table_replace - put one decision in the place of another
 * @table: the table
 * @ssid: source SID
 * @tsid: target SID
 * @tclass: target class
 * @old: the decision to replace, which is then retired
 * @decision: the new decision
 *
 * Context: Any, under rcu_read_lock() since @old was looked up.
 * Return: true if the table has taken @decision over, false if @old is not in
 * the table any more.
 */
bool avc_table_replace(struct avc_table *table, u32 ssid, u32 tsid, u16 tclass,
		       struct avc_node *old, struct avc_node *decision)
{
	struct avc_locked locked;
	struct avc_tnode *node;
	bool found;

	avc_lock_key(table, avc_key_hash(ssid, tsid, tclass), &locked);
	node = avc_find_locked(&locked, ssid, tsid, tclass);
	found = node && rcu_access_pointer(node->decision) == old;
	if (found)
		avc_replace_locked(table, locked.slot, node, decision);
	avc_unlock_key(&locked);
	return found;
}

/**
 * avc_table_flush - remove all decisions
 * @table: the table
 *
 * Those that are inserted meanwhile may stay.
 *
 * Context: May sleep.
 */
void avc_table_flush(struct avc_table *table)
{
	struct hlist_node *pos, *tmp;
	struct avc_slots *slots;
	unsigned long flags;
	unsigned int i;

	mutex_lock(&table->mutex);
	slots = avc_slots_protected(table);
	for (i = 0; i < slots->count; i++) {
		struct avc_slot *slot = &slots->slot[i];

		spin_lock_irqsave(&slot->lock, flags);
		hlist_for_each_safe(pos, tmp, &slot->head) {
			hlist_del_rcu(pos);
			avc_tnode_retire(table, avc_tnode_of(pos, slots->link),
					 false);
		}
		spin_unlock_irqrestore(&slot->lock, flags);
		cond_resched();
	}
	mutex_unlock(&table->mutex);
}

/**
 * avc_table_set_threshold - set the most nodes kept
 * @table: the table
 * @threshold: the most nodes kept
 *
 * On return no more than that are left, unless insertions went on.
 *
 * Context: May sleep.
 */
void avc_table_set_threshold(struct avc_table *table, unsigned int threshold)
{
	unsigned int excess, done;

	WRITE_ONCE(table->threshold, threshold);
	/* Pairs with the barrier in avc_table_insert(). */
	smp_mb();
	do {
		excess = (unsigned int)atomic_read(&table->entries);
		if (excess <= threshold)
			break;
		excess = min(excess - threshold, AVC_LOWER_BATCH);
		rcu_read_lock();
		done = avc_reclaim(table, excess);
		rcu_read_unlock();
		cond_resched();
	} while (done);
}

/**
 * avc_table_init - make an empty table
 * @table: the table
 * @slots: the number of slots, see avc_slots_valid()
 * @threshold: the most nodes kept
 * @retire: see &struct avc_table
 *
 * Context: May sleep.
 * Return: 0, -EINVAL for a wrong number of slots, or -ENOMEM.
 */
int avc_table_init(struct avc_table *table, unsigned int slots,
		   unsigned int threshold,
		   void (*retire)(struct avc_node *decision, bool reclaimed))
{
	struct avc_slots *array;

	if (!avc_slots_valid(slots))
		return -EINVAL;
	array = avc_slots_alloc(slots, 0);
	if (!array)
		return -ENOMEM;
	memset(table, 0, sizeof(*table));
	table->retire = retire;
	table->threshold = threshold;
	mutex_init(&table->mutex);
	RCU_INIT_POINTER(table->slots, array);
	return 0;
}

/**
 * avc_table_destroy - free a table that nobody uses any more
 * @table: the table; its decisions are retired
 *
 * Context: May sleep.
 */
void avc_table_destroy(struct avc_table *table)
{
	avc_table_flush(table);
	/* Nobody uses the table, by contract. */
	kvfree(rcu_dereference_protected(table->slots, true));
	RCU_INIT_POINTER(table->slots, NULL);
}
