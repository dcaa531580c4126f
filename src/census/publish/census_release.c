/*
 * A release from plan to files.
 *
 * (1) Everything that can be refused is refused before the ledger is touched.
 * (2) The charge is durable before the first draw.
 * (3) A release that was interrupted goes on with its own key: no measurement is ever drawn
 *     twice with different noise, and none is charged twice.
 * (4) Output files get their names only when all of them are complete.
 */
#include <fcntl.h>
#include <math.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "census/solve/census_linear.h"
#include "census/measure/census_measure.h"
#include "census/publish/census_output.h"
#include "census/publish/census_report.h"
#include "census/solve/census_run.h"
#include "census/measure/census_world.h"
#include "central/policy/policy.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "sotto/census.h"

/* What a release that was begun leaves behind: its key and what it was begun for. */
struct state {
	char magic[16];
	uint8_t key[SOTTO_NOISE_KEY_BYTES];
	uint8_t input[32]; /* a digest of plan and counts under the key */
	uint8_t seeded; /* the key came from a seed: the output is NOT PRIVATE */
};

static const char state_magic[16] = "sotto release 1";

/* ---- the key ---------------------------------------------------------------------------------------------- */

static enum sotto_status
digest_input(const struct sotto_census_world *w, const uint8_t *key, uint8_t out[32])
{
	const struct sotto_census_truth *t = &w->truth;
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	bool ok = hash && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1 &&
		  EVP_DigestUpdate(hash, key, SOTTO_NOISE_KEY_BYTES) == 1 &&
		  EVP_DigestUpdate(hash, t->starts, (t->leaves + 1) * sizeof *t->starts) == 1 &&
		  EVP_DigestUpdate(hash, t->cells, t->starts[t->leaves] * sizeof *t->cells) ==
			  1 &&
		  EVP_DigestUpdate(hash, t->counts, t->starts[t->leaves] * sizeof *t->counts) ==
			  1;

	for (size_t l = 0; ok && l < w->plan.level_count; l++)
		for (size_t i = 0; ok && i < w->plan.levels[l].measure_count; i++) {
			char *scale =
				mpq_get_str(NULL, 10, w->plan.levels[l].measures[i].scale->q);
			const char *name =
				w->plan.queries[w->plan.levels[l].measures[i].query].name;

			ok = EVP_DigestUpdate(hash, name, strlen(name) + 1) == 1 &&
			     EVP_DigestUpdate(hash, scale, strlen(scale) + 1) == 1;
			free(scale);
		}
	ok = ok && EVP_DigestFinal_ex(hash, out, NULL) == 1;
	EVP_MD_CTX_free(hash);
	return ok ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status new_key(const struct sotto_census_request *r, uint8_t *key)
{
	struct sotto_rng *rng = NULL;
	enum sotto_status st;

	if (r->test_seed) {
		char text[64];

		(void)snprintf(text, sizeof text, "sotto census test seed %llu",
			       (unsigned long long)*r->test_seed);
		return EVP_Digest(text, strlen(text), key, NULL, EVP_sha256(), NULL) == 1
			       ? SOTTO_OK
			       : SOTTO_ENOMEM;
	}
	st = sotto_rng_open(&rng);
	if (st == SOTTO_OK)
		st = sotto_rng_fill(rng, key, SOTTO_NOISE_KEY_BYTES);
	sotto_rng_close(rng);
	return st;
}

static char *state_path(const char *folder)
{
	char *path = NULL;

	return asprintf(&path, "%s/.release.key", folder) < 0 ? NULL : path;
}

static enum sotto_status
write_state(const char *folder, const struct state *s, struct sotto_error *err)
{
	char *path = state_path(folder);
	int fd = -1;
	bool ok = path != NULL;

	if (ok)
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
	ok = ok && fd >= 0 && write(fd, s, sizeof *s) == (ssize_t)sizeof *s && fsync(fd) == 0;
	if (fd >= 0)
		ok &= close(fd) == 0;
	free(path);
	return ok ? SOTTO_OK
		  : sotto_fail(err, SOTTO_EIO,
			       "%.300s: the key of the release could not be written; a release "
			       "that was interrupted there is continued with --resume",
			       folder);
}

static enum sotto_status
read_state(const char *folder, struct state *s, struct sotto_error *err)
{
	char *path = state_path(folder);
	FILE *f = path ? fopen(path, "re") : NULL;
	bool ok = f && fread(s, sizeof *s, 1, f) == 1 &&
		  memcmp(s->magic, state_magic, sizeof s->magic) == 0;

	if (f)
		(void)fclose(f);
	free(path);
	return ok ? SOTTO_OK
		  : sotto_fail(err, SOTTO_EMISSING,
			       "%.300s holds no interrupted release; leave --resume out",
			       folder);
}

static void remove_state(const char *folder)
{
	char *path = state_path(folder);

	if (path)
		(void)unlink(path);
	free(path);
}

/* ---- the charge ---------------------------------------------------------------------------------------------- */

static enum sotto_status set_cost(const struct sotto_census_plan *p, struct sotto_cost *cost)
{
	struct sotto_rational none;
	enum sotto_status st;

	if (p->model == SOTTO_CENSUS_PURE)
		return sotto_cost_set_pure(cost, p->total);
	sotto_rational_init(&none);
	st = sotto_cost_set_zcdp(cost, p->total, &none);
	sotto_rational_release(&none);
	return st;
}

/* Are two paths one file? */
static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* The plan's budget protects one record; the policy must say that a record is a unit. */
static enum sotto_status
check_unit(const struct sotto_census_world *w, const char *policy_path, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	const char *file = p->microdata ? p->microdata : p->counts;
	struct sotto_policy policy;
	char *path = NULL;
	bool found = false, by_row = false;

	if (asprintf(&path, "%s%s", file[0] == '/' ? "" : p->folder, file) < 0)
		return SOTTO_ENOMEM;
	if (sotto_policy_load(&policy, policy_path, err) != SOTTO_OK) {
		free(path);
		return SOTTO_EPARSE;
	}
	for (size_t i = 0; i < policy.table_count; i++)
		if (!policy.tables[i].in_postgres &&
		    is_same_file(policy.tables[i].source, path)) {
			found = true;
			by_row |= policy.tables[i].unit_is_row;
		}
	sotto_policy_release(&policy);
	free(path);
	if (found && by_row)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EBUDGET,
		found ? "the policy's table of %.200s has a unit with several records; a "
			"release protects single records, so write unit: row there"
		      : "the policy has no table of %.200s; add it with unit: row",
		file);
}

