/* Mechanisms at size: choices among a million outcomes, vectors and streams of ten million. */
#include <stdlib.h>

#include "core/random/laplace/dlaplace.h"
#include "sotto/choose.h"
#include "sotto/noise.h"
#include "sotto/stream.h"
#include "timing.h"

enum { OUTCOMES = 1000000, VALUES = 10000000, TOP = 10 };

struct world {
	struct sotto_rng *rng;
	struct sotto_exact *values; /* VALUES of them, 0 .. 999 */
	struct sotto_noisy *noisy;
	int64_t *noise;
	struct sotto_noisy_max *one, *many;
	struct sotto_exponential *exponential;
	struct sotto_permute_and_flip *flip;
	struct sotto_laplace *laplace;
	struct sotto_dlaplace *alike; /* noise of the scale that noisy max uses */
	struct sotto_sparse_vector *stream, *numeric;
	struct sotto_truncated *truncated;
	struct sotto_staircase *staircase;
	struct sotto_randomized_response response;
};

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK) {
		fprintf(stderr, "%s\n", sotto_status_text(st));
		exit(1);
	}
}

static void set(struct sotto_rational *r, const char *text)
{
	sotto_rational_init(r);
	must(sotto_rational_parse(r, text, NULL));
}

static void open_mechanisms(struct world *w)
{
	struct sotto_rational epsilon, sensitivity, rate, half;
	struct sotto_selection s = {.epsilon = &epsilon, .sensitivity = &sensitivity};
	struct sotto_sparse_vector_options o = {
		.epsilon = &epsilon, .threshold = 5000, .sensitivity = 1, .positives = 1};

	set(&epsilon, "1");
	set(&sensitivity, "100");
	must(sotto_noisy_max_new(&s, 1, &w->one, NULL));
	must(sotto_noisy_max_new(&s, TOP, &w->many, NULL));
	must(sotto_exponential_new(&s, &w->exponential, NULL));
	must(sotto_permute_and_flip_new(&s, &w->flip, NULL));
	must(sotto_laplace_new(&epsilon, 1, &w->laplace));
	must(sotto_sparse_vector_new(&o, &w->stream, NULL));
	o.numeric = true;
	o.positives = OUTCOMES;
	o.threshold = 0;
	must(sotto_sparse_vector_new(&o, &w->numeric, NULL));
	must(sotto_truncated_new(&epsilon, 1, (struct sotto_range){0, 999}, &w->truncated,
				 NULL));
	must(sotto_staircase_new(&epsilon, 10, 0, &w->staircase, NULL));
	set(&half, "1/2");
	must(sotto_randomized_response_init(&w->response, &half, &half, NULL));
	sotto_rational_release(&half);
	set(&rate, "1/200");
	mpq_div_2exp(rate.q, rate.q, sotto_noisy_max_bits(w->one));
	must(sotto_dlaplace_new(&rate, &w->alike));
	sotto_rational_release(&epsilon);
	sotto_rational_release(&sensitivity);
	sotto_rational_release(&rate);
}

static void open_world(struct world *w)
{
	must(sotto_rng_open(&w->rng));
	w->values = malloc(VALUES * sizeof *w->values);
	w->noisy = malloc(VALUES * sizeof *w->noisy);
	w->noise = malloc(OUTCOMES * sizeof *w->noise);
	if (!w->values || !w->noisy || !w->noise)
		must(SOTTO_ENOMEM);
	for (uint64_t i = 0; i < VALUES; i++)
		w->values[i] = sotto_exact_of((int64_t)(i * 2654435761u % 1000));
	open_mechanisms(w);
}

static void close_world(struct world *w)
{
	sotto_noisy_max_free(w->one);
	sotto_noisy_max_free(w->many);
	sotto_exponential_free(w->exponential);
	sotto_permute_and_flip_free(w->flip);
	sotto_laplace_free(w->laplace);
	sotto_sparse_vector_free(w->stream);
	sotto_sparse_vector_free(w->numeric);
	sotto_truncated_free(w->truncated);
	sotto_staircase_free(w->staircase);
	sotto_randomized_response_release(&w->response);
	sotto_dlaplace_free(w->alike);
	sotto_rng_close(w->rng);
	free(w->values);
	free(w->noisy);
	free(w->noise);
}

static void run_noisy_max(void *context)
{
	struct world *w = context;
	size_t index;

	must(sotto_noisy_max_select(w->one, w->rng, w->values, OUTCOMES, &index));
}

static void run_top(void *context)
{
	struct world *w = context;
	size_t order[TOP];

	must(sotto_noisy_max_select(w->many, w->rng, w->values, OUTCOMES, order));
}

static void run_alike(void *context)
{
	struct world *w = context;

	must(sotto_dlaplace_fill(w->alike, w->rng, w->noise, OUTCOMES));
}

