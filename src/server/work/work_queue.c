/* Two lines of work and the threads that serve them. */
#include "server/work/work_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/failure.h"
#include "core/number/thread_cache.h"

enum { THREADS_MAX = 64 };

struct piece {
	struct piece *next;
	struct sotto_work_job job;
	char *name; /* the job's */
};

struct line {
	struct piece *first, **last;
	pthread_cond_t more; /* a piece came, or the queue stops */
	size_t length; /* waiting */
	size_t running;
};

struct worker {
	struct sotto_work_queue *queue;
	pthread_t thread;
	enum sotto_lane lane;
	const char *name; /* whose work it does now, or NULL */
	struct sotto_session *session;
	uint64_t generation; /* of the policy that the session has */
	struct stat file; /* the policy's, as it was then */
};

struct sotto_work_queue {
	struct sotto_work_options options;
	char *policy;
	pthread_mutex_t lock;
	struct line lines[SOTTO_LANES];
	struct worker workers[THREADS_MAX];
	size_t worker_count;
	uint64_t generation;
	bool stopping;
	atomic_uint_fast64_t charges;
	struct sotto_durations durations[SOTTO_DOORS];
};

static void free_piece(struct piece *p)
{
	if (p)
		free(p->name);
	free(p);
}

/* ---- a worker ----------------------------------------------------------------------------- */

/* The owner may have written another one. */
static bool is_same_file(const struct stat *x, const struct stat *y)
{
	return x->st_ino == y->st_ino && x->st_dev == y->st_dev && x->st_size == y->st_size &&
	       x->st_mtim.tv_sec == y->st_mtim.tv_sec &&
	       x->st_mtim.tv_nsec == y->st_mtim.tv_nsec;
}

static void freshen(struct worker *w, uint64_t generation, struct sotto_error *err)
{
	struct sotto_session_options options = {.pad = w->queue->options.pad};
	struct stat file;

	if (stat(w->queue->policy, &file) != 0)
		file = (struct stat){0};
	if (w->session && w->generation == generation && is_same_file(&file, &w->file))
		return;
	w->file = file;
	sotto_session_close(w->session);
	w->session = NULL;
	w->generation = generation;
	if (sotto_session_open_with(w->queue->policy, &options, &w->session, err) != SOTTO_OK)
		w->session = NULL;
}

/* Lock held: how many threads of the lane work for a name. */
static unsigned
threads_of(const struct sotto_work_queue *q, enum sotto_lane lane, const char *name)
{
	unsigned n = 0;

	for (size_t i = 0; i < q->worker_count; i++)
		n += q->workers[i].lane == lane && q->workers[i].name &&
		     strcmp(q->workers[i].name, name) == 0;
	return n;
}

/* Quick work of one user leaves a thread for that of others. */
static unsigned most_of_one(const struct sotto_work_queue *q, enum sotto_lane lane)
{
	unsigned n = q->options.threads[lane];

	return lane == SOTTO_LANE_QUICK && n > 1 ? n - 1 : n;
}

/*
 * Lock held: where the next piece stands, the first of whoever has the fewest threads: nobody waits
 * for all that another has put in line.  NULL: nothing may begin now.
 */
static struct piece **next_place(struct sotto_work_queue *q, enum sotto_lane lane)
{
	unsigned fewest = most_of_one(q, lane);
	struct piece **best = NULL;

	for (struct piece **at = &q->lines[lane].first; *at && fewest > 0; at = &(*at)->next) {
		unsigned n = threads_of(q, lane, (*at)->name);

		if (n < fewest) {
			best = at;
			fewest = n;
		}
	}
	return best;
}

/* Lock held. */
static struct piece *take(struct line *line, struct piece **at)
{
	struct piece *p = *at;

	*at = p->next;
	if (line->last == &p->next)
		line->last = at;
	line->length--;
	return p;
}

/* The next piece of the lane; NULL when the queue has stopped and the line is empty. */
static struct piece *next_piece(struct worker *w, uint64_t *generation)
{
	struct sotto_work_queue *q = w->queue;
	struct line *line = &q->lines[w->lane];
	struct piece **at, *p = NULL;

	pthread_mutex_lock(&q->lock);
	while (!(at = next_place(q, w->lane)) && (line->first || !q->stopping))
		pthread_cond_wait(&line->more, &q->lock);
	if (at) {
		p = take(line, at);
		line->running++;
		w->name = p->name;
	}
	*generation = q->generation;
	pthread_mutex_unlock(&q->lock);
	return p;
}

static void *serve_line(void *context)
{
	struct worker *w = context;
	struct sotto_work_queue *q = w->queue;
	uint64_t generation;
	struct piece *p;

	sotto_thread_cache_care();
	while ((p = next_piece(w, &generation))) {
		struct sotto_error err = {""};

		freshen(w, generation, &err);
		p->job.work(w->session, p->job.context, &err);
		pthread_mutex_lock(&q->lock);
		q->lines[w->lane].running--;
		w->name = NULL;
		pthread_cond_broadcast(
			&q->lines[w->lane].more); /* another of the name may begin */
		pthread_mutex_unlock(&q->lock);
		p->job.done(p->job.context);
		free_piece(p);
	}
	sotto_session_close(w->session);
	w->session = NULL;
	return NULL;
}

/* ---- the queue ---------------------------------------------------------------------------- */