static enum sotto_status charge(const struct sotto_census_request *r,
				const struct sotto_census_world *w, struct sotto_error *err)
{
	struct sotto_ledger_release release = {.analyst = r->analyst ? r->analyst : "curator"};
	enum sotto_neighbours counted;
	struct sotto_cost cost;
	char *query = NULL;
	uint64_t entry;
	enum sotto_status st;

	if (!r->ledger)
		return SOTTO_OK;
	SOTTO_TRY(sotto_ledger_neighbours(r->ledger, &counted, err));
	if (w->plan.replace_one != (counted == SOTTO_NEIGHBOURS_REPLACE_ONE))
		return sotto_fail(
			err, SOTTO_EBUDGET,
			"the ledger counts %s neighbours and the plan %s ones; the two do "
			"not add up: change privacy.neighbours or use another ledger",
			counted == SOTTO_NEIGHBOURS_REPLACE_ONE ? "replace-one" : "add-remove",
			w->plan.replace_one ? "replace-one" : "add-remove");
	if (r->policy)
		SOTTO_TRY(check_unit(w, r->policy, err));
	if (asprintf(&query, "release %s", w->plan.path) < 0)
		return SOTTO_ENOMEM;
	sotto_cost_init(&cost);
	st = set_cost(&w->plan, &cost);
	release.query = release.key = query;
	release.cost = &cost;
	if (st == SOTTO_OK)
		st = sotto_ledger_charge(r->ledger, &release, &entry, err);
	sotto_cost_release(&cost);
	free(query);
	return st;
}

/* ---- the run ---------------------------------------------------------------------------------------------- */

