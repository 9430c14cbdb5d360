// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the table alone. They need neither the hooks nor SELinux, so
 * they run on any kernel with KUnit.
 *
 * The table's sources are included, not linked: kbuild wants no object in two
 * modules, and the tests then can stand between the table and what it calls.
 * So memory runs out when a test says so, and a test acts at the very moments
 * at which a race would do harm, on a machine with one CPU, too:
 *
 *   kmalloc(), kvzalloc()	fail on demand
 *   cond_resched()		at_slot() after each slot that a resize took over
 *   synchronize_rcu()		at_grace() once a resize has published the array
 *   spin_lock_nested()		at_move() before a resize links a node to the new
 *				array, at_next() before a writer locks it
 *   hlist_add_head_rcu()	at_link() once readers can see a node
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

static struct {
	bool no_nodes;
	bool no_arrays;
	void (*at_slot)(void);
	void (*at_grace)(void);
	void (*at_move)(void);
	void (*at_next)(void);
	void (*at_link)(void);
} seam;

static void *seam_kmalloc(size_t size, gfp_t flags)
{
	return READ_ONCE(seam.no_nodes) ? NULL : kmalloc(size, flags);
}

static void *seam_kvzalloc(size_t size, gfp_t flags)
{
	return READ_ONCE(seam.no_arrays) ? NULL : kvzalloc(size, flags);
}

static void seam_cond_resched(void)
{
	void (*at_slot)(void) = seam.at_slot;

	if (at_slot) {
		seam.at_slot = NULL; /* it may come here itself */
		at_slot();
		seam.at_slot = at_slot;
	}
	cond_resched();
}

static void seam_synchronize_rcu(void)
{
	if (seam.at_grace)
		seam.at_grace();
	synchronize_rcu();
}

/* Act while a slot is locked; lockdep expects no one to. */
static void seam_act(void (*act)(void))
{
	if (!act)
		return;
	lockdep_off();
	act();
	lockdep_on();
}

static void seam_before_move(void)
{
	seam_act(seam.at_move);
}

static void seam_before_next(void)
{
	void (*at_next)(void) = seam.at_next;

	seam.at_next = NULL; /* once */
	seam_act(at_next);
}

static void seam_hlist_add_head_rcu(struct hlist_node *node,
				    struct hlist_head *head)
{
	hlist_add_head_rcu(node, head);
	if (seam.at_link)
		seam.at_link();
}

#undef kmalloc
#define kmalloc(size, flags)	seam_kmalloc(size, flags)
#undef kvzalloc
#define kvzalloc(size, flags)	seam_kvzalloc(size, flags)
#undef cond_resched
#define cond_resched()		seam_cond_resched()
#define synchronize_rcu()	seam_synchronize_rcu()
#define hlist_add_head_rcu(node, head) seam_hlist_add_head_rcu(node, head)
#undef spin_lock_nested
#define spin_lock_nested(lock, subclass)				\
do {									\
	SEAM_BEFORE_LOCK();						\
	raw_spin_lock_nested(spinlock_check(lock), subclass);		\
} while (0)
#define SEAM_BEFORE_LOCK()	seam_before_move()
#include "resize.c"
#undef SEAM_BEFORE_LOCK
#define SEAM_BEFORE_LOCK()	seam_before_next()
#include "table.c"
#include "stats.c"

/* What a decision holds while it may be read, and once it is freed. */
#define DECISION_ALIVE	0x600dc0deU
#define DECISION_FREED	0xdeadc0deU

struct key {
	u32 ssid;
	u32 tsid;
	u16 tclass;
};

#define KEY(ssid, tsid, tclass)	((const struct key){ ssid, tsid, tclass })

/*
 * A decision, as far as the tests are concerned: its own key, so that a lookup
 * that finds somebody else's is noticed. It stays allocated to the end of the
 * test, so that whoever retires it twice or reads it too late is noticed, too.
 */
struct avc_node {
	struct llist_node all;
	struct rcu_head rhead;
	atomic_t retired;
	u32 state;
	struct key key;
	bool evicted;
};

static struct {
	struct avc_table table;
	struct llist_head all;
	atomic_t made;
	atomic_t retired;
	atomic_t evicted;
	atomic_t twice;
	bool alive;
} fix;

static void decision_free(struct rcu_head *rhead)
{
	struct avc_node *decision = container_of(rhead, struct avc_node, rhead);

	WRITE_ONCE(decision->state, DECISION_FREED);
}

static void decision_retire(struct avc_node *decision, bool evicted)
{
	if (atomic_inc_return(&decision->retired) != 1) {
		atomic_inc(&fix.twice);
		return;
	}
	decision->evicted = evicted;
	atomic_inc(&fix.retired);
	if (evicted)
		atomic_inc(&fix.evicted);
	call_rcu(&decision->rhead, decision_free);
}

static struct avc_node *decision_make(struct key key)
{
	struct avc_node *decision = kzalloc(sizeof(*decision), GFP_ATOMIC);

	if (!decision)
		return NULL;
	decision->state = DECISION_ALIVE;
	decision->key = key;
	atomic_inc(&fix.made);
	llist_add(&decision->all, &fix.all);
	return decision;
}

static bool decision_is(const struct avc_node *decision, struct key key)
{
	return READ_ONCE(decision->state) == DECISION_ALIVE &&
	       decision->key.ssid == key.ssid &&
	       decision->key.tsid == key.tsid &&
	       decision->key.tclass == key.tclass;
}

static struct avc_node *table_lookup(const struct avc_table *table,
				     struct key key)
{
	return avc_table_lookup(table, key.ssid, key.tsid, key.tclass);
}

static u64 key_hash(struct key key)
{
	return avc_key_hash(key.ssid, key.tsid, key.tclass);
}

/* Insert a new decision; NULL if the table has not taken it. */
static struct avc_node *put(struct key key)
{
	struct avc_node *decision = decision_make(key);
	bool taken;

	if (!decision)
		return NULL;
	rcu_read_lock();
	taken = avc_table_insert(&fix.table, key.ssid, key.tsid, key.tclass,
				 decision);
	rcu_read_unlock();
	if (taken)
		return decision;
	decision_retire(decision, false);
	return NULL;
}

/* For comparison only: it may be freed. */
static struct avc_node *get(struct key key)
{
	struct avc_node *decision;

	rcu_read_lock();
	decision = table_lookup(&fix.table, key);
	rcu_read_unlock();
	return decision;
}

/* Replace @old, or what is there now if it is NULL. */
static bool swap_decision(struct key key, struct avc_node *old)
{
	struct avc_node *decision = decision_make(key);
	bool done = false;

	if (!decision)
		return false;
	rcu_read_lock();
	if (!old)
		old = table_lookup(&fix.table, key);
	if (old)
		done = avc_table_replace(&fix.table, key.ssid, key.tsid,
					 key.tclass, old, decision);
	rcu_read_unlock();
	if (!done)
		decision_retire(decision, false);
	return done;
}

