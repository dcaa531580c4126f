/* Tries every small dataset and its neighbours, and finds the largest change of the answer. */
#include "sensitivity/sensitivity_brute.h"

#include <string.h>

#include "read/numbers.h"

enum { VALUES = 3, CELLS = 3 };

/* How many records have each value. */
struct dataset {
	int64_t of[VALUES];
	int64_t n;
};

struct trial {
	const struct sotto_sensitivity_options *o;
	const char *name;
	struct sotto_rational value[VALUES];
	struct sotto_rational first[CELLS], second[CELLS]; /* answers of two datasets */
	struct sotto_rational largest;
};

static size_t parts_of(const struct trial *t)
{
	return t->o->query == SOTTO_QUERY_HISTOGRAM ? CELLS : 1;
}

/* The record at the place of the query: the first, the last, or the (lower) middle one. */
static size_t order_statistic(const struct trial *t, const struct dataset *d)
{
	int64_t place = strcmp(t->name, "min") == 0   ? 0
			: strcmp(t->name, "max") == 0 ? d->n - 1
						      : (d->n - 1) / 2;
	size_t v = 0;

	while (place >= d->of[v])
		place -= d->of[v++];
	return v;
}

static void average(const struct trial *t, const struct dataset *d, bool squares,
		    struct sotto_rational *out)
{
	struct sotto_rational x, n;

	sotto_rational_init(&x);
	sotto_rational_init(&n);
	sotto_rational_set_integer(out, 0);
	for (size_t v = 0; v < VALUES; v++) {
		sotto_rational_set_integer(&n, d->of[v]);
		sotto_rational_multiply(&x, &n, &t->value[v]);
		if (squares)
			sotto_rational_multiply(&x, &x, &t->value[v]);
		sotto_rational_add(out, out, &x);
	}
	sotto_rational_set_integer(&n, d->n);
	numbers_divide(out, out, &n);
	sotto_rational_release(&x);
	sotto_rational_release(&n);
}

static void variance(const struct trial *t, const struct dataset *d, struct sotto_rational *out)
{
	struct sotto_rational x;

	sotto_rational_init(&x);
	average(t, d, false, &x);
	average(t, d, true, out);
	sotto_rational_multiply(&x, &x, &x);
	sotto_rational_subtract(out, out, &x);
	if (t->o->query == SOTTO_QUERY_SAMPLE_VARIANCE) {
		sotto_rational_set_integer(&x, d->n);
		sotto_rational_multiply(out, out, &x);
		sotto_rational_set_integer(&x, d->n - 1);
		numbers_divide(out, out, &x);
	}
	sotto_rational_release(&x);
}

/* Without records it is the declared answer; counts and sums need none. */
static bool
answer_nothing(const struct trial *t, const struct dataset *d, struct sotto_rational *out)
{
	enum sotto_query q = t->o->query;

	if (d->n || q == SOTTO_QUERY_COUNT || q == SOTTO_QUERY_COUNTS ||
	    q == SOTTO_QUERY_HISTOGRAM || q == SOTTO_QUERY_SUM)
		return false;
	if (t->o->empty)
		sotto_rational_set(out, t->o->empty);
	else if (q == SOTTO_QUERY_AVERAGE || q == SOTTO_QUERY_QUANTILE)
		sotto_rational_set(out, &t->value[0]);
	else
		sotto_rational_set_integer(out, 0);
	return true;
}

static void answer(const struct trial *t, const struct dataset *d, struct sotto_rational *out)
{
	struct sotto_rational n;

	if (answer_nothing(t, d, &out[0]))
		return;
	sotto_rational_init(&n);
	sotto_rational_set_integer(&n, d->n);
	switch (t->o->query) {
	case SOTTO_QUERY_COUNT:
	case SOTTO_QUERY_COUNTS:
		sotto_rational_set_integer(&out[0], d->of[VALUES - 1]);
		break;
	case SOTTO_QUERY_HISTOGRAM:
		for (size_t v = 0; v < CELLS; v++)
			sotto_rational_set_integer(&out[v], d->of[v]);
		break;
	case SOTTO_QUERY_PERCENTAGE:
		sotto_rational_set_integer(&out[0], 100 * d->of[VALUES - 1]);
		numbers_divide(&out[0], &out[0], &n);
		break;
	case SOTTO_QUERY_SUM:
	case SOTTO_QUERY_AVERAGE:
		if (d->n == 0) {
			sotto_rational_set_integer(&out[0], 0);
			break;
		}
		average(t, d, false, &out[0]);
		if (t->o->query == SOTTO_QUERY_SUM)
			sotto_rational_multiply(&out[0], &out[0], &n);
		break;
	case SOTTO_QUERY_QUANTILE:
		sotto_rational_set(&out[0], &t->value[order_statistic(t, d)]);
		break;
	case SOTTO_QUERY_VARIANCE:
	case SOTTO_QUERY_SAMPLE_VARIANCE:
		variance(t, d, &out[0]);
		break;
	}
	sotto_rational_release(&n);
}