/* Mode naive: each table from the query itself, or from the finest one that refines it. */
static enum sotto_status
naive_table(struct sotto_census_reader *reader, const struct sotto_census_world *w, size_t node,
	    size_t level, size_t table, double *values, struct sotto_noisy *answers)
{
	const struct sotto_census_plan *p = &w->plan;
	const struct sotto_census_level *l = &p->levels[w->shape.plan_level[level]];
	size_t query = p->tables[table], best = SIZE_MAX;
	double least = INFINITY;

	for (size_t i = 0; i < l->measure_count; i++) {
		const uint32_t *fine = w->schema.maps[l->measures[i].query];
		const uint32_t *coarse = w->schema.maps[query];
		size_t cells = p->queries[l->measures[i].query].cells;
		double variance = l->measures[i].variance * (double)cells /
				  (double)p->queries[query].cells;
		uint32_t *image = malloc(cells * sizeof *image);
		bool refines = image != NULL;

		if (image)
			memset(image, 0xff, cells * sizeof *image);
		for (size_t cell = 0; refines && cell < w->schema.cells; cell++) {
			refines = image[fine[cell]] == UINT32_MAX ||
				  image[fine[cell]] == coarse[cell];
			image[fine[cell]] = coarse[cell];
		}
		free(image);
		if (refines && variance < least) {
			least = variance;
			best = i;
		}
	}
	for (size_t cell = 0; cell < p->queries[query].cells; cell++)
		values[cell] = best == SIZE_MAX ? NAN : 0;
	if (best == SIZE_MAX)
		return SOTTO_OK;
	SOTTO_TRY(sotto_census_measure(reader, node, best, NULL,
				       p->queries[l->measures[best].query].cells, answers));
	for (size_t cell = 0; cell < w->schema.cells; cell++) {
		uint32_t fine = w->schema.maps[l->measures[best].query][cell];

		if (answers[fine].value != INT64_MIN)
			values[w->schema.maps[query][cell]] += (double)answers[fine].value;
		answers[fine].value = INT64_MIN; /* counted */
	}
	return SOTTO_OK;
}

static enum sotto_status run_naive(const struct sotto_census_world *w,
				   const struct sotto_census_measurement *m,
				   struct sotto_census_output *o)
{
	struct sotto_census_reader *reader = NULL;
	double *values = malloc(w->schema.cells * sizeof *values);
	struct sotto_noisy *answers = malloc(w->schema.cells * sizeof *answers);
	enum sotto_status st =
		values && answers ? sotto_census_reader_open(m, &reader) : SOTTO_ENOMEM;

	for (size_t l = 0; st == SOTTO_OK && l < w->shape.level_count; l++)
		for (size_t v = w->shape.start[l]; st == SOTTO_OK && v < w->shape.start[l + 1];
		     v++)
			for (size_t t = 0;
			     st == SOTTO_OK && w->shape.plan_level[l] != SIZE_MAX &&
			     t < w->plan.table_count;
			     t++) {
				st = naive_table(reader, w, v, l, t, values, answers);
				if (st == SOTTO_OK)
					st = sotto_census_output_naive(o, v, t, values);
			}
	sotto_census_reader_close(reader);
	free(values);
	free(answers);
	return st;
}

static enum sotto_status run_output(const struct sotto_census_request *r,
				    struct sotto_census_world *w,
				    const struct sotto_census_measurement *m,
				    struct sotto_census_output *o, uint64_t *draws)
{
	struct sotto_census_options options = {.threads = r->threads ? r->threads : 1,
					       .progress = r->progress,
					       .progress_context = r->progress_context};
	struct sotto_census_sink sink;

	if (w->plan.mode == SOTTO_CENSUS_NAIVE)
		return run_naive(w, m, o);
	sotto_census_output_sink(o, &sink);
	return sotto_census_execute(&w->plan, &w->schema, &w->shape, m, &options, &sink, draws);
}

static enum sotto_status run_linear(struct sotto_census_world *w,
				    const struct sotto_census_measurement *m,
				    struct sotto_census_linear *l, struct sotto_error *err)
{
	struct sotto_census_run run = {
		.plan = &w->plan, .schema = &w->schema, .shape = &w->shape, .measurement = m};
	enum sotto_status st = sotto_census_run_prepare(&run);

	if (st == SOTTO_OK)
		st = sotto_census_linear_init(l, &run, err);
	sotto_census_run_release(&run);
	return st;
}

static enum sotto_status produce(const struct sotto_census_request *r,
				 struct sotto_census_world *w, const struct state *s,
				 const char *folder, struct sotto_error *err)
{
	struct sotto_census_measurement m;
	struct sotto_census_linear linear = {0};
	struct sotto_census_output *o = NULL;
	bool wants = w->plan.mode != SOTTO_CENSUS_NAIVE &&
		     (w->plan.intervals || w->plan.linear_estimates);
	uint64_t draws = 0;
	enum sotto_status st =
		sotto_census_measurement_init(&m, &w->schema, &w->shape, &w->truth, s->key);

	if (st == SOTTO_OK && wants)
		st = run_linear(w, &m, &linear, err);
	if (st == SOTTO_OK)
		st = sotto_census_output_open(w, folder, s->seeded, wants ? &linear : NULL, &o,
					      err);
	if (st == SOTTO_OK)
		st = run_output(r, w, &m, o, &draws);
	if (st == SOTTO_OK)
		st = sotto_census_output_finish(o, err);
	if (st == SOTTO_OK)
		st = sotto_census_report_write(w, folder, s->seeded, err);
	sotto_census_output_close(o);
	sotto_census_linear_release(&linear);
	sotto_census_measurement_release(&m);
	return st;
}

