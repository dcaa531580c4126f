/*
 * Decimals are decimals: random conditions over DECIMAL columns, whole numbers, columns with
 * a step and numbers written out hold for the rows that exact fractions say.
 */
#include <gmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/engine.h"
#include "central/plan/plan.h"
#include "testlib/chance.h"
#include "testlib/tap.h"

enum { ROWS = 120, COLUMNS = 6, LETTERS = 700, ROUNDS = 500 };

/* What a column is in the engine, and how many digits its values have. */
static const struct {
	const char *name, *type;
	unsigned scale, below; /* values k / 10^scale with k below this, of either sign */
	unsigned times; /* k is a multiple of it */
} kinds[COLUMNS] = {
	{"price", "DECIMAL(6,2)", 2, 300, 1},  {"rate", "DECIMAL(9,4)", 4, 2000, 1},
	{"wide", "DECIMAL(38,3)", 3, 4000, 1}, {"whole", "BIGINT", 0, 12, 1},
	{"grid", "DOUBLE", 2, 60, 5},          {"written", "VARCHAR", 1, 90, 1},
};

struct ledger {
	struct sotto_engine *engine;
	struct sotto_policy policy;
	struct sotto_schema_table schema;
	struct sotto_schema_column columns[COLUMNS];
	long k[ROWS][COLUMNS];
};

static enum sotto_status give_schema(void *context, const struct sotto_policy_table *table,
				     const struct sotto_schema_table **out,
				     struct sotto_error *err)
{
	struct ledger *w = context;

	(void)err;
	for (size_t i = 0; i < COLUMNS; i++) {
		sotto_schema_column_type(&w->columns[i], kinds[i].type);
		w->columns[i].name = kinds[i].name;
	}
	w->schema = (struct sotto_schema_table){.policy = table,
						.scan = "goods",
						.columns = w->columns,
						.column_count = COLUMNS};
	*out = &w->schema;
	return SOTTO_OK;
}

static void decimal_text(char *out, size_t size, long k, unsigned scale)
{
	long power = 1;

	for (unsigned i = 0; i < scale; i++)
		power *= 10;
	(void)snprintf(out, size, "%s%ld%s%0*ld", k < 0 ? "-" : "", labs(k) / power,
		       scale ? "." : "", (int)scale, scale ? labs(k) % power : 0);
	if (scale == 0)
		(void)snprintf(out, size, "%ld", k);
}

static bool fill(struct ledger *w, struct chance *c)
{
	static char sql[60000];
	size_t n = 0;

	for (size_t r = 0; r < ROWS; r++) {
		n += (size_t)snprintf(sql + n, sizeof sql - n, "%s(",
				      r ? ", " : "INSERT INTO goods VALUES ");
		for (size_t i = 0; i < COLUMNS; i++) {
			char text[40];
			long k = (long)chance_below(c, 2 * kinds[i].below) -
				 (long)kinds[i].below;

			w->k[r][i] = k - k % (long)kinds[i].times;
			decimal_text(text, sizeof text, w->k[r][i], kinds[i].scale);
			n += (size_t)snprintf(sql + n, sizeof sql - n, "%s'%s'", i ? ", " : "",
					      text);
		}
		n += (size_t)snprintf(sql + n, sizeof sql - n, ")");
	}
	return sotto_engine_execute(w->engine, sql) == SOTTO_OK;
}

