/*
 * A power series in the mean difference of the reports, whose moments are sums over groups of
 * clones; a rough exponential bound serves few clones and orders too high for the series.
 */
#include "core/account/law/law_shuffle.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/law_clones.h"

/* Terms of the series, and groups of clones that its moments are sums over. */
enum { TERMS = 24, GROUPS = 1024 };

/* Groups for which a rough bound has to do: of those too few for the series, and of the others. */
enum { FEW = 16, ALL = 2 * FEW };

/* More users than this are not counted; with fewer clones the series would end too late. */
#define USERS_MAX 1e7
#define CLONES_MIN 100
/*
 * Probability of what is not kept, 4 exp(-tail).  The best order of few events grows with the root of their clones;
 * many events make orders low.
 */
#define TAIL 1000.0
#define TAIL_PER_ROOT 8.0
#define TAIL_OF_MANY 300.0
enum { FEW_EVENTS = 4, MANY_EVENTS = 300 };

/* Steps for each root of a user (work.h), by how far the tail reaches. */
#define STEPS 1e4
#define STEPS_OF_FEW 2e3
#define STEPS_OF_SOME 100
#define STEPS_OF_MANY 40

/*
 * half_tanh is tanh(e0/2), local_epsilon is e0, n the fewest reports that a series is for; loss[k] = tanh^2k (2k-1)!!
 * E n^-k, and what was not kept has a probability of at most 4 exp(-loss[0]).  mass holds ALL groups, their
 * probabilities and then their least n.
 */

double sotto_law_shuffle_steps(const struct sotto_event *e, size_t events)
{
	double root = sqrt(fmin((double)e->users, USERS_MAX));

	return STEPS + root * (events <= FEW_EVENTS    ? STEPS_OF_FEW
			       : events <= MANY_EVENTS ? STEPS_OF_SOME
						       : STEPS_OF_MANY);
}

bool sotto_law_shuffle_fits(const struct sotto_event *e)
{
	struct sotto_clones s = sotto_clones_of(e, USERS_MAX, TAIL_OF_MANY);

	return s.p < 1 && s.users * s.p > 2 * CLONES_MIN;
}

/* Adds mass n^-k to each moment. */
static void add_group(double *moment, double mass, double n)
{
	double each = 1 / n;

	for (int k = 1; k <= TERMS; k++) {
		mass *= each;
		moment[k] += mass;
	}
}

/*
 * The fewest reports that the series is for: its rest, which falls with them as (2e)^(-n/4), and the
 * probability that there are fewer are then about as harmful.
 */
static double fewest(const struct sotto_clones *s)
{
	double below = 0;

	for (size_t i = 0; i < s->count; i++) {
		double n = s->low + (double)i + 1;

		if (n >= CLONES_MIN && -log(below) < 0.125 * log(2 * M_E) * n)
			return n;
		below += s->mass[i];
	}
	return s->high + 1;
}

/* Every run of clones by its fewest. */
static void add_clones(struct sotto_law *law, const struct sotto_clones *s)
{
	size_t run = s->count / GROUPS + 1, few = (size_t)((double)law->n - s->low - 1);

	for (size_t i = few; i < s->count; i += run) {
		double sum = 0;

		for (size_t j = i; j < i + run && j < s->count; j++)
			sum += s->mass[j];
		add_group(law->loss, sum, s->low + (double)i + 1);
	}
}

/* Clones from, ..., to - 1 in FEW groups. */
static void
group(struct sotto_law *law, const struct sotto_clones *s, size_t from, size_t to, size_t first)
{
	size_t run = (to - from) / FEW + 1;

	for (size_t g = 0; g < FEW; g++) {
		size_t start = from + g * run, end = start + run;

		law->mass[ALL + first + g] = s->low + (double)start + 1;
		for (size_t i = start; i < end && i < to; i++)
			law->mass[first + g] += s->mass[i];
	}
}

enum sotto_status
sotto_law_shuffle_init(struct sotto_law *law, const struct sotto_event *e, size_t events)
{
	struct sotto_clones s = sotto_clones_of(e, USERS_MAX, TAIL_OF_MANY);
	double tail = events > MANY_EVENTS ? TAIL_OF_MANY : TAIL, error, scale = 1;
	size_t few;

	if (events <= FEW_EVENTS)
		tail += TAIL_PER_ROOT * sqrt(s.users * s.p);
	s = sotto_clones_of(e, USERS_MAX, tail);
	law->class = &sotto_law_shuffle;
	law->local_epsilon = law->top = sotto_rational_double_up(&e->local_epsilon);
	law->half_tanh = tanh(law->local_epsilon / 2) * (1 + 8 * SOTTO_U);
	law->loss = calloc(TERMS + 1 + 2 * ALL, sizeof *law->loss);
	if (!law->loss || sotto_clones_weigh(&s) != SOTTO_OK)
		return SOTTO_ENOMEM;
	law->mass = law->loss + TERMS + 1;
	law->n = (uint64_t)fewest(&s);
	few = (size_t)((double)law->n - s.low - 1);
	group(law, &s, 0, few, 0);
	group(law, &s, few, s.count, FEW);
	add_clones(law, &s);
	error = SOTTO_U * (256 + 16 * (double)s.count);
	law->loss[0] = tail;
	for (int g = 0; g < ALL; g++)
		law->mass[g] *= 1 + error;
	for (int k = 1; k <= TERMS; k++) {
		scale *= (2 * k - 1) * law->half_tanh * law->half_tanh;
		law->loss[k] *= scale * (1 + error);
	}
	free(s.mass);
	return SOTTO_OK;
}

