/* Lines of work: how much a name may have in them, and that stopping finishes what is there. */
#include "server/work/work_queue.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "testlib/folder.h"
#include "testlib/tap.h"

enum { PER_NAME = 8, AGAIN = 2000 };

struct bench {
	struct folder folder;
	struct sotto_work_queue *queue;
};

static void bench_open(struct bench *b, size_t length)
{
	char path[FOLDER_PATH_MAX];
	const struct sotto_work_options options = {
		.policy = path, .threads = {4, 1}, .length = length, .per_name = PER_NAME};
	struct sotto_error err = {""};
	FILE *f;

	folder_open(&b->folder);
	folder_file(&b->folder, "sotto.yaml", path);
	f = fopen(path, "w");
	REQUIRE(f);
	(void)fputs("budget: { epsilon: 1 }\n"
		    "tables: { t: { source: t.csv, unit: id, columns: { x: {} } } }\n",
		    f);
	(void)fclose(f);
	b->queue = NULL;
	if (sotto_work_start(&options, &b->queue, &err) != SOTTO_OK)
		tap_note("%s", err.text);
	REQUIRE(b->queue);
}

static void bench_close(struct bench *b)
{
	sotto_work_stop(b->queue);
	sotto_work_free(b->queue);
	folder_close(&b->folder);
}

/* A client that sends its next request as soon as it has the reply. */
struct client {
	struct sotto_work_queue *queue;
	unsigned left;
	atomic_uint *refused, *ended;
};

static void do_nothing(struct sotto_session *s, void *context, const struct sotto_error *why)
{
	(void)s;
	(void)context;
	(void)why;
}

static void ask_again(void *context)
{
	struct client *c = context;
	const struct sotto_work_job job = {
		.name = "ada", .work = do_nothing, .done = ask_again, .context = c};

	if (c->left-- == 0) {
		(void)atomic_fetch_add(c->ended, 1);
	} else if (sotto_work_add(c->queue, SOTTO_LANE_QUICK, &job) != SOTTO_OK) {
		(void)atomic_fetch_add(c->refused, 1);
		(void)atomic_fetch_add(c->ended, 1);
	}
}

static void as_many_clients_as_a_name_may_have_are_never_refused(void)
{
	struct client clients[PER_NAME];
	atomic_uint refused = 0, ended = 0;
	struct bench b;

	bench_open(&b, 256);
	for (size_t i = 0; i < PER_NAME; i++) {
		clients[i] = (struct client){
			.queue = b.queue, .left = AGAIN, .refused = &refused, .ended = &ended};
		ask_again(&clients[i]);
	}
	while (atomic_load(&ended) < PER_NAME)
		(void)sched_yield();
	CHECK_INT(atomic_load(&refused), 0);
	bench_close(&b);
}

/* ---- a gate ------------------------------------------------------------------------------------ */

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	bool is_open;
	atomic_uint arrived, done;
};

static void wait_at_gate(struct sotto_session *s, void *context, const struct sotto_error *why)
{
	struct gate *g = context;

	(void)s;
	(void)why;
	(void)atomic_fetch_add(&g->arrived, 1);
	pthread_mutex_lock(&g->lock);
	while (!g->is_open)
		pthread_cond_wait(&g->opened, &g->lock);
	pthread_mutex_unlock(&g->lock);
}

static void count_done(void *context)
{
	struct gate *g = context;

	(void)atomic_fetch_add(&g->done, 1);
}

static enum sotto_status
add_to(struct bench *b, enum sotto_lane lane, const char *name, struct gate *g)
{
	const struct sotto_work_job job = {
		.name = name, .work = wait_at_gate, .done = count_done, .context = g};

	return sotto_work_add(b->queue, lane, &job);
}

static enum sotto_status add(struct bench *b, const char *name, struct gate *g)
{
	return add_to(b, SOTTO_LANE_QUESTION, name, g);
}

static void gate_init(struct gate *g, bool is_open)
{
	*g = (struct gate){.is_open = is_open};
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->opened, NULL);
}

static void gate_open(struct gate *g)
{
	pthread_mutex_lock(&g->lock);
	g->is_open = true;
	pthread_cond_broadcast(&g->opened);
	pthread_mutex_unlock(&g->lock);
}

static void gate_release(struct gate *g)
{
	pthread_cond_destroy(&g->opened);
	pthread_mutex_destroy(&g->lock);
}

/* ---- turns ------------------------------------------------------------------------------------ */