static bool ledger_open(struct ledger *w, struct chance *c)
{
	static const char policy[] =
		"budget: {epsilon: 1, delta: 1e-6}\n"
		"tables:\n  goods: {source: g.csv, unit: row, columns: {grid: {bounds: [-9, "
		"9], "
		"step: 0.05}, written: {type: number, bounds: [-9, 9], step: 0.1}}}\n";
	struct sotto_error err = {""};
	char create[300];
	size_t n = (size_t)snprintf(create, sizeof create, "CREATE TABLE goods(");
	bool ok;

	for (size_t i = 0; i < COLUMNS; i++)
		n += (size_t)snprintf(create + n, sizeof create - n, "%s%s %s", i ? ", " : "",
				      kinds[i].name, kinds[i].type);
	(void)snprintf(create + n, sizeof create - n, ")");
	ok = sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1},
				      &w->engine, &err) == SOTTO_OK &&
	     sotto_engine_execute(w->engine, create) == SOTTO_OK && fill(w, c) &&
	     sotto_policy_parse(&w->policy, "p.yaml", policy, sizeof policy - 1, &err) ==
		     SOTTO_OK;
	if (!ok)
		tap_note("%s %s", err.text, w->engine ? sotto_engine_detail(w->engine) : "");
	return ok;
}

static void ledger_close(struct ledger *w)
{
	sotto_policy_release(&w->policy);
	sotto_engine_close(w->engine);
}

/* The number that the engine counts for an aggregate under a condition; -1: it failed. */
static long counted(struct ledger *w, const char *what, const char *condition)
{
	const struct sotto_plan_request request = {
		.policy = &w->policy, .schema = give_schema, .schema_context = w};
	struct sotto_engine_result *r = NULL;
	struct sotto_error err = {""};
	static char sql[200000];
	struct sotto_plan plan;
	long n = -1;

	(void)snprintf(sql, sizeof sql, "SELECT %s FROM goods WHERE %s", what, condition);
	if (sotto_plan_make(&plan, &request, sql, &err) != SOTTO_OK) {
		tap_note("%s: %s", sql, err.text);
		return -1;
	}
	(void)snprintf(sql, sizeof sql, "SELECT CAST(m0 AS BIGINT) FROM (%s) AS z",
		       plan.engine_sql);
	if (sotto_engine_run(w->engine, sql, &r) == SOTTO_OK)
		n = (long)sotto_engine_cell(r, 0, 0).integer;
	else
		tap_note("%s: %s", sql, sotto_engine_detail(w->engine));
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	return n;
}

/* ---- random expressions, and their values in every row ---------------------------------------- */

struct term {
	char sql[LETTERS];
	mpq_t value[ROWS];
	unsigned scale;
	double size; /* no value is larger */
};

static void term_init(struct term *t)
{
	for (size_t r = 0; r < ROWS; r++)
		mpq_init(t->value[r]);
}

static void term_clear(struct term *t)
{
	for (size_t r = 0; r < ROWS; r++)
		mpq_clear(t->value[r]);
}

__attribute__((format(printf, 2, 3))) static void
term_write(struct term *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(t->sql, sizeof t->sql, format, args);
	va_end(args);
}

static double power_of_ten(unsigned n)
{
	double power = 1;

	while (n--)
		power *= 10;
	return power;
}

static void set_fraction(mpq_t out, long k, unsigned scale)
{
	mpq_set_si(out, k, (unsigned long)power_of_ten(scale));
	mpq_canonicalize(out);
}

static void random_leaf(const struct ledger *w, struct chance *c, struct term *t)
{
	size_t i = chance_below(c, COLUMNS + 2);
	long k = (long)chance_below(c, 200) - 100;

	t->scale = i < COLUMNS ? kinds[i].scale : chance_below(c, 4);
	t->size = (i < COLUMNS ? kinds[i].below : 100) / power_of_ten(t->scale);
	if (i < COLUMNS)
		(void)snprintf(t->sql, sizeof t->sql, "%s", kinds[i].name);
	else
		decimal_text(t->sql, sizeof t->sql, k, t->scale);
	for (size_t r = 0; r < ROWS; r++)
		set_fraction(t->value[r], i < COLUMNS ? w->k[r][i] : k, t->scale);
}

/* Exact while no whole number on the way leaves 2^51 (decimal.md). */
static bool fits(const struct term *t)
{
	return t->scale <= 12 && t->size * power_of_ten(t->scale) < 1e12;
}

