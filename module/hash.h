/* SPDX-License-Identifier: GPL-2.0-only */
/* The hash of a node's key. */
#ifndef SELINUX_AVC_HASH_H
#define SELINUX_AVC_HASH_H

#include <linux/hash.h>

/* Both SIDs in one word: as hashed and compared. */
static __always_inline u64 avc_key_sids(u32 ssid, u32 tsid)
{
	return (u64)ssid << 32 | tsid;
}

/**
 * avc_key_hash - hash the key of a node
 * @ssid: source SID
 * @tsid: target SID
 * @tclass: target class
 *
 * Fibonacci hashing (Knuth, TAOCP 3, 6.4), as hash_64() does it, twice. One
 * round alone is linear: it spreads some sets of keys better than chance does,
 * and others much worse. So the upper half, the well mixed one, is folded into
 * the lower half between the two rounds. That fills slots like a random
 * function (see table_kunit.c), in less time than jhash or MurmurHash3.
 *
 * The slot is taken from the upper bits, see avc_slot_index().
 *
 * Return: a hash of 64 bits, the upper half of which is good.
 */
static __always_inline u64 avc_key_hash(u32 ssid, u32 tsid, u16 tclass)
{
	u64 key = avc_key_sids(ssid, tsid) * GOLDEN_RATIO_64;

	return ((key ^ key >> 32) + tclass) * GOLDEN_RATIO_64;
}

#endif /* SELINUX_AVC_HASH_H */
