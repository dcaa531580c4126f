#include "account/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account/pair.h"
#include "account/real.h"
#include "base/failure.h"

void sotto_measure_init(struct sotto_measure *m)
{
	*m = (struct sotto_measure){.lattice = true};
	mpq_inits(m->spacing, m->offset, (mpq_ptr)0);
}

void sotto_measure_release(struct sotto_measure *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->laws[i].class->release)
			m->laws[i].class->release(&m->laws[i]);
	free(m->laws);
	mpq_clears(m->spacing, m->offset, (mpq_ptr)0);
}

enum sotto_status sotto_measure_push(struct sotto_measure *m, uint64_t count,
				     struct sotto_law **law)
{
	struct sotto_law *grown;

	if (m->n == m->capacity) {
		size_t capacity = m->capacity ? 2 * m->capacity : 8;

		grown = realloc(m->laws, capacity * sizeof *grown);
		if (!grown)
			return SOTTO_ENOMEM;
		m->laws = grown;
		m->capacity = capacity;
	}
	*law = &m->laws[m->n];
	**law = (struct sotto_law){.count = count};
	return SOTTO_OK;
}

void sotto_measure_cumulants(const struct sotto_measure *m, double s, double k[3])
{
	k[0] = s * (s + 1) * m->mu2 / 2;
	k[1] = (s + 0.5) * m->mu2;
	k[2] = m->mu2;
	for (size_t i = 0; i < m->n; i++)
		m->laws[i].class->cumulants(&m->laws[i], s, k);
}

/* (1 - mass)^count, its log rounded both ways */
void sotto_measure_add_infinite(struct sotto_measure *m, const mpfr_t mass, uint64_t count)
{
	mpfr_t l;

	if (mpfr_zero_p(mass) || count == 0)
		return;
	mpfr_init2(l, SOTTO_PAIR_BITS);
	mpfr_neg(l, mass, MPFR_RNDN);
	mpfr_log1p(l, l, MPFR_RNDN);
	mpfr_mul_ui(l, l, count, MPFR_RNDN);
	m->log_finite_low =
		sotto_next_down(m->log_finite_low + sotto_next_down(sotto_real_double_down(l)));
	m->log_finite_high = fmin(
		0, sotto_next_up(m->log_finite_high + sotto_next_up(sotto_real_double_up(l))));
	mpfr_clear(l);
}

static void raise_top(struct sotto_measure *m, double top, uint64_t count)
{
	m->top = sotto_ulps_up(m->top + sotto_ulps_up(top * (double)count, 2), 1);
}

enum sotto_status sotto_measure_add_pair(struct sotto_measure *m, const struct sotto_pair *pair,
					 uint64_t count)
{
	struct sotto_law *law;
	mpfr_t finite, x;
	double top = 0;
	size_t n = 0;

	sotto_measure_add_infinite(m, pair->only_p, count);
	if (mpfr_cmp_ui(pair->only_p, 1) >= 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_measure_push(m, count, &law));
	SOTTO_TRY(sotto_law_atoms_init(law, pair->n));
	m->n++;
	mpfr_inits2(SOTTO_PAIR_BITS, finite, x, (mpfr_ptr)0);
	mpfr_ui_sub(finite, 1, pair->only_p, MPFR_RNDN);
	for (size_t i = 0; i < pair->n; i++) {
		if (mpfr_zero_p(pair->mass[i]))
			continue;
		mpfr_div(x, pair->mass[i], finite, MPFR_RNDN);
		law->loss[n] = mpfr_get_d(pair->loss[i], MPFR_RNDN);
		law->mass[n] = mpfr_get_d(x, MPFR_RNDN);
		law->loss_error[n] = 2 * SOTTO_U * fabs(law->loss[n]);
		law->mass_error[n] = 2 * SOTTO_U;
		top = fmax(top, law->loss[n]);
		n++;
	}
	law->n = n;
	law->top = sotto_ulps_up(top, 1);
	raise_top(m, law->top, count);
	mpfr_clears(finite, x, (mpfr_ptr)0);
	return SOTTO_OK;
}

/* spacing becomes the greatest common divisor, offset grows by count times its own */
static void join_lattice(struct sotto_measure *m, const mpq_t spacing, const mpq_t offset,
			 uint64_t count)
{
	mpz_t a, b;
	mpq_t shift;

	if (!m->lattice)
		return;
	mpz_inits(a, b, (mpz_ptr)0);
	mpq_init(shift);
	mpz_mul(a, mpq_numref(m->spacing), mpq_denref(spacing));
	mpz_mul(b, mpq_numref(spacing), mpq_denref(m->spacing));
	mpz_gcd(mpq_numref(shift), a, b);
	mpz_mul(mpq_denref(shift), mpq_denref(m->spacing), mpq_denref(spacing));
	mpq_canonicalize(shift);
	mpq_set(m->spacing, shift);
	mpq_set_ui(shift, count, 1);
	mpq_mul(shift, shift, offset);
	mpq_add(m->offset, m->offset, shift);
	mpq_clear(shift);
	mpz_clears(a, b, (mpz_ptr)0);
}

