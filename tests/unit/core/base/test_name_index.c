/*
 * An index of names finds what a search of the whole list finds, in the same order.  Planted: a hash
 * that tells capital from small letters; a chain that begins with its last place; buckets that are
 * not filled again when the list grows.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/name_index.h"
#include "testlib/tap.h"

enum { NAMES = 3000, KINDS = 700 };

static void every_name_is_found_at_all_of_its_places_in_order(void)
{
	static char names[NAMES][16];
	struct sotto_name_index x = {0};
	struct sotto_arena a;
	unsigned wrong = 0;

	sotto_arena_init(&a, (size_t)1 << 20);
	CHECK(sotto_name_index_first(&x, "a") == 0);
	for (unsigned i = 0; i < NAMES; i++) {
		(void)snprintf(names[i], sizeof names[i], i % 3 ? "col_%u" : "COL_%u",
			       i * 2654435761u % KINDS);
		REQUIRE(sotto_name_index_add(&a, &x, names[i]));
	}
	for (unsigned k = 0; k < KINDS + 5; k++) {
		char name[16];
		size_t at;

		(void)snprintf(name, sizeof name, "Col_%u", k);
		at = sotto_name_index_first(&x, name);
		for (size_t i = 0; i < NAMES; i++) {
			if (strcasecmp(names[i], name) != 0)
				continue;
			wrong += at != i;
			at = at < NAMES ? sotto_name_index_after(&x, at) : at;
		}
		wrong += at != NAMES;
	}
	CHECK_INT(wrong, 0);
	sotto_arena_release(&a);
}

int main(void)
{
	RUN(every_name_is_found_at_all_of_its_places_in_order);
	return tap_done();
}
