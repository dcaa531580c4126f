/*
 * The terms of a policy have everything that it says about people, budget and where exact values go: a change of any
 * one key changes them, so that the ledger records it and, where a promise gets weaker, the owner has to accept it.
 *
 * Seen to fail: without the line of max_text of a column, names, spread listen, uri, or typical_group.
 */
#include "central/policy/policy_terms.h"

#include <stdlib.h>
#include <string.h>

#include "central/policy/policy.h"
#include "testlib/tap.h"

#define BUDGET                                                                                 \
	"budget: { epsilon: 2, delta: 1e-6, renew: 30 days, analysts: { ada: 1/2, bob: 1/4 } " \
	"}\n"

static const char files[] =
	"ledger: a.db\nledger-witness: w\nlog: l\nsealed: s\n" BUDGET
	"default: { epsilon: 0.1, delta: 1e-9 }\nmin_epsilon: 0.01\nauto_epsilon: 0.02\n"
	"typical_group: 50\ndiagnostics: 0.04\ntime: { pad: 2s, limit: 90s }\nmemory: 2GiB\n"
	"spread: { launcher: ssh, buckets: 32, hosts: [db1, db2], listen: 10.0.0.1, program: "
	"/bin/sotto, options: [-v] }\n"
	"tables:\n"
	"  t: { source: t.csv, header: false, names: [id, x, k], delimiter: ';', unit: id, "
	"max_groups: 3, max_rows: 4, max_text: 60, rows: 70, columns: { x: { type: integer, "
	"bounds: [0, 9], step: 3, nullable: false }, k: { keys: [a, b], max_text: 80, unique: "
	"true } } }\n"
	"  d: { source: d.duckdb, schema: here, table: inner, unit: { column: id, via: d.a -> "
	"t.k } }\n"
	"  p: { source: p.csv, public: true }\n";

static const char server[] =
	"engine: postgres\ndsn: host=one\nledger: a.db\nbudget: { epsilon: 2 }\ntables:\n"
	"  t: { source: inner, schema: here, unit: id }\n",
		  driver[] = "engine: adbc\ndriver: one.so\nuri: one\nledger: a.db\nbudget: { "
			     "epsilon: 2 }\ntables:\n"
			     "  t: { source: inner, unit: id }\n";

/* In which text, what stands there, and what instead. */
static const struct {
	const char *text, *from, *to;
} changes[] = {
	{files, "ledger: a.db", "ledger: b.db"},
	{files, "ledger-witness: w\n", "ledger-witness: v\n"},
	{files, "ledger-witness: w\n", ""},
	{files, "log: l\n", "log: m\n"},
	{files, "log: l\n", ""},
	{files, "sealed: s\n", "sealed: r\n"},
	{files, "epsilon: 2,", "epsilon: 3,"},
	{files, "delta: 1e-6", "delta: 1e-5"},
	{files, "renew: 30 days", "renew: 31 days"},
	{files, "ada: 1/2", "ada: 2/3"},
	{files, ", bob: 1/4", ""},
	{files, "epsilon: 0.1,", "epsilon: 0.2,"},
	{files, "delta: 1e-9", "delta: 1e-8"},
	{files, "min_epsilon: 0.01", "min_epsilon: 0.001"},
	{files, "auto_epsilon: 0.02", "auto_epsilon: 0.03"},
	{files, "typical_group: 50", "typical_group: 60"},
	{files, "diagnostics: 0.04", "diagnostics: 0.05"},
	{files, "pad: 2s", "pad: 1s"},
	{files, "limit: 90s", "limit: 91s"},
	{files, "memory: 2GiB", "memory: 3GiB"},
	{files, "buckets: 32", "buckets: 16"},
	{files, "hosts: [db1, db2]", "hosts: [db1, db3]"},
	{files, "listen: 10.0.0.1", "listen: 10.0.0.2"},
	{files, "program: /bin/sotto", "program: /tmp/sotto"},
	{files, "options: [-v]", "options: [-A]"},
	{files, "source: t.csv", "source: u.csv"},
	{files, "header: false, names: [id, x, k]", "header: true"},
	{files, "names: [id, x, k]", "names: [x, id, k]"},
	{files, "delimiter: ';'", "delimiter: '|'"},
	{files, "max_groups: 3", "max_groups: auto"},
	{files, "max_rows: 4", "max_rows: 5"},
	{files, "max_text: 60", "max_text: 61"},
	{files, "rows: 70", "rows: 71"},
	{files, "type: integer", "type: number"},
	{files, "bounds: [0, 9]", "bounds: [-3, 9]"},
	{files, "bounds: [0, 9]", "bounds: [0, 12]"},
	{files, "step: 3", "step: 1"},
	{files, ", nullable: false", ""},
	{files, "keys: [a, b]", "keys: [a, c]"},
	{files, "max_text: 80", "max_text: 81"},
	{files, ", unique: true", ""},
	{files, "source: d.duckdb", "source: e.duckdb"},
	{files, "schema: here", "schema: there"},
	{files, "table: inner", "table: other"},
	{files, "via: d.a -> t.k", "via: d.b -> t.k"},
	{files, "via: d.a -> t.k", "via: d.a -> t.x"},
	{files, "public: true", "unit: id"},
	{files, "  p: { source: p.csv, public: true }\n", ""},
	{server, "host=one", "host=two"},
	{server, "schema: here", "schema: there"},
	{server, "source: inner", "source: other"},
	{server, "unit: id", "unit: row"},
	{driver, "one.so", "two.so"},
	{driver, "uri: one", "uri: two"},
};

/* Malloc'd; NULL if the policy cannot be read. */
static char *terms_of(const char *text)
{
	struct sotto_error err = {""};
	struct sotto_policy p;
	struct sotto_buffer b;
	char *out = NULL;

	if (!tap_check(sotto_policy_parse(&p, "p.yaml", text, strlen(text), &err) == SOTTO_OK,
		       __FILE__, __LINE__, "%s", err.text))
		return NULL;
	sotto_buffer_init(&b, 1 << 20);
	if (sotto_policy_terms(&p, &b) == SOTTO_OK)
		out = strdup(sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	sotto_policy_release(&p);
	return out;
}

static void every_key_of_a_policy_is_in_its_terms(void)
{
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		const char *text = changes[i].text, *at = strstr(text, changes[i].from);
		char changed[4000], *before, *after;

		REQUIRE(at != NULL);
		(void)snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text,
			       changes[i].to, at + strlen(changes[i].from));
		before = terms_of(text);
		after = terms_of(changed);
		(void)tap_check(before && after && strcmp(before, after) != 0, __FILE__,
				__LINE__, "%s -> %s", changes[i].from, changes[i].to);
		free(before);
		free(after);
	}
}

/* What only looks another way is the same policy. */
static void comments_order_and_spelling_are_no_terms(void)
{
	static const char one[] =
		"ledger: a.db\nbudget: { epsilon: 2 }\ntables:\n"
		"  t: { source: t.csv, unit: id }\n  u: { source: u.csv, unit: id }\n",
			  other[] = "# words\nbudget: { epsilon: 2.0 }\ntables:\n"
				    "  u:\n    unit: id\n    source: u.csv\n"
				    "  t: { unit: id, source: 't.csv' }\nledger: a.db\n";
	char *x = terms_of(one), *y = terms_of(other);

	CHECK(x && y && strcmp(x, y) == 0);
	free(x);
	free(y);
}

int main(void)
{
	RUN(every_key_of_a_policy_is_in_its_terms);
	RUN(comments_order_and_spelling_are_no_terms);
	return tap_done();
}
