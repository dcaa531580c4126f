/*
 * A thousand distinct nested events of one shape, or fewer: how far apart the sides are, and how many steps (work.h) they take.  What the sides must enclose is
 * checked elsewhere (test_group_hull.c, test_outcomes.c, test_pieces.c); here nothing may become wide or slow unnoticed.
 *
 * Seen to fail: a group's stretches between corners that are never halved, and of Laplace noise no more than six times (law_pieces_hull_corners.c); lists of few outcomes that are gathered, not summed up
 * (outcomes_repeat.c); samples of samples without a law of their own (law_outcomes.c); all pairs of outcomes looked at for how a law falls (law_atoms.c);
 * sampled Laplace noise cut into as few cells as one of many laws (discretized_curve_points.c); smoothing that goes by the order of a contour alone
 * (composed_curve_epsilon.c); a scan without a sweep (contour_sweep.c); no scan where far blocks are not smoothed (contour.c); draws of wide discrete Gaussian noise
 * multiplied out (outcomes.c); lists made for each event alone (law_outcomes.c); blocks that all laws are multiplied to in the same order (contour_blocks.c); sampled Laplace noise with panels of equal length (slaplace_panels.c); rare outcomes that may leave 2e-5 (composed_curve_epsilon.c);
 * points of groups that are not gathered (law_pieces_brief.c); a search that begins where every few laws say (contour_saddle.c);
 * seams of negative mass that are left out (law_pieces_find.c); a third fewer nodes where outcomes are smoothed (composed_curve_inside.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/loss/worse_direction.h"
#include "testlib/effort.h"
#include "testlib/tap.h"

enum { THOUSAND = 1000 };

/* A shape: {e} stands for an epsilon, {f} for one that may be large, {s} for a sigma, {r} for a rate, {q} and {i} for rates of samples and in them, {g} for a small sigma, {h} for one between 1 and 2, {w} for a large one, {v} for any, {u} for any and still smaller ones, {l} and {m} for low rates, {k} for people, {p} for more of them, {n} for repetitions. */
static const struct shape {
	const char *text;
	double steps;
	int events;
} shapes[] = {
	{"parallel(laplace(epsilon={e}), laplace(epsilon={e})*{n})", 1e8, THOUSAND},
	{"parallel(gaussian(sigma={s}), laplace(epsilon={e})*{n})", 1.2e8, THOUSAND},
	{"parallel(gaussian(sigma={s}), approx(epsilon={e}, delta=1e-14))", 7e7, THOUSAND},
	{"parallel(laplace(epsilon={e}), sampled(rate={r}, approx(epsilon={e}, "
	 "delta=1e-14))*{n})",
	 2e8, THOUSAND},
	{"parallel(gaussian(sigma={s}), sampled(rate={r}, pure(epsilon={e}))*{n})", 1.5e8,
	 THOUSAND},
	{"sampled(rate={r}, laplace(epsilon={e})*{n})", 2.2e8, THOUSAND},
	{"sampled(rate={r}, laplace(epsilon={e}))", 1.2e8, THOUSAND},
	{"sampled(rate={r}, discrete-gaussian(sigma={w})*{n})", 3.5e8, THOUSAND},
	{"sampled(rate={r}, discrete-gaussian(sigma={w})*{n})", 3e8, 100},
	{"sampled(rate={r}, randomized-response(epsilon={e}, k=7))", 1.5e8, THOUSAND},
	{"sampled(rate={r}, randomized-response(epsilon={e}, k=7))", 1.5e8, 100},
	{"sampled(rate={r}, sampled(rate={r}, approx(epsilon={e}, delta=1e-14))*2)", 5e7,
	 THOUSAND},
	{"sampled(rate={q}, sampled(rate={i}, gaussian(sigma={g}))*2)", 4.9e8, THOUSAND},
	{"sampled(rate={r}, laplace(epsilon={f}))", 2e8, 40},
	{"sampled(rate={r}, laplace(epsilon={f}))", 3e8, 100},
	{"sampled(rate={r}, laplace(epsilon={f}))", 4.5e8, 200},
	{"sampled(rate={l}, laplace(epsilon={f}))", 1.5e8, THOUSAND},
	{"sampled(rate={l}, sampled(rate={q}, laplace(epsilon={f})))", 1.5e8, THOUSAND},
	{"sampled(rate={r}, group(k={k}, laplace(epsilon={f})))", 2e8, THOUSAND},
	{"sampled(rate={m}, discrete-gaussian(sigma={h}))", 2.5e8, THOUSAND},
	{"sampled(rate={l}, discrete-gaussian(sigma={h}))", 4e8, THOUSAND},
	{"sampled(rate={r}, laplace(epsilon={f})*7)", 2.2e8, THOUSAND},
	{"sampled(rate={r}, discrete-gaussian(sigma={v})*{n})", 1.8e8, THOUSAND},
	{"group(k={k}, sampled(rate={r}, laplace(epsilon={e})*{n}))", 4e8, THOUSAND},
	{"group(k={k}, sampled(rate={r}, laplace(epsilon={f})))", 2e8, THOUSAND},
	{"group(k={k}, sampled(rate={r}, gaussian(sigma={s})))", 3e8, THOUSAND},
	{"group(k={k}, parallel(gaussian(sigma={s}), pure(epsilon={e})))", 3.3e8, THOUSAND},
	{"group(k={k}, parallel(gaussian(sigma={s}), approx(epsilon={e}, delta=1e-14)))", 2.5e8,
	 THOUSAND},
	{"group(k={k}, parallel(laplace(epsilon={e}), pure(epsilon={e})*{n}))", 1.5e8,
	 THOUSAND},
	{"sampled(rate={r}, parallel(gaussian(sigma={u}), laplace(epsilon={f})))", 4e8,
	 THOUSAND},
	{"sampled(rate={r}, parallel(discrete-gaussian(sigma={u}), laplace(epsilon={f})))", 3e8,
	 THOUSAND},
	{"sampled(rate={r}, group(k={p}, discrete-gaussian(sigma={u})))", 4e8, THOUSAND},
	{"group(k={p}, group(k={p}, discrete-gaussian(sigma={u})))", 3e8, THOUSAND},
	{"group(k={p}, sampled(rate={r}, gaussian(sigma={u})))", 4.5e8, THOUSAND},
	{"group(k={p}, parallel(randomized-response(epsilon={f}, k=10), laplace(epsilon={f})))",
	 4.5e8, 111},
};