static bool is_retired(const struct avc_node *decision)
{
	return atomic_read(&decision->retired);
}

/* Evict from the slot of this key, as reclaim does. */
static unsigned int evict_near(struct key key, unsigned int want)
{
	struct avc_slots *slots;
	unsigned int done;

	rcu_read_lock();
	slots = rcu_dereference(fix.table.slots);
	done = avc_reclaim_slot(&fix.table, slots,
				avc_slot_index(slots, key_hash(key)), want);
	rcu_read_unlock();
	return done;
}

/* The array in use now, or NULL after a table is gone. For the main thread. */
static struct avc_slots *current_slots(void)
{
	return rcu_dereference_protected(fix.table.slots, true);
}

static unsigned int entries(void)
{
	return atomic_read(&fix.table.entries);
}

static void start(struct kunit *test, unsigned int slots,
		  unsigned int threshold)
{
	KUNIT_ASSERT_EQ(test, avc_table_init(&fix.table, slots, threshold,
					     decision_retire), 0);
	fix.alive = true;
}

/*
 * With nobody else at work: what the table says of itself is what is in it;
 * and that is all decisions that were made and not retired, each under its key.
 */
static void expect_sound(struct kunit *test)
{
	unsigned int longest, length, sum = 0, used = 0, lost = 0;
	struct avc_hash_stats stats;
	struct avc_node *decision;
	unsigned int *histogram;
	unsigned int few[1];

	longest = avc_table_histogram(&fix.table, few, ARRAY_SIZE(few));
	histogram = kvcalloc(longest + 1, sizeof(*histogram), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, histogram);
	KUNIT_EXPECT_EQ(test, longest,
			avc_table_histogram(&fix.table, histogram, longest + 1));
	KUNIT_EXPECT_EQ(test, few[0], histogram[0]);
	for (length = 1; length <= longest; length++) {
		used += histogram[length];
		sum += histogram[length] * length;
	}
	avc_table_hash_stats(&fix.table, &stats);
	KUNIT_EXPECT_EQ(test, stats.slots, avc_table_slots(&fix.table));
	KUNIT_EXPECT_EQ(test, stats.slots, histogram[0] + used);
	KUNIT_EXPECT_EQ(test, stats.slots_used, used);
	KUNIT_EXPECT_EQ(test, stats.longest, longest);
	KUNIT_EXPECT_EQ(test, stats.entries, sum);
	KUNIT_EXPECT_EQ(test, entries(), sum);
	KUNIT_EXPECT_EQ(test, sum, (unsigned int)(atomic_read(&fix.made) -
						  atomic_read(&fix.retired)));
	kvfree(histogram);

	llist_for_each_entry(decision, fix.all.first, all)
		lost += !is_retired(decision) && get(decision->key) != decision;
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fix.twice), 0);
}

static int table_test_init(struct kunit *test)
{
	memset(&seam, 0, sizeof(seam));
	memset(&fix, 0, sizeof(fix));
	return 0;
}

static void table_test_exit(struct kunit *test)
{
	struct avc_node *decision, *tmp;
	unsigned int alive = 0;

	memset(&seam, 0, sizeof(seam));
	if (fix.alive)
		avc_table_destroy(&fix.table);
	rcu_barrier(); /* decision_free() has been here */
	llist_for_each_entry_safe(decision, tmp, llist_del_all(&fix.all), all) {
		alive += decision->state != DECISION_FREED;
		kfree(decision);
	}
	KUNIT_EXPECT_EQ(test, alive, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fix.made),
			atomic_read(&fix.retired));
	KUNIT_EXPECT_EQ(test, atomic_read(&fix.twice), 0);
}

/* Some keys, all different, for those tests to which they do not matter. */
static struct key key_number(unsigned int i)
{
	return KEY(500 + i % 37, 800 + i / 37, 1 + i % 3);
}

static void put_keys(struct kunit *test, unsigned int from, unsigned int to)
{
	unsigned int i;

	for (i = from; i < to; i++)
		KUNIT_ASSERT_NOT_NULL(test, put(key_number(i)));
}

static unsigned int missing_keys(unsigned int from, unsigned int to)
{
	unsigned int missing = 0;
	struct avc_node *decision;
	unsigned int i;

	rcu_read_lock();
	for (i = from; i < to; i++) {
		decision = table_lookup(&fix.table, key_number(i));
		missing += !decision || !decision_is(decision, key_number(i));
	}
	rcu_read_unlock();
	return missing;
}

/*
 * The @number-th key whose hash begins with the @bits bits @prefix: it stays
 * with its like in every table of at most 1 << @bits slots.
 */
static struct key key_with_prefix(unsigned int bits, u32 prefix,
				  unsigned int number)
{
	struct key key = { .ssid = 3, .tclass = 1 };

	for (;; key.tsid++)
		if (key_hash(key) >> (64 - bits) == prefix && !number--)
			return key;
}

static const unsigned int bad_sizes[] = {
	0, 1, 2, 8, 15, 17, 24, 511, 513, 1023, (1U << 20) + 1, (1U << 20) - 1,
	1U << 21, 1U << 31, UINT_MAX,
};

static void init_sizes(struct kunit *test)
{
	unsigned int slots;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_sizes); i++) {
		KUNIT_EXPECT_FALSE(test, avc_slots_valid(bad_sizes[i]));
		KUNIT_EXPECT_EQ(test, -EINVAL,
				avc_table_init(&fix.table, bad_sizes[i], 512,
					       decision_retire));
	}
	for (slots = 16; slots <= 1U << 20; slots *= 2) {
		start(test, slots, 512);
		KUNIT_EXPECT_TRUE(test, avc_slots_valid(slots));
		KUNIT_EXPECT_EQ(test, avc_table_slots(&fix.table), slots);
		KUNIT_EXPECT_NOT_NULL(test, put(KEY(1, 2, 3)));
		KUNIT_EXPECT_EQ(test, entries(), 1);
		avc_table_destroy(&fix.table);
		fix.alive = false;
		KUNIT_EXPECT_EQ(test, atomic_read(&fix.made),
				atomic_read(&fix.retired));
	}
}

static void init_without_memory(struct kunit *test)
{
	seam.no_arrays = true;
	KUNIT_EXPECT_EQ(test, -ENOMEM, avc_table_init(&fix.table, 512, 512,
						      decision_retire));
}

static void lookup(struct kunit *test)
{
	struct avc_node *decision;

	start(test, 16, 512);
	KUNIT_EXPECT_NULL(test, get(KEY(1, 2, 3)));
	decision = put(KEY(1, 2, 3));
	KUNIT_EXPECT_NOT_NULL(test, decision);
	KUNIT_EXPECT_PTR_EQ(test, get(KEY(1, 2, 3)), decision);
	/* Each part of the key counts, and so do its upper bits. */
	KUNIT_EXPECT_NULL(test, get(KEY(2, 1, 3)));
	KUNIT_EXPECT_NULL(test, get(KEY(1 | 1U << 31, 2, 3)));
	KUNIT_EXPECT_NULL(test, get(KEY(1, 2 | 1U << 31, 3)));
	KUNIT_EXPECT_NULL(test, get(KEY(1, 2, 3 | 1U << 15)));
	put_keys(test, 0, 300);
	KUNIT_EXPECT_EQ(test, missing_keys(0, 300), 0);
	KUNIT_EXPECT_EQ(test, missing_keys(300, 600), 300);
	expect_sound(test);
}

