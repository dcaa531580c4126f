/* One address holds at most its part, all together hold at most the whole, and all is given back. */
#include "server/work/work_share.h"

#include <stdint.h>
#include <stdio.h>

#include "testlib/tap.h"

static struct sotto_shares shares;

static void each_has_a_part_and_all_have_a_limit(void)
{
	sotto_shares_init(&shares, 100, 40);
	CHECK(sotto_share_hold(&shares, "a", 40));
	CHECK(!sotto_share_hold(&shares, "a", 1));
	CHECK(sotto_share_hold(&shares, "b", 40));
	CHECK(!sotto_share_hold(&shares, "c", 21));
	CHECK(sotto_share_hold(&shares, "c", 20));
	CHECK(!sotto_share_hold(&shares, "d", 1));
	sotto_share_drop(&shares, "a", 40);
	CHECK(sotto_share_hold(&shares, "a", 30));
	CHECK(!sotto_share_hold(&shares, "d", SIZE_MAX));
	sotto_share_drop(&shares, "nobody", 7);
	CHECK_INT(shares.all, 90);
	sotto_shares_release(&shares);
}

/* What was made already is refused only where a limit was reached before. */
static void one_of_any_size_is_held_once_it_is_made(void)
{
	sotto_shares_init(&shares, 100, 40);
	CHECK(sotto_share_hold(&shares, "a", 39));
	CHECK(!sotto_share_hold(&shares, "a", 70));
	CHECK(sotto_share_hold_made(&shares, "a", 70));
	CHECK(!sotto_share_hold_made(&shares, "a", 1));
	CHECK(!sotto_share_hold_made(&shares, "b", 1));
	sotto_share_drop(&shares, "a", 39);
	CHECK(!sotto_share_hold(&shares, "a", 1));
	CHECK(sotto_share_hold(&shares, "b", 30));
	sotto_share_drop(&shares, "b", 30);
	CHECK(sotto_share_hold_made(&shares, "b", 1000));
	CHECK(!sotto_share_hold(&shares, "c", 1));
	sotto_share_drop(&shares, "a", 70);
	sotto_share_drop(&shares, "b", 1000);
	CHECK_INT(shares.all, 0);
	sotto_shares_release(&shares);
}

/* More addresses than buckets: chains are walked, and emptied in another order. */
static void many_addresses_are_kept_apart(void)
{
	enum { MANY = 5000 };
	char name[16];
	size_t left = 0;

	sotto_shares_init(&shares, SIZE_MAX, MANY);
	for (size_t i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "10.%zu.%zu", i / 256, i % 256);
		CHECK(sotto_share_hold(&shares, name, i + 1));
	}
	for (size_t i = MANY; i-- > 0;) {
		snprintf(name, sizeof name, "10.%zu.%zu", i / 256, i % 256);
		CHECK(!sotto_share_hold(&shares, name, MANY - i));
		sotto_share_drop(&shares, name, i + 1);
	}
	CHECK_INT(shares.all, 0);
	for (size_t i = 0; i < SOTTO_SHARE_BUCKETS; i++)
		left += shares.buckets[i] != NULL;
	CHECK_INT(left, 0);
	sotto_shares_release(&shares);
}

int main(void)
{
	RUN(each_has_a_part_and_all_have_a_limit);
	RUN(one_of_any_size_is_held_once_it_is_made);
	RUN(many_addresses_are_kept_apart);
	return tap_done();
}