/* sum += |a - b| */
static void add_distance(struct sotto_rational *sum, const struct sotto_rational *a,
			 const struct sotto_rational *b)
{
	struct sotto_rational x;
	bool less = sotto_rational_compare(a, b) < 0;

	sotto_rational_init(&x);
	sotto_rational_subtract(&x, less ? b : a, less ? a : b);
	sotto_rational_add(sum, sum, &x);
	sotto_rational_release(&x);
}

/* The sum of absolute changes; k counts all change as one does. */
static void compare(struct trial *t, const struct dataset *a, const struct dataset *b)
{
	struct sotto_rational sum, counts;

	sotto_rational_init(&sum);
	sotto_rational_init(&counts);
	answer(t, a, t->first);
	answer(t, b, t->second);
	for (size_t i = 0; i < parts_of(t); i++)
		add_distance(&sum, &t->first[i], &t->second[i]);
	if (t->o->query == SOTTO_QUERY_COUNTS) {
		sotto_rational_set_integer(&counts, (int64_t)t->o->counts);
		sotto_rational_multiply(&sum, &sum, &counts);
	}
	if (sotto_rational_compare(&sum, &t->largest) > 0)
		sotto_rational_set(&t->largest, &sum);
	sotto_rational_release(&sum);
	sotto_rational_release(&counts);
}

/* One record more of each value, or another value for one record. */
static void try_neighbours(struct trial *t, const struct dataset *d, int64_t most)
{
	for (size_t to = 0; to < VALUES; to++) {
		struct dataset other = *d;

		other.of[to]++;
		if (!t->o->replace && d->n < most) {
			other.n++;
			compare(t, d, &other);
			continue;
		}
		for (size_t from = 0; t->o->replace && from < VALUES; from++) {
			if (d->of[from] == 0)
				continue;
			other.of[from]--;
			compare(t, d, &other);
			other.of[from]++;
		}
	}
}

static void try_all(struct trial *t)
{
	int64_t least = (int64_t)t->o->minimum, most = least + BRUTE_MORE;

	for (int64_t n = least; n <= most; n++)
		for (int64_t a = 0; a <= n; a++)
			for (int64_t b = 0; a + b <= n; b++) {
				const struct dataset d = {{a, b, n - a - b}, n};

				try_neighbours(t, &d, most);
			}
}

static void trial_init(struct trial *t)
{
	sotto_rational_init(&t->largest);
	for (size_t i = 0; i < VALUES; i++) {
		sotto_rational_init(&t->value[i]);
		sotto_rational_init(&t->first[i]);
		sotto_rational_init(&t->second[i]);
	}
}

static void trial_release(struct trial *t)
{
	for (size_t i = 0; i < VALUES; i++) {
		sotto_rational_release(&t->value[i]);
		sotto_rational_release(&t->first[i]);
		sotto_rational_release(&t->second[i]);
	}
	sotto_rational_release(&t->largest);
}

bool sensitivity_brute(const struct sotto_sensitivity_options *o, const char *name,
		       struct sotto_rational *largest)
{
	struct trial t = {.o = o, .name = name};

	if (o->minimum > BRUTE_MINIMUM_MAX || o->contributions > 1)
		return false;
	trial_init(&t);
	if (o->low && o->high) {
		sotto_rational_set(&t.value[0], o->low);
		sotto_rational_set(&t.value[2], o->high);
		sotto_rational_add(&t.value[1], o->low, o->high);
		sotto_rational_scale(&t.value[1], &t.value[1], -1);
	}
	try_all(&t);
	if (o->factor) {
		sotto_rational_multiply(&t.largest, &t.largest, o->factor);
		if (sotto_rational_sign(&t.largest) < 0)
			sotto_rational_subtract(&t.largest, &(struct sotto_rational){0},
						&t.largest);
	}
	sotto_rational_set(largest, &t.largest);
	trial_release(&t);
	return true;
}
