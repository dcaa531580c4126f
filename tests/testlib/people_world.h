/*
 * people_world.h - a private table with a text, a public table, and plans of queries about them
 */
#ifndef SOTTO_TESTS_PEOPLE_WORLD_H
#define SOTTO_TESTS_PEOPLE_WORLD_H

#include "central/engine/engine.h"
#include "central/plan/plan.h"

struct people_world {
	struct sotto_engine *engine; /* has source.people, which is empty, and source.pub */
	struct sotto_policy policy;
	struct sotto_schema_table schemas[2];
};

/* False: it says why. */
bool people_open(struct people_world *w);
void people_close(struct people_world *w);

enum sotto_status people_plan(struct people_world *w, struct sotto_plan *plan, const char *sql,
			      struct sotto_error *err);

/* The checks of public tables: NULL if all hold, else the sentence. */
const char *people_check(struct people_world *w, const struct sotto_plan *plan);

#endif
