// SPDX-License-Identifier: GPL-2.0-only
/* The statistics agree: with each other, with selinuxfs, with what was done. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "avc.h"

#define COUNT	2000U

FIXTURE(stats)
{
	struct avc_settings settings;
	struct avc_set set;
};

FIXTURE_SETUP(stats)
{
	ASSERT_EQ(0, avc_settings_save(&self->settings));
	ASSERT_EQ(0, avc_settings_set(512, 4 * COUNT));
	ASSERT_EQ(0, avc_set_make(&self->set, COUNT));
	ASSERT_EQ(0, avc_set_check(&self->set));
}

FIXTURE_TEARDOWN(stats)
{
	avc_set_free(&self->set);
	EXPECT_EQ(0, avc_settings_restore(&self->settings));
}

/*
 * Nodes are freed some time after they have left the table, when no reader can
 * have them any more: wait until the counters say so, for a minute at most.
 * Returns the difference that was left.
 */
static int counters_settle(struct avc_hash_stats *hash)
{
	double end = avc_seconds() + 60;
	struct avc_counters counters;
	int left, rc;

	for (;;) {
		rc = avc_hash_stats(hash);
		if (!rc)
			rc = avc_counters(&counters);
		if (rc)
			return rc;
		left = counters.allocations - counters.frees - hash->entries;
		if (!left || avc_seconds() > end)
			return left;
		usleep(10000);
	}
}

static void check_agreement(struct __test_metadata *_metadata)
{
	struct avc_hash_stats hash, again;
	struct avc_histogram histogram;
	unsigned int try;

	/* Reading them makes decisions of its own: have them in the cache. */
	ASSERT_EQ(0, avc_histogram(&histogram));
	ASSERT_EQ(0, avc_hash_stats(&hash));
	ASSERT_EQ(0, avc_settle());
	/* Others make decisions, too: take what did not change meanwhile. */
	for (try = 0; try < 20; try++) {
		/* Allocations less frees are the entries. */
		ASSERT_EQ(0, counters_settle(&hash));
		ASSERT_EQ(0, avc_histogram(&histogram));
		ASSERT_EQ(0, avc_hash_stats(&again));
		if (again.entries == hash.entries)
			break;
	}

	EXPECT_EQ(hash.entries, histogram.nodes);
	EXPECT_EQ(hash.slots, histogram.slots);
	EXPECT_EQ(hash.slots_used, histogram.slots - histogram.empty);
	EXPECT_EQ(hash.longest, histogram.longest);
}

TEST_F(stats, agree)
{
	struct avc_hash_stats hash;

	check_agreement(_metadata);
	ASSERT_EQ(0, avc_hash_stats(&hash));
	EXPECT_LE(COUNT, hash.entries);
	EXPECT_EQ(512U, hash.slots);
	/* 2000 nodes leave 2 % of 512 slots empty, by a good hash. */
	EXPECT_LT(450U, hash.slots_used);
	EXPECT_GT(20U, hash.longest);
}

TEST_F(stats, agree_after_changes)
{
	struct avc_hash_stats hash;

	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 16));
	check_agreement(_metadata);
	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 65536));
	check_agreement(_metadata);
	ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 100));
	check_agreement(_metadata);
	ASSERT_EQ(0, avc_set_check(&self->set));
	check_agreement(_metadata);
	ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 4 * COUNT));
	ASSERT_EQ(0, avc_policy_reload());
	check_agreement(_metadata);
	ASSERT_EQ(0, avc_hash_stats(&hash));
	EXPECT_GT(COUNT / 2, hash.entries);
	ASSERT_EQ(0, avc_set_check(&self->set));
	check_agreement(_metadata);
	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_BUILTIN));
	ASSERT_EQ(0, avc_write_string(AVC_BACKEND, AVC_MODULE));
	check_agreement(_metadata);
}

/* A chain of each length: with 16 slots they are hundreds of nodes long. */
TEST_F(stats, long_chains)
{
	struct avc_histogram histogram;

	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 16));
	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_histogram(&histogram));
	EXPECT_EQ(16U, histogram.slots);
	EXPECT_EQ(0U, histogram.empty);
	EXPECT_LE(COUNT / 16, histogram.longest);
	check_agreement(_metadata);
}

