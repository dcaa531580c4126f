/*
 * Tables are made with an extreme value in about every ninth cell; a neighbour is the same
 * table without the rows of one owner.
 */
#include "testlib/question/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "testlib/tap.h"

/* ---- values --------------------------------------------------------------------- */

struct column_type {
	const char *engine;
	enum world_kind kind;
	const char *nasty[12]; /* NULL-terminated */
	int lowest, highest; /* of ordinary values */
	const char *format; /* of an ordinary value */
};

static const struct column_type types[] = {
	{"TINYINT", WORLD_NUMBER, {"127", "-128", "0"}, -20, 20, "%d"},
	{"INTEGER", WORLD_NUMBER, {"2147483647", "-2147483648", "0"}, -30, 90, "%d"},
	{"BIGINT",
	 WORLD_NUMBER,
	 {"9223372036854775807", "-9223372036854775808", "9007199254740993"},
	 -30,
	 90,
	 "%d"},
	{"UBIGINT", WORLD_NUMBER, {"18446744073709551615", "0"}, 0, 50, "%d"},
	{"HUGEINT",
	 WORLD_NUMBER,
	 {"170141183460469231731687303715884105727",
	  "-170141183460469231731687303715884105728"},
	 -9,
	 9,
	 "%d"},
	{"USMALLINT", WORLD_NUMBER, {"65535", "0"}, 0, 60, "%d"},
	{"DECIMAL(38,0)",
	 WORLD_NUMBER,
	 {"99999999999999999999999999999999999999", "-99999999999999999999999999999999999999"},
	 -40,
	 40,
	 "%d"},
	{"DECIMAL(38,20)",
	 WORLD_NUMBER,
	 {"999999999999999999.99999999999999999999", "-999999999999999999.99999999999999999999",
	  "0.00000000000000000001"},
	 -40,
	 40,
	 "%d.12500000000000000001"},
	{"UHUGEINT",
	 WORLD_NUMBER,
	 {"340282366920938463463374607431768211455", "0"},
	 0,
	 9,
	 "%d"},
	{"DECIMAL(18,3)",
	 WORLD_NUMBER,
	 {"999999999999999.999", "-999999999999999.999"},
	 -40,
	 40,
	 "%d.125"},
	{"FLOAT",
	 WORLD_NUMBER,
	 {"'nan'", "'inf'", "'-inf'", "3e38", "0.0", "-0.0"},
	 -40,
	 40,
	 "%d.5"},
	{"DOUBLE",
	 WORLD_NUMBER,
	 {"'nan'", "-CAST('nan' AS DOUBLE)", "'inf'", "'-inf'", "1e308", "-1e308", "5e-324",
	  "-0.0", "0.0", "1e19"},
	 -900,
	 900,
	 "%d.37"},
	{"VARCHAR",
	 WORLD_TEXT,
	 {"''", "' a'", "'A'", "'O''Hara'", "'%'", "'é'", "repeat('é', 30000)", "chr(0) || 'a'",
	  "'{\"a\": {\"b\": [1e999, null]}}'", "'{\"a\":'"},
	 97,
	 102,
	 "chr(%d)"},
	{"VARCHAR",
	 WORLD_TEXT,
	 {"'no number'", "'1e999'", "'nan'", "'-inf'", "'0x1F'", "''", "'5877642-06-25 (BC)'",
	  "'true'"},
	 -50,
	 50,
	 "'%d'"},
	{"UUID",
	 WORLD_TEXT,
	 {"'ffffffff-ffff-ffff-ffff-ffffffffffff'", "'00000000-0000-0000-0000-000000000000'"},
	 10,
	 20,
	 "'000000%d-0000-0000-0000-000000000000'"},
	{"TIME", WORLD_TEXT, {"'24:00:00'", "'23:59:59.999999'"}, 10, 20, "'%d:30:00'"},
	{"BOOLEAN", WORLD_TRUTH, {"TRUE"}, 0, 1, "CAST(%d AS BOOLEAN)"},
	{"DATE",
	 WORLD_DAY,
	 {"'5877642-06-25 (BC)'", "'5881580-07-10'", "'infinity'", "'-infinity'",
	  "'0001-01-01'"},
	 -400,
	 800,
	 "DATE '2024-01-31' + %d"},
	{"TIMESTAMP",
	 WORLD_DAY,
	 {"'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775806'", "'infinity'"},
	 0,
	 59,
	 "TIMESTAMP '2024-02-29 23:%02d:07'"},
	{"TIMESTAMP WITH TIME ZONE",
	 WORLD_DAY,
	 {"'290309-12-22 (BC) 00:00:00+00'", "'294247-01-10 04:00:54.775806+00'",
	  "'-infinity'"},
	 0,
	 59,
	 "'2024-03-31 02:%02d:07+01'"},
};

