/*
 * The run: top levels first, then subtree by subtree on as many threads as are wanted.
 *
 * (1) Every node's result is a function of the key and of its parent's final counts: neither
 *     threads nor their order change it.
 * (2) Batches reach the sink in order.
 * (3) Memory: the top levels, and for each thread one subtree.
 */
#include "census/solve/census_execute.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/census_descend.h"
#include "census/solve/information/census_gather.h"
#include "census/solve/census_targets.h"
#include "core/base/failure.h"

enum { AHEAD = 16 };

/* ---- the crew ------------------------------------------------------------------------------------------- */

enum phase { PHASE_UP, PHASE_DOWN };

struct crew {
	struct sotto_census_run *run;
	const struct sotto_census_sink *sink;
	const struct sotto_census_options *options;
	struct sotto_census_counts *counts; /* of the nodes of the task level */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	enum phase phase;
	size_t tasks, next, ended;
	void **batches; /* done and not yet ended */
	bool *done;
	enum sotto_status status;
	uint64_t draws;
};

/* ---- subtrees ------------------------------------------------------------------------------------------- */

/* One thread's way down. */
struct way {
	struct crew *crew;
	struct sotto_census_worker *w;
	void *batch; /* NULL: the sink has it */
	size_t last; /* level; the counts of the task level are kept by the crew */
};

static enum sotto_status
emit(const struct way *way, size_t node, const struct sotto_census_counts *c)
{
	const struct sotto_census_sink *sink = way->crew->sink;

	if (!way->batch)
		return SOTTO_OK;
	return sink->node(sink->context, way->batch, node, c->cells, c->counts, c->n);
}

/* Hands over everything below a node. */
static enum sotto_status
walk(const struct way *way, size_t node, const struct sotto_census_counts *counts)
{
	struct sotto_census_run *run = way->crew->run;
	size_t level = sotto_census_level_of(run->shape, node), n = run->shape->count[node];
	bool keeps = level + 1 == way->last && way->last == run->task_level;
	struct sotto_census_counts *children;
	enum sotto_status st;

	if (level == way->last || n == 0)
		return SOTTO_OK;
	children = calloc(n, sizeof *children);
	if (!children)
		return SOTTO_ENOMEM;
	st = sotto_census_descend(way->w, node, counts, children);
	for (size_t c = 0; st == SOTTO_OK && c < n; c++) {
		size_t child = run->shape->first[node] + c;

		st = emit(way, child, &children[c]);
		if (st == SOTTO_OK)
			st = walk(way, child, &children[c]);
		if (st == SOTTO_OK && keeps) {
			way->crew->counts[child - run->shape->start[way->last]] = children[c];
			children[c] = (struct sotto_census_counts){0};
		}
	}
	for (size_t c = 0; c < n; c++)
		sotto_census_counts_release(&children[c]);
	free(children);
	return st;
}

/* ---- threads -------------------------------------------------------------------------------------------- */

static enum sotto_status
do_task(struct crew *crew, struct sotto_census_worker *w, size_t task, void **batch)
{
	struct sotto_census_run *run = crew->run;
	size_t node = run->shape->start[run->task_level] + task;
	struct way way = {.crew = crew, .w = w, .last = run->shape->level_count - 1};
	enum sotto_status st = SOTTO_OK;

	if (crew->phase == PHASE_UP)
		return sotto_census_gather_top(w, node);
	SOTTO_TRY(crew->sink->begin(crew->sink->context, batch));
	way.batch = *batch;
	if (run->plan->mode == SOTTO_CENSUS_GLS)
		for (size_t c = run->shape->first[node];
		     st == SOTTO_OK && c < run->shape->first[node] + run->shape->count[node];
		     c++)
			if (c < run->shape->start[run->shape->level_count - 1])
				st = sotto_census_gather(w, c);
	if (st == SOTTO_OK)
		st = walk(&way, node, &crew->counts[task]);
	for (size_t c = run->shape->first[node];
	     c < run->shape->first[node] + run->shape->count[node]; c++)
		sotto_census_slots_release(run, c);
	sotto_census_counts_release(&crew->counts[task]);
	return st;
}

/* Ends batches in order; called with the lock held. */
static void end_batches(struct crew *crew)
{
	while (crew->ended < crew->tasks && crew->done[crew->ended]) {
		void *batch = crew->batches[crew->ended];
		enum sotto_status st = SOTTO_OK;

		if (batch)
			st = crew->sink->end(crew->sink->context, batch);
		if (st != SOTTO_OK && crew->status == SOTTO_OK)
			crew->status = st;
		crew->ended++;
		if (crew->options->progress)
			crew->options->progress(crew->options->progress_context,
						crew->phase * crew->tasks + crew->ended,
						2 * crew->tasks);
	}
	pthread_cond_broadcast(&crew->moved);
}

static bool take_task(struct crew *crew, size_t *task)
{
	bool more;

	pthread_mutex_lock(&crew->lock);
	while (crew->status == SOTTO_OK && crew->next < crew->tasks &&
	       crew->next >= crew->ended + AHEAD)
		pthread_cond_wait(&crew->moved, &crew->lock);
	more = crew->status == SOTTO_OK && crew->next < crew->tasks;
	if (more)
		*task = crew->next++;
	pthread_mutex_unlock(&crew->lock);
	return more;
}

