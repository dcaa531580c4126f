/*
 * A release from plan to files.
 *
 * (1) Everything that can be refused is refused before the ledger is touched.
 * (2) The charge is durable before the first draw.
 * (3) A release that was interrupted goes on with its own key: no measurement is ever drawn
 *     twice with different noise, and none is charged twice.
 * (4) Output files get their names only when all of them are complete, release.json last.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "census/measure/read/census_inputs.h"
#include "census/measure/census_measure.h"
#include "census/publish/census_charge.h"
#include "census/publish/census_file_name.h"
#include "census/publish/census_naive.h"
#include "census/publish/census_output.h"
#include "census/publish/census_report.h"
#include "census/solve/information/census_linear.h"
#include "census/solve/census_execute.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "sotto/census.h"

/* Answers that fit in here are drawn at once, and the private counts wiped. */
enum { RECORD_BYTES_MAX = 64 << 20, NOTE_SECONDS = 1 };

struct release {
	const struct sotto_census_request *request;
	void *shown; /* the request, as the context of progress */
	struct sotto_census_world *w;
	struct sotto_census_state state;
	struct sotto_census_measurement measurement;
	char *folder;
	bool made_folder;
	int lock;
};

/* ---- progress ------------------------------------------------------------------------------------------------ */

/* Sealing, reading and the run are shown as one way, of which the run is half. */
enum { WAY = 4000 };

static void
show(const struct sotto_census_request *r, uint64_t begin, uint64_t length, double share)
{
	if (r->progress)
		r->progress(r->progress_context, begin + (uint64_t)((double)length * share),
			    WAY);
}

static double share_of(uint64_t done, uint64_t total)
{
	return total > 0 ? fmin((double)done / (double)total, 1) : 1;
}

static void show_sealing(void *context, uint64_t done, uint64_t total)
{
	show(context, 0, WAY / 4, share_of(done, total));
}

static void show_reading(void *context, uint64_t done, uint64_t total)
{
	show(context, WAY / 4, WAY / 4, share_of(done, total));
}

static void show_run(void *context, uint64_t done, uint64_t total)
{
	show(context, WAY / 2, WAY / 2, share_of(done, total));
}

/* ---- the run ---------------------------------------------------------------------------------------------- */

static enum sotto_status run_tables(struct release *r, struct sotto_census_output *o)
{
	const struct sotto_census_request *request = r->request;
	struct sotto_census_world *w = r->w;
	struct sotto_census_options options = {.threads =
						       request->threads ? request->threads : 1,
					       .done = sotto_census_output_done(o),
					       .progress = show_run,
					       .progress_context = r->shown};
	struct sotto_census_sink sink;

	if (w->plan.mode == SOTTO_CENSUS_NAIVE)
		return sotto_census_run_naive(w, &r->measurement, show_run, r->shown, o);
	sotto_census_output_sink(o, &sink);
	return sotto_census_execute(&w->plan, &w->schema, &w->shape, &r->measurement, &options,
				    &sink, NULL);
}

static bool wants_linear(const struct sotto_census_plan *p)
{
	return p->mode != SOTTO_CENSUS_NAIVE && (p->intervals || p->linear_estimates);
}

static enum sotto_status run_linear(struct release *r, struct sotto_census_linear *l)
{
	struct sotto_census_run run = {.plan = &r->w->plan,
				       .schema = &r->w->schema,
				       .shape = &r->w->shape,
				       .measurement = &r->measurement};
	enum sotto_status st = sotto_census_run_prepare(&run);

	if (st == SOTTO_OK)
		st = sotto_census_linear_init(l, &run);
	sotto_census_run_release(&run);
	return st;
}

/* From here on the private counts are gone, unless there are too many answers to keep. */
static enum sotto_status measure(struct release *r)
{
	size_t limit = RECORD_BYTES_MAX;
	bool recorded;

	if (r->request->memory_limit && r->request->memory_limit / 4 < limit)
		limit = (size_t)(r->request->memory_limit / 4);
	SOTTO_TRY(sotto_census_measurement_record(&r->measurement, limit, &recorded));
	if (recorded)
		sotto_census_world_forget(r->w);
	return SOTTO_OK;
}

static enum sotto_status produce(struct release *r, struct sotto_error *err)
{
	struct sotto_census_linear linear = {0};
	struct sotto_census_output *o = NULL;
	bool wants = wants_linear(&r->w->plan);
	const struct sotto_census_output_options options = {.not_private = r->state.seeded,
							    .resume =
								    r->request->resume != NULL,
							    .linear = wants ? &linear : NULL,
							    .note_seconds = NOTE_SECONDS,
							    .memory = r->request->memory_limit};
	enum sotto_status st = measure(r);

	if (st == SOTTO_OK && wants)
		st = run_linear(r, &linear);
	if (st == SOTTO_OK)
		st = sotto_census_output_open(r->w, r->folder, &options, &o, err);
	if (st == SOTTO_OK)
		st = run_tables(r, o);
	if (st == SOTTO_OK)
		st = sotto_census_output_finish(o, err);
	sotto_census_output_close(o);
	sotto_census_linear_release(&linear);
	if (st == SOTTO_OK)
		st = sotto_census_report_write(r->w, r->folder, r->state.seeded, err);
	return st;
}

/* ---- the beginning ------------------------------------------------------------------------------------------- */

static bool has_report(const struct release *r)
{
	char *path = NULL;
	bool exists;

	if (asprintf(&path, "%s/release.json", r->folder) < 0)
		return true;
	exists = access(path, F_OK) == 0;
	free(path);
	return exists;
}

