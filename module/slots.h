/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the table share, and nobody else uses. */
#ifndef SELINUX_AVC_SLOTS_H
#define SELINUX_AVC_SLOTS_H

#include <linux/kernel.h>

#include "table.h"

struct avc_slots *avc_slots_alloc(unsigned int count, unsigned int link);

/* The current array, for those who hold the mutex. */
static inline struct avc_slots *avc_slots_protected(struct avc_table *table)
{
	return rcu_dereference_protected(table->slots,
					 lockdep_is_held(&table->mutex));
}

/*
 * Has a resize taken slot number @index over? Asked under the slot's lock: the
 * resize passes a slot with that lock held, so for this slot the answer stands
 * until the lock is given back, even though the count may be moving on.
 */
static inline bool avc_slot_moved(const struct avc_slots *slots,
				  unsigned int index)
{
	lockdep_assert_held(&slots->slot[index].lock);
	return index < READ_ONCE(slots->moved);
}

static inline u64 avc_tnode_hash(const struct avc_tnode *node)
{
	return avc_key_hash(upper_32_bits(node->sids),
			    lower_32_bits(node->sids), node->tclass);
}

#endif /* SELINUX_AVC_SLOTS_H */