static void random_term(const struct ledger *w, struct chance *c, int depth, struct term *out);

static void random_pair(const struct ledger *w, struct chance *c, int depth, struct term *out)
{
	static const char *const words[] = {"+", "-", "*"};
	unsigned op = chance_below(c, 3);
	struct term x, y;

	term_init(&x);
	term_init(&y);
	do {
		random_term(w, c, depth - 1, &x);
		random_term(w, c, depth - 1, &y);
		out->scale = op == 2             ? x.scale + y.scale
			     : x.scale > y.scale ? x.scale
						 : y.scale;
		out->size = op == 2 ? x.size * y.size : x.size + y.size;
	} while (!fits(out) || strlen(x.sql) + strlen(y.sql) > LETTERS - 20);
	term_write(out, "(%s %s %s)", x.sql, words[op], y.sql);
	for (size_t r = 0; r < ROWS; r++)
		(op == 0   ? mpq_add
		 : op == 1 ? mpq_sub
			   : mpq_mul)(out->value[r], x.value[r], y.value[r]);
	term_clear(&x);
	term_clear(&y);
}

/* Halves away from zero, as PostgreSQL rounds; or towards zero. */
static void round_fraction(mpq_t x, unsigned digits, bool cut)
{
	mpz_t power, twice;

	mpz_inits(power, twice, NULL);
	mpz_ui_pow_ui(power, 10, digits);
	mpz_mul(mpq_numref(x), mpq_numref(x), power);
	if (!cut) {
		mpz_mul_2exp(mpq_numref(x), mpq_numref(x), 1);
		mpz_set(twice, mpq_denref(x));
		mpz_mul_2exp(mpq_denref(x), mpq_denref(x), 1);
		if (mpz_sgn(mpq_numref(x)) < 0)
			mpz_neg(twice, twice);
		mpz_add(mpq_numref(x), mpq_numref(x), twice);
	}
	mpz_tdiv_q(mpq_numref(x), mpq_numref(x), mpq_denref(x));
	mpz_set(mpq_denref(x), power);
	mpq_canonicalize(x);
	mpz_clears(power, twice, NULL);
}

/* One thing is done to each value. */
static void random_change(const struct ledger *w, struct chance *c, int depth, struct term *out)
{
	static const char *const forms[][2] = {
		{"(- ", ")"},    {"abs(", ")"},         {"floor(", ")"},  {"round(", ", 1)"},
		{"round(", ")"}, {"truncate(", ", 1)"}, {"(", " / 8.0)"}, {"(", " / -0.5)"}};
	static const unsigned digits[] = {0, 0, 0, 1, 0, 1};
	unsigned how = chance_below(c, 8);
	struct term x;

	term_init(&x);
	do {
		random_term(w, c, depth - 1, &x);
		*out->sql = '\0';
		out->scale = how < 2 ? x.scale : how < 6 ? digits[how] : x.scale + 3;
		out->size = (how < 6 ? 1 : 2) * x.size + 1;
	} while (!fits(out) || strlen(x.sql) > LETTERS - 20);
	term_write(out, "%s%s%s", forms[how][0], x.sql, forms[how][1]);
	for (size_t r = 0; r < ROWS; r++) {
		mpq_set(out->value[r], x.value[r]);
		if (how == 0)
			mpq_neg(out->value[r], out->value[r]);
		else if (how == 1)
			mpq_abs(out->value[r], out->value[r]);
		else if (how == 2) {
			mpz_fdiv_q(mpq_numref(out->value[r]), mpq_numref(x.value[r]),
				   mpq_denref(x.value[r]));
			mpz_set_ui(mpq_denref(out->value[r]), 1);
		} else if (how < 6)
			round_fraction(out->value[r], digits[how], how == 5);
		else if (how == 6)
			mpq_div_2exp(out->value[r], out->value[r], 3);
		else {
			mpq_mul_2exp(out->value[r], out->value[r], 1);
			mpq_neg(out->value[r], out->value[r]);
		}
	}
	term_clear(&x);
}