static void run_exponential(void *context)
{
	struct world *w = context;
	size_t index;

	must(sotto_exponential_select(w->exponential, w->rng, w->values, OUTCOMES, &index));
}

static void run_flip(void *context)
{
	struct world *w = context;
	size_t index;

	must(sotto_permute_and_flip_select(w->flip, w->rng, w->values, OUTCOMES, &index));
}

static void run_vector(void *context)
{
	struct world *w = context;

	must(sotto_laplace_publish_all(w->laplace, w->rng, w->values, w->noisy, VALUES));
}

static void run_stream(void *context)
{
	struct world *w = context;
	struct sotto_sparse_answer answer;
	size_t asked;

	sotto_sparse_vector_restart(w->stream);
	must(sotto_sparse_vector_scan(w->stream, w->rng, w->values, VALUES, &asked, &answer));
}

/* One value after another, as they have no bulk form. */

static void run_truncated(void *context)
{
	struct world *w = context;

	for (size_t i = 0; i < OUTCOMES; i++)
		must(sotto_truncated_publish(w->truncated, w->rng, w->values[i], &w->noisy[i]));
}

static void run_staircase(void *context)
{
	struct world *w = context;

	for (size_t i = 0; i < OUTCOMES; i++)
		must(sotto_staircase_publish(w->staircase, w->rng, w->values[i], &w->noisy[i]));
}

static void run_response(void *context)
{
	struct world *w = context;

	for (size_t i = 0; i < OUTCOMES; i++)
		must(sotto_randomized_response_publish(
			&w->response, w->rng, sotto_exact_of((int64_t)(i & 1)), &w->noisy[i]));
}

static void run_numeric(void *context)
{
	struct world *w = context;
	struct sotto_sparse_answer answer;

	sotto_sparse_vector_restart(w->numeric);
	for (size_t i = 0; i < OUTCOMES; i++)
		must(sotto_sparse_vector_ask(w->numeric, w->rng, w->values[i], &answer));
}

static void run_single(void *context)
{
	struct world *w = context;

	for (size_t i = 0; i < OUTCOMES; i++)
		must(sotto_laplace_publish(w->laplace, w->rng, w->values[i], &w->noisy[i]));
}

static void note_single(struct world *w, const char *what, void (*run)(void *))
{
	bench_note(what, bench_best(run, w, OUTCOMES), "Laplace, one by one",
		   bench_best(run_single, w, OUTCOMES));
}

int main(void)
{
	struct world w;

	bench_open("mechanism");
	open_world(&w);
	bench_row("noisy max, 10^6 outcomes", bench_best(run_noisy_max, &w, OUTCOMES),
		  "discrete Laplace alike", bench_best(run_alike, &w, OUTCOMES), BENCH_AT_MOST,
		  1.3, 1.0);
	bench_row("noisy max, 10^6 outcomes", bench_best(run_noisy_max, &w, OUTCOMES),
		  "numpy argmax of noise", bench_peer("numpy.noisy_max"), BENCH_FASTER, 1, 2);
	bench_row("exponential, 10^6 outcomes", bench_best(run_exponential, &w, OUTCOMES),
		  "numpy exp and cumsum", bench_peer("numpy.exponential"), BENCH_AT_MOST, 6, 4);
	bench_row("vector Laplace, 10^7 values", bench_best(run_vector, &w, VALUES),
		  "numpy laplace and rint", bench_peer("numpy.vector"), BENCH_FASTER, 3, 6);
	bench_row("above threshold, 10^7 queries", bench_best(run_stream, &w, VALUES),
		  "numpy laplace and argmax", bench_peer("numpy.above_threshold"), BENCH_FASTER,
		  3, 6);
	bench_note("top 10 of 10^6 outcomes", bench_best(run_top, &w, OUTCOMES),
		   "one-pass best", bench_best(run_noisy_max, &w, OUTCOMES));
	bench_note("permute-and-flip, 10^6 outcomes", bench_best(run_flip, &w, OUTCOMES),
		   "numpy exp and cumsum", bench_peer("numpy.exponential"));
	bench_note("vector Laplace", bench_best(run_vector, &w, VALUES), "OpenDP geometric",
		   bench_peer("opendp.vector"));
	bench_note("vector Laplace", bench_best(run_vector, &w, VALUES),
		   "diffprivlib Geometric", bench_peer("diffprivlib.vector"));
	bench_note("exponential", bench_best(run_exponential, &w, OUTCOMES),
		   "diffprivlib Exponential", bench_peer("diffprivlib.exponential"));
	note_single(&w, "truncated geometric, truncated Laplace", run_truncated);
	note_single(&w, "staircase", run_staircase);
	note_single(&w, "randomized response", run_response);
	note_single(&w, "numeric sparse", run_numeric);
	close_world(&w);
	return bench_close();
}