enum { TYPES = sizeof types / sizeof types[0], NUMBERS = 12 };

/* Words and texts that may be numbers: both fill any text column. */
static const unsigned texts[] = {12, 13};

void world_append(struct sotto_buffer *b, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (sotto_buffer_append_text(b, text) != SOTTO_OK)
		abort();
}

static void append_value(struct world *w, struct sotto_buffer *b, const struct column_type *t)
{
	int span = t->highest - t->lowest + 1;
	size_t nasty = 0;
	char text[128];

	while (t->nasty[nasty])
		nasty++;
	if (chance_in(&w->chance, 9)) {
		world_append(b, "NULL");
		return;
	}
	if (chance_in(&w->chance, 6)) {
		world_append(b, "CAST(%s AS %s)",
			     t->nasty[chance_below(&w->chance, (unsigned)nasty)], t->engine);
		return;
	}
	(void)snprintf(text, sizeof text, t->format,
		       t->lowest + (int)chance_below(&w->chance, (unsigned)span));
	world_append(b, "CAST(%s AS %s)", text, t->engine);
}

/* ---- the private table ------------------------------------------------------------ */

void world_append_unit(const struct world *w, struct sotto_buffer *b, int owner)
{
	if (owner < 0)
		world_append(b, "NULL");
	else if (strcmp(w->unit_type, "VARCHAR") == 0)
		world_append(b, "'u''%d'", owner);
	else if (strcmp(w->unit_type, "DATE") == 0)
		world_append(b, "DATE '2000-01-01' + %d", owner);
	else if (strcmp(w->unit_type, "DOUBLE") == 0)
		world_append(b, owner ? "%d.5" : "CAST('nan' AS DOUBLE)", owner);
	else
		world_append(b, "%d", owner);
}

/* A third of the rows belong to the first two units; some belong to nobody. */
int world_random_owner(struct world *w)
{
	if (chance_in(&w->chance, 20))
		return -1;
	if (chance_in(&w->chance, 3))
		return (int)chance_below(&w->chance, 2);
	return (int)chance_below(&w->chance, w->units);
}

static void append_row(struct world *w, struct sotto_buffer *b, unsigned rid, int owner)
{
	unsigned key = chance_below(&w->chance, w->rows);

	world_append(b, "%s(%u, %d, %u, ", rid ? ", " : "", rid, owner,
		     w->link == WORLD_BY_SEALED_KEY ? rid : key);
	world_append_unit(w, b, owner);
	for (size_t i = 0; i < w->column_count; i++) {
		unsigned type = w->columns[i].type;

		if (strcmp(types[type].engine, "VARCHAR") == 0)
			type = WORLD_PICK(w, texts);
		world_append(b, ", ");
		append_value(w, b, &types[type]);
	}
	world_append(b, ")");
}

/* Names that the engine's SQL uses too, names that need quotes, and
 * names of fields of structures. */
static const char *const hostile[][2] = {
	{"u", "u"},         {"k0", "k0"},
	{"y0", "y0"},       {"select", "\"select\""},
	{"c0", "c0"},       {"a0", "a0"},
	{"n", "n"},         {"x\"y", "\"x\"\"y\""},
	{"m0", "m0"},       {"v", "v"},
	{"K1", "\"K1\""},   {"one", "one"},
	{"total", "total"}, {"s", "s"},
	{"l", "l"},         {"é t", "\"é t\""},
	{"t1", "t1"},       {"rowid", "rowid"},
	{"g", "g"},         {"r", "r"},
	{"f.g", "\"f.g\""}, {"f.h.i", "\"f.h.i\""},
};

enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

static void rename_column(struct world_column *c, const char *const (*name)[2])
{
	(void)snprintf(c->name, sizeof c->name, "%s", (*name)[0]);
	(void)snprintf(c->sql, sizeof c->sql, "%s", (*name)[1]);
}

const char *world_engine_type(const struct world_column *c)
{
	return types[c->type].engine;
}

