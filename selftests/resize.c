// SPDX-License-Identifier: GPL-2.0-only
/*
 * A resize under load loses no cached decision and turns no hit into a miss.
 *
 * SELINUX_AVC_RESIZES=N sets the number of resizes of the long test. Without,
 * it is 1000, or what can be done in 15 seconds if that is less.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "avc.h"

#define COUNT	3000U

FIXTURE(resize)
{
	struct avc_settings settings;
	struct avc_set set;
	int slots;	/* the file, open, so that a write asks little */
};

FIXTURE_SETUP(resize)
{
	ASSERT_EQ(0, avc_settings_save(&self->settings));
	ASSERT_EQ(0, avc_settings_set(512, 65536));
	ASSERT_EQ(0, avc_set_make(&self->set, COUNT));
	self->slots = open(AVC_SLOTS, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->slots);
}

FIXTURE_TEARDOWN(resize)
{
	close(self->slots);
	avc_set_free(&self->set);
	EXPECT_EQ(0, avc_settings_restore(&self->settings));
}

/* After a change of policy, or at first: have it all in the cache. */
static int warm(int fd, unsigned int slots, struct avc_load *load)
{
	struct avc_counters counters;
	int rc;

	rc = avc_resize(fd, slots);
	if (!rc)
		rc = avc_load_wait(load, 2);
	return rc ? rc : avc_counters(&counters);
}

/* Counters and entries of one moment, as far as misses are concerned. */
static int snapshot(struct avc_counters *counters, struct avc_hash_stats *entries)
{
	struct avc_counters again;
	int rc;

	do {
		rc = avc_counters(counters);
		if (!rc)
			rc = avc_hash_stats(entries);
		if (!rc)
			rc = avc_counters(&again);
	} while (!rc && again.misses != counters->misses);
	return rc;
}

/*
 * Up and down through every power of two, while all kinds of workers check. A
 * hit that turned into a miss would be computed again and take the place of
 * the decision that is still there; a decision that is new to the system, by
 * whatever else goes on, adds an entry. So there are as many misses as entries
 * more, or a hit was lost.
 */
TEST_F(resize, every_size_under_load)
{
	struct avc_hash_stats entries_before, entries_after;
	struct avc_counters before, after;
	struct avc_resize_stats was, is;
	unsigned int slots, value;
	unsigned long passes;
	struct avc_load load;
	unsigned int moved = 0;

	ASSERT_EQ(0, avc_load_start(&load, &self->set, 2, 2));
	EXPECT_EQ(0, avc_resize_stats(&was));
	EXPECT_EQ(0, warm(self->slots, AVC_SLOTS_MIN, &load));
	EXPECT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
	EXPECT_EQ(0, avc_resize_stats(&was));
	EXPECT_EQ(0, snapshot(&before, &entries_before));
	passes = avc_load_passes(&load);

	for (slots = 2 * AVC_SLOTS_MIN; slots <= AVC_SLOTS_MAX; slots *= 2) {
		EXPECT_EQ(0, avc_resize(self->slots, slots));
		EXPECT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
		EXPECT_EQ(slots, value);
		moved++;
	}
	for (slots = AVC_SLOTS_MAX / 2; slots >= AVC_SLOTS_MIN; slots /= 2) {
		EXPECT_EQ(0, avc_resize(self->slots, slots));
		EXPECT_EQ(0, avc_get_uint(AVC_SLOTS, &value));
		EXPECT_EQ(slots, value);
		moved++;
	}
	EXPECT_EQ(0, avc_load_wait(&load, 1));
	passes = avc_load_passes(&load) - passes;
	EXPECT_EQ(0, snapshot(&after, &entries_after));
	EXPECT_EQ(entries_after.entries - entries_before.entries,
		  after.misses - before.misses);
	EXPECT_LE(4U, passes);
	EXPECT_LE((passes - 4) * COUNT, after.hits - before.hits);
	EXPECT_EQ(0, avc_resize_stats(&is));
	EXPECT_EQ(moved, is.resizes - was.resizes);
	EXPECT_LE(moved * COUNT, is.nodes_moved - was.nodes_moved);
	EXPECT_EQ(0, avc_load_stop(&load));
	TH_LOG("%u resizes, %lu passes over %u decisions", moved, passes,
	       COUNT);
}