static enum sotto_status start_workers(struct sotto_work_queue *q)
{
	for (int lane = 0; lane < SOTTO_LANES; lane++)
		for (unsigned i = 0; i < q->options.threads[lane]; i++) {
			struct worker *w = &q->workers[q->worker_count];

			if (q->worker_count == THREADS_MAX)
				return SOTTO_ERANGE;
			*w = (struct worker){.queue = q, .lane = (enum sotto_lane)lane};
			if (pthread_create(&w->thread, NULL, serve_line, w) != 0)
				return SOTTO_ENOMEM;
			q->worker_count++;
		}
	return SOTTO_OK;
}

/* A policy that cannot be read is said when the server starts, not with the first question. */
static enum sotto_status try_policy(const char *policy, struct sotto_error *err)
{
	struct sotto_session *s = NULL;
	enum sotto_status st = sotto_session_open(policy, &s, err);

	sotto_session_close(s);
	return st;
}

enum sotto_status sotto_work_start(const struct sotto_work_options *options,
				   struct sotto_work_queue **out, struct sotto_error *err)
{
	struct sotto_work_queue *q;
	enum sotto_status st;

	SOTTO_TRY(try_policy(options->policy, err));
	q = calloc(1, sizeof *q);
	if (!q)
		return SOTTO_ENOMEM;
	q->options = *options;
	q->policy = strdup(options->policy);
	pthread_mutex_init(&q->lock, NULL);
	for (int i = 0; i < SOTTO_LANES; i++) {
		q->lines[i].last = &q->lines[i].first;
		pthread_cond_init(&q->lines[i].more, NULL);
	}
	st = q->policy ? start_workers(q) : SOTTO_ENOMEM;
	if (st != SOTTO_OK) {
		sotto_work_stop(q);
		sotto_work_free(q);
		return sotto_fail(err, st, "the threads that answer could not be started");
	}
	*out = q;
	return SOTTO_OK;
}

/* Lock held. */
static size_t pieces_of(const struct sotto_work_queue *q, const char *name)
{
	size_t n = 0;

	for (int lane = 0; lane < SOTTO_LANES; lane++)
		for (const struct piece *p = q->lines[lane].first; p; p = p->next)
			n += strcmp(p->name, name) == 0;
	for (size_t i = 0; i < q->worker_count; i++)
		n += q->workers[i].name && strcmp(q->workers[i].name, name) == 0;
	return n;
}

/* Lock held. */
static enum sotto_status
admits(const struct sotto_work_queue *q, enum sotto_lane lane, const char *name)
{
	if (q->stopping || q->lines[lane].length >= q->options.length)
		return SOTTO_ESTATE;
	return pieces_of(q, name) < q->options.per_name ? SOTTO_OK : SOTTO_EBUDGET;
}

enum sotto_status sotto_work_add(struct sotto_work_queue *q, enum sotto_lane lane,
				 const struct sotto_work_job *job)
{
	struct piece *p = calloc(1, sizeof *p);
	struct line *line = &q->lines[lane];
	enum sotto_status st;

	if (!p || !(p->name = strdup(job->name))) {
		free_piece(p);
		return SOTTO_ENOMEM;
	}
	p->job = *job;
	pthread_mutex_lock(&q->lock);
	st = admits(q, lane, p->name);
	if (st == SOTTO_OK) {
		*line->last = p;
		line->last = &p->next;
		line->length++;
		pthread_cond_signal(&line->more);
	}
	pthread_mutex_unlock(&q->lock);
	if (st != SOTTO_OK)
		free_piece(p);
	return st;
}

void sotto_work_reload(struct sotto_work_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->generation++;
	pthread_mutex_unlock(&q->lock);
}

size_t sotto_work_length(struct sotto_work_queue *q, enum sotto_lane lane)
{
	size_t n;

	pthread_mutex_lock(&q->lock);
	n = q->lines[lane].length + q->lines[lane].running;
	pthread_mutex_unlock(&q->lock);
	return n;
}

void sotto_work_count_charge(struct sotto_work_queue *q)
{
	(void)atomic_fetch_add(&q->charges, 1);
}

uint64_t sotto_work_charges(struct sotto_work_queue *q)
{
	return atomic_load(&q->charges);
}

void sotto_work_count_reply(struct sotto_work_queue *q, enum sotto_door door,
			    uint64_t nanoseconds)
{
	sotto_durations_add(&q->durations[door], nanoseconds);
}

struct sotto_durations *sotto_work_durations(struct sotto_work_queue *q, enum sotto_door door)
{
	return &q->durations[door];
}

void sotto_work_stop(struct sotto_work_queue *q)
{
	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->stopping = true;
	for (int i = 0; i < SOTTO_LANES; i++)
		pthread_cond_broadcast(&q->lines[i].more);
	pthread_mutex_unlock(&q->lock);
	for (size_t i = 0; i < q->worker_count; i++)
		(void)pthread_join(q->workers[i].thread, NULL);
	q->worker_count = 0;
}

void sotto_work_free(struct sotto_work_queue *q)
{
	if (!q)
		return;
	for (int i = 0; i < SOTTO_LANES; i++)
		pthread_cond_destroy(&q->lines[i].more);
	pthread_mutex_destroy(&q->lock);
	free(q->policy);
	free(q);
}
