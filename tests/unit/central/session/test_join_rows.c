/*
 * How many rows a join with a public table makes of a private row is counted before anything is
 * charged, for keys of each type: the rows of the key that most of them share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

enum { LINE = 40, ROWS = 20000 };

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000}\ndiagnostics: 0\ntables:\n"
	"  visits: {source: visits.csv, unit: id, columns: {id: {type: integer}, k: {type: "
	"integer}, x: {type: number}, note: {max_text: 2000}}}\n"
	"  codes: {source: codes.csv, public: true, columns: {k: {type: integer}, x: {type: "
	"number}}}\n";

static const char visits[] = "id,k,x,t,note\n1,1,0.5,a,n\n2,2,1.5,b,m\n";

/* So many rows share the keys of row 0; every other row has keys of its own. */
static bool open_case(struct clinic *c, unsigned shared)
{
	char *text = malloc((size_t)ROWS * LINE + LINE);
	size_t n = 0;
	bool is_open;

	if (!text)
		return false;
	n += (size_t)snprintf(text, LINE, "k,x,t\n");
	for (unsigned i = 0; i < ROWS; i++) {
		unsigned key = i % (ROWS / shared) == 0 && i / (ROWS / shared) < shared ? 0 : i;

		n += (size_t)snprintf(text + n, LINE, "%u,%u.5,t%u\n", key, key, key);
	}
	is_open = clinic_open(c, policy, NULL) && clinic_write(c, "visits.csv", visits) &&
		  clinic_write(c, "codes.csv", text) && clinic_reopen(c);
	free(text);
	return is_open;
}

/* NULL: it is answered. */
static bool is_told(struct clinic *c, const char *sql, const char *why)
{
	struct sotto_answer *a = clinic_ask(c, sql, "1", NULL, true);
	bool is_right = why ? !a && strstr(c->err.text, why) : a != NULL;

	if (!is_right)
		tap_note("%s: %s", sql, c->err.text);
	sotto_answer_free(a);
	return is_right;
}

static const char *const keys[] = {"v.k = c.k",
				   "v.k = c.x",
				   "v.x = c.x",
				   "v.x + 1 = c.k - 1",
				   "v.t = c.t",
				   "v.k = c.k AND v.t = c.t",
				   "v.k = c.k AND v.x = c.x"};

static void check_keys(unsigned shared, const char *condition, const char *why)
{
	struct clinic c;
	char sql[500];

	REQUIRE(open_case(&c, shared));
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		(void)snprintf(sql, sizeof sql,
			       "SELECT COUNT(*) FROM visits v JOIN codes c ON %s WHERE %s",
			       keys[i], condition);
		CHECK(is_told(&c, sql, why));
	}
	clinic_close(&c);
}

#define SLOW "regexp_matches(v.note, 'a.{9}c')"

static void rows_are_counted_for_every_type_of_key(void)
{
	check_keys(1, "TRUE", NULL);
	check_keys(1, SLOW, NULL);
	check_keys(1000, "TRUE", NULL);
	check_keys(10001, "TRUE", "more than 10000 rows of one private row");
}

static void work_is_that_of_all_rows(void)
{
	check_keys(1000, SLOW, "more than a millisecond on one private row");
	check_keys(10001, SLOW, "more than 10000 rows of one private row");
}

int main(void)
{
	RUN(rows_are_counted_for_every_type_of_key);
	RUN(work_is_that_of_all_rows);
	return tap_done();
}