static void *work(void *context)
{
	struct crew *crew = context;
	struct sotto_census_worker *w = NULL;
	enum sotto_status st = sotto_census_worker_open(crew->run, &w);
	size_t task;

	while (st == SOTTO_OK && take_task(crew, &task)) {
		void *batch = NULL;

		st = do_task(crew, w, task, &batch);
		pthread_mutex_lock(&crew->lock);
		crew->batches[task] = batch;
		crew->done[task] = true;
		if (st == SOTTO_OK)
			end_batches(crew);
		pthread_mutex_unlock(&crew->lock);
	}
	pthread_mutex_lock(&crew->lock);
	if (st != SOTTO_OK && crew->status == SOTTO_OK)
		crew->status = st;
	if (w)
		crew->draws += sotto_census_reader_draws(w->reader);
	pthread_cond_broadcast(&crew->moved);
	pthread_mutex_unlock(&crew->lock);
	sotto_census_worker_close(w);
	return NULL;
}

static enum sotto_status run_phase(struct crew *crew, enum phase phase)
{
	pthread_t threads[64];
	unsigned started = 0, wanted = crew->options->threads;

	crew->phase = phase;
	/* The top is the first batch, then comes one for each subtree. */
	crew->next = crew->ended =
		phase == PHASE_DOWN && crew->options->done > 0 ? crew->options->done - 1 : 0;
	memset(crew->done, 0, crew->tasks * sizeof *crew->done);
	memset(crew->batches, 0, crew->tasks * sizeof *crew->batches);
	for (; started + 1 < wanted && started < 64; started++)
		if (pthread_create(&threads[started], NULL, work, crew) != 0)
			break;
	work(crew);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return crew->status;
}

/* ---- the top --------------------------------------------------------------------------------------------- */

/* The slots of the nodes above the task level, from those of the task level. */
static enum sotto_status run_top(struct crew *crew)
{
	struct sotto_census_run *run = crew->run;
	struct sotto_census_counts root = {0};
	struct way way = {.crew = crew, .last = run->task_level};
	enum sotto_status st = sotto_census_worker_open(run, &way.w);

	if (st == SOTTO_OK && run->plan->mode == SOTTO_CENSUS_GLS)
		st = sotto_census_gather_top(way.w, 0);
	if (st == SOTTO_OK && run->plan->mode == SOTTO_CENSUS_GLS)
		st = sotto_census_set_targets(
			run, sotto_census_reader_rng(way.w->reader, 0, SOTTO_CENSUS_TREE_LOTS));
	for (size_t v = 0; st == SOTTO_OK && run->plan->mode == SOTTO_CENSUS_TOPDOWN &&
			   v < run->shape->start[run->shape->level_count - 1];
	     v++)
		if (!run->measured[sotto_census_level_of(run->shape, v)])
			st = sotto_census_gather_top(way.w, v);
	if (st == SOTTO_OK)
		st = sotto_census_descend_root(way.w, &root);
	if (st == SOTTO_OK && crew->options->done == 0)
		st = crew->sink->begin(crew->sink->context, &way.batch);
	if (st == SOTTO_OK)
		st = emit(&way, 0, &root);
	if (st == SOTTO_OK)
		st = walk(&way, 0, &root);
	if (way.batch) {
		enum sotto_status ended = crew->sink->end(crew->sink->context, way.batch);

		st = st == SOTTO_OK ? ended : st;
	}
	if (st == SOTTO_OK && run->task_level == 0) {
		crew->counts[0] = root;
		root = (struct sotto_census_counts){0};
	}
	sotto_census_counts_release(&root);
	if (way.w)
		crew->draws += sotto_census_reader_draws(way.w->reader);
	sotto_census_worker_close(way.w);
	return st;
}

static enum sotto_status run_all(struct crew *crew)
{
	if (crew->run->plan->mode == SOTTO_CENSUS_GLS)
		SOTTO_TRY(run_phase(crew, PHASE_UP));
	SOTTO_TRY(run_top(crew));
	return run_phase(crew, PHASE_DOWN);
}

enum sotto_status sotto_census_execute(const struct sotto_census_plan *plan,
				       const struct sotto_census_schema *schema,
				       const struct sotto_census_shape *shape,
				       const struct sotto_census_measurement *measurement,
				       const struct sotto_census_options *options,
				       const struct sotto_census_sink *sink, uint64_t *draws)
{
	struct sotto_census_run run = {
		.plan = plan, .schema = schema, .shape = shape, .measurement = measurement};
	struct crew crew = {.run = &run, .sink = sink, .options = options};
	enum sotto_status st = sotto_census_run_prepare(&run);

	crew.tasks = shape->start[run.task_level + 1] - shape->start[run.task_level];
	crew.counts = calloc(crew.tasks, sizeof *crew.counts);
	crew.batches = calloc(crew.tasks, sizeof *crew.batches);
	crew.done = calloc(crew.tasks, sizeof *crew.done);
	pthread_mutex_init(&crew.lock, NULL);
	pthread_cond_init(&crew.moved, NULL);
	if (st == SOTTO_OK && !(crew.counts && crew.batches && crew.done))
		st = SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		st = run_all(&crew);
	if (st == SOTTO_OK && draws)
		*draws = crew.draws;
	for (size_t i = 0; crew.counts && i < crew.tasks; i++)
		sotto_census_counts_release(&crew.counts[i]);
	free(crew.counts);
	free(crew.batches);
	free(crew.done);
	pthread_mutex_destroy(&crew.lock);
	pthread_cond_destroy(&crew.moved);
	sotto_census_run_release(&run);
	return st;
}