/* Keys that share a slot of 16, and differ in one part only. */
static void lookup_in_one_slot(struct kunit *test)
{
	const struct key base = key_with_prefix(4, 5, 0);
	struct key key;
	unsigned int i;

	start(test, 16, 512);
	KUNIT_ASSERT_NOT_NULL(test, put(base));
	for (i = 1; i <= 50; i++)
		KUNIT_ASSERT_NOT_NULL(test, put(key_with_prefix(4, 5, i)));
	for (i = 0, key = base; i < 50; i++) {
		do {
			key.ssid++;
		} while (key_hash(key) >> 60 != 5);
		KUNIT_ASSERT_NOT_NULL(test, put(key));
	}
	for (i = 0, key = base; i < 50; i++) {
		do {
			key.tclass++;
		} while (key_hash(key) >> 60 != 5);
		KUNIT_ASSERT_NOT_NULL(test, put(key));
	}
	KUNIT_EXPECT_EQ(test, entries(), 151);
	expect_sound(test);
}

static void insert_same_key(struct kunit *test)
{
	struct avc_node *first, *second;

	start(test, 16, 512);
	first = put(KEY(1, 2, 3));
	second = put(KEY(1, 2, 3));
	KUNIT_EXPECT_PTR_EQ(test, get(KEY(1, 2, 3)), second);
	KUNIT_EXPECT_TRUE(test, is_retired(first));
	KUNIT_EXPECT_FALSE(test, first->evicted);
	KUNIT_EXPECT_FALSE(test, is_retired(second));
	KUNIT_EXPECT_EQ(test, entries(), 1);
	expect_sound(test);
}

static void insert_without_memory(struct kunit *test)
{
	struct avc_node *decision, *refused;
	bool taken;

	start(test, 16, 512);
	put_keys(test, 0, 10);
	decision = put(KEY(1, 2, 3));
	refused = decision_make(KEY(1, 2, 3));
	KUNIT_ASSERT_NOT_NULL(test, refused);
	seam.no_nodes = true;
	rcu_read_lock();
	taken = avc_table_insert(&fix.table, 1, 2, 3, refused);
	rcu_read_unlock();
	seam.no_nodes = false;
	KUNIT_EXPECT_FALSE(test, taken);
	KUNIT_EXPECT_FALSE(test, is_retired(refused)); /* it is the caller's */
	KUNIT_EXPECT_PTR_EQ(test, get(KEY(1, 2, 3)), decision);
	KUNIT_EXPECT_EQ(test, entries(), 11);
	decision_retire(refused, false);
	expect_sound(test);
}

static void replace(struct kunit *test)
{
	struct avc_node *first;

	start(test, 16, 512);
	put_keys(test, 0, 100);
	first = put(KEY(1, 2, 3));
	KUNIT_EXPECT_TRUE(test, swap_decision(KEY(1, 2, 3), first));
	KUNIT_EXPECT_TRUE(test, is_retired(first));
	KUNIT_EXPECT_FALSE(test, first->evicted);
	KUNIT_EXPECT_PTR_NE(test, get(KEY(1, 2, 3)), first);
	KUNIT_EXPECT_EQ(test, entries(), 101);
	expect_sound(test);
}

/* A node has its decision from the moment on that readers can see it. */
static struct {
	struct key key;
	unsigned int seen;
} linked;

static void linked_look(void)
{
	struct avc_node *decision = table_lookup(&fix.table, linked.key);

	if (decision && decision_is(decision, linked.key))
		linked.seen++;
}

static void linked_with_decision(struct kunit *test)
{
	unsigned int i;

	start(test, 16, 512);
	linked.seen = 0;
	seam.at_link = linked_look;
	for (i = 1; i <= 100; i++) {
		linked.key = KEY(i, 2, 3);
		put(linked.key);
	}
	seam.at_link = NULL;
	KUNIT_EXPECT_EQ(test, linked.seen, 100);
	expect_sound(test);
}

static void replace_gone(struct kunit *test)
{
	struct avc_node *first, *second;

	start(test, 16, 512);
	first = put(KEY(1, 2, 3));
	second = put(KEY(1, 2, 3));
	/* Another decision is there. */
	KUNIT_EXPECT_FALSE(test, swap_decision(KEY(1, 2, 3), first));
	KUNIT_EXPECT_PTR_EQ(test, get(KEY(1, 2, 3)), second);
	/* None is there. */
	avc_table_flush(&fix.table);
	KUNIT_EXPECT_FALSE(test, swap_decision(KEY(1, 2, 3), second));
	KUNIT_EXPECT_NULL(test, get(KEY(1, 2, 3)));
	KUNIT_EXPECT_EQ(test, entries(), 0);
	expect_sound(test);
}

/* A reader on a node that is evicted: it does not become another one. */
static void nodes_outlive_readers(struct kunit *test)
{
	const struct key key = KEY(1, 2, 3);
	struct avc_slots *slots;
	struct hlist_node *pos;
	struct avc_tnode *node;
	unsigned int index, i, failed = 0;
	bool same;

	start(test, 16, UINT_MAX);
	KUNIT_ASSERT_NOT_NULL(test, put(key));
	rcu_read_lock();
	slots = rcu_dereference(fix.table.slots);
	index = avc_slot_index(slots, key_hash(key));
	pos = rcu_dereference(hlist_first_rcu(&slots->slot[index].head));
	node = avc_tnode_of(pos, slots->link);
	evict_near(key, 1);
	for (i = 0; i < 100; i++)
		failed += !put(key_number(i));
	same = avc_key_equal(node, key.ssid, key.tsid, key.tclass);
	rcu_read_unlock();
	KUNIT_EXPECT_TRUE(test, same);
	KUNIT_EXPECT_EQ(test, failed, 0);
	KUNIT_EXPECT_NULL(test, get(key));
	expect_sound(test);
}

static void flush(struct kunit *test)
{
	start(test, 64, UINT_MAX);
	avc_table_flush(&fix.table);
	put_keys(test, 0, 1000);
	avc_table_flush(&fix.table);
	KUNIT_EXPECT_EQ(test, missing_keys(0, 1000), 1000);
	KUNIT_EXPECT_EQ(test, entries(), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fix.evicted), 0);
	put_keys(test, 500, 1500);
	KUNIT_EXPECT_EQ(test, missing_keys(500, 1500), 0);
	expect_sound(test);
}

