/* SPDX-License-Identifier: GPL-2.0-only */
/* The hash of a node's key. */
#ifndef SELINUX_AVC_HASH_H
#define SELINUX_AVC_HASH_H

#include <linux/jhash.h>

/**
 * avc_key_hash - hash the key of a node
 * @ssid: source SID
 * @tsid: target SID
 * @tclass: target class
 *
 * The slot is taken from the upper bits, see avc_slot_index().
 *
 * Return: a hash of 32 bits.
 */
static __always_inline u32 avc_key_hash(u32 ssid, u32 tsid, u16 tclass)
{
	return jhash_3words(ssid, tsid, tclass, 0);
}

#endif /* SELINUX_AVC_HASH_H */