static void choose_columns(struct world *w)
{
	static const char letters[] = "nstd";
	unsigned first = chance_below(&w->chance, HOSTILE);

	w->column_count = 4 + chance_below(&w->chance, 6);
	for (size_t i = 0; i < w->column_count; i++) {
		struct world_column *c = &w->columns[i];
		unsigned type = chance_below(&w->chance, i == 0 ? NUMBERS : TYPES);

		if (i == 1)
			type = texts[0];
		*c = (struct world_column){.type = type, .kind = types[type].kind};
		c->loose = strcmp(world_engine_type(c), "VARCHAR") == 0 &&
			   chance_in(&w->chance, 2);
		(void)snprintf(c->name, sizeof c->name, "%c%zu", letters[c->kind], i);
		(void)snprintf(c->sql, sizeof c->sql, "%s", c->name);
		if (w->hostile && i > 1)
			rename_column(
				c,
				&hostile[i == 2 ? first % 2 : 2 + (first + i) % (HOSTILE - 2)]);
	}
}

bool world_execute(struct world *w, int engine, const char *sql)
{
	bool done = sotto_engine_execute(w->engines[engine], sql) == SOTTO_OK;

	return tap_check(done, __FILE__, __LINE__, "%.300s: %s", sql,
			 sotto_engine_detail(w->engines[engine]));
}

