/*
 * Private tables beside t: v, whose rows belong to units of t by the unit itself or
 * by a key of rows of t that is not unique, and z, whose rows belong to units by a
 * key of rows of v.  Rows that lead to nobody are there in half of the worlds.
 */
#include <stdio.h>
#include <string.h>

#include "testlib/question/world.h"

static void append_row(struct world *w, struct sotto_buffer *b, unsigned rid)
{
	static const char *const letters[] = {"'a'", "'b'", "''", "NULL"};
	int owner = chance_in(&w->chance, 8) ? (int)w->units : world_random_owner(w);

	world_append(b, "%s(%u, %d, ", rid ? ", " : "", rid, owner);
	if (w->link == WORLD_BY_UNIT)
		world_append_unit(w, b, owner);
	else if (chance_in(&w->chance, 9))
		world_append(b, "NULL");
	else /* few keys, so that many rows of t have each */
		world_append(b, "%u", chance_below(&w->chance, w->rows));
	world_append(b, ", %d, %s)", (int)chance_below(&w->chance, 14) - 2,
		     WORLD_PICK(w, letters));
}

/* Half of the worlds call a key as the column that it leads to is called. */
void world_name_keys(struct world *w)
{
	w->v_key = chance_in(&w->chance, 2) ? "vk" : w->link == WORLD_BY_UNIT ? w->unit : "tk";
	w->z_key = chance_in(&w->chance, 2) ? "zk" : "a";
}

bool world_make_linked(struct world *w)
{
	struct sotto_buffer b;
	bool done = true;

	if (w->link == WORLD_ALONE)
		return true;
	w->orphans = chance_in(&w->chance, 2);
	sotto_buffer_init(&b, 1 << 20);
	world_append(&b,
		     "CREATE OR REPLACE TABLE base_v(\"base rid\" INTEGER, \"base owner\" "
		     "INTEGER, vk %s, a INTEGER, b VARCHAR); INSERT INTO base_v VALUES ",
		     w->link == WORLD_BY_UNIT ? w->unit_type : "INTEGER");
	for (unsigned i = 0, n = 10 + chance_below(&w->chance, 40); i < n; i++)
		append_row(w, &b, i);
	world_append(&b, "; CREATE OR REPLACE TABLE base_z(\"base rid\" INTEGER, zk INTEGER, c "
			 "DOUBLE); INSERT INTO base_z VALUES (0, 1, 2.5)");
	for (unsigned i = 1, n = chance_below(&w->chance, 30); i < n; i++)
		world_append(&b, ", (%u, %d, %d.25)", i, (int)chance_below(&w->chance, 12) - 1,
			     (int)chance_below(&w->chance, 9) - 4);
	for (int i = 0; i < 2; i++)
		done = done && world_execute(w, i, sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return done;
}

/* t is set already. */
bool world_link_without(struct world *w, int engine, int unit, const char *order)
{
	const char *lead = w->orphans                 ? ""
			   : w->link == WORLD_BY_UNIT ? ""
						      : "vk IN (SELECT tk "
							"FROM t) AND ";
	char sql[1024];

	if (w->link == WORLD_ALONE)
		return true;
	(void)snprintf(
		sql, sizeof sql,
		"CREATE OR REPLACE TABLE v AS SELECT vk AS %s, a, b FROM base_v WHERE %s(%s OR "
		"\"base owner\" NOT IN (%d, %d)) ORDER BY %s; CREATE OR REPLACE TABLE z AS "
		"SELECT zk AS %s, c FROM base_z WHERE %s ORDER BY %s",
		w->v_key, lead,
		w->link != WORLD_BY_UNIT || unit == WORLD_EVERYBODY ? "TRUE" : "FALSE", unit,
		(int)w->units, order, w->z_key, w->orphans ? "TRUE" : "zk IN (SELECT a FROM v)",
		order);
	return world_execute(w, engine, sql);
}

void world_declare_linked(struct world *w, struct sotto_buffer *b)
{
	const char *unique = w->link == WORLD_BY_PROMISE ? ", unique: true" : "";

	if (w->link == WORLD_ALONE)
		return;
	world_append(b,
		     "  v:\n    source: v.csv\n    unit: {column: %s, via: v.%s -> t.%s}\n    "
		     "max_groups: %u\n    max_rows: %u\n    columns: {a: {bounds: [0, 9]%s}}\n",
		     w->unit, w->v_key, w->link == WORLD_BY_UNIT ? w->unit : "tk",
		     1 + chance_below(&w->chance, 3), 1 + chance_below(&w->chance, 4), unique);
	world_append(b,
		     "  z:\n    source: z.csv\n    unit: {column: %s, via: z.%s -> v.a}\n    "
		     "max_groups: %u\n    max_rows: %u\n    columns: {c: {bounds: [-2, 5]}}\n",
		     w->unit, w->z_key, 1 + chance_below(&w->chance, 3),
		     1 + chance_below(&w->chance, 4));
}