/* The folder is made before the charge, so that a wrong path costs nothing. */
static enum sotto_status charge_and_keep(const struct sotto_census_request *r,
					 const struct sotto_census_world *w, const char *folder,
					 const struct state *s, struct sotto_error *err)
{
	bool made = mkdir(folder, 0777) == 0;
	struct stat about;
	enum sotto_status st;

	if (!made && (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode) ||
		      access(folder, W_OK | X_OK) != 0))
		return sotto_fail(err, SOTTO_EIO,
				  "the folder %.300s could not be made, or not be written to",
				  folder);
	st = charge(r, w, err);
	if (st == SOTTO_OK)
		return write_state(folder, s, err);
	if (made)
		(void)rmdir(folder);
	return st;
}

static enum sotto_status begin(const struct sotto_census_request *r,
			       const struct sotto_census_world *w, const char *folder,
			       struct state *s, struct sotto_error *err)
{
	uint8_t input[32];

	if (r->resume) {
		SOTTO_TRY(read_state(folder, s, err));
		SOTTO_TRY(digest_input(w, s->key, input));
		if (memcmp(input, s->input, sizeof input) != 0)
			return sotto_fail(
				err, SOTTO_EMISSING,
				"%.300s: the plan or the data changed since the release was "
				"begun; with other data its noise must not be used again",
				folder);
		return SOTTO_OK;
	}
	memset(s, 0, sizeof *s);
	memcpy(s->magic, state_magic, sizeof s->magic);
	s->seeded = r->test_seed != NULL;
	SOTTO_TRY(new_key(r, s->key));
	SOTTO_TRY(digest_input(w, s->key, s->input));
	return charge_and_keep(r, w, folder, s, err);
}

static enum sotto_status
check_folder(const struct sotto_census_request *r, const char *folder, struct sotto_error *err)
{
	char *path = NULL;
	bool exists;

	if (asprintf(&path, "%s/release.json", folder) < 0)
		return SOTTO_ENOMEM;
	exists = access(path, F_OK) == 0;
	free(path);
	if (exists)
		return sotto_fail(err, SOTTO_EIO,
				  "%.300s holds a release already; choose another output.dir",
				  folder);
	path = state_path(folder);
	exists = path && access(path, F_OK) == 0;
	free(path);
	if (exists && !r->resume)
		return sotto_fail(
			err, SOTTO_EIO,
			"%.300s holds an interrupted release; continue it with --resume, or "
			"choose another output.dir",
			folder);
	return SOTTO_OK;
}

static enum sotto_status release(const struct sotto_census_request *r,
				 struct sotto_census_world *w, struct sotto_error *err)
{
	char *folder = NULL;
	struct state s;
	enum sotto_status st;

	if (!r->resume && !w->plan.output)
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.160s: the plan has no output: {dir: ...}", w->plan.path);
	if (asprintf(&folder, "%s%s",
		     r->resume || w->plan.output[0] == '/' ? "" : w->plan.folder,
		     r->resume ? r->resume : w->plan.output) < 0)
		return SOTTO_ENOMEM;
	st = check_folder(r, folder, err);
	if (st == SOTTO_OK)
		st = begin(r, w, folder, &s, err);
	if (st == SOTTO_OK)
		st = produce(r, w, &s, folder, err);
	if (st == SOTTO_OK)
		remove_state(folder);
	sotto_wipe(&s, sizeof s);
	free(folder);
	return st;
}

enum sotto_status
sotto_census_release(const struct sotto_census_request *r, struct sotto_error *err)
{
	struct sotto_census_world *w;
	enum sotto_status st;

	if (!r || !r->plan)
		return SOTTO_EINVAL;
	w = calloc(1, sizeof *w);
	if (!w)
		return SOTTO_ENOMEM;
	st = sotto_census_world_open(w, r->plan, true, err);
	if (st == SOTTO_OK)
		st = release(r, w, err);
	sotto_census_world_close(w);
	free(w);
	return st;
}
