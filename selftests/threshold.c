// SPDX-License-Identifier: GPL-2.0-only
/* The threshold holds, at once, whichever file sets it. */
#include <stdio.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "avc.h"

#define COUNT	1200U

FIXTURE(threshold)
{
	struct avc_settings settings;
	struct avc_set set;
};

FIXTURE_SETUP(threshold)
{
	ASSERT_EQ(0, avc_settings_save(&self->settings));
	ASSERT_EQ(0, avc_settings_set(512, 2 * COUNT));
	ASSERT_EQ(0, avc_set_make(&self->set, COUNT));
}

FIXTURE_TEARDOWN(threshold)
{
	avc_set_free(&self->set);
	EXPECT_EQ(0, avc_settings_restore(&self->settings));
}

static void check_threshold(struct __test_metadata *_metadata,
			    const struct avc_set *set, const char *file,
			    unsigned int threshold)
{
	struct avc_hash_stats hash;
	unsigned int value;
	unsigned int pass;

	/* Full of what fits, then lowered: it takes effect at once. */
	ASSERT_EQ(0, avc_set_uint(file, 2 * COUNT));
	ASSERT_EQ(0, avc_set_check(set));
	ASSERT_EQ(0, avc_hash_stats(&hash));
	ASSERT_LE(COUNT, hash.entries);
	ASSERT_EQ(0, avc_set_uint(file, threshold));
	ASSERT_EQ(0, avc_hash_stats(&hash));
	EXPECT_GE(threshold, hash.entries);
	ASSERT_EQ(0, avc_get_uint(AVC_THRESHOLD, &value));
	EXPECT_EQ(threshold, value);
	ASSERT_EQ(0, avc_get_uint(AVC_CACHE_THRESHOLD, &value));
	EXPECT_EQ(threshold, value);

	for (pass = 0; pass < 3; pass++) {
		ASSERT_EQ(0, avc_set_check(set));
		ASSERT_EQ(0, avc_hash_stats(&hash));
		EXPECT_GE(threshold, hash.entries);
		/* Nor are many fewer kept: no more than a batch is evicted. */
		if (threshold < COUNT && threshold > 64)
			EXPECT_LE(threshold - 64, hash.entries);
	}
	/* One that all of the set fits into evicts nothing. */
	if (threshold > COUNT + 500)
		EXPECT_EQ(0, avc_set_misses(set));
	/* One that it does not fit into cannot have it all. */
	if (threshold < COUNT)
		EXPECT_LE((int)(COUNT - threshold), avc_set_misses(set));
}

static const unsigned int thresholds[] = { 1, 16, 100, 512, 1000, 5000 };

TEST_F(threshold, holds)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(thresholds); i++)
		check_threshold(_metadata, &self->set, AVC_THRESHOLD,
				thresholds[i]);
}

TEST_F(threshold, holds_by_cache_threshold)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(thresholds); i++)
		check_threshold(_metadata, &self->set, AVC_CACHE_THRESHOLD,
				thresholds[i]);
}

TEST_F(threshold, holds_for_any_number_of_slots)
{
	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 16));
	check_threshold(_metadata, &self->set, AVC_THRESHOLD, 100);
	ASSERT_EQ(0, avc_set_uint(AVC_SLOTS, 65536));
	check_threshold(_metadata, &self->set, AVC_THRESHOLD, 100);
	check_threshold(_metadata, &self->set, AVC_THRESHOLD, 5000);
}

/* Several at once insert: they may not leave more behind than allowed. */
TEST_F(threshold, holds_under_load)
{
	struct avc_hash_stats hash;
	struct avc_load load;

	ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 200));
	ASSERT_EQ(0, avc_load_start(&load, &self->set, 2, 2));
	EXPECT_EQ(0, avc_load_wait(&load, 2));
	/* Each inserter may be one ahead of what it evicts. */
	EXPECT_EQ(0, avc_hash_stats(&hash));
	EXPECT_GE(200U + 5, hash.entries);
	/* Lowered and raised under load. */
	EXPECT_EQ(0, avc_set_uint(AVC_THRESHOLD, 20));
	EXPECT_EQ(0, avc_set_uint(AVC_THRESHOLD, 1000));
	EXPECT_EQ(0, avc_set_uint(AVC_THRESHOLD, 50));
	EXPECT_EQ(0, avc_load_wait(&load, 1));
	EXPECT_EQ(0, avc_load_stop(&load));
	ASSERT_EQ(0, avc_hash_stats(&hash));
	EXPECT_GE(50U, hash.entries);
}

/* 0: nothing is kept, everything goes on working. */
TEST_F(threshold, zero)
{
	struct avc_counters before, after;
	struct avc_hash_stats hash;
	unsigned int value;

	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 0));
	ASSERT_EQ(0, avc_hash_stats(&hash));
	EXPECT_EQ(0U, hash.entries);
	EXPECT_EQ(0U, hash.slots_used);
	ASSERT_EQ(0, avc_counters(&before));
	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_counters(&after));
	EXPECT_EQ(COUNT, after.misses - before.misses);
	EXPECT_EQ(0U, after.hits - before.hits);
	ASSERT_EQ(0, avc_hash_stats(&hash));
	EXPECT_EQ(0U, hash.entries);
	ASSERT_EQ(0, avc_get_uint(AVC_CACHE_THRESHOLD, &value));
	EXPECT_EQ(0U, value);
	/* And back. */
	ASSERT_EQ(0, avc_set_uint(AVC_CACHE_THRESHOLD, 2 * COUNT));
	ASSERT_EQ(0, avc_set_check(&self->set));
	EXPECT_EQ(0, avc_set_misses(&self->set));
}

/* The largest one is no limit at all, not a negative one. */
TEST_F(threshold, largest)
{
	struct avc_hash_stats hash;

	ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, UINT_MAX));
	ASSERT_EQ(0, avc_set_check(&self->set));
	EXPECT_EQ(0, avc_set_misses(&self->set));
	ASSERT_EQ(0, avc_hash_stats(&hash));
	EXPECT_LE(COUNT, hash.entries);
}

AVC_TEST_MAIN(AVC_NEED_LOADED)