/*
 * From any size to any other, quiet: no node is lost, exactly, and none is there
 * twice. Others may ask for a few more decisions meanwhile.
 */
TEST_F(resize, any_to_any)
{
	static const unsigned int sizes[] = { 16, 32, 512, 4096, 65536 };
	struct avc_hash_stats before, after, first;
	unsigned int from, to;

	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_resize(self->slots, sizes[0]));
	/* Twice: reading the file is a decision, too. */
	ASSERT_EQ(0, avc_hash_stats(&first));
	ASSERT_EQ(0, avc_hash_stats(&first));
	before = first;
	for (from = 0; from < ARRAY_SIZE(sizes); from++) {
		for (to = 0; to < ARRAY_SIZE(sizes); to++) {
			ASSERT_EQ(0, avc_resize(self->slots, sizes[from]));
			ASSERT_EQ(0, avc_resize(self->slots, sizes[to]));
			ASSERT_EQ(0, avc_set_misses(&self->set));
			ASSERT_EQ(0, avc_hash_stats(&after));
			ASSERT_LE(before.entries, after.entries);
			ASSERT_EQ(sizes[to], after.slots);
			before = after;
		}
	}
	EXPECT_GT(64U, before.entries - first.entries);
}

/* What is inserted while resizes go on is there afterwards. */
TEST_F(resize, insertions_meanwhile)
{
	struct avc_resizer resizer;
	struct avc_hash_stats before, after;
	unsigned int count;

	ASSERT_EQ(0, avc_set_check(&self->set));
	ASSERT_EQ(0, avc_hash_stats(&before));
	ASSERT_EQ(0, avc_resizer_start(&resizer));
	for (count = COUNT; count < 4 * COUNT; count += 100)
		EXPECT_EQ(0, avc_set_grow(&self->set, count));
	EXPECT_EQ(0, avc_resizer_stop(&resizer));
	EXPECT_LT(1U, resizer.done);
	EXPECT_EQ(0, avc_set_misses(&self->set));
	ASSERT_EQ(0, avc_hash_stats(&after));
	EXPECT_LE(before.entries + self->set.count - COUNT, after.entries);
	EXPECT_EQ(0, avc_resize(self->slots, 512));
	EXPECT_EQ(0, avc_set_misses(&self->set));
	TH_LOG("%lu resizes while %u decisions were inserted", resizer.done,
	       self->set.count - COUNT);
}

/* Evictions while resizes go on: the threshold holds, the counts stay right. */
TEST_F(resize, evictions_meanwhile)
{
	struct avc_resizer resizer;
	struct avc_histogram histogram;
	struct avc_hash_stats hash;
	struct avc_load load;

	ASSERT_EQ(0, avc_set_uint(AVC_THRESHOLD, 1000));
	ASSERT_EQ(0, avc_load_start(&load, &self->set, 1, 2));
	ASSERT_EQ(0, avc_resizer_start(&resizer));
	EXPECT_EQ(0, avc_load_wait(&load, 3));
	EXPECT_EQ(0, avc_resizer_stop(&resizer));
	EXPECT_EQ(0, avc_load_stop(&load));
	EXPECT_LT(1U, resizer.done);
	ASSERT_EQ(0, avc_histogram(&histogram));
	ASSERT_EQ(0, avc_histogram(&histogram));
	ASSERT_EQ(0, avc_hash_stats(&hash));
	ASSERT_EQ(0, avc_histogram(&histogram));
	EXPECT_EQ(histogram.nodes, hash.entries);
	EXPECT_GE(1000U, hash.entries);
	EXPECT_LE(900U, hash.entries);
}

/*
 * Two threads check, the table is resized back and forth, and now and then the
 * policy is loaded anew. All that is ever missed is what a load has flushed:
 * once that is back, not one more.
 */