static bool make_private(struct world *w)
{
	struct sotto_buffer b;
	bool done = true;

	sotto_buffer_init(&b, 8 << 20);
	world_append(
		&b,
		"CREATE OR REPLACE TABLE base(\"base rid\" INTEGER, \"base owner\" INTEGER, "
		"tk INTEGER, %s %s",
		w->unit, w->unit_type);
	for (size_t i = 0; i < w->column_count; i++)
		world_append(&b, ", %s %s", w->columns[i].sql,
			     types[w->columns[i].type].engine);
	world_append(&b, "); INSERT INTO base VALUES ");
	for (unsigned i = 0; i < w->rows; i++)
		append_row(w, &b, i, world_random_owner(w));
	for (unsigned i = 0; i < 12; i++) /* the unit that may be put in */
		append_row(w, &b, w->rows + i, (int)w->units);
	for (int i = 0; i < 2; i++)
		done = done && world_execute(w, i, sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return done;
}

static bool
set_table(struct world *w, int engine, const char *where, const char *order, unsigned times)
{
	char sql[1024];

	(void)snprintf(sql, sizeof sql, "CREATE OR REPLACE TABLE t AS SELECT %s, tk", w->unit);
	for (size_t i = 0; i < w->column_count; i++) {
		size_t n = strlen(sql);

		(void)snprintf(sql + n, sizeof sql - n, ", %s", w->columns[i].sql);
	}
	(void)snprintf(sql + strlen(sql), sizeof sql - strlen(sql),
		       " FROM base, range(%u) AS m(copy) WHERE %s ORDER BY %s", times, where,
		       order);
	return world_execute(w, engine, sql) && world_store_map(w, engine);
}

bool world_without(struct world *w, int unit)
{
	char where[128];

	if (unit == WORLD_EVERYBODY && w->row_unit)
		(void)snprintf(where, sizeof where, "\"base rid\" <= %u", w->rows);
	else if (unit == WORLD_EVERYBODY)
		(void)snprintf(where, sizeof where, "TRUE");
	else
		(void)snprintf(where, sizeof where, "\"base rid\" < %u AND \"base %s\" <> %d",
			       w->rows, w->row_unit ? "rid" : "owner",
			       unit == WORLD_NOBODY ? -9 : unit);
	return set_table(w, 0, where, "\"base rid\"", 1) &&
	       world_link_without(w, 0, unit, "\"base rid\"");
}

/* The same rows in another order, in the second engine. */
static bool shuffle(struct world *w)
{
	char where[64], order[64];

	(void)snprintf(where, sizeof where, "\"base rid\" < %u", w->rows);
	(void)snprintf(order, sizeof order, "hash(\"base rid\", %u)",
		       chance_below(&w->chance, 1000000));
	return set_table(w, 1, where, order, 1) &&
	       world_link_without(w, 1, WORLD_NOBODY, order);
}

bool world_multiply(struct world *w, unsigned times)
{
	return set_table(w, 0, "TRUE", "hash(\"base rid\", copy)", times) &&
	       set_table(w, 1, "TRUE", "copy, \"base rid\"", times);
}

/* ---- public tables ----------------------------------------------------------------- */

static bool make_public(struct world *w)
{
	static const char *const letters[] = {"'a'",  "'b'",  "'c'", "'d'",
					      "' a'", "NULL", "'zz'"};
	static const char *const groups[] = {"'north'", "'south'", "'west'", "NULL"};
	struct sotto_buffer b;
	bool done = true;

	sotto_buffer_init(&b, 1 << 20);
	world_append(&b, "CREATE OR REPLACE TABLE pub(s1 VARCHAR, g VARCHAR, w INTEGER); "
			 "INSERT INTO pub "
			 "VALUES ('a', 'north', 1)");
	for (unsigned i = chance_below(&w->chance, 9); i > 0; i--)
		world_append(&b, ", (%s, %s, %d)", WORLD_PICK(w, letters),
			     WORLD_PICK(w, groups), (int)chance_below(&w->chance, 40) - 10);
	world_append(&b,
		     "; CREATE OR REPLACE TABLE codes(code VARCHAR, word VARCHAR); INSERT INTO "
		     "codes "
		     "VALUES ('1', 'one'), ('01', 'one'), ('+1', NULL), ('2', 'two'), (NULL, "
		     "'none')%s",
		     chance_in(&w->chance, 2) ? ", ('x', 'ex')" : "");
	for (int i = 0; i < 2; i++)
		done = done && world_execute(w, i, sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return done;
}

/* ---- schemas ------------------------------------------------------------------------- */

struct describing {
	struct world *world;
	struct sotto_schema_table *table;
};

static enum sotto_status describe_column(void *context, const char *name, const char *type)
{
	struct describing *d = context;
	struct sotto_schema_column *c =
		SOTTO_PUSH(&d->world->arena, d->table->columns, d->table->column_count);

	if (!c)
		return SOTTO_ENOMEM;
	c->name = sotto_arena_text(&d->world->arena, name);
	c->engine_type = sotto_arena_text(&d->world->arena, type);
	sotto_schema_column_type(c, type);
	for (size_t i = 0; i < d->world->column_count; i++)
		if (d->world->columns[i].loose && strcmp(d->world->columns[i].name, name) == 0)
			c->type = SOTTO_TYPE_LOOSE;
	if (strcmp(d->table->scan, "codes") == 0)
		c->type = SOTTO_TYPE_LOOSE;
	c->is_unique = d->world->link == WORLD_BY_SEALED_KEY &&
		       strcmp(d->table->scan, "t") == 0 && strcmp(name, "tk") == 0;
	return SOTTO_OK;
}

enum sotto_status world_schema(void *world, const struct sotto_policy_table *table,
			       const struct sotto_schema_table **out, struct sotto_error *err)
{
	struct world *w = world;
	size_t i = (size_t)(table - w->policy.tables);
	struct sotto_schema_table *s = &w->schemas[i];
	struct describing d = {.world = w, .table = s};

	(void)err;
	*out = s;
	if (s->policy)
		return SOTTO_OK;
	*s = (struct sotto_schema_table){.policy = table, .scan = table->name};
	if (strcmp(table->name, "t") == 0)
		world_declare_map(w, s);
	return sotto_engine_columns(w->engines[0], table->name, describe_column, &d);
}

/* ---- the whole ------------------------------------------------------------------------ */

bool world_open(struct world *w, uint64_t seed)
{
	struct sotto_error err = {""};

	*w = (struct world){.chance = {seed}};
	for (unsigned i = 0; i < 2; i++)
		if (!tap_check(sotto_engine_open_within(
				       &(const struct sotto_engine_limits){.threads = i + 1},
				       &w->engines[i], &err) == SOTTO_OK,
			       __FILE__, __LINE__, "%s", err.text))
			return false;
	return true;
}

void world_close(struct world *w)
{
	sotto_engine_close(w->engines[0]);
	sotto_engine_close(w->engines[1]);
}

bool world_make(struct world *w)
{
	static const char *const unit_types[] = {"INTEGER", "VARCHAR", "DATE", "DOUBLE"};
	static const char *const units[] = {"uid", "uid", "q", "\"a u\""};

	sotto_arena_init(&w->arena, 16 << 20);
	memset(w->schemas, 0, sizeof w->schemas);
	w->unit_type = WORLD_PICK(w, unit_types);
	w->row_unit = chance_in(&w->chance, 4);
	w->link = w->row_unit ? WORLD_ALONE : (enum world_link)chance_below(&w->chance, 4);
	if (w->only_sealed) {
		w->unit_type = "INTEGER";
		w->row_unit = false;
		w->link = WORLD_BY_SEALED_KEY;
	}
	w->hostile = chance_in(&w->chance, 2);
	w->unit = w->link == WORLD_ALONE ? WORLD_PICK(w, units) : "uid";
	world_name_keys(w);
	w->rows = 20 + chance_below(&w->chance, 80);
	w->units = 3 + chance_below(&w->chance, 15);
	choose_columns(w);
	while (!world_make_policy(w))
		;
	return make_private(w) && world_make_linked(w) && make_public(w) &&
	       world_without(w, WORLD_NOBODY) && shuffle(w);
}

void world_forget(struct world *w)
{
	sotto_policy_release(&w->policy);
	sotto_arena_release(&w->arena);
}