static void quick_work_of_one_leaves_a_thread_for_others(void)
{
	struct gate shut, open;
	struct bench b;

	gate_init(&shut, false);
	gate_init(&open, true);
	bench_open(&b, 256);
	for (int i = 0; i < PER_NAME; i++)
		CHECK_INT(add_to(&b, SOTTO_LANE_QUICK, "ada", &shut), SOTTO_OK);
	CHECK_INT(add_to(&b, SOTTO_LANE_QUICK, "bob", &open), SOTTO_OK);
	while (atomic_load(&open.done) == 0) /* although none of ada's ever ends */
		(void)sched_yield();
	CHECK(atomic_load(&shut.arrived) <= 3);
	gate_open(&shut);
	sotto_work_stop(b.queue);
	CHECK_INT(atomic_load(&shut.done), PER_NAME);
	bench_close(&b);
	gate_release(&shut);
	gate_release(&open);
}

static void who_has_no_thread_comes_before_who_has_some(void)
{
	struct gate shut, soon, open;
	struct bench b;

	gate_init(&shut, false);
	gate_init(&soon, false);
	gate_init(&open, true);
	bench_open(&b, 256);
	for (int i = 0; i < 2; i++)
		CHECK_INT(add_to(&b, SOTTO_LANE_QUICK, "ada", &shut), SOTTO_OK);
	CHECK_INT(add_to(&b, SOTTO_LANE_QUICK, "eve", &shut), SOTTO_OK);
	CHECK_INT(add_to(&b, SOTTO_LANE_QUICK, "kim", &soon), SOTTO_OK);
	while (atomic_load(&shut.arrived) + atomic_load(&soon.arrived) < 4)
		(void)sched_yield();
	CHECK_INT(add_to(&b, SOTTO_LANE_QUICK, "ada", &shut), SOTTO_OK);
	CHECK_INT(add_to(&b, SOTTO_LANE_QUICK, "bob", &open), SOTTO_OK);
	gate_open(&soon); /* one thread is free */
	while (atomic_load(&open.done) == 0)
		(void)sched_yield();
	gate_open(&shut);
	sotto_work_stop(b.queue);
	CHECK_INT(atomic_load(&shut.done), 4);
	bench_close(&b);
	gate_release(&shut);
	gate_release(&soon);
	gate_release(&open);
}

/* ---- full lines ------------------------------------------------------------------------------- */

static void one_name_more_is_refused_and_another_is_not(void)
{
	struct gate g;
	struct bench b;
	unsigned added = 0;

	gate_init(&g, false);
	bench_open(&b, 10);
	for (int i = 0; i < PER_NAME; i++) {
		added += add(&b, "ada", &g) == SOTTO_OK;
		while (atomic_load(&g.arrived) == 0) /* the first is at work, and counts */
			(void)sched_yield();
	}
	CHECK_INT(added, PER_NAME);
	CHECK_INT(add(&b, "ada", &g), SOTTO_EBUDGET);
	CHECK_INT(add(&b, "bob", &g), SOTTO_OK);
	added++;
	/* The line is full once ten wait behind the one that is at work. */
	while (add(&b, "eve", &g) == SOTTO_OK)
		added++;
	CHECK_INT(added, 11);
	CHECK_INT(add(&b, "kim", &g), SOTTO_ESTATE);
	gate_open(&g);
	sotto_work_stop(b.queue);
	CHECK_INT(atomic_load(&g.done), added); /* stopping finishes what is in line */
	CHECK_INT(add(&b, "ada", &g), SOTTO_ESTATE);
	bench_close(&b);
	gate_release(&g);
}

/* ---- durations ---------------------------------------------------------------------------------- */

static void a_histogram_counts_each_reply_in_every_step_above_it(void)
{
	struct sotto_durations d = {0};
	struct sotto_buffer out;

	sotto_buffer_init(&out, 1 << 16);
	sotto_durations_add(&d, 5000000); /* as long as the first step */
	sotto_durations_add(&d, 5000001);
	sotto_durations_add(&d, 40000000000);
	CHECK_INT(sotto_durations_write(&d, "http", &out), SOTTO_OK);
	CHECK(strstr(sotto_buffer_text(&out), "{door=\"http\",le=\"0.005\"} 1\n"));
	CHECK(strstr(sotto_buffer_text(&out), "{door=\"http\",le=\"0.01\"} 2\n"));
	CHECK(strstr(sotto_buffer_text(&out), "{door=\"http\",le=\"30\"} 2\n"));
	CHECK(strstr(sotto_buffer_text(&out), "{door=\"http\",le=\"+Inf\"} 3\n"));
	CHECK(strstr(sotto_buffer_text(&out), "_sum{door=\"http\"} 40.010\n"));
	CHECK(strstr(sotto_buffer_text(&out), "_count{door=\"http\"} 3\n"));
	sotto_buffer_release(&out);
}

int main(void)
{
	RUN(as_many_clients_as_a_name_may_have_are_never_refused);
	RUN(quick_work_of_one_leaves_a_thread_for_others);
	RUN(who_has_no_thread_comes_before_who_has_some);
	RUN(one_name_more_is_refused_and_another_is_not);
	RUN(a_histogram_counts_each_reply_in_every_step_above_it);
	return tap_done();
}
