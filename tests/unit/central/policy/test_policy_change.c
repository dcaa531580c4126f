/*
 * What changed between two policies, for many tables: each change is found once and told whether it
 * needs the owner, and a comparison looks every line up instead of walking through all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/policy/policy_change.h"
#include "testlib/tap.h"

enum { TABLES = 3000, COLUMNS = 20, TEXT = 8 << 20 };

/* Which facts a written policy has otherwise than the others. */
struct facts {
	int tables; /* 0 to tables - 1 */
	int moved_unit; /* of this table; -1: of none */
	int wide_bounds; /* of this table's first column */
	int unchecked; /* promise of this table's first column */
};

static char *terms(struct facts f)
{
	char *text = malloc(TEXT);
	size_t n = 0;

	for (int i = 0; text && i < f.tables; i++) {
		n += (size_t)snprintf(text + n, TEXT - n,
				      "table t%d\tprivate\ntable t%d unit\t%s\ntable t%d "
				      "people\tpatients\n",
				      i, i, i == f.moved_unit ? "ward" : "id", i);
		for (int k = 0; k < COLUMNS; k++)
			n += (size_t)snprintf(text + n, TEXT - n,
					      "column t%d.c%d bounds\t0 to %d\n", i, k,
					      i == f.wide_bounds && k == 0 ? 9 : 5);
		if (i == f.unchecked)
			n += (size_t)snprintf(text + n, TEXT - n,
					      "column t%d.c0 unique\ttrue, not checked\n", i);
	}
	return text;
}

static size_t count(const struct sotto_policy_changes *c, const char *word, bool needs_accept)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		n += strstr(c->list[i].text, word) && c->list[i].needs_accept == needs_accept;
	return n;
}

static void
compare(struct sotto_arena *a, struct facts x, struct facts y, struct sotto_policy_changes *out)
{
	char *before = terms(x), *after = terms(y);

	CHECK(before && after && sotto_policy_compare(a, before, after, out) == SOTTO_OK);
	free(before);
	free(after);
}

static const struct facts plain = {TABLES, -1, -1, -1};

static void equal_policies_have_no_changes(void)
{
	struct sotto_policy_changes c;
	struct sotto_arena a;

	sotto_arena_init(&a, (size_t)1 << 30);
	compare(&a, plain, plain, &c);
	CHECK_INT(c.count, 0);
	CHECK_STR(sotto_policy_changes_text(&a, &c, "; "), "");
	sotto_arena_release(&a);
}

static void single_changes_among_many_lines_are_found(void)
{
	struct facts other = {TABLES, 1777, 42, 7};
	struct sotto_policy_changes c;
	struct sotto_arena a;

	sotto_arena_init(&a, (size_t)1 << 30);
	compare(&a, plain, other, &c);
	CHECK_INT(c.count, 3);
	CHECK_INT(count(&c, "table t1777 unit: id -> ward", true), 1);
	CHECK_INT(count(&c, "column t42.c0 bounds: 0 to 5 -> 0 to 9", false), 1);
	CHECK_INT(count(&c, "column t7.c0 unique: added", true), 1);
	sotto_arena_release(&a);
}

/* New tables of known people need nobody; a promise about them that nobody checks does. */
static void new_and_removed_tables_are_told_apart(void)
{
	struct facts fewer = {TABLES / 2, -1, -1, -1}, more = {TABLES, -1, -1, TABLES - 1};
	struct sotto_policy_changes c;
	struct sotto_arena a;
	const char *text;

	sotto_arena_init(&a, (size_t)1 << 30);
	compare(&a, fewer, more, &c);
	CHECK_INT(count(&c, "added", false), TABLES / 2 * (COLUMNS + 2));
	CHECK_INT(count(&c, "added", true), 1);
	text = sotto_policy_changes_needed(&a, &c, 300);
	CHECK_STR(text, "column t2999.c0 unique: added, true, not checked");
	compare(&a, more, fewer, &c);
	CHECK_INT(count(&c, "removed", true), TABLES / 2 * 2);
	text = sotto_policy_changes_text(&a, &c, "; ");
	CHECK(text && strstr(text, "; table t2999 unit: removed, was id"));
	text = sotto_policy_changes_needed(&a, &c, 100);
	CHECK_STR(text, "table t1500: removed, was private; table t1500 unit: removed, was id; "
			"and 2998 more");
	sotto_arena_release(&a);
}

int main(void)
{
	RUN(equal_policies_have_no_changes);
	RUN(single_changes_among_many_lines_are_found);
	RUN(new_and_removed_tables_are_told_apart);
	return tap_done();
}