TEST_F(resize, a_thousand_times)
{
	unsigned long wanted = avc_env("SELINUX_AVC_RESIZES", 1000);
	double start = avc_seconds();
	struct avc_counters before, after;
	struct avc_resize_stats was, is;
	struct avc_hash_stats entries_before, entries_after;
	unsigned long done = 0, flushed = 0;
	struct avc_load load;
	unsigned int added;
	unsigned int i;

	ASSERT_EQ(0, avc_policy_read());
	ASSERT_EQ(0, avc_load_start(&load, &self->set, 2, 0));
	EXPECT_EQ(0, avc_resize_stats(&was));
	while (done < wanted &&
	       (getenv("SELINUX_AVC_RESIZES") || avc_seconds() < start + 15)) {
		EXPECT_EQ(0, warm(self->slots, 16, &load));
		EXPECT_EQ(0, snapshot(&before, &entries_before));
		for (i = 0; i < 25; i++) {
			EXPECT_EQ(0, avc_resize(self->slots, 65536));
			EXPECT_EQ(0, avc_resize(self->slots, 16));
		}
		done += 2 * i;
		EXPECT_EQ(0, snapshot(&after, &entries_after));
		/* Others may ask something new meanwhile: that is an entry more. */
		added = entries_after.entries - entries_before.entries;
		EXPECT_EQ(added, after.misses - before.misses);
		if (added != after.misses - before.misses)
			break;
		EXPECT_EQ(0, avc_policy_reload());
		EXPECT_EQ(0, avc_load_wait(&load, 1));
		EXPECT_EQ(0, avc_counters(&before));
		EXPECT_LE(COUNT, before.misses - after.misses);
		flushed += before.misses - after.misses;
	}
	EXPECT_EQ(0, avc_load_stop(&load));
	EXPECT_EQ(0, avc_resize_stats(&is));
	EXPECT_LE(done, is.resizes - was.resizes);
	EXPECT_EQ(was.failed, is.failed);
	TH_LOG("%lu resizes in %.1f s; %lu misses, all after policy loads",
	       done, avc_seconds() - start, flushed);
}

/* In KiB. */
static long available(void)
{
	char text[8192];
	const char *line;
	long value = -1;

	if (avc_read("/proc/meminfo", text, sizeof(text)) > 0) {
		line = strstr(text, "\nMemAvailable:");
		if (line)
			sscanf(line, "\nMemAvailable: %ld", &value);
	}
	return value;
}

/*
 * An array of 262144 slots has 4 MiB, in a debug kernel several times as much.
 * Other things move the free memory by some hundred KiB, a debug kernel's by
 * some MiB; so less than three quarters of an array of difference is the proof
 * that not one array was kept, of forty, or as many as can be made in 15 seconds.
 */
TEST_F(resize, frees_memory)
{
	long before, array, after = 0;
	double end;
	unsigned int i, try;

	/* Once to fill what caches there are. */
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, avc_resize(self->slots, 262144));
		ASSERT_EQ(0, avc_resize(self->slots, 16));
	}
	sleep(1);
	before = available();
	ASSERT_LT(0, before);
	ASSERT_EQ(0, avc_resize(self->slots, 262144));
	array = before - available();
	ASSERT_LE(4096, array + 1024);
	ASSERT_EQ(0, avc_resize(self->slots, 16));
	end = avc_seconds() + 15;
	for (i = 0; i < 40 && (i < 2 || avc_seconds() < end); i++) {
		ASSERT_EQ(0, avc_resize(self->slots, 262144));
		ASSERT_EQ(0, avc_resize(self->slots, 16));
	}
	for (try = 0; try < 20; try++) {
		after = available();
		if (after >= before - array * 3 / 4)
			break;
		usleep(100000);
	}
	EXPECT_GE(after, before - array * 3 / 4);
	TH_LOG("%u arrays of %ld KiB, %ld KiB before, %ld KiB after", i, array,
	       before, after);
}

AVC_TEST_MAIN(AVC_NEED_LOADED)