static void threshold_zero(struct kunit *test)
{
	struct avc_node *decision;

	start(test, 16, 0);
	decision = put(KEY(1, 2, 3));
	KUNIT_ASSERT_NOT_NULL(test, decision); /* taken, and gone at once */
	KUNIT_EXPECT_TRUE(test, is_retired(decision));
	KUNIT_EXPECT_TRUE(test, decision->evicted);
	KUNIT_EXPECT_NULL(test, get(KEY(1, 2, 3)));
	avc_table_set_threshold(&fix.table, 512);
	put_keys(test, 0, 300);
	avc_table_set_threshold(&fix.table, 0);
	KUNIT_EXPECT_EQ(test, entries(), 0);
	expect_sound(test);
}

static void threshold_one(struct kunit *test)
{
	unsigned int i;

	start(test, 512, 1);
	for (i = 0; i < 100; i++) {
		KUNIT_ASSERT_NOT_NULL(test, put(key_number(i)));
		KUNIT_EXPECT_EQ(test, missing_keys(i, i + 1), 0);
		KUNIT_EXPECT_EQ(test, entries(), 1);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&fix.evicted), 99);
	expect_sound(test);
}

static void threshold_kept(struct kunit *test)
{
	unsigned int most = 0, least = UINT_MAX;
	unsigned int i;

	start(test, 64, 200);
	for (i = 0; i < 2000; i++) {
		KUNIT_ASSERT_NOT_NULL(test, put(key_number(i)));
		KUNIT_EXPECT_EQ(test, missing_keys(i, i + 1), 0);
		most = max(most, entries());
		if (i >= 200)
			least = min(least, entries());
	}
	KUNIT_EXPECT_EQ(test, most, 200);
	/* One batch below, no more. */
	KUNIT_EXPECT_EQ(test, least, 201 - AVC_RECLAIM_BATCH);
	expect_sound(test);
}

static void threshold_lowered(struct kunit *test)
{
	start(test, 64, UINT_MAX);
	put_keys(test, 0, 3000);
	KUNIT_EXPECT_EQ(test, entries(), 3000);
	KUNIT_EXPECT_EQ(test, atomic_read(&fix.evicted), 0);
	avc_table_set_threshold(&fix.table, 3000);
	KUNIT_EXPECT_EQ(test, entries(), 3000);
	avc_table_set_threshold(&fix.table, 1001);
	KUNIT_EXPECT_EQ(test, entries(), 1001);
	KUNIT_EXPECT_EQ(test, atomic_read(&fix.evicted), 1999);
	expect_sound(test);
	avc_table_set_threshold(&fix.table, 1);
	KUNIT_EXPECT_EQ(test, entries(), 1);
	expect_sound(test);
	avc_table_set_threshold(&fix.table, 2000);
	KUNIT_EXPECT_EQ(test, entries(), 1);
	put_keys(test, 3000, 4999);
	KUNIT_EXPECT_EQ(test, entries(), 2000);
	expect_sound(test);
}

/*
 * Insert 48 decisions into one slot, resize as @sizes say, make room for 16
 * of them at a time and expect the oldest ones to go.
 */
static void expect_oldest_first(struct kunit *test, const unsigned int *sizes,
				unsigned int count)
{
	struct avc_node *decision[48];
	unsigned int left, wrong, i;

	/* In one slot whatever the size: 10 bits are the same. */
	for (i = 0; i < ARRAY_SIZE(decision); i++) {
		decision[i] = put(key_with_prefix(10, 77, i));
		KUNIT_ASSERT_NOT_NULL(test, decision[i]);
	}
	for (i = 0; i < count; i++)
		KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, sizes[i]), 0);
	for (left = 32; left; left -= 16) {
		avc_table_set_threshold(&fix.table, left);
		KUNIT_EXPECT_EQ(test, entries(), left);
		wrong = 0;
		for (i = 0; i < ARRAY_SIZE(decision); i++)
			wrong += is_retired(decision[i]) != (i < 48 - left);
		KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "with %u left", left);
	}
	expect_sound(test);
}

static void reclaim_oldest_first(struct kunit *test)
{
	start(test, 16, UINT_MAX);
	expect_oldest_first(test, NULL, 0);
}

/* A resize keeps the order of those that are in one slot before and after. */
static void reclaim_oldest_after_growth(struct kunit *test)
{
	static const unsigned int sizes[] = { 64 };

	start(test, 16, UINT_MAX);
	expect_oldest_first(test, sizes, ARRAY_SIZE(sizes));
}

static void reclaim_oldest_after_shrinking(struct kunit *test)
{
	static const unsigned int sizes[] = { 512, 64, 16 };

	start(test, 1024, UINT_MAX);
	expect_oldest_first(test, sizes, ARRAY_SIZE(sizes));
}

static void resize_all_sizes(struct kunit *test)
{
	unsigned int resizes = 0, moved = 0, count = 2000;
	struct avc_resize_stats stats;
	unsigned int slots, from, to;

	start(test, 16, UINT_MAX);
	put_keys(test, 0, count);
	for (slots = 32; slots <= 1U << 20; slots *= 2) {
		KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, slots), 0);
		KUNIT_EXPECT_EQ(test, avc_table_slots(&fix.table), slots);
		moved += count;
		resizes++;
		expect_sound(test);
		/* Links are used in turn: new nodes have one, old ones two. */
		put_keys(test, count, count + 10);
		count += 10;
	}
	for (slots = 1U << 19; slots >= 16; slots /= 2) {
		KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, slots), 0);
		KUNIT_EXPECT_EQ(test, avc_table_slots(&fix.table), slots);
		moved += count;
		resizes++;
		expect_sound(test);
	}
	for (from = 16; from <= 1024; from *= 4)
		for (to = 16; to <= 1024; to *= 4) {
			if (avc_table_slots(&fix.table) != from) {
				moved += count;
				resizes++;
			}
			KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, from), 0);
			if (to != from) {
				moved += count;
				resizes++;
			}
			KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, to), 0);
			expect_sound(test);
		}
	avc_table_resize_stats(&fix.table, &stats);
	KUNIT_EXPECT_EQ(test, stats.resizes, resizes);
	KUNIT_EXPECT_EQ(test, stats.failed, 0);
	KUNIT_EXPECT_EQ(test, stats.nodes_moved, moved);
	KUNIT_EXPECT_GT(test, stats.last_duration_ns, 0);
	KUNIT_EXPECT_GT(test, stats.longest_irqoff_ns, 0);
	/* No decision has left the table. */
	KUNIT_EXPECT_EQ(test, atomic_read(&fix.retired), 0);
	KUNIT_EXPECT_EQ(test, entries(), count);
}

