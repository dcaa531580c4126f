/*
 * world.h - a random private table, public tables beside it, and a policy
 *
 * Made for attacking plans: skewed units, NULL owners, values at the ends of
 * every type, texts that look like numbers and numbers that are none, columns
 * called as the planner calls its own, and other private tables that reach their
 * units by t.  The same
 * world lives in two engines, in another row order in the second.  Rows carry
 * their owner in a hidden column, so that one unit can be taken away or put in.
 */
#ifndef SOTTO_TESTS_WORLD_H
#define SOTTO_TESTS_WORLD_H

#include "central/engine/engine.h"
#include "central/plan/plan.h"
#include "core/base/buffer.h"
#include "testlib/chance.h"
#include "testlib/folder.h"

enum { WORLD_COLUMNS_MAX = 12, WORLD_TABLES = 5 };

/* What an expression can do with a column. */
enum world_kind { WORLD_NUMBER, WORLD_TEXT, WORLD_TRUTH, WORLD_DAY };

struct world_column {
	char name[16];
	char sql[20]; /* the name as a query writes it */
	unsigned type; /* index into the list of types in world.c */
	enum world_kind kind;
	bool loose; /* shown to the planner as a column without a type, as CSV has */
};

/* How the units of the other private tables are known (world_linked.c). */
enum world_link {
	WORLD_ALONE, /* there are none */
	WORLD_BY_UNIT, /* v has a column with the unit */
	WORLD_BY_KEY, /* v has a key of rows of t */
	WORLD_BY_PROMISE, /* and the policy says that it is unique, which it is not */
	WORLD_BY_SEALED_KEY, /* sealing has found each key of t once; keys and units are INTEGER */
};

struct world {
	struct chance chance;
	struct sotto_engine *engines[2]; /* one thread, two threads */
	struct sotto_arena arena; /* of one world */
	struct sotto_policy policy;
	struct sotto_schema_table schemas[WORLD_TABLES];
	struct world_column columns[WORLD_COLUMNS_MAX];
	size_t column_count;
	const char *unit_type;
	const char *unit; /* the unit's column, as a query writes it */
	bool row_unit;
	bool hostile; /* columns have names that the engine's SQL uses too */
	enum world_link link;
	bool orphans; /* rows of the other tables that lead to nobody */
	const char *v_key,
		*z_key; /* columns of v and z that lead to units: USING can name some */
	bool only_sealed; /* every world is WORLD_BY_SEALED_KEY; set it after world_open */
	const struct folder
		*maps; /* where maps from keys of t to units are stored; NULL: not */
	bool wrong_maps; /* on purpose: each key has a unit of its own */
	unsigned rows, units;
	char policy_text[4096];
};

/* Its type in the engine, like "VARCHAR". */
const char *world_engine_type(const struct world_column *c);

/* Fails if there is no engine; says so as a failed check. */
bool world_open(struct world *w, uint64_t seed);
void world_close(struct world *w);

/* Another table, other public tables, another policy. */
bool world_make(struct world *w);
void world_forget(struct world *w);

/*
 * Sets the private table to all rows but those of one unit: a unit from 0 on (a
 * row from 0 on if each row is a unit), WORLD_NOBODY, or WORLD_EVERYBODY for all
 * rows with those of one more unit that is otherwise left out.
 */
enum { WORLD_NOBODY = -1, WORLD_EVERYBODY = -2 };
bool world_without(struct world *w, int unit);

/* Every row so many times, in both engines, in two orders. */
bool world_multiply(struct world *w, unsigned times);

/* A sotto_schema_fn whose context is the world. */
enum sotto_status world_schema(void *world, const struct sotto_policy_table *table,
			       const struct sotto_schema_table **out, struct sotto_error *err);

/* ---- for the files of the world ------------------------------------------------------- */

/* The other private tables: v, which leads to t, and z, which leads to v. */
void world_name_keys(struct world *w);
bool world_make_linked(struct world *w);
bool world_link_without(struct world *w, int engine, int unit, const char *order);
void world_declare_linked(struct world *w, struct sotto_buffer *b);
void world_append_unit(const struct world *w, struct sotto_buffer *b, int owner);
int world_random_owner(struct world *w);

/* The map of t as it is now (world_map.c), if maps are stored, and what a schema says of it. */
bool world_store_map(struct world *w, int engine);
void world_declare_map(struct world *w, struct sotto_schema_table *t);
bool world_execute(struct world *w, int engine, const char *sql);

#define WORLD_PICK(w, list) ((list)[chance_below(&(w)->chance, sizeof(list) / sizeof(list)[0])])

/* False: this one was refused, try another. */
bool world_make_policy(struct world *w);
void world_append(struct sotto_buffer *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