/* The larger of two, or the one that a condition chooses. */
static void random_choice(const struct ledger *w, struct chance *c, int depth, struct term *out)
{
	bool greatest = chance_in(c, 2);
	struct term x, y;

	term_init(&x);
	term_init(&y);
	do {
		random_term(w, c, depth - 1, &x);
		random_term(w, c, depth - 1, &y);
	} while (strlen(x.sql) * 2 + strlen(y.sql) * 2 > LETTERS - 60);
	out->scale = x.scale > y.scale ? x.scale : y.scale;
	out->size = x.size > y.size ? x.size : y.size;
	if (greatest)
		term_write(out, "greatest(%s, %s)", x.sql, y.sql);
	else
		term_write(out, "CASE WHEN %s <= %s THEN %s ELSE %s END", x.sql, y.sql, x.sql,
			   y.sql);
	for (size_t r = 0; r < ROWS; r++) {
		bool first = mpq_cmp(x.value[r], y.value[r]) <= 0;

		mpq_set(out->value[r], first == greatest ? y.value[r] : x.value[r]);
	}
	term_clear(&x);
	term_clear(&y);
}

static void random_term(const struct ledger *w, struct chance *c, int depth, struct term *out)
{
	unsigned what = depth > 0 ? chance_below(c, 8) : 0;

	if (what == 0)
		random_leaf(w, c, out);
	else if (what < 5)
		random_pair(w, c, depth, out);
	else if (what < 7)
		random_change(w, c, depth, out);
	else
		random_choice(w, c, depth, out);
}

/* ---- tests ------------------------------------------------------------------------------------- */

static long hold(const struct term *x, const struct term *y, unsigned op)
{
	long n = 0;

	for (size_t r = 0; r < ROWS; r++) {
		int order = mpq_cmp(x->value[r], y->value[r]);

		n += op == 0   ? order == 0
		     : op == 1 ? order < 0
		     : op == 2 ? order <= 0
			       : order != 0;
	}
	return n;
}

/* A value that x has in some row, so that equality is no rare thing. */
static void value_of(const struct term *x, struct chance *c, struct term *y)
{
	mpq_t *v = (mpq_t *)&x->value[chance_below(c, ROWS)];
	mpz_t k;

	mpz_init(k);
	mpz_ui_pow_ui(k, 10, x->scale);
	mpz_mul(k, k, mpq_numref(*v));
	mpz_divexact(k, k, mpq_denref(*v));
	y->scale = x->scale;
	decimal_text(y->sql, sizeof y->sql, mpz_get_si(k), x->scale);
	mpz_clear(k);
	for (size_t r = 0; r < ROWS; r++)
		mpq_set(y->value[r], *v);
}

static void conditions_hold_for_the_rows_that_exact_fractions_say(void)
{
	static const char *const words[] = {"=", "<", "<=", "<>"};
	struct chance c = {20};
	struct ledger w = {0};
	struct term x, y;
	long equal = 0;

	REQUIRE(ledger_open(&w, &c));
	term_init(&x);
	term_init(&y);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned op = chance_below(&c, 4);
		char condition[2 * LETTERS + 10];
		long found, truth;

		random_term(&w, &c, 3, &x);
		if (chance_in(&c, 2))
			value_of(&x, &c, &y);
		else
			random_term(&w, &c, 2, &y);
		(void)snprintf(condition, sizeof condition, "%s %s %s", x.sql, words[op],
			       y.sql);
		truth = hold(&x, &y, op);
		equal += hold(&x, &y, 0);
		found = counted(&w, "COUNT(*)", condition);
		(void)tap_check(found == truth, __FILE__, __LINE__, "%s: %ld, not %ld",
				condition, found, truth);
	}
	(void)tap_check(equal > ROUNDS, __FILE__, __LINE__, "only %ld rows are equal", equal);
	term_clear(&x);
	term_clear(&y);
	ledger_close(&w);
}