/* A resize that must change nothing, but for one more failure if @failed. */
static void expect_untouched(struct kunit *test, unsigned int slots, int rc,
			     unsigned int failed)
{
	struct avc_slots *array = current_slots();
	struct avc_resize_stats before, after;

	avc_table_resize_stats(&fix.table, &before);
	KUNIT_EXPECT_EQ(test, avc_table_resize(&fix.table, slots), rc);
	avc_table_resize_stats(&fix.table, &after);
	before.failed += failed;
	KUNIT_EXPECT_TRUE(test, !memcmp(&before, &after, sizeof(before)));
	KUNIT_EXPECT_PTR_EQ(test, current_slots(), array);
	KUNIT_EXPECT_EQ(test, atomic_read(&fix.retired), 0);
	expect_sound(test);
}

static void resize_same_size(struct kunit *test)
{
	start(test, 64, 512);
	put_keys(test, 0, 200);
	expect_untouched(test, 64, 0, 0);
}

static void resize_bad_sizes(struct kunit *test)
{
	unsigned int i;

	start(test, 64, 512);
	put_keys(test, 0, 200);
	for (i = 0; i < ARRAY_SIZE(bad_sizes); i++)
		expect_untouched(test, bad_sizes[i], -EINVAL, 0);
}

static void resize_without_memory(struct kunit *test)
{
	start(test, 64, 512);
	put_keys(test, 0, 200);
	seam.no_arrays = true;
	expect_untouched(test, 1024, -ENOMEM, 1);
	expect_untouched(test, 16, -ENOMEM, 1);
	seam.no_arrays = false;
	KUNIT_EXPECT_EQ(test, avc_table_resize(&fix.table, 1024), 0);
	KUNIT_EXPECT_EQ(test, avc_table_slots(&fix.table), 1024);
	expect_sound(test);
}

/* Longer chains than there is room for are left out, and nothing overflows. */
static void histogram_too_small(struct kunit *test)
{
	unsigned int histogram[4] = { [3] = 0xabcdef };
	unsigned int i;

	start(test, 16, 512);
	for (i = 0; i < 9; i++)
		KUNIT_ASSERT_NOT_NULL(test, put(key_with_prefix(4, 1, i)));
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_NOT_NULL(test, put(key_with_prefix(4, 2, i)));
	KUNIT_ASSERT_NOT_NULL(test, put(key_with_prefix(4, 3, 0)));
	KUNIT_EXPECT_EQ(test, avc_table_histogram(&fix.table, histogram, 3), 9);
	KUNIT_EXPECT_EQ(test, histogram[0], 13);
	KUNIT_EXPECT_EQ(test, histogram[1], 1);
	KUNIT_EXPECT_EQ(test, histogram[2], 1);
	KUNIT_EXPECT_EQ(test, histogram[3], 0xabcdef);
}

/*
 * Acting between the steps of a resize.
 *
 * Of the keys, FIXED are only looked up and replaced, so they must be found at
 * every moment; their hashes begin with a 1. The others come and go, and begin
 * with a 0: in a table of any size, to evict them leaves the fixed ones alone.
 */
#define FIXED	200

static struct {
	struct kunit *test;
	struct key fixed[FIXED];
	struct key other[2 * FIXED];
	unsigned int next_other;
	struct avc_slots *old;
	unsigned int missing;
	unsigned int steps;
} step;

static void step_prepare(struct kunit *test)
{
	unsigned int i;

	memset(&step, 0, sizeof(step));
	step.test = test;
	for (i = 0; i < FIXED; i++)
		step.fixed[i] = key_with_prefix(1, 1, i);
	for (i = 0; i < ARRAY_SIZE(step.other); i++)
		step.other[i] = key_with_prefix(1, 0, i);
}

static void step_put_fixed(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < FIXED; i++)
		KUNIT_ASSERT_NOT_NULL(test, put(step.fixed[i]));
}

/* How many of the fixed keys a reader of @table does not find. */
static unsigned int missing_fixed(const struct avc_table *table)
{
	struct avc_node *decision;
	unsigned int missing = 0;
	unsigned int i;

	for (i = 0; i < FIXED; i++) {
		rcu_read_lock();
		decision = table_lookup(table, step.fixed[i]);
		missing += !decision || !decision_is(decision, step.fixed[i]);
		rcu_read_unlock();
	}
	return missing;
}

static struct key step_other(void)
{
	return step.other[step.next_other++ % ARRAY_SIZE(step.other)];
}

/* Everything that a writer may do. */
static void step_write(void)
{
	unsigned int i;
	struct key key;

	for (i = 0; i < 4; i++) {
		key = step_other();
		KUNIT_EXPECT_NOT_NULL(step.test, put(key));
		KUNIT_EXPECT_NOT_NULL(step.test, get(key));
		KUNIT_EXPECT_NOT_NULL(step.test, put(key)); /* again */
		KUNIT_EXPECT_TRUE(step.test, swap_decision(key, NULL));
	}
	for (i = 0; i < 2; i++) {
		key = step.fixed[step.next_other % FIXED];
		KUNIT_EXPECT_TRUE(step.test, swap_decision(key, NULL));
		key = step_other();
		evict_near(key, 2);
	}
	step.missing += missing_fixed(&fix.table);
	step.steps++;
}

/* The same while slot number step.steps is being moved: in all others. */
static void step_write_elsewhere(void)
{
	const struct avc_slots *slots = step.old;
	struct key key;

	key = step_other();
	if (avc_slot_index(slots, key_hash(key)) != step.steps) {
		KUNIT_EXPECT_NOT_NULL(step.test, put(key));
		KUNIT_EXPECT_NOT_NULL(step.test, get(key));
		KUNIT_EXPECT_TRUE(step.test, swap_decision(key, NULL));
	}
	key = step_other();
	if (avc_slot_index(slots, key_hash(key)) != step.steps)
		evict_near(key, 1);
	key = step.fixed[step.next_other % FIXED];
	if (avc_slot_index(slots, key_hash(key)) != step.steps)
		KUNIT_EXPECT_TRUE(step.test, swap_decision(key, NULL));
	step.missing += missing_fixed(&fix.table);
}

static void step_count(void)
{
	step.steps++;
}

/* A reader who has got hold of the old array before it was replaced. */
static void step_read_old(void)
{
	struct avc_table old = { };

	rcu_assign_pointer(old.slots, step.old);
	step.missing += missing_fixed(&old);
}

static void step_grace(void)
{
	step_read_old();
	step_write();
	step_read_old();
	step_write();
	step_read_old();
}

static void resize_steps(struct kunit *test)
{
	static const unsigned int sizes[] = { 16, 256, 32, 4096, 16, 64, 16 };
	unsigned int i;

	step_prepare(test);
	start(test, 64, UINT_MAX);
	step_put_fixed(test);
	seam.at_grace = step_grace;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		step.old = current_slots();
		seam.at_slot = step_write;
		KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, sizes[i]), 0);
		seam.at_slot = NULL;
		KUNIT_EXPECT_EQ(test, missing_fixed(&fix.table), 0);
		expect_sound(test);
	}
	/* Each slot of each old array, and twice in each grace period. */
	KUNIT_EXPECT_EQ(test, step.steps,
			64 + 16 + 256 + 32 + 4096 + 16 + 64 + 2 * 7);
	KUNIT_EXPECT_EQ(test, step.missing, 0);
	KUNIT_EXPECT_GT(test, atomic_read(&fix.evicted), 1000);
}