/* The lattice of an event's losses, where they have one with rational spacing. */
static bool lattice_of(const struct sotto_event *e, mpq_t spacing, mpq_t offset)
{
	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_APPROX:
	case SOTTO_EVENT_EXPONENTIAL:
		mpq_set(offset, e->a.q);
		mpq_mul_2exp(spacing, e->a.q, 1);
		return mpq_sgn(e->a.q) > 0;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		mpq_set(offset, e->a.q);
		mpq_set(spacing, e->a.q);
		return !e->flag;
	case SOTTO_EVENT_GEOMETRIC:
		mpq_mul_2exp(spacing, e->a.q, 1);
		mpq_set_ui(offset, e->n, 1);
		mpq_mul(offset, offset, e->a.q);
		return true;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		mpq_set_ui(spacing, e->n, 1);
		mpq_div(spacing, spacing, e->a.q);
		mpq_set_ui(offset, e->n, 2);
		mpq_canonicalize(offset);
		mpq_mul(offset, offset, spacing);
		return true;
	default:
		return false;
	}
}

static void note_lattice(struct sotto_measure *m, const struct sotto_event *e, uint64_t count)
{
	mpq_t spacing, offset;

	mpq_inits(spacing, offset, (mpq_ptr)0);
	if (lattice_of(e, spacing, offset))
		join_lattice(m, spacing, offset, count);
	else
		m->lattice = false;
	mpq_clears(spacing, offset, (mpq_ptr)0);
}

static double nearest(const mpq_t q)
{
	mpfr_t x;
	double d;

	mpfr_init2(x, 53);
	mpfr_set_q(x, q, MPFR_RNDN);
	d = mpfr_get_d(x, MPFR_RNDN);
	mpfr_clear(x);
	return d;
}

static enum sotto_status add_law(struct sotto_measure *m, const struct sotto_law_class *class,
				 const struct sotto_event *e, uint64_t count,
				 struct sotto_law **law)
{
	SOTTO_TRY(sotto_measure_push(m, count, law));
	m->n++;
	(*law)->class = class;
	(*law)->a = nearest(e->a.q);
	(*law)->n = e->n;
	return SOTTO_OK;
}

static enum sotto_status add_geometric(struct sotto_measure *m, const struct sotto_event *e,
				       uint64_t count)
{
	struct sotto_law *law;
	mpq_t total;

	SOTTO_TRY(add_law(m, &sotto_law_geometric, e, count, &law));
	mpq_init(total);
	mpq_set_ui(total, e->n, 1);
	mpq_mul(total, total, e->a.q);
	law->b = nearest(total);
	law->top = sotto_ulps_up(law->b, 1);
	raise_top(m, law->top, count);
	mpq_clear(total);
	return SOTTO_OK;
}

static enum sotto_status add_discrete_gaussian(struct sotto_measure *m,
					       const struct sotto_event *e, uint64_t count)
{
	struct sotto_law *law;

	SOTTO_TRY(add_law(m, &sotto_law_dgauss, e, count, &law));
	law->top = m->top = INFINITY;
	return SOTTO_OK;
}

static enum sotto_status add_as_pair(struct sotto_measure *m, const struct sotto_event *e,
				     uint64_t count, enum sotto_direction direction)
{
	struct sotto_pair pair = {0};
	enum sotto_status st;

	SOTTO_TRY(sotto_pair_of(&pair, e, direction));
	st = sotto_measure_add_pair(m, &pair, count);
	sotto_pair_release(&pair);
	return st;
}

static enum sotto_status add_sampled(struct sotto_measure *m, const struct sotto_event *e,
				     uint64_t count, enum sotto_direction direction)
{
	const struct sotto_event *child = e->children[0];
	struct sotto_law *law;

	m->one_sided = true;
	if (child->kind != SOTTO_EVENT_GAUSSIAN)
		return add_as_pair(m, e, count, direction);
	SOTTO_TRY(add_law(m, &sotto_law_sampled_gaussian, e, count, &law));
	law->b = law->a;
	law->a = sqrt(nearest(child->a.q));
	law->direction = direction;
	law->top = INFINITY;
	if (direction == SOTTO_ADD)
		law->top = sotto_ulps_up(-log1p(-law->b), 4);
	raise_top(m, law->top, count);
	return SOTTO_OK;
}