/* A small generator: the same numbers everywhere. */
static double draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) * 0x1p-53;
}

static double between(uint64_t *state, double low, double high)
{
	return low * pow(high / low, draw(state));
}

/* Writes a number in place of each letter in braces. */
static void write_event(const char *shape, uint64_t *state, char *out, size_t size)
{
	size_t n = 0;

	for (; *shape && n + 32 < size; shape++) {
		if (*shape != '{') {
			out[n++] = *shape;
			continue;
		}
		switch (shape[1]) {
		case 'e':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 0.01, 0.5));
			break;
		case 'f':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 0.01, 3));
			break;
		case 's':
			n += (size_t)snprintf(out + n, size - n, "%.9g", between(state, 2, 20));
			break;
		case 'r':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 0.001, 0.5));
			break;
		case 'q':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 0.05, 0.5));
			break;
		case 'i':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 0.01, 0.2));
			break;
		case 'g':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 0.7, 4));
			break;
		case 'w':
			n += (size_t)snprintf(out + n, size - n, "%.9g", between(state, 5, 60));
			break;
		case 'v':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 0.6, 100));
			break;
		case 'u':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 0.3, 100));
			break;
		case 'p':
			n += (size_t)snprintf(out + n, size - n, "%d",
					      2 + (int)(draw(state) * 4));
			break;
		case 'h':
			n += (size_t)snprintf(out + n, size - n, "%.9g", between(state, 1, 2));
			break;
		case 'l':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 1e-4, 1e-3));
			break;
		case 'm':
			n += (size_t)snprintf(out + n, size - n, "%.9g",
					      between(state, 1e-3, 1e-2));
			break;
		default:
			n += (size_t)snprintf(out + n, size - n, "%d",
					      2 + (int)(draw(state) * 2));
		}
		shape += 2;
	}
	out[n] = 0;
}

static void check_shape(const struct shape *s)
{
	struct sotto_work work = {.left = SOTTO_WORK_WHOLE};
	uint64_t state = 1;
	struct sotto_level level;
	struct sotto_terms t;
	double lower, upper;

	sotto_terms_init(&t, SOTTO_ADD_REMOVE);
	t.work = &work;
	for (int i = 0; i < s->events; i++) {
		struct sotto_event *e = NULL;
		char text[240];

		write_event(s->text, &state, text, sizeof text);
		CHECK(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
		CHECK(sotto_terms_add(&t, e, 1) == SOTTO_OK);
		sotto_event_free(e);
	}
	sotto_terms_sort(&t);
	sotto_level_init_log(&level, log(1e-6));
	CHECK(sotto_worse_direction_epsilon(&t, &level, &lower, &upper) == SOTTO_OK);
	CHECK(lower > 0);
	CHECK(upper - lower <= 1e-6);
	CHECK(work.used <= s->steps);
	sotto_level_release(&level);
	sotto_terms_release(&t);
}

static void a_thousand_nested_events_are_sharp_and_quick(void)
{
	size_t stride = effort() == EFFORT_SANITIZED ? 4 : 1;

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += stride)
		check_shape(&shapes[i]);
}

int main(void)
{
	RUN(a_thousand_nested_events_are_sharp_and_quick);
	return tap_done();
}