/* The same in the midst of moving a slot. */
static void resize_moves(struct kunit *test)
{
	static const unsigned int sizes[] = { 16, 256, 32, 512, 16, 64, 16 };
	unsigned int i;

	step_prepare(test);
	start(test, 64, UINT_MAX);
	step_put_fixed(test);
	for (i = 0; i < ARRAY_SIZE(step.other); i += 2)
		KUNIT_ASSERT_NOT_NULL(test, put(step.other[i]));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		step.old = current_slots();
		step.steps = 0;
		seam.at_slot = step_count;
		seam.at_move = step_write_elsewhere;
		KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, sizes[i]), 0);
		seam.at_slot = NULL;
		seam.at_move = NULL;
		KUNIT_EXPECT_EQ(test, missing_fixed(&fix.table), 0);
		expect_sound(test);
	}
	KUNIT_EXPECT_EQ(test, step.missing, 0);
	KUNIT_EXPECT_GT(test, atomic_read(&fix.evicted), 500);
}

/* Threshold and reclaim in the midst of a resize, in fixed and others alike. */
static void step_lower_threshold(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		put(step_other());
	avc_table_set_threshold(&fix.table, 90);
	KUNIT_EXPECT_LE(step.test, entries(), 90);
	for (i = 0; i < 8; i++)
		put(step_other());
	avc_table_set_threshold(&fix.table, 100);
}

static void resize_steps_reclaim(struct kunit *test)
{
	step_prepare(test);
	start(test, 64, 100);
	step_put_fixed(test);
	seam.at_slot = step_lower_threshold;
	seam.at_grace = step_lower_threshold;
	KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, 256), 0);
	KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, 16), 0);
	seam.at_slot = NULL;
	KUNIT_EXPECT_LE(test, entries(), 100);
	KUNIT_EXPECT_GT(test, atomic_read(&fix.evicted), 1000);
	expect_sound(test);
}

/*
 * The latest writer possible: it has locked its slot in the old array while
 * that was the current one; before it gets the lock in the new one, the resize
 * publishes that, and others, who know nothing of the old one any more, change
 * the very same key.
 */
static const struct key late_key = { 3, 0x7f, 1 };

static struct {
	void (*act)(void);
	struct avc_node *expected;
	bool acted;
} late;

static void late_publish(void)
{
	struct avc_slots *slots = rcu_dereference_protected(fix.table.slots, true);

	rcu_assign_pointer(fix.table.slots, slots->next);
	late.acted = true;
	if (late.act)
		late.act();
}

static void late_put(void)
{
	late.expected = put(late_key);
}

static void late_evict(void)
{
	evict_near(late_key, UINT_MAX);
	late.expected = NULL;
}

static void late_insert_step(void)
{
	struct avc_slots *slots = current_slots();

	if (late.acted || !slots->next || slots->moved != slots->count)
		return;
	seam.at_next = late_publish;
	late.expected = put(late_key);
}

static void late_replace_step(void)
{
	struct avc_slots *slots = current_slots();
	struct avc_node *old;

	if (late.acted || !slots->next || slots->moved != slots->count)
		return;
	old = get(late_key);
	seam.at_next = late_publish;
	/* The others were faster, so it is theirs that stays. */
	KUNIT_EXPECT_FALSE(step.test, swap_decision(late_key, old));
}

static void late_reclaim_step(void)
{
	struct avc_slots *slots = current_slots();

	if (late.acted || !slots->next || slots->moved != slots->count)
		return;
	seam.at_next = late_publish;
	/* What others have changed meanwhile is not for us to evict. */
	KUNIT_EXPECT_EQ(step.test, evict_near(late_key, 1), 0);
}

static void run_late(struct kunit *test, unsigned int from, unsigned int to,
		     void (*write)(void), void (*act)(void))
{
	unsigned int evicted;

	memset(&late, 0, sizeof(late));
	late.act = act;
	KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, from), 0);
	late.expected = put(late_key);
	evicted = atomic_read(&fix.evicted);
	seam.at_slot = write;
	KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, to), 0);
	seam.at_slot = NULL;
	KUNIT_EXPECT_TRUE(test, late.acted);
	KUNIT_EXPECT_PTR_EQ(test, get(late_key), late.expected);
	if (act != late_evict)
		KUNIT_EXPECT_EQ(test, evicted,
				(unsigned int)atomic_read(&fix.evicted));
	expect_sound(test);
}

static void late_writers(struct kunit *test)
{
	static void (*const writes[])(void) = {
		late_insert_step, late_replace_step, late_reclaim_step,
	};
	static void (*const acts[])(void) = { NULL, late_put, late_evict };
	unsigned int i, j;

	step_prepare(test);
	start(test, 16, UINT_MAX);
	step_put_fixed(test);
	for (i = 0; i < ARRAY_SIZE(writes); i++)
		for (j = 0; j < ARRAY_SIZE(acts); j++) {
			/* With nobody in between it would succeed. */
			if (writes[i] == late_replace_step && !acts[j])
				continue;
			run_late(test, 16, 64, writes[i], acts[j]);
			run_late(test, 64, 16, writes[i], acts[j]);
		}
}

/* The same for a threshold: it has taken effect when the call returns. */
static void late_threshold_step(void)
{
	struct avc_slots *slots = current_slots();

	if (late.acted || !slots->next || slots->moved != slots->count)
		return;
	seam.at_next = late_publish;
	avc_table_set_threshold(&fix.table, 20);
	KUNIT_EXPECT_EQ(step.test, entries(), 20);
}

static void late_threshold(struct kunit *test)
{
	step_prepare(test);
	start(test, 16, UINT_MAX);
	step_put_fixed(test);
	memset(&late, 0, sizeof(late));
	seam.at_slot = late_threshold_step;
	KUNIT_ASSERT_EQ(test, avc_table_resize(&fix.table, 64), 0);
	seam.at_slot = NULL;
	KUNIT_EXPECT_TRUE(test, late.acted);
	expect_sound(test);
}

/*
 * Threads at work. How much they do is counted, not timed.
 */
#define ROUNDS		42
/* Ticks until threads that do not get on count as a failure. */
#define PATIENCE	3000

/*
 * lookups and writes count passes. Each new decision takes one from budget, for
 * they stay allocated, and the main thread puts some there.
 */
static struct {
	atomic_t lookups;
	atomic_t writes;
	atomic_t missing;
	atomic_t wrong;
	atomic_t budget;
	bool none_fixed;
} load;

/* With one CPU, the threads get their turn between the slots. */
static void load_step(void)
{
	atomic_add(4, &load.budget);
	schedule();
}

