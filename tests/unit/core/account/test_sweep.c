/*
 * What pairs of likely outcomes say of many laws at once (contour_sweep.c), against the product of all laws at every node of a line: it is never smaller, and mostly
 * near enough to leave a node out.
 *
 * Seen to fail: bounds multiplied twice; weights twice as large as they are (law_atoms.c, law_slaplace.c), or eight times (law_gathered.c), where the heaviest
 * outcomes are a small part.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/contour/contour_sweep.h"
#include "testlib/tap.h"

enum { EVENTS = 100, BLOCKS = 1536 };

static void must(bool done)
{
	if (!done)
		abort();
}

/* Distinct events of one shape, in which %g stands for a rate and then for a scale. */
struct line {
	const char *shape;
	double rate, scale, c, h;
	size_t stride; /* of the blocks that are looked at, after as many: far out sampled Laplace noise takes many steps */
};

static const struct line lines[] = {
	{"sampled(rate=%.9g, discrete-gaussian(sigma=%.9g))", 0.0003, 1, 8, 0.8, 1},
	{"sampled(rate=%.9g, discrete-gaussian(sigma=%.9g))", 0.1, 8, 6, 0.3, 1},
	{"sampled(rate=%.9g, pure(epsilon=%.9g))", 0.02, 0.5, 5, 0.3, 1},
	{"sampled(rate=%.9g, laplace(epsilon=%.9g))", 0.02, 0.5, 5, 0.05, 24},
};

static void
measure_of(const struct line *l, struct sotto_terms *t, struct sotto_loss_measure *m)
{
	sotto_terms_init(t, SOTTO_ADD_REMOVE);
	for (size_t i = 0; i < EVENTS; i++) {
		double x = 1 + (double)i / EVENTS;
		struct sotto_event *e = NULL;
		char text[200];

		(void)snprintf(text, sizeof text, l->shape, l->rate * x * x * x, l->scale * x);
		must(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
		must(sotto_terms_add(t, e, 1) == SOTTO_OK);
		sotto_event_free(e);
	}
	sotto_terms_sort(t);
	must(sotto_measure_of(m, t, SOTTO_REMOVE) == SOTTO_OK);
}

/* |product of all laws| at the nodes of a block, or less. */
static void product(const struct sotto_scan_line *line, size_t block, double *size)
{
	struct sotto_block b = {
		.c = line->c, .h = line->h, .first = block * SOTTO_BLOCK, .n = SOTTO_BLOCK};

	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	for (size_t i = 0; i < line->m->n; i++)
		line->m->laws[i].class->apply(&line->m->laws[i], line->state[i], &b);
	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		size[j] = cx_abs(cx_of(b.re[j], b.im[j])) * (1 - b.relative[j]) - b.absolute[j];
}

static void
check_bounds(const double *bounds, const struct sotto_scan_line *line, size_t stride)
{
	size_t small = 0, wrong = 0;

	for (size_t i = 0; i < BLOCKS; i += i < stride ? 1 : stride) {
		double size[SOTTO_BLOCK];

		product(line, i, size);
		for (size_t j = 0; j < SOTTO_BLOCK; j++) {
			double bound = bounds[i * SOTTO_SCAN_BOUNDS + j / SOTTO_SCAN_NODES];

			wrong += !(size[j] <= bound);
			small += bound < 1e-3;
		}
	}
	CHECK(wrong == 0);
	CHECK(small > BLOCKS / stride * SOTTO_BLOCK / 4);
}

static void check_line(const struct line *l)
{
	struct sotto_loss_measure m;
	struct sotto_terms t;
	size_t swept = 0;
	void *state[EVENTS] = {NULL};
	bool is_swept[EVENTS] = {false};
	struct sotto_scan_line line = {&m, state, l->c, l->h, 1e-12};
	double *bound = calloc(BLOCKS * SOTTO_SCAN_BOUNDS, sizeof *bound);

	measure_of(l, &t, &m);
	must(bound && m.n == EVENTS);
	for (size_t i = 0; i < m.n; i++) {
		double log_m, slack;

		must(m.laws[i].class->begin(&m.laws[i], l->c, l->h, &state[i], &log_m,
					    &slack) == SOTTO_OK);
	}
	for (size_t i = 0; i < BLOCKS * SOTTO_SCAN_BOUNDS; i++)
		bound[i] = 1;
	CHECK(sotto_scan_sweep(bound, BLOCKS, &line, is_swept) == SOTTO_OK);
	for (size_t i = 0; i < m.n; i++)
		swept += is_swept[i];
	CHECK(4 * swept > 3 * m.n);
	check_bounds(bound, &line, l->stride);
	for (size_t i = 0; i < m.n; i++)
		m.laws[i].class->end(state[i]);
	free(bound);
	sotto_measure_release(&m);
	sotto_terms_release(&t);
}

static void no_product_is_above_what_was_swept(void)
{
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		check_line(&lines[i]);
}

int main(void)
{
	RUN(no_product_is_above_what_was_swept);
	return tap_done();
}
