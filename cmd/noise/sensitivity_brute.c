#include "noise/sensitivity_brute.h"

#include <string.h>

enum { VALUES = 3, CELLS = 3 };

/* How many records have each value. */
struct dataset {
	unsigned long of[VALUES];
	unsigned long n;
};

struct trial {
	const struct sotto_sensitivity_options *o;
	const char *name;
	mpq_t value[VALUES];
	mpq_t first[CELLS], second[CELLS]; /* answers of two datasets */
	mpq_t largest;
};

static size_t parts_of(const struct trial *t)
{
	return t->o->query == SOTTO_QUERY_HISTOGRAM ? CELLS : 1;
}

/* The record at the place of the query: the first, the last, or the (lower) middle one. */
static size_t order_statistic(const struct trial *t, const struct dataset *d)
{
	unsigned long place = strcmp(t->name, "min") == 0   ? 0
			      : strcmp(t->name, "max") == 0 ? d->n - 1
							    : (d->n - 1) / 2;
	size_t v = 0;

	while (place >= d->of[v])
		place -= d->of[v++];
	return v;
}

static void average(const struct trial *t, const struct dataset *d, bool squares, mpq_t out)
{
	mpq_t x, n;

	mpq_inits(x, n, (mpq_ptr)0);
	mpq_set_ui(out, 0, 1);
	for (size_t v = 0; v < VALUES; v++) {
		mpq_set_ui(n, d->of[v], 1);
		mpq_mul(x, n, t->value[v]);
		if (squares)
			mpq_mul(x, x, t->value[v]);
		mpq_add(out, out, x);
	}
	mpq_set_ui(n, d->n, 1);
	mpq_div(out, out, n);
	mpq_clears(x, n, (mpq_ptr)0);
}

static void variance(const struct trial *t, const struct dataset *d, mpq_t out)
{
	mpq_t mean, factor;

	mpq_inits(mean, factor, (mpq_ptr)0);
	average(t, d, false, mean);
	average(t, d, true, out);
	mpq_mul(mean, mean, mean);
	mpq_sub(out, out, mean);
	if (t->o->query == SOTTO_QUERY_SAMPLE_VARIANCE) {
		mpq_set_ui(factor, d->n, d->n - 1);
		mpq_canonicalize(factor);
		mpq_mul(out, out, factor);
	}
	mpq_clears(mean, factor, (mpq_ptr)0);
}

/* Of no record: the declared answer; counts and sums need none. */
static bool answer_nothing(const struct trial *t, const struct dataset *d, mpq_t out)
{
	enum sotto_query q = t->o->query;

	if (d->n || q == SOTTO_QUERY_COUNT || q == SOTTO_QUERY_COUNTS ||
	    q == SOTTO_QUERY_HISTOGRAM || q == SOTTO_QUERY_SUM)
		return false;
	if (t->o->empty)
		mpq_set(out, t->o->empty->q);
	else if (q == SOTTO_QUERY_AVERAGE || q == SOTTO_QUERY_QUANTILE)
		mpq_set(out, t->value[0]);
	else
		mpq_set_ui(out, 0, 1);
	return true;
}

static void answer(const struct trial *t, const struct dataset *d, mpq_t *out)
{
	mpq_t n;

	if (answer_nothing(t, d, out[0]))
		return;
	mpq_init(n);
	mpq_set_ui(n, d->n, 1);
	switch (t->o->query) {
	case SOTTO_QUERY_COUNT:
	case SOTTO_QUERY_COUNTS:
		mpq_set_ui(out[0], d->of[VALUES - 1], 1);
		break;
	case SOTTO_QUERY_HISTOGRAM:
		for (size_t v = 0; v < CELLS; v++)
			mpq_set_ui(out[v], d->of[v], 1);
		break;
	case SOTTO_QUERY_PERCENTAGE:
		mpq_set_ui(out[0], 100 * d->of[VALUES - 1], d->n);
		mpq_canonicalize(out[0]);
		break;
	case SOTTO_QUERY_SUM:
	case SOTTO_QUERY_AVERAGE:
		if (d->n == 0) {
			mpq_set_ui(out[0], 0, 1);
			break;
		}
		average(t, d, false, out[0]);
		if (t->o->query == SOTTO_QUERY_SUM)
			mpq_mul(out[0], out[0], n);
		break;
	case SOTTO_QUERY_QUANTILE:
		mpq_set(out[0], t->value[order_statistic(t, d)]);
		break;
	case SOTTO_QUERY_VARIANCE:
	case SOTTO_QUERY_SAMPLE_VARIANCE:
		variance(t, d, out[0]);
		break;
	}
	mpq_clear(n);
}

/* The sum of absolute changes; k counts all change as one does. */
static void compare(struct trial *t, const struct dataset *a, const struct dataset *b)
{
	mpq_t sum, x;

	mpq_inits(sum, x, (mpq_ptr)0);
	answer(t, a, t->first);
	answer(t, b, t->second);
	for (size_t i = 0; i < parts_of(t); i++) {
		mpq_sub(x, t->first[i], t->second[i]);
		mpq_abs(x, x);
		mpq_add(sum, sum, x);
	}
	if (t->o->query == SOTTO_QUERY_COUNTS) {
		mpq_set_ui(x, t->o->counts, 1);
		mpq_mul(sum, sum, x);
	}
	if (mpq_cmp(sum, t->largest) > 0)
		mpq_set(t->largest, sum);
	mpq_clears(sum, x, (mpq_ptr)0);
}

/* One record more of each value, or another value for one record. */
static void try_neighbours(struct trial *t, const struct dataset *d, unsigned long most)
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
	unsigned long least = t->o->minimum, most = least + BRUTE_MORE;

	for (unsigned long n = least; n <= most; n++)
		for (unsigned long a = 0; a <= n; a++)
			for (unsigned long b = 0; a + b <= n; b++) {
				const struct dataset d = {{a, b, n - a - b}, n};

				try_neighbours(t, &d, most);
			}
}

bool sensitivity_brute(const struct sotto_sensitivity_options *o, const char *name,
		       struct sotto_rational *largest)
{
	struct trial t = {.o = o, .name = name};

	if (o->minimum > BRUTE_MINIMUM_MAX || o->contributions > 1)
		return false;
	mpq_init(t.largest);
	for (size_t i = 0; i < VALUES; i++)
		mpq_inits(t.value[i], t.first[i], t.second[i], (mpq_ptr)0);
	if (o->low && o->high) {
		mpq_set(t.value[0], o->low->q);
		mpq_set(t.value[2], o->high->q);
		mpq_add(t.value[1], o->low->q, o->high->q);
		mpq_div_2exp(t.value[1], t.value[1], 1);
	}
	try_all(&t);
	if (o->factor) {
		mpq_abs(t.value[0], o->factor->q);
		mpq_mul(t.largest, t.largest, t.value[0]);
	}
	mpq_set(largest->q, t.largest);
	for (size_t i = 0; i < VALUES; i++)
		mpq_clears(t.value[i], t.first[i], t.second[i], (mpq_ptr)0);
	mpq_clear(t.largest);
	return true;
}