static enum sotto_status add_event(struct sotto_measure *m, const struct sotto_event *e,
				   uint64_t count, enum sotto_direction direction)
{
	note_lattice(m, e, count);
	switch (e->kind) {
	case SOTTO_EVENT_LAPLACE: /* gathered by add_laplaces */
		return SOTTO_OK;
	case SOTTO_EVENT_GAUSSIAN: /* summed by add_gaussians */
		return SOTTO_OK;
	case SOTTO_EVENT_GEOMETRIC:
		return add_geometric(m, e, count);
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return add_discrete_gaussian(m, e, count);
	case SOTTO_EVENT_SAMPLED:
		return add_sampled(m, e, count, direction);
	default:
		return add_as_pair(m, e, count, direction);
	}
}

/* All real Gaussian events are one: mu^2 adds. */
static void add_gaussians(struct sotto_measure *m, const struct sotto_terms *t)
{
	mpq_t sum, part;

	mpq_inits(sum, part, (mpq_ptr)0);
	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i].event->kind != SOTTO_EVENT_GAUSSIAN)
			continue;
		mpq_set_ui(part, t->list[i].count, 1);
		mpq_mul(part, part, t->list[i].event->a.q);
		mpq_add(sum, sum, part);
	}
	m->mu2 = nearest(sum);
	if (m->mu2 > 0)
		m->top = INFINITY;
	mpq_clears(sum, part, (mpq_ptr)0);
}

static size_t count_laplaces(const struct sotto_terms *t)
{
	size_t n = t->n_laplace;

	for (size_t i = 0; i < t->n; i++)
		n += t->list[i].event->kind == SOTTO_EVENT_LAPLACE;
	return n;
}

struct entry {
	double epsilon;
	uint64_t count;
};

static int compare_entries(const void *a, const void *b)
{
	double x = ((const struct entry *)a)->epsilon, y = ((const struct entry *)b)->epsilon;

	return (x > y) - (x < y);
}

/* The epsilons, ascending; equal doubles stay separate entries, which is harmless. */
static void collect_laplaces(struct sotto_law *law, const struct sotto_terms *t,
			     struct entry *list)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].event->kind == SOTTO_EVENT_LAPLACE)
			list[n++] = (struct entry){nearest(t->list[i].event->a.q),
						   t->list[i].count};
	for (size_t i = 0; i < t->n_laplace; i++)
		list[n++] = (struct entry){t->laplace[i], t->laplace_count[i]};
	if (t->n_laplace < n)
		qsort(list, n, sizeof *list, compare_entries);
	for (size_t i = 0; i < n; i++) {
		law->loss[i] = list[i].epsilon;
		law->counts[i] = list[i].count;
	}
}

static enum sotto_status add_laplaces(struct sotto_measure *m, const struct sotto_terms *t)
{
	size_t n = count_laplaces(t);
	struct entry *list;
	struct sotto_law *law;

	if (n == 0)
		return SOTTO_OK;
	m->lattice = false;
	list = malloc(n * sizeof *list);
	if (!list)
		return SOTTO_ENOMEM;
	if (sotto_measure_push(m, 1, &law) != SOTTO_OK) {
		free(list);
		return SOTTO_ENOMEM;
	}
	law->class = &sotto_law_laplace;
	law->n = n;
	law->loss = malloc(n * sizeof *law->loss);
	law->counts = malloc(n * sizeof *law->counts);
	m->n++;
	if (!law->loss || !law->counts) {
		free(list);
		return SOTTO_ENOMEM;
	}
	collect_laplaces(law, t, list);
	free(list);
	for (size_t i = 0; i < n; i++)
		raise_top(m, law->loss[i], law->counts[i]);
	return SOTTO_OK;
}

static enum sotto_status add_terms(struct sotto_measure *m, const struct sotto_terms *t,
				   enum sotto_direction direction)
{
	SOTTO_TRY(add_laplaces(m, t));
	for (size_t i = 0; i < t->n; i++)
		SOTTO_TRY(add_event(m, t->list[i].event, t->list[i].count, direction));
	add_gaussians(m, t);
	return SOTTO_OK;
}

enum sotto_status sotto_measure_of(struct sotto_measure *m, const struct sotto_terms *t,
				   enum sotto_direction direction)
{
	enum sotto_status st;

	sotto_measure_init(m);
	st = add_terms(m, t, direction);
	if (st != SOTTO_OK)
		sotto_measure_release(m);
	return st;
}
