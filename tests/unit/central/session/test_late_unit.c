/*
 * Units that are looked up after everything else: the rows are those of a look-up before, with
 * keys that have no unit, are there twice, or do not exist.  Epsilon is so large that the noise is
 * none (below 1e-15 that it is 0.6 or more).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

#define POLICY(unique)                                                                         \
	"ledger: ledger.db\nbudget: {epsilon: 1000000000}\ndiagnostics: 0\ntables:\n"          \
	"  stays: {source: stays.csv, unit: id, columns: {stay: {type: integer, "              \
	"unique: " unique "}, id: {type: integer}}}\n"                                         \
	"  drugs:\n    source: drugs.csv\n"                                                    \
	"    unit: {column: id, via: drugs.stay -> stays.stay}\n"                              \
	"    max_rows: 5\n    max_groups: 3\n    columns:\n"                                   \
	"      stay: {type: integer}\n      x: {bounds: [0, 100], type: integer}\n"            \
	"      ward: {keys: [a, b]}\n"                                                         \
	"  codes: {source: codes.csv, public: true}\n"

/* Stay 4 is nobody's, 6 does not exist, and one drug has no stay. */
static const char stays[] = "stay,id\n1,10\n2,10\n3,20\n4,\n5,30\n";
static const char twice[] = "stay,id\n1,10\n2,10\n3,20\n4,\n5,30\n5,30\n5,\n";
static const char drugs[] = "stay,x,ward,code\n1,1,a,7\n1,2,b,7\n2,3,a,8\n3,50,a,7\n4,7,a,7\n"
			    "5,5,b,8\n6,9,b,7\n,8,a,7\n";
static const char codes[] = "code,name\n7,seven\n8,eight\n8,acht\n";

static bool open_case(struct clinic *c, const char *policy, const char *of)
{
	return clinic_open(c, policy, NULL) && clinic_write(c, "stays.csv", of) &&
	       clinic_write(c, "drugs.csv", drugs) && clinic_write(c, "codes.csv", codes) &&
	       clinic_reopen(c);
}

/* The last column of all rows, added up; NAN if there is no answer. */
static double total_of(struct clinic *c, const char *sql)
{
	struct sotto_answer *a =
		clinic_ask(c, sql, strstr(sql, "SUM") ? "40000" : "4000", NULL, true);
	double sum = 0;

	if (!a) {
		tap_note("%s: %s", sql, c->err.text);
		return NAN;
	}
	for (size_t i = 1; i <= a->row_count; i++)
		sum += a->values[i * a->column_count - 1].number;
	sotto_answer_free(a);
	return sum;
}

static const struct {
	const char *sql;
	double total;
} cases[] = {
	{"SELECT COUNT(*) FROM drugs", 5},
	{"SELECT SUM(x) FROM drugs", 61},
	{"SELECT SUM(x) FROM drugs WHERE x < 50", 11},
	{"SELECT SUM(x) FROM drugs WHERE x < 50 AND x > 0 AND code > 0", 11},
	{"SELECT ward, SUM(x) FROM drugs GROUP BY ward", 61},
	{"SELECT ward, SUM(x) FROM drugs WHERE x > 1 AND code < 9 GROUP BY ward", 60},
	{"SELECT SUM(x) FROM drugs WHERE ward = 'b'", 7},
	{"SELECT COUNT(*) FROM drugs, codes WHERE drugs.code = codes.code", 7},
	{"SELECT SUM(x) FROM codes JOIN drugs ON drugs.code = codes.code WHERE name <> 'acht'",
	 61},
	{"SELECT SUM(x) FROM codes LEFT JOIN drugs ON drugs.code = codes.code AND x < 50", 19},
	{"SELECT COUNT(*) FROM drugs WHERE stay IN (SELECT stay FROM stays)", 5},
};

static void rows_are_those_of_an_early_look_up(void)
{
	struct clinic alone, two;

	REQUIRE(open_case(&alone, POLICY("true"), stays));
	REQUIRE(open_case(&two, POLICY("false"), twice));
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double x = total_of(&alone, cases[i].sql), y = total_of(&two, cases[i].sql);

		(void)tap_check(fabs(x - cases[i].total) < 0.6 &&
					fabs(y - cases[i].total) < 0.6,
				__FILE__, __LINE__, "%s: %g, %g", cases[i].sql, x, y);
	}
	clinic_close(&alone);
	clinic_close(&two);
}

int main(void)
{
	RUN(rows_are_those_of_an_early_look_up);
	return tap_done();
}
