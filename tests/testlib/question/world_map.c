/*
 * Maps from keys of t to units, stored as sealing stores them, in a file for each engine.  A plan
 * then reads the file instead of t.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "central/engine/engine_result.h"
#include "central/engine/sum/owner_file.h"
#include "testlib/question/world.h"
#include "testlib/tap.h"

enum { SEED = 77 };

static bool fill(const struct world *w, struct sotto_owner_map *m,
		 const struct sotto_engine_result *r)
{
	for (size_t i = 0; i < sotto_engine_rows(r); i++) {
		int64_t key = sotto_engine_cell(r, i, 0).integer,
			unit = w->wrong_maps ? key : sotto_engine_cell(r, i, 1).integer;

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

bool world_store_map(struct world *w, int engine)
{
	char sql[200 + FOLDER_PATH_MAX], path[FOLDER_PATH_MAX];
	struct sotto_engine_result *r = NULL;
	struct sotto_owner_map *m;
	bool done;

	if (!w->maps || w->link != WORLD_BY_SEALED_KEY)
		return true;
	(void)snprintf(sql, sizeof sql,
		       "SELECT tk::BIGINT, %s::BIGINT FROM t WHERE tk IS NOT NULL AND %s IS NOT "
		       "NULL",
		       w->unit, w->unit);
	if (sotto_engine_run(w->engines[engine], sql, &r) != SOTTO_OK)
		return false;
	(void)snprintf(sql, sizeof sql, "map-%d", engine);
	folder_file(w->maps, sql, path);
	m = sotto_owner_map_new(SEED);
	done = m && fill(w, m, r) && write_file(m, path);
	sotto_owner_map_free(m);
	sotto_engine_result_free(r);
	(void)snprintf(sql, sizeof sql, "CREATE OR REPLACE MACRO owners() AS sotto_stored('%s')",
		       path);
	return tap_check(done, __FILE__, __LINE__, "%s", path) && world_execute(w, engine, sql);
}

void world_declare_map(struct world *w, struct sotto_schema_table *t)
{
	struct sotto_schema_owners *o;

	if (!w->maps || w->link != WORLD_BY_SEALED_KEY)
		return;
	o = SOTTO_PUSH(&w->arena, t->owners, t->owners_count);
	if (o)
		*o = (struct sotto_schema_owners){
			.key = "tk", .unit = w->unit, .map = "owners()", .is_there = true};
}