static void equal_values_are_one_value(void)
{
	struct chance c = {21};
	struct ledger w = {0};
	struct term x;

	REQUIRE(ledger_open(&w, &c));
	term_init(&x);
	for (int i = 0; i < ROUNDS / 5; i++) {
		char what[LETTERS + 30];
		long found, truth = 0;

		random_term(&w, &c, 3, &x);
		for (size_t r = 0; r < ROWS; r++) {
			bool known = false;

			for (size_t s = 0; s < r; s++)
				known = known || mpq_equal(x.value[r], x.value[s]);
			truth += !known;
		}
		(void)snprintf(what, sizeof what, "COUNT(DISTINCT %s)", x.sql);
		found = counted(&w, what, "TRUE");
		(void)tap_check(found == truth, __FILE__, __LINE__, "%s: %ld, not %ld", what,
				found, truth);
	}
	term_clear(&x);
	ledger_close(&w);
}

static void what_was_wrong_in_doubles_is_right(void)
{
	static const struct {
		const char *condition;
		bool holds; /* of price = 0.07, rate = 0.285, wide = 2.675, whole = 3, grid = 0.15 */
	} cases[] = {
		{"price <= 0.06 + 0.01", true},
		{"price * 10 = 0.7", true},
		{"price BETWEEN 0.06 - 0.01 AND 0.06 + 0.01", true},
		{"price IN (0.05 + 0.02, 9)", true},
		{"0.1 + 0.2 = 0.3", true},
		{"grid + 0.05 + 0.1 = 0.3", true},
		{"grid * 3 = 0.45", true},
		{"written + 0.2 = 0.3", true},
		{"floor(price * 100) = 7", true},
		{"round(wide, 2) = 2.68", true},
		{"truncate(rate * 100, 1) = 28.5", true},
		{"price % 0.01 = 0", true},
		{"mod(wide, 0.025) = 0", true},
		{"width_bucket(rate * 2, 0, 1, 100) = 58", true},
		{"price * whole - 0.21 = 0", true},
		{"price / 10 = 0.007", true},
		{"price + 0.001 > 0.07", true},
		{"wide > 2.6749999999", true},
		{"wide < 2.675", false},
		{"coalesce(NULL, price * 3) = 0.21", true},
		{"least(price * 3, 5) = 0.21", true},
		{"- price * 3 = -0.21", true},
		{"truncate(whole, 1) * price = 0.21", true},
		{"round(wide * 100, -1) / 4 = 67.5", true},
		{"(price * 3)::numeric = 0.21", true},
		{"1 / 2 = 0", true},
		{"1 / 2.0 = 0.5", true},
		{"7 % 4 = 3", true},
		{"whole = 1 + 2", true},
		{"whole > -(1 + 2)", true},
	};
	struct chance c = {22};
	struct ledger w = {0};

	REQUIRE(ledger_open(&w, &c));
	REQUIRE(sotto_engine_execute(w.engine,
				     "DELETE FROM goods; INSERT INTO goods VALUES (0.07, "
				     "0.285, 2.675, 3, 0.15, '0.1')") == SOTTO_OK);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		(void)tap_check(counted(&w, "COUNT(*)", cases[i].condition) == cases[i].holds,
				__FILE__, __LINE__, "%s", cases[i].condition);
	ledger_close(&w);
}