/* Look a key up, keep the decision a while, and see whether it stays good. */
static void load_check(struct key key, bool fixed, unsigned int patience)
{
	struct avc_node *decision;

	rcu_read_lock();
	decision = table_lookup(&fix.table, key);
	if (!decision) {
		if (fixed)
			atomic_inc(&load.missing);
	} else {
		if (!decision_is(decision, key))
			atomic_inc(&load.wrong);
		while (patience--)
			cpu_relax();
		if (!decision_is(decision, key))
			atomic_inc(&load.wrong);
	}
	rcu_read_unlock();
}

static int load_reader(void *unused)
{
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < FIXED; i++) {
			load_check(step.fixed[i], !load.none_fixed, i);
			load_check(step.other[2 * i], false, i);
			load_check(step.other[2 * i + 1], false, 0);
			if (i % 16 == 0)
				schedule();
		}
		atomic_inc(&load.lookups);
	}
	return 0;
}

static int load_writer(void *seed)
{
	u32 random = (u32)(unsigned long)seed;
	unsigned int i;
	struct key key;

	while (!kthread_should_stop()) {
		for (i = 0; i < 64; i++) {
			random = random * 1664525 + 1013904223;
			key = step.other[(random >> 8) %
					  ARRAY_SIZE(step.other)];
			if (random >> 29 >= 6) {
				evict_near(key, 1);
				continue;
			}
			if (atomic_dec_if_positive(&load.budget) < 0)
				continue;
			switch (random >> 29) {
			case 0:
			case 1:
			case 2:
				put(key);
				break;
			case 3:
				swap_decision(key, NULL);
				break;
			case 4:
				key = step.fixed[(random >> 8) % FIXED];
				swap_decision(key, NULL);
				break;
			case 5:
				key = step.fixed[(random >> 8) % FIXED];
				put(key); /* in place of the old one */
				break;
			}
		}
		atomic_inc(&load.writes);
		schedule();
	}
	return 0;
}

static struct task_struct *threads[4];

/* Two readers and two writers. Fixed keys, too, come and go if @none_fixed. */
static void load_start(struct kunit *test, bool none_fixed)
{
	unsigned int i;

	memset(&load, 0, sizeof(load));
	load.none_fixed = none_fixed;
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		threads[i] = kthread_run(i < 2 ? load_reader : load_writer,
					 (void *)(unsigned long)i,
					 "avc_kunit/%u", i);
		if (IS_ERR(threads[i]))
			threads[i] = NULL;
		KUNIT_EXPECT_NOT_NULL(test, threads[i]);
	}
}

/* Wait until each of them has been at work since. */
static void load_wait(struct kunit *test)
{
	int lookups = atomic_read(&load.lookups);
	int writes = atomic_read(&load.writes);
	unsigned int i;

	atomic_add(500, &load.budget);
	for (i = 0; i < PATIENCE && (atomic_read(&load.lookups) == lookups ||
				     atomic_read(&load.writes) == writes); i++)
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_LT_MSG(test, i, PATIENCE, "the threads do not get on");
}

static void load_stop(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		if (threads[i])
			kthread_stop(threads[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&load.missing), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&load.wrong), 0);
	kunit_info(test, "%d passes of the readers, %d of the writers\n",
		   atomic_read(&load.lookups), atomic_read(&load.writes));
}

static void load_resize(struct kunit *test)
{
	static const unsigned int sizes[] = { 16, 1024, 64, 4096, 32, 16, 128 };
	unsigned int i;

	seam.at_slot = load_step;
	seam.at_grace = load_step;
	for (i = 0; i < ROUNDS; i++) {
		KUNIT_EXPECT_EQ(test, 0,
				avc_table_resize(&fix.table,
						 sizes[i % ARRAY_SIZE(sizes)]));
		load_wait(test);
	}
	seam.at_slot = NULL;
	seam.at_grace = NULL;
}

static void concurrent_resizes(struct kunit *test)
{
	step_prepare(test);
	start(test, 128, UINT_MAX);
	step_put_fixed(test);
	load_start(test, false);
	load_resize(test);
	load_stop(test);
	KUNIT_EXPECT_EQ(test, missing_fixed(&fix.table), 0);
	expect_sound(test);
}

/* The same below a threshold, where fixed keys come and go, too. */
static void concurrent_reclaim(struct kunit *test)
{
	step_prepare(test);
	start(test, 128, 150);
	load_start(test, true);
	load_resize(test);
	load_stop(test);
	expect_sound(test);
	avc_table_set_threshold(&fix.table, 150);
	KUNIT_EXPECT_LE(test, entries(), 150);
	KUNIT_EXPECT_GT(test, atomic_read(&fix.evicted), 100);
	expect_sound(test);
}

static void concurrent_flushes(struct kunit *test)
{
	unsigned int i;

	step_prepare(test);
	start(test, 128, UINT_MAX);
	load_start(test, true);
	seam.at_slot = load_step;
	for (i = 0; i < ROUNDS; i++) {
		avc_table_flush(&fix.table);
		load_wait(test);
	}
	seam.at_slot = NULL;
	load_stop(test);
	expect_sound(test);
	avc_table_flush(&fix.table);
	KUNIT_EXPECT_EQ(test, entries(), 0);
	expect_sound(test);
}

