/*
 * Maps from keys of t to units, and to numbers of units, stored as sealing stores them, in files for
 * each engine.  A plan then reads one of them instead of t.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "central/engine/engine_result.h"
#include "central/engine/sum/owner_file.h"
#include "testlib/question/world.h"
#include "testlib/tap.h"

enum { SEED = 77 };

/* Column 1 has units, column 2 their numbers. */
static bool fill(const struct world *w, struct sotto_owner_map *m,
		 const struct sotto_engine_result *r, size_t column)
{
	for (size_t i = 0; i < sotto_engine_rows(r); i++) {
		int64_t key = sotto_engine_cell(r, i, 0).integer,
			unit = w->wrong_maps ? (int64_t)i
					     : sotto_engine_cell(r, i, column).integer;

		if (!sotto_owner_map_add(m, &key, &unit, 1))
			return false;
	}
	return !sotto_owner_map_is_broken(m);
}

static bool write_file(const struct sotto_owner_map *m, const char *path)
{
	int file;
	bool done;

	(void)unlink(path);
	file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	done = file >= 0 && sotto_owner_file_write(m, file) == SOTTO_OK;
	if (file >= 0)
		(void)close(file);
	return done;
}

static bool
store(struct world *w, int engine, const struct sotto_engine_result *r, bool is_number)
{
	char sql[200 + FOLDER_PATH_MAX], path[FOLDER_PATH_MAX];
	struct sotto_owner_map *m = sotto_owner_map_new(SEED);
	const char *name = is_number ? "numbers" : "owners";
	bool done;

	(void)snprintf(sql, sizeof sql, "%s-%d", name, engine);
	folder_file(w->maps, sql, path);
	done = m && fill(w, m, r, is_number ? 2 : 1) && write_file(m, path);
	sotto_owner_map_free(m);
	(void)snprintf(sql, sizeof sql, "CREATE OR REPLACE MACRO %s() AS sotto_stored('%s')",
		       name, path);
	return tap_check(done, __FILE__, __LINE__, "%s", path) && world_execute(w, engine, sql);
}

bool world_store_map(struct world *w, int engine)
{
	struct sotto_engine_result *r = NULL;
	char sql[300];
	bool done;

	if (!w->maps || w->link != WORLD_BY_SEALED_KEY)
		return true;
	(void)snprintf(sql, sizeof sql,
		       "SELECT tk::BIGINT, %s::BIGINT, dense_rank() OVER (ORDER BY %s)::BIGINT "
		       "- 1 FROM t WHERE tk IS NOT NULL AND %s IS NOT NULL",
		       w->unit, w->unit, w->unit);
	if (sotto_engine_run(w->engines[engine], sql, &r) != SOTTO_OK)
		return false;
	done = store(w, engine, r, false) && store(w, engine, r, true);
	sotto_engine_result_free(r);
	return done;
}

void world_declare_map(struct world *w, struct sotto_schema_table *t)
{
	if (!w->maps || w->link != WORLD_BY_SEALED_KEY)
		return;
	for (int i = 0; i < 2; i++) {
		struct sotto_schema_owners *o =
			SOTTO_PUSH(&w->arena, t->owners, t->owners_count);

		if (o)
			*o = (struct sotto_schema_owners){.key = "tk",
							  .unit = w->unit,
							  .is_number = i,
							  .map = i ? "numbers()" : "owners()",
							  .is_there = true};
	}
}
