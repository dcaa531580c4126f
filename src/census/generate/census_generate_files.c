/* sotto_census_generate: a made-up nation as files, with a plan to release it. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "census/generate/census_generate.h"
#include "census/plan/census_schema.h"
#include "core/base/failure.h"
#include "sotto/census.h"

struct files {
	FILE *counts, *nodes, *facilities;
	const struct sotto_census_plan *plan;
};

static void put_node(FILE *f, const struct sotto_nation_block *b)
{
	fprintf(f, "s%02u,c%03u,t%04u,g%u,b%04u", b->state, b->county, b->tract, b->group,
		b->block);
}

static enum sotto_status put_block(void *context, const struct sotto_nation_block *b)
{
	struct files *f = context;
	const struct sotto_census_attribute *a = f->plan->attributes;

	put_node(f->nodes, b);
	fputc('\n', f->nodes);
	for (size_t k = 0; k < b->n; k++) {
		size_t race = b->cells[k] % SOTTO_NATION_RACES;
		size_t rest = b->cells[k] / SOTTO_NATION_RACES;

		put_node(f->counts, b);
		fprintf(f->counts, ",%s,%s,%s,%s,%u\n", a[0].categories[rest / 4],
			a[1].categories[rest / 2 % 2], a[2].categories[rest % 2],
			a[3].categories[race], b->counts[k]);
	}
	for (size_t q = 0; q < SOTTO_NATION_GQ; q++)
		if (b->facilities[q] > 0) {
			put_node(f->facilities, b);
			/* A home may be empty; a facility that stands houses somebody. */
			fprintf(f->facilities, ",%s,%u,%u\n", a[0].categories[q],
				q == 0 ? 0 : b->facilities[q], b->facilities[q]);
		}
	return ferror(f->counts) || ferror(f->nodes) || ferror(f->facilities) ? SOTTO_EIO
									      : SOTTO_OK;
}

static FILE *open_in(const char *folder, const char *name)
{
	char *path = NULL;
	FILE *f = NULL;

	if (asprintf(&path, "%s/%s", folder, name) >= 0)
		f = fopen(path, "wex");
	free(path);
	return f;
}

/* All cells of a table of the whole nation's blocks would fill a disk. */
static bool write_plan(const char *folder, bool whole)
{
	FILE *f = open_in(folder, "plan.yaml");

	if (!f)
		return false;
	fprintf(f,
		"profile: pl94-us-persons\n"
		"input: {counts: counts.csv, count_column: n}\n"
		"nodes: nodes.csv\n"
		"bounds:\n"
		"  - {level: Block, query: hhgq, lower: least, upper: 99999*n, table: "
		"facilities.csv}\n"
		"estimate: {mode: gls}\n"
		"output: {dir: out, tables: [%s]}\n",
		whole ? "total" : "total, \"hispanic*cenrace\"");
	return fclose(f) == 0;
}

static enum sotto_status
generate(const struct sotto_nation *nation, const char *folder, struct files *f)
{
	f->counts = open_in(folder, "counts.csv");
	f->nodes = open_in(folder, "nodes.csv");
	f->facilities = open_in(folder, "facilities.csv");
	if (!f->counts || !f->nodes || !f->facilities)
		return SOTTO_EIO;
	fputs("state,county,tract,bg,block,hhgq,votingage,hispanic,cenrace,n\n", f->counts);
	fputs("state,county,tract,bg,block\n", f->nodes);
	fputs("state,county,tract,bg,block,hhgq,least,n\n", f->facilities);
	return sotto_nation_generate(nation, put_block, f);
}

static enum sotto_status
fill(const struct sotto_nation *nation, const char *folder, struct sotto_error *err)
{
	static const char profile[] = "profile: pl94-us-persons\n";
	struct sotto_census_plan plan;
	struct files f = {.plan = &plan};
	enum sotto_status st;

	SOTTO_TRY(sotto_census_plan_parse(&plan, "profile", profile, sizeof profile - 1, err));
	st = generate(nation, folder, &f);
	for (int i = 0; i < 3; i++) {
		FILE *file = i == 0 ? f.counts : i == 1 ? f.nodes : f.facilities;

		if (file && fclose(file) != 0)
			st = SOTTO_EIO;
	}
	if (st == SOTTO_OK && !write_plan(folder, nation->counties == SOTTO_NATION_COUNTIES))
		st = SOTTO_EIO;
	sotto_census_plan_release(&plan);
	return st;
}

/* A Dirichlet law of weight 15 gives about 35 cells that are not empty, and more in proportion. */
enum sotto_status
sotto_census_generate(const struct sotto_nation_request *r, struct sotto_error *err)
{
	struct sotto_nation nation = {.mixing = 15};
	enum sotto_status st;

	if (!r || !r->folder)
		return SOTTO_EINVAL;
	if (r->counties > SOTTO_NATION_COUNTIES)
		return sotto_fail(err, SOTTO_ERANGE, "a nation has at most %d counties",
				  SOTTO_NATION_COUNTIES);
	if (r->cells != 0 && !(r->cells >= 30 && r->cells <= 100))
		return sotto_fail(err, SOTTO_ERANGE,
				  "a block group can have 30 to 100 cells that are not empty");
	nation.counties = r->counties ? r->counties : 1;
	nation.mixing = r->cells != 0 ? 15 * r->cells / 35 : 15;
	nation.seed = r->seed;
	nation.variant = r->variant;
	if (mkdir(r->folder, 0777) != 0 && errno != EEXIST)
		return sotto_fail(err, SOTTO_EIO, "the folder %.300s could not be made",
				  r->folder);
	st = fill(&nation, r->folder, err);
	return st == SOTTO_EIO
		       ? sotto_fail(err, st,
				    "%.300s could not be filled; files that are there are not "
				    "overwritten",
				    r->folder)
		       : st;
}