/* Several who resize, flush and read statistics take turns. */
static int turns_resizer(void *size)
{
	unsigned int i;

	for (i = 0; i < ROUNDS / 4; i++) {
		avc_table_resize(&fix.table, (unsigned long)size);
		atomic_inc(&load.writes);
		schedule();
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void concurrent_resizers(struct kunit *test)
{
	struct task_struct *resizer[3];
	struct avc_hash_stats stats;
	unsigned int i;

	step_prepare(test);
	start(test, 128, UINT_MAX);
	step_put_fixed(test);
	memset(&load, 0, sizeof(load));
	for (i = 0; i < ARRAY_SIZE(resizer); i++) {
		resizer[i] = kthread_run(turns_resizer, (void *)(16UL << (2 * i)),
					 "avc_kunit/%u", i);
		KUNIT_EXPECT_FALSE(test, IS_ERR(resizer[i]));
	}
	for (i = 0; i < ROUNDS; i++) {
		avc_table_hash_stats(&fix.table, &stats);
		KUNIT_EXPECT_EQ(test, stats.entries, FIXED);
		KUNIT_EXPECT_EQ(test, missing_fixed(&fix.table), 0);
		schedule();
	}
	for (i = 0; i < ARRAY_SIZE(resizer); i++)
		if (!IS_ERR(resizer[i]))
			kthread_stop(resizer[i]);
	expect_sound(test);
}

/*
 * The quality of the hash.
 *
 * n keys in m slots, against n balls thrown at random. With e = n / m:
 *
 *  - chi-square, the sum of (length - e)^2 / e, has the mean m - 1 and the
 *    deviation sqrt(2 (m - 1)). Up to five deviations more is accepted.
 *  - m (1 - exp(-e)) slots are used, with the variance
 *    m (exp(-e) - (1 + e) exp(-2e)). Down to five deviations less is accepted.
 *  - A chain of L or more somewhere is less likely than m P(Poisson(e) >= L).
 *    The longest that is accepted is the last L with more than 1e-6.
 *
 * So a good hash fails once in about a million random sets of keys, in any of
 * these; and as the sets are fixed, so are the results. Better than random is
 * accepted: it is no harm. What must fail is the hash of old, on sets that are
 * everyday life: the negative control.
 */
struct quality_load {
	unsigned int keys;
	unsigned int slots;
	unsigned int least_used;
	unsigned int longest;
};

static const struct quality_load quality_loads[] = {
	{ 512, 512, 288, 11 },		/* 323.6 - 5 * 7.05 */
	{ 2048, 512, 488, 20 },		/* 502.6 - 5 * 2.92 */
	{ 8192, 8192, 5037, 12 },	/* 5178.3 - 5 * 28.2 */
};

struct quality_shape {
	const char *name;
	struct key (*key)(unsigned int i, unsigned int keys);
	bool old_fails;
};

/* Policy types, one after the other, and each with a few classes. */
static struct key key_dense(unsigned int i, unsigned int keys)
{
	static const u16 classes[] = { 2, 6, 7, 10 };

	return KEY(500 + i / 4, 1500 + i / 4,
				     classes[i % 4]);
}

/* One domain that looks at everything. */
static struct key key_fan_out(unsigned int i, unsigned int keys)
{
	return KEY(777, 1000 + i / 2, 6 + i % 2);
}

/* Everybody talks with everybody. */
static struct key key_square(unsigned int i, unsigned int keys)
{
	unsigned int side = int_sqrt(keys - 1) + 1;

	return KEY(100 + i / side, 100 + i % side, 7);
}

/* Nothing in the lower bits. */
static struct key key_stride_both(unsigned int i, unsigned int keys)
{
	return KEY((i % 16) << 16, (i / 16) << 8, 7);
}

static struct key key_stride(unsigned int i, unsigned int keys)
{
	return KEY(4096, i << 12, 7);
}

/* Late in a long life. */
static struct key key_large(unsigned int i, unsigned int keys)
{
	return KEY(U32_MAX - i / 8,
				     0x80000000 + i / 8 * 64 + i % 8 * 3, 7);
}

/* A few domains, and containers whose files have a category pair each. */
static struct key key_mcs(unsigned int i, unsigned int keys)
{
	return KEY(300 + i % 8, 20000 + i / 8 * 3,
				     7 + i / 8 % 3);
}

static const struct quality_shape quality_shapes[] = {
	{ "dense", key_dense, false },
	{ "fan out", key_fan_out, true },
	{ "square", key_square, true },
	{ "stride of both", key_stride_both, true },
	{ "stride", key_stride, true },
	{ "large", key_large, false },
	{ "MCS", key_mcs, false },
};

static unsigned int slot_now(struct key key, unsigned int slots)
{
	return key_hash(key) >> (64 - ilog2(slots));
}

/* Linux up to 7.1. */
static unsigned int slot_old(struct key key, unsigned int slots)
{
	return (key.ssid ^ (key.tsid << 2) ^ (key.tclass << 4)) &
	       (slots - 1);
}

static bool quality_good(struct kunit *test, const struct quality_shape *shape,
			 const struct quality_load *load, const char *name,
			 unsigned int (*slot_of)(struct key key,
						 unsigned int slots))
{
	unsigned int longest = 0, used = 0;
	unsigned int i, *length;
	struct key key;
	u64 squares = 0;
	s64 deviations;

	length = kvcalloc(load->slots, sizeof(*length), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, length);
	for (i = 0; i < load->keys; i++) {
		key = shape->key(i, load->keys);
		length[slot_of(key, load->slots)]++;
	}
	for (i = 0; i < load->slots; i++) {
		used += !!length[i];
		longest = max(longest, length[i]);
		squares += (u64)length[i] * length[i];
	}
	kvfree(length);
	/* chi-square is squares / e - n; in hundredths of a deviation. */
	deviations = div_u64(squares * load->slots, load->keys) - load->keys;
	deviations = div_s64((deviations - (load->slots - 1)) * 100,
			     int_sqrt(2 * (load->slots - 1)));
	kunit_info(test,
		   "%s: %u keys, %u slots: chi-square %lld/100 deviations above, %u used, longest %u\n",
		   name, load->keys, load->slots, deviations, used, longest);
	return deviations <= 500 && used >= load->least_used &&
	       longest <= load->longest;
}

static void hash_quality(struct kunit *test)
{
	const struct quality_shape *shape = test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(quality_loads); i++) {
		KUNIT_EXPECT_TRUE(test, quality_good(test, shape,
						     &quality_loads[i],
						     "this hash", slot_now));
		if (shape->old_fails)
			KUNIT_EXPECT_FALSE(test,
					   quality_good(test, shape,
							&quality_loads[i],
							"old hash", slot_old));
	}
}

static void quality_describe(const struct quality_shape *shape, char *text)
{
	strscpy(text, shape->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(quality, quality_shapes, quality_describe);

static struct kunit_case table_cases[] = {
	KUNIT_CASE(init_sizes),
	KUNIT_CASE(init_without_memory),
	KUNIT_CASE(lookup),
	KUNIT_CASE(lookup_in_one_slot),
	KUNIT_CASE(insert_same_key),
	KUNIT_CASE(insert_without_memory),
	KUNIT_CASE(replace),
	KUNIT_CASE(linked_with_decision),
	KUNIT_CASE(replace_gone),
	KUNIT_CASE(nodes_outlive_readers),
	KUNIT_CASE(flush),
	KUNIT_CASE(threshold_zero),
	KUNIT_CASE(threshold_one),
	KUNIT_CASE(threshold_kept),
	KUNIT_CASE(threshold_lowered),
	KUNIT_CASE(reclaim_oldest_first),
	KUNIT_CASE(reclaim_oldest_after_growth),
	KUNIT_CASE(reclaim_oldest_after_shrinking),
	KUNIT_CASE(resize_all_sizes),
	KUNIT_CASE(resize_same_size),
	KUNIT_CASE(resize_bad_sizes),
	KUNIT_CASE(resize_without_memory),
	KUNIT_CASE(histogram_too_small),
	KUNIT_CASE(resize_steps),
	KUNIT_CASE(resize_moves),
	KUNIT_CASE(resize_steps_reclaim),
	KUNIT_CASE(late_writers),
	KUNIT_CASE(late_threshold),
	KUNIT_CASE(concurrent_resizes),
	KUNIT_CASE(concurrent_reclaim),
	KUNIT_CASE(concurrent_flushes),
	KUNIT_CASE(concurrent_resizers),
	KUNIT_CASE_PARAM(hash_quality, quality_gen_params),
	{ }
};

static struct kunit_suite table_suite = {
	.name = "selinux_avc_table",
	.init = table_test_init,
	.exit = table_test_exit,
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);

MODULE_DESCRIPTION("Tests of selinux_avc's table");
MODULE_LICENSE("GPL");