/* All that can go wrong with plan and data, and that the ledger need not know. */
static enum sotto_status check(struct release *r, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &r->w->plan;

	SOTTO_TRY(sotto_census_check_neighbours(r->request, p, err));
	if (wants_linear(p))
		SOTTO_TRY(sotto_census_linear_check(p, &r->w->schema, &r->w->shape, err));
	return sotto_census_measurement_init(&r->measurement, &r->w->schema, &r->w->shape,
					     r->w->truth, r->state.key);
}

static enum sotto_status charge(struct release *r, struct sotto_error *err)
{
	SOTTO_TRY(sotto_census_charge(r->request, &r->w->plan, &r->state, err));
	if (r->state.charged != SOTTO_CENSUS_CHARGE_BEGUN)
		return SOTTO_OK;
	r->state.charged = SOTTO_CENSUS_CHARGED;
	return sotto_census_state_write(&r->state, r->folder, false, err);
}

static enum sotto_status begin(struct release *r, struct sotto_error *err)
{
	enum sotto_status st;

	if (has_report(r))
		return sotto_fail(err, SOTTO_EIO,
				  "%.300s holds a release already; choose another output.dir",
				  r->folder);
	if (sotto_census_state_exists(r->folder))
		return sotto_fail(
			err, SOTTO_EIO,
			"%.300s holds an interrupted release; continue it with --resume, or "
			"choose another output.dir",
			r->folder);
	SOTTO_TRY(sotto_census_state_new(&r->state, r->w, r->request->test_seed));
	SOTTO_TRY(check(r, err));
	r->state.charged =
		r->request->ledger ? SOTTO_CENSUS_CHARGE_BEGUN : SOTTO_CENSUS_NO_LEDGER;
	SOTTO_TRY(sotto_census_state_write(&r->state, r->folder, true, err));
	st = charge(r, err);
	if (st == SOTTO_EBUDGET || st == SOTTO_EINVAL || st == SOTTO_ERANGE)
		sotto_census_state_remove(r->folder); /* nothing was charged */
	return st;
}

static enum sotto_status go_on(struct release *r, struct sotto_error *err)
{
	if (!sotto_census_state_exists(r->folder) && has_report(r))
		return sotto_fail(err, SOTTO_EIO, "%.300s holds a release that is complete",
				  r->folder);
	SOTTO_TRY(sotto_census_state_read(&r->state, r->w, r->folder, err));
	SOTTO_TRY(check(r, err));
	return charge(r, err);
}

/* A sentence for what went wrong after the charge, where there is none yet. */
static enum sotto_status
explain_failure(const struct release *r, enum sotto_status st, struct sotto_error *err)
{
	if (st == SOTTO_OK || !err || err->text[0])
		return st;
	switch (st) {
	case SOTTO_EIO:
		return sotto_fail(err, st,
				  "the files in %.300s could not be written; make room on that "
				  "disk and continue with --resume %.300s",
				  r->folder, r->folder);
	case SOTTO_ENOMEM:
	case SOTTO_EENTROPY:
		return st;
	default: /* whatever can be refused was refused before */
		return sotto_fail(err, SOTTO_EIO,
				  "the tables could not be made to hold what the plan asks; "
				  "this is a fault in sotto; nothing was published, and what "
				  "was charged stays charged");
	}
}

static enum sotto_status run(struct release *r, struct sotto_error *err)
{
	SOTTO_TRY(sotto_census_folder_hold(r->folder, &r->made_folder, &r->lock, err));
	SOTTO_TRY(r->request->resume ? go_on(r, err) : begin(r, err));
	if (!(r->request->resume && has_report(r))) /* else only the key was left */
		SOTTO_TRY(explain_failure(r, produce(r, err), err));
	sotto_census_charge_done(r->request, &r->state);
	sotto_census_state_remove(r->folder);
	return SOTTO_OK;
}

static enum sotto_status release(const struct sotto_census_request *request,
				 struct sotto_census_world *w, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	struct release r = {
		.request = request, .shown = (void *)(uintptr_t)request, .w = w, .lock = -1};
	enum sotto_status st;

	if (asprintf(&r.folder, "%s%s", request->resume || p->output[0] == '/' ? "" : p->folder,
		     request->resume ? request->resume : p->output) < 0)
		return SOTTO_ENOMEM;
	st = run(&r, err);
	sotto_census_measurement_release(&r.measurement);
	if (st != SOTTO_OK && r.made_folder)
		(void)rmdir(r.folder); /* succeeds only if nothing was begun */
	if (r.lock >= 0)
		(void)close(r.lock);
	sotto_wipe(&r.state, sizeof r.state);
	if (st == SOTTO_OK && request->folder)
		*request->folder = r.folder;
	else
		free(r.folder);
	return st;
}

static enum sotto_status
check_output(const struct sotto_census_plan *p, struct sotto_error *err)
{
	if (!p->output)
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.160s: the plan has no output; write output: {dir: "
				  "FOLDER, tables: [total]}",
				  p->path);
	return sotto_census_names_check(p, err);
}

enum sotto_status
sotto_census_release(const struct sotto_census_request *r, struct sotto_error *err)
{
	struct sotto_census_access access = {.data = true};
	struct sotto_census_world *w;
	enum sotto_status st;

	if (!r || !r->plan)
		return SOTTO_EINVAL;
	w = calloc(1, sizeof *w);
	if (!w)
		return SOTTO_ENOMEM;
	access.policy = r->policy;
	access.memory = r->memory_limit;
	access.sealing = (struct sotto_census_meter){show_sealing, (void *)(uintptr_t)r};
	access.reading = (struct sotto_census_meter){show_reading, (void *)(uintptr_t)r};
	st = sotto_census_world_open(w, r->plan, &access, err);
	if (st == SOTTO_OK)
		st = check_output(&w->plan, err);
	if (st == SOTTO_OK)
		st = release(r, w, err);
	sotto_census_world_close(w);
	free(w);
	return st;
}
