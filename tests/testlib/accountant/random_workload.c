/*
 * Draws one of a few shapes that the oracle can handle and writes the same events as text for
 * the product; the seed alone decides.
 */
#include "testlib/accountant/random_workload.h"

#include <stdio.h>
#include <string.h>

unsigned random_below(uint64_t *state, unsigned n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % n);
}

static unsigned below(struct random_workload *w, unsigned n)
{
	return random_below(&w->state, n);
}

/* low to high hundredths, as text that lives as long as the workload */
static const char *hundredths(struct random_workload *w, unsigned low, unsigned high)
{
	unsigned x = low + below(w, high - low + 1);
	char *text = w->numbers[w->used++];

	(void)snprintf(text, sizeof w->numbers[0], "%u.%02u", x / 100, x % 100);
	return text;
}

static struct oracle_event finite_event(struct random_workload *w)
{
	struct oracle_event e = {.count = 1};

	e.kind = (enum oracle_kind)below(w, ORACLE_DISCRETE_GAUSSIAN + 1);
	e.a = hundredths(w, 5, 250);
	e.n = 2 + below(w, 7);
	if (e.kind == ORACLE_APPROX) {
		static const char *const some[] = {"1e-3", "1/7", "1e-9", "0.02"};

		e.b = some[below(w, 4)];
	} else if (e.kind == ORACLE_GEOMETRIC) {
		e.n = 1 + below(w, 4);
	} else if (e.kind == ORACLE_DISCRETE_GAUSSIAN) {
		e.a = hundredths(w, 40, 300);
		e.n = 1 + below(w, 2);
	}
	return e;
}

static struct oracle_event *push(struct random_workload *w, struct oracle_event e)
{
	w->events[w->n] = e;
	return &w->events[w->n++];
}

static void push_gaussian(struct random_workload *w)
{
	(void)push(w, (struct oracle_event){.kind = ORACLE_GAUSSIAN,
					    .a = hundredths(w, 60, 400),
					    .count = 1 + below(w, 5)});
}

static void push_laplaces(struct random_workload *w, unsigned most)
{
	(void)push(w, (struct oracle_event){.kind = ORACLE_LAPLACE,
					    .a = hundredths(w, 5, 200),
					    .count = 1 + below(w, most)});
}

static void push_finite(struct random_workload *w, unsigned most)
{
	struct oracle_event *e = push(w, finite_event(w));

	e->count = 1 + below(w, e->kind <= ORACLE_APPROX ? most : (most + 4) / 5);
}

static void push_sampled_gaussian(struct random_workload *w)
{
	(void)push(w, (struct oracle_event){.kind = ORACLE_GAUSSIAN,
					    .a = hundredths(w, 60, 400),
					    .rate = hundredths(w, 1, 90),
					    .count = 1});
}

static void push_sampled_finite(struct random_workload *w, unsigned most)
{
	struct oracle_event *e = push(w, finite_event(w));

	e->rate = hundredths(w, 1, 90);
	e->count = e->kind <= ORACLE_APPROX ? 1 + below(w, most) : 1;
}

static void push_cells(struct random_workload *w)
{
	struct oracle_event *e = push(w, finite_event(w)), *other = &w->cells[w->n];

	*other = finite_event(w);
	if (below(w, 3) == 0)
		other->rate = hundredths(w, 10, 90);
	e->beside = other;
	e->count = 1 + below(w, 3);
	if (e->kind == ORACLE_DISCRETE_GAUSSIAN || other->kind == ORACLE_DISCRETE_GAUSSIAN)
		e->count = 1;
}

static void push_sampled_laplace(struct random_workload *w, unsigned most)
{
	(void)push(w, (struct oracle_event){.kind = ORACLE_LAPLACE,
					    .a = hundredths(w, 5, 100),
					    .rate = hundredths(w, 1, 90),
					    .count = 1 + below(w, most)});
}

static void push_shuffle(struct random_workload *w)
{
	(void)push(w, (struct oracle_event){.kind = below(w, 2) ? ORACLE_SHUFFLE
								: ORACLE_BINARY_SHUFFLE,
					    .a = hundredths(w, 20, 150),
					    .n = 2 + below(w, 40),
					    .count = 1});
}