TEST_F(stats, selinuxfs_agrees)
{
	char ours[65536], stock[65536];
	int try;

	for (try = 0; try < 3; try++) {
		ASSERT_LT(0, avc_read(AVC_DIR "/hash_stats", ours,
				      sizeof(ours)));
		ASSERT_LT(0, avc_read(SELINUXFS "/avc/hash_stats", stock,
				      sizeof(stock)));
	}
	EXPECT_STREQ(ours, stock);

	/*
	 * The counters, lookups and hits apart: opening a file makes some, but
	 * these do not move when nothing is missed.
	 */
	struct avc_counters a, b;

	ASSERT_LT(0, avc_read(AVC_DIR "/cache_stats", ours, sizeof(ours)));
	ASSERT_LT(0, avc_read(SELINUXFS "/avc/cache_stats", stock,
			      sizeof(stock)));
	ASSERT_LT(0, avc_read(AVC_DIR "/cache_stats", ours, sizeof(ours)));
	ASSERT_EQ(0, avc_parse_counters(ours, &a));
	ASSERT_EQ(0, avc_parse_counters(stock, &b));
	EXPECT_EQ(a.misses, b.misses);
	EXPECT_EQ(a.allocations, b.allocations);
	EXPECT_EQ(a.reclaims, b.reclaims);
	EXPECT_EQ(a.rows, b.rows);
	EXPECT_LE(b.lookups, a.lookups);
	EXPECT_EQ(b.lookups - b.hits, b.misses);
}

/* One pass over the set is as many lookups as it has members, all hits. */
TEST_F(stats, lookups_count)
{
	struct avc_counters before, after;

	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_counters(&before));
	ASSERT_EQ(0, avc_counters(&before));
	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_counters(&after));
	EXPECT_EQ(COUNT, after.lookups - before.lookups);
	EXPECT_EQ(COUNT, after.hits - before.hits);
	EXPECT_EQ(0U, after.misses - before.misses);
	EXPECT_EQ(0U, after.allocations - before.allocations);
}

/* What is new is a miss and a node; what is evicted, a reclaim. */
TEST_F(stats, insertions_count)
{
	struct avc_counters before, after, evicted;
	struct avc_hash_stats a, b;

	ASSERT_EQ(0, avc_hash_stats(&a));
	ASSERT_EQ(0, avc_counters(&before));
	ASSERT_EQ(0, avc_hash_stats(&a));
	ASSERT_EQ(0, avc_set_grow(&self->set, COUNT + 500));
	ASSERT_EQ(0, avc_counters(&after));
	ASSERT_EQ(0, avc_hash_stats(&b));
	/* Making them may have asked something new about the process itself. */
	EXPECT_LE(500U, b.entries - a.entries);
	EXPECT_GE(510U, b.entries - a.entries);
	EXPECT_EQ(b.entries - a.entries, after.misses - before.misses);
	EXPECT_EQ(0U, after.reclaims - before.reclaims);

	ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 1000));
	ASSERT_EQ(0, avc_counters(&evicted));
	EXPECT_LE(b.entries - 1000, evicted.reclaims - after.reclaims);
	EXPECT_GE(b.entries - 900, evicted.reclaims - after.reclaims);
}

TEST_F(stats, resizes_count)
{
	struct avc_resize_stats before, after;
	struct avc_hash_stats hash;

	/* Warm, by doing all of it once. */
	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 1024));
	ASSERT_EQ(0, avc_resize_stats(&before));
	ASSERT_EQ(0, avc_hash_stats(&hash));
	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 512));

	ASSERT_EQ(0, avc_hash_stats(&hash));
	ASSERT_EQ(0, avc_resize_stats(&before));
	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 1024));
	ASSERT_EQ(0, avc_resize_stats(&after));
	EXPECT_EQ(before.resizes + 1, after.resizes);
	EXPECT_EQ(before.failed, after.failed);
	EXPECT_EQ(before.nodes_moved + hash.entries, after.nodes_moved);
	EXPECT_LT(0U, after.last_ns);
	EXPECT_LT(0U, after.irqoff_ns);
	EXPECT_LE(before.irqoff_ns, after.irqoff_ns);
	/* One slot's share of the whole, and the whole ends in a wait. */
	EXPECT_LT(after.irqoff_ns, 60ULL * 1000 * 1000 * 1000);

	/* The size that it has: nothing to do. */
	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 1024));
	/* Sizes that it cannot have: not tried, hence not failed. */
	ASSERT_EQ(-EINVAL, avc_set_uint(AVC_SLOTS, 1000));
	before = after;
	ASSERT_EQ(0, avc_resize_stats(&after));
	EXPECT_EQ(before.resizes, after.resizes);
	EXPECT_EQ(before.failed, after.failed);
	EXPECT_EQ(before.nodes_moved, after.nodes_moved);
}

AVC_TEST_MAIN(AVC_NEED_LOADED)