static void release(struct sotto_law *law)
{
	free(law->loss);
}

/* Coefficients of (1+w)^(s+1) (1-w)^-s, and their derivatives by s. */
struct coefficient {
	double a, slope, bend;
};

/* (j+1) a[j+1] = (2s+1) a[j] + (j-2) a[j-1], all of it positive from j = 2 on */
static struct coefficient
next(double s, int j, struct coefficient now, struct coefficient before)
{
	double m = 2 * s + 1, i = j - 2, d = j + 1;

	return (struct coefficient){
		(m * now.a + i * before.a) / d,
		(m * now.slope + 2 * now.a + i * before.slope) / d,
		(m * now.bend + 4 * now.slope + i * before.bend) / d,
	};
}

/*
 * For n reports (1+w) ((1+w)/(1-w))^s is at most 2 exp(s e0 |v|), w = tanh(e0/2) v, whose mean is at most
 * 4 exp((s e0)^2/(2n)).  The sum over some of the groups, and what was not kept.
 */
static double rough(const struct sotto_law *law, double s, int groups)
{
	double x = s * law->local_epsilon, sum = 8 * exp(x - law->loss[0]);

	for (int g = 0; g < groups; g++)
		if (law->mass[g] > 0)
			sum += 4 * exp(log(law->mass[g]) +
				       fmin(x, x * x / (2 * law->mass[ALL + g])));
	return sum * (1 + 4096 * SOTTO_U);
}

/*
 * What the terms after the last add: each coefficient is at most that of (1-w)^-(2s+1), the next terms fall by
 * half and more while 4k < n, and what lies beyond is at most 2e (2e)^(-n/4) of all.  INFINITY where they do not fall.
 */
static double rest(const struct sotto_law *law, double s, double binomial)
{
	double n = (double)law->n, square = law->half_tanh * law->half_tanh, first;
	const double ends[2] = {TERMS, n / 4};

	for (int i = 0; i < 2; i++) {
		double k = ends[i],
		       ratio = (2 * s + 2 * k + 1) * (2 * s + 2 * k + 2) / (2 * k + 2);

		if (!(ratio * square / n < 0.5))
			return INFINITY;
	}
	first = binomial * law->loss[TERMS] * (2 * TERMS + 1) * square / n;
	return 2 * first + exp((2 * s + 1) * law->local_epsilon - n / 4 * log(2 * M_E) + 3) +
	       rough(law, s, FEW);
}

/* M(s) - 1, rounded up, and roughly its derivatives. */
static void excess(const struct sotto_law *law, double s, double m[3])
{
	struct coefficient before = {2 * s + 1, 2, 0}, now = {2 * s * (s + 1), 4 * s + 2, 4};
	double binomial = (2 * s + 1) * (s + 1); /* of (1-w)^-(2s+1), of the same degree */

	m[0] = m[1] = m[2] = 0;
	for (int k = 1;; k++) {
		struct coefficient after = next(s, 2 * k, now, before);

		m[0] += now.a * law->loss[k];
		m[1] += now.slope * law->loss[k];
		m[2] += now.bend * law->loss[k];
		binomial *= (2 * s + 2 * k + 1) * (2 * s + 2 * k + 2) /
			    ((2.0 * k + 1) * (2 * k + 2));
		if (k == TERMS)
			break;
		before = after;
		now = next(s, 2 * k + 1, after, now);
	}
	m[0] = (m[0] + rest(law, s, binomial)) * (1 + 16 * TERMS * SOTTO_U);
}

/* Where the series does not end the rough bound has to do, and no loss is above epsilon0. */
static void one_cumulants(const struct sotto_law *law, double s, double k[3])
{
	double m[3], least = log(rough(law, s, ALL));

	excess(law, s, m);
	k[0] = log1p(m[0]) * (1 + 4 * SOTTO_U);
	k[1] = m[1] / (1 + m[0]);
	k[2] = m[2] / (1 + m[0]) - k[1] * k[1];
	if (k[0] < fmin(least, s * law->local_epsilon))
		return;
	k[0] = fmin(least, s * law->local_epsilon) * (1 + 8 * SOTTO_U) + 8 * SOTTO_U;
	k[1] = fmin(law->local_epsilon, 2 * k[0] / s);
	k[2] = k[1] / s;
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double one[3];

	one_cumulants(law, s, one);
	sotto_law_add_cumulants(law, one, k);
}

static double terms(const struct sotto_law *law, double s)
{
	(void)law;
	(void)s;
	return 2 * TERMS;
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	double k[3];

	(void)h;
	*state = NULL;
	one_cumulants(law, c, k);
	*log_m = (double)law->count * k[0];
	*slack = 4 * SOTTO_U * *log_m;
	return SOTTO_OK;
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	(void)law;
	(void)state;
	sotto_block_blur(b);
}

const struct sotto_law_class sotto_law_shuffle = {
	.cumulants = cumulants,
	.terms = terms,
	.begin = begin,
	.apply = apply,
	.release = release,
};