/* One of the shapes that the oracle can do. */
static void fill(struct random_workload *w)
{
	switch (below(w, 13)) {
	case 0:
		push_finite(w, 30);
		break;
	case 1:
		push_finite(w, 10);
		push_finite(w, 5);
		break;
	case 2:
		push_finite(w, 10);
		push_gaussian(w);
		break;
	case 3:
		push_laplaces(w, 8);
		break;
	case 4:
		push_laplaces(w, 4);
		(void)push(w, (struct oracle_event){.kind = ORACLE_PURE,
						    .a = hundredths(w, 5, 150),
						    .count = 1 + below(w, 5)});
		break;
	case 5:
		push_laplaces(w, 4);
		push_gaussian(w);
		break;
	case 6:
		push_sampled_gaussian(w);
		if (below(w, 2))
			push_gaussian(w);
		break;
	case 7:
		push_sampled_gaussian(w);
		push_gaussian(w);
		(void)push(w, (struct oracle_event){.kind = ORACLE_PURE,
						    .a = hundredths(w, 5, 150),
						    .count = 1 + below(w, 3)});
		break;
	case 8:
		push_sampled_finite(w, 30);
		if (below(w, 2))
			push_gaussian(w);
		break;
	case 9:
		push_cells(w);
		if (below(w, 2))
			push_gaussian(w);
		break;
	case 10:
		push_sampled_laplace(w, 1);
		(void)push(w, (struct oracle_event){.kind = ORACLE_PURE,
						    .a = hundredths(w, 5, 150),
						    .count = below(w, 4)});
		break;
	case 11:
		push_sampled_laplace(w, 2);
		push_gaussian(w);
		break;
	default:
		push_shuffle(w);
		break;
	}
}

/* One event without its count. */
static void write_event(char *out, size_t size, const struct oracle_event *e)
{
	static const char *const shapes[] = {
		[ORACLE_PURE] = "pure(epsilon=%s)",
		[ORACLE_APPROX] = "approx(epsilon=%s, delta=%s)",
		[ORACLE_LAPLACE] = "laplace(epsilon=%s)",
		[ORACLE_GAUSSIAN] = "gaussian(sigma=%s)",
	};
	static const char *const sized[] = {
		[ORACLE_RESPONSE] = "randomized-response(epsilon=%s, k=%u)",
		[ORACLE_GEOMETRIC] = "geometric(epsilon=%s, sensitivity=%u)",
		[ORACLE_DISCRETE_GAUSSIAN] = "discrete-gaussian(sigma=%s, sensitivity=%u)",
		[ORACLE_SHUFFLE] = "shuffle(epsilon0=%s, n=%u)",
		[ORACLE_BINARY_SHUFFLE] = "shuffle(epsilon0=%s, n=%u, randomizer=binary)",
	};
	char inner[160];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (e->kind >= ORACLE_RESPONSE && e->kind <= ORACLE_BINARY_SHUFFLE)
		(void)snprintf(inner, sizeof inner, sized[e->kind], e->a, e->n);
	else
		(void)snprintf(inner, sizeof inner, shapes[e->kind], e->a, e->b);
#pragma GCC diagnostic pop
	if (e->rate)
		(void)snprintf(out, size, "sampled(rate=%s, %s)", e->rate, inner);
	else
		(void)snprintf(out, size, "%s", inner);
}

static void write_text(struct random_workload *w)
{
	size_t length = 0;

	for (size_t i = 0; i < w->n; i++) {
		char one[200], other[200];

		write_event(one, sizeof one, &w->events[i]);
		if (w->events[i].beside) {
			write_event(other, sizeof other, w->events[i].beside);
			length += (size_t)snprintf(w->text + length, sizeof w->text - length,
						   "%sparallel(%s, %s)*%u", i ? ";" : "", one,
						   other, w->events[i].count);
		} else {
			length += (size_t)snprintf(w->text + length, sizeof w->text - length,
						   "%s%s*%u", i ? ";" : "", one,
						   w->events[i].count);
		}
	}
}

void random_workload(struct random_workload *w, uint64_t seed)
{
	memset(w, 0, sizeof *w);
	w->state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (int i = 0; i < 4; i++)
		(void)below(w, 2);
	fill(w);
	write_text(w);
}