/* The ends of every type, beside values that doubles dislike. */
static void no_value_makes_it_fail(void)
{
	static const char *const conditions[] = {
		"price * wide * rate * grid = 0.1",
		"wide < 99999999999999999999999999.5",
		"wide = 0.001",
		"wide = 0.0000000000001",
		"wide <> price",
		"wide IN (1, 2.5, rate)",
		"wide - whole > 0.5",
		"wide % 0.003 = 0",
		"mod(grid, price) = 0",
		"round(wide, 2) = 0.01",
		"truncate(grid, 1) = 0.1",
		"round(whole * 1.5, -3) = 0",
		"width_bucket(wide, -0.5, 0.5, 100) = 3",
		"greatest(wide, grid, rate) * 1.1 > 0",
		"abs(- wide) * 0.5 = 0.5",
		"CASE WHEN wide > 0.5 THEN grid ELSE price END * 2.5 = 1",
		"floor(wide * 0.01) = 1 OR wide / 8.0 = 0.125",
		"written * wide = 0.1",
	};
	struct chance c = {23};
	struct ledger w = {0};

	REQUIRE(ledger_open(&w, &c));
	REQUIRE(sotto_engine_execute(
			w.engine,
			"INSERT INTO goods SELECT * FROM (SELECT "
			"unnest([NULL, 9999.99, -9999.99, 0])::DECIMAL(6,2)), (SELECT "
			"unnest([NULL, 99999.9999, -99999.9999])::DECIMAL(9,4)), (SELECT "
			"unnest([NULL, '99999999999999999999999999999999999.999', "
			"'-99999999999999999999999999999999999.999', '0'])::DECIMAL(38,3)), "
			"(SELECT unnest([NULL, 9223372036854775807, "
			"-9223372036854775808])::BIGINT), (SELECT unnest([NULL, 'NaN', 'inf', "
			"'-inf', '1e308', '-1e308', '5e-324'])::DOUBLE), (SELECT unnest([NULL, "
			"'1e400', '', 'x', '0.1']))") == SOTTO_OK);
	for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++)
		(void)tap_check(counted(&w, "COUNT(*)", conditions[i]) >= 0, __FILE__, __LINE__,
				"%s", conditions[i]);
	ledger_close(&w);
}

/* Numbers of up to 63 bits and their neighbours, which are one number as doubles. */
static void whole_numbers_written_out_are_met_exactly(void)
{
	static const char *const operators[] = {"=", "<>", "<", "<=", ">", ">="};
	static const long counts[] = {1, 2, 1, 2, 1, 2};
	struct chance c = {29};
	struct ledger w = {0};
	char sql[400];

	REQUIRE(ledger_open(&w, &c));
	for (int round = 0; round < 60; round++) {
		unsigned bits = 52 + (unsigned)round % 12;
		long x = (long)((1ULL << bits) - 2 - chance_below(&c, 4));

		x = round % 2 ? -x : x;
		(void)snprintf(sql, sizeof sql,
			       "DELETE FROM goods; INSERT INTO goods(whole) VALUES (%ld), "
			       "(%ld), (%ld)",
			       x - 1, x, x + 1);
		REQUIRE(sotto_engine_execute(w.engine, sql) == SOTTO_OK);
		for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
			(void)snprintf(sql, sizeof sql, "whole %s %ld", operators[i], x);
			(void)tap_check(counted(&w, "COUNT(*)", sql) == counts[i], __FILE__,
					__LINE__, "%s", sql);
		}
		(void)snprintf(sql, sizeof sql, "whole IN (7, %ld)", x);
		CHECK(counted(&w, "COUNT(*)", sql) == 1);
		(void)snprintf(sql, sizeof sql, "whole BETWEEN %ld AND %ld", x, x + 1);
		CHECK(counted(&w, "COUNT(*)", sql) == 2);
	}
	ledger_close(&w);
}

int main(void)
{
	RUN(whole_numbers_written_out_are_met_exactly);
	RUN(what_was_wrong_in_doubles_is_right);
	RUN(conditions_hold_for_the_rows_that_exact_fractions_say);
	RUN(equal_values_are_one_value);
	RUN(no_value_makes_it_fail);
	return tap_done();
}
