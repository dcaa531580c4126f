/*
 * Poisson-sampled Gaussian noise, mu = sensitivity/sigma, rate q.  With z standard
 * normal under Q and R(z) = 1 - q + q exp(mu z - mu^2/2) the likelihood ratio,
 *
 *	remove:  M(s) = E R^(s+1),      add:  M(s) = E R^(-s).
 *
 * The trapezoid rule along Im z = a (-a for "add") turns either into a law with complex
 * atoms, whose error does not depend on t and whose terms fall with t (sample.md).
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/law/law_sgauss.h"

/* the quadrature errs by less than exp(-QUADRATURE) of M(c); of one law of many, and where it only steers, by this */
#define QUADRATURE 44.0
#define QUADRATURE_OF_MANY 32.0
#define STEERING 28.0
/* and the tails of its range are smaller still, by exp(-TAILS) */
#define TAILS 14.0

/* Terms below this are left out and charged. */
#define FAINT 0x1p-80

#define NEAR_MU 12.0

/* One law of many keeps a list for the real orders up to this, unless it were longer than that. */
#define LISTED_REACH 16.0
enum { LISTED_MAX = 256 };

enum { POINTS_MAX = 1 << 16 };

static double digits_of(const struct sotto_law *law)
{
	return law->of_many ? QUADRATURE_OF_MANY : QUADRATURE;
}

/* What the quadrature of a contour may err by, relative to M(c). */
static double quadrature_error(const struct sotto_law *law)
{
	return 4 * exp(-digits_of(law));
}

struct rule {
	double low, step, shift; /* z = low + step j + i shift */
	size_t n; /* 0 if more points were needed than POINTS_MAX */
};

/* Outside of it the integrand is below exp(-digits - TAILS) of M(c) >= 1. */
static void
range(const struct sotto_law *law, double c, double digits, double *low, double *high)
{
	double mu = law->mu, q = law->rate, e, need = digits + TAILS;

	if (law->direction == SOTTO_REMOVE) {
		/* R^(c+1) <= 1 + q exp((c+1)(mu z - mu^2/2)) by convexity */
		e = fmax(0, log(q) + c * (c + 1) * mu * mu / 2);
		*low = -sqrt(2 * need);
		*high = fmax(-*low, (c + 1) * mu + sqrt(2 * (need + e)));
	} else {
		*high = sqrt(2 * (need - c * log1p(-q)));
		*low = -*high;
		if (mu < NEAR_MU)
			*high = fmax(*high, mu + sqrt(2 * need));
	}
}

/*
 * Whether E(R - 1), which is 0, is 0 over the rule's range too.  Half of it is far out around z = mu,
 * where for "add" nothing else is; up to NEAR_MU the range goes that far.
 */
static bool has_whole_mean(const struct sotto_law *law)
{
	return law->direction == SOTTO_REMOVE || law->mu < NEAR_MU;
}

/*
 * Between Im z = 0 and 2a the integrand is analytic if 2 mu a < pi, and its integral of
 * the absolute value is at most M(c) at the near side and exp(2 a^2) M(c) at the far
 * one, for "add" times cos(mu a)^(-c).  So the error is (1 + growth)/(exp(2 pi a/step) - 1).
 */
static double log_growth(const struct sotto_law *law, double c, double a)
{
	double grow = 2 * a * a;

	if (law->direction == SOTTO_ADD)
		grow -= c * log(cos(law->mu * a));
	return grow;
}

static struct rule rule_for(const struct sotto_law *law, double c, double digits)
{
	double low, high, a = fmin(1.2, 0.45 * M_PI / law->mu), n;

	while (log_growth(law, c, a) > 12)
		a *= 0.8;
	range(law, c, digits, &low, &high);
	n = ceil((high - low) * (digits + 1 + log_growth(law, c, a)) / (2 * M_PI * a));
	if (!(n <= POINTS_MAX))
		return (struct rule){.n = 0};
	if (law->direction == SOTTO_ADD)
		a = -a;
	return (struct rule){low, (high - low) / n, a, (size_t)n + 1};
}

static double terms(const struct sotto_law *law, double s)
{
	return 4 + (double)rule_for(law, s, digits_of(law)).n;
}

/*
 * Where no rule is fine enough: x^p is convex for p = s+1 and p = -s, so E R^p is at most
 * 1 - q + q exp(s(s+1) mu^2/2); and for "add" at most (1-q)^-s.
 */
static void convex_cumulants(const struct sotto_law *law, double s, double k[3], double *size)
{
	double x = s * (s + 1) * law->mu * law->mu / 2, slope = (s + 0.5) * law->mu * law->mu;
	double most = -s * log1p(-law->rate);

	k[0] = x < 600 ? log1p(law->rate * expm1(x)) : x + log(law->rate);
	k[1] = slope;
	k[2] = law->mu * law->mu;
	if (law->direction == SOTTO_ADD && most < k[0]) {
		k[0] = most;
		k[1] = most / s;
		k[2] = 0;
	}
	*size = 16 * (1 + k[0] + x);
}

/* log R at z = x + i y */
static struct cx log_ratio(const struct sotto_law *law, double x, double y)
{
	double mu = law->mu, q = law->rate, v = mu * x - mu * mu / 2, angle = mu * y;
	struct cx r;

	if (v > 600 || v + log(q) > 50) /* 1 - q is lost beside q exp(v) */
		return cx_of(v + log(q), angle);
	if (q < 0.5) { /* near 1: keep the digits of R - 1 */
		r = cx_scale(cx_expm1(v, angle), q);
		return cx_of(0.5 * log1p(r.re * (2 + r.re) + r.im * r.im),
			     atan2(r.im, 1 + r.re));
	}
	r = cx_add(cx_of(1 - q, 0), cx_scale(cx_exp(v, angle), q));
	return cx_of(log(cx_abs(r)), atan2(r.im, r.re));
}

/* The loss at z, and the log of its weight: mass exp(c loss), unnormalised. */
static void atom(const struct sotto_law *law, double c, double x, double y, struct cx *loss,
		 struct cx *log_weight)
{
	struct cx l = log_ratio(law, x, y);
	double power = law->direction == SOTTO_REMOVE ? c + 1 : -c;

	*loss = law->direction == SOTTO_REMOVE ? l : cx_of(-l.re, -l.im);
	*log_weight = cx_add(cx_of((y * y - x * x) / 2, -x * y), cx_scale(l, power));
}

static const double log_root_2pi = 0.91893853320467274178;

/* R - 1 and log R at real z */
static void real_ratio(const struct sotto_law *law, double x, double *excess, double *l)
{
	double mu = law->mu, q = law->rate, v = mu * x - mu * mu / 2;

	if (v > 600) { /* 1 - q is lost beside q exp(v) */
		*l = v + log(q);
		*excess = exp(fmin(*l, 700));
		return;
	}
	*excess = q * expm1(v);
	*l = q < 0.5 ? log1p(*excess) : log((1 - q) + q * exp(v));
}

/* Terms of the rule on the real line; more, which only a law that is not one of many has, are computed again. */
enum { KEPT = SOTTO_TERMS_OF_MANY };

struct terms_kept {
	double excess[KEPT], l[KEPT]; /* R - 1 and log R */
};

static void term_at(const struct sotto_law *law, const struct rule *r, size_t i,
		    const struct terms_kept *kept, double *excess, double *l)
{
	if (r->n > KEPT) {
		real_ratio(law, r->low + (double)i * r->step, excess, l);
		return;
	}
	*excess = kept->excess[i];
	*l = kept->l[i];
}

/*
 * On the real line, E R^p - 1 = E[R^p - 1 - p] since E R = 1: K keeps its digits for tiny
 * rates.  *size bounds the rounding error in units u.
 */
static double small_excess(const struct sotto_law *law, double p, const struct rule *r,
			   const struct terms_kept *kept, double *size)
{
	double sum = 0, rough = 0;

	for (size_t i = 0; i < r->n; i++) {
		double x = r->low + (double)i * r->step, log_w = -x * x / 2 - log_root_2pi;
		double w = exp(log_w), y, l, part;

		term_at(law, r, i, kept, &y, &l);
		if (fabs(y) < 1e-4 && fabs(p * y) < 1e-4) {
			part = w * p * (p - 1) / 2 * y * y *
			       (1 + (p - 2) / 3 * y * (1 + (p - 3) / 4 * y));
			rough += fabs(part);
		} else { /* the power may be huge where the weight is tiny */
			part = fabs(p * l) < 1 ? w * (expm1(p * l) - p * y)
					       : exp(log_w + p * l) - w * (1 + p * y);
			rough += fabs(part) + w * fabs(p * y);
		}
		sum += part;
	}
	*size = 200 * rough * r->step;
	return sum * r->step;
}

/* K, K', K'' of one event from the rule on the real line; *size as above. */
static void
one_cumulants(const struct sotto_law *law, double s, double digits, double k[3], double *size)
{
	struct rule r = rule_for(law, s, digits);
	bool remove = law->direction == SOTTO_REMOVE;
	double most = -INFINITY, sum = 0, mean = 0, square = 0, power = remove ? s + 1 : -s;
	struct terms_kept kept;
	double y, l;

	if (r.n == 0) {
		convex_cumulants(law, s, k, size);
		return;
	}
	for (size_t i = 0; i < r.n; i++) {
		double x = r.low + (double)i * r.step, *at = &kept.l[i % KEPT], w;

		real_ratio(law, x, &kept.excess[i % KEPT], at);
		w = -x * x / 2 + power * *at;
		most = w > most ? w : most;
	}
	for (size_t i = 0; i < r.n; i++) {
		double x = r.low + (double)i * r.step, w;

		term_at(law, &r, i, &kept, &y, &l);
		w = exp(-x * x / 2 + power * l - most);
		sum += w;
		mean += w * l;
		square += w * l * l;
	}
	mean /= sum;
	k[0] = most - log_root_2pi + log(sum * r.step);
	k[1] = remove ? mean : -mean;
	k[2] = fmax(square / sum - mean * mean, 0);
	*size = 64 + (double)r.n + 8 * fabs(most) + 2 * s * s * law->mu * law->mu;
	if (k[0] < 0.25 && has_whole_mean(law))
		k[0] = log1p(small_excess(law, power, &r, &kept, size));
}

/* The same from the list of one law of many, good to some u of 1. */
static void listed_cumulants(const struct sotto_law *law, double s, double k[3])
{
	bool remove = law->direction == SOTTO_REMOVE;
	double most = -INFINITY, sum = 0, mean = 0, square = 0, power = remove ? s + 1 : -s;

	for (size_t i = 0; i < law->n; i++)
		most = fmax(most, law->mass[i] + power * law->loss[i]);
	for (size_t i = 0; i < law->n; i++) {
		double x = law->mass[i] + power * law->loss[i] - most, w;

		if (x < -STEERING - TAILS)
			continue;
		w = exp(x);
		sum += w;
		mean += w * law->loss[i];
		square += w * law->loss[i] * law->loss[i];
	}
	mean /= sum;
	k[0] = most + log(sum);
	k[1] = remove ? mean : -mean;
	k[2] = fmax(square / sum - mean * mean, 0);
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double one[3], size;

	if (law->loss && s <= LISTED_REACH)
		listed_cumulants(law, s, one);
	else if (law->of_many && rule_for(law, s, STEERING).n > SOTTO_TERMS_OF_MANY)
		convex_cumulants(law, s, one, &size);
	else
		one_cumulants(law, s, STEERING, one, &size);
	for (int i = 0; i < 3; i++)
		k[i] += (double)law->count * one[i];
}

/*
 * A rule for an order is one for all lower orders: its range holds theirs, and its step is finer.  Where
 * it would be long, nothing is listed.
 */
enum sotto_status sotto_law_sampled_gaussian_list(struct sotto_law *law)
{
	struct rule r = rule_for(law, LISTED_REACH, STEERING);

	if (r.n == 0 || r.n > LISTED_MAX)
		return SOTTO_OK;
	law->loss = malloc(2 * r.n * sizeof *law->loss);
	if (!law->loss)
		return SOTTO_ENOMEM;
	law->n = r.n;
	law->mass = law->loss + r.n;
	for (size_t i = 0; i < r.n; i++) {
		double x = r.low + (double)i * r.step, excess;

		real_ratio(law, x, &excess, &law->loss[i]);
		law->mass[i] = -x * x / 2 - log_root_2pi + log(r.step);
	}
	return SOTTO_OK;
}

static void release(struct sotto_law *law)
{
	free(law->loss);
}

/* Atoms are made for the first node, the ladder for the first question about far ones: M(c) needs neither. */
struct state {
	struct sotto_ladder ladder; /* first, for sotto_ladder_decay */
	struct rule rule;
	double c, k[3]; /* of one event */
	bool has_atoms, has_ladder;
	double *lr, *li; /* losses */
	double *wr, *wi; /* weights, which sum to 1 */
	double *size; /* their absolute values */
	double eta0, eta1; /* error eta0 + eta1 t */
	double spread; /* sum of |weight| |loss| */
};

static void end(void *state)
{
	struct state *st = state;

	free(st->lr);
	free(st);
}

static struct state *allocate(const struct rule *r)
{
	struct state *st = calloc(1, sizeof *st);

	if (!st)
		return NULL;
	st->rule = *r;
	st->lr = malloc(5 * r->n * sizeof *st->lr);
	if (!st->lr) {
		free(st);
		return NULL;
	}
	st->li = st->lr + r->n;
	st->wr = st->li + r->n;
	st->wi = st->wr + r->n;
	st->size = st->wi + r->n;
	return st;
}

/*
 * The error of a loss log R.  R - 1 is good to u (4 mu |z| + 12) of itself, mu and q, good to
 * u each, included; from q = 1/2 on R is good to that of itself.
 */
static double loss_error(const struct sotto_law *law, double x, struct cx l)
{
	double part = law->rate < 0.5 ? cx_abs(cx_expm1(-l.re, -l.im)) : 1;

	return SOTTO_U * ((4 * law->mu * (fabs(x) + law->mu) + 12) * part + 2 * cx_abs(l));
}

/* The exponent of a weight loses u z^2 and c+1 times the error of the loss. */
static void make_atoms(const struct sotto_law *law, struct state *st)
{
	const struct rule *r = &st->rule;
	double c = st->c, log_m = st->k[0];

	if (st->has_atoms)
		return;
	st->has_atoms = true;
	st->eta0 = SOTTO_U * (48 + (double)r->n / 8) + quadrature_error(law);
	for (size_t i = 0; i < r->n; i++) {
		double x = r->low + (double)i * r->step, size, e;
		struct cx loss, w;

		atom(law, c, x, r->shift, &loss, &w);
		size = exp(w.re - log_root_2pi - log_m) * r->step;
		st->size[i] = size;
		st->lr[i] = loss.re;
		st->li[i] = loss.im;
		st->wr[i] = size * cos(w.im);
		st->wi[i] = size * sin(w.im);
		e = loss_error(law, x, law->direction == SOTTO_ADD ? cx_scale(loss, -1) : loss);
		st->eta0 += size * (SOTTO_U * (2 * x * x + 8) + (c + 1) * e);
		st->eta1 += size * e;
		st->spread += size * (fabs(loss.re) + fabs(loss.im));
	}
}

/* What a term of the rule weighs, and how fast it falls with t. */
struct fall {
	double size, rate;
};

/* The terms of the rule with one shift that still count, and a bound of those that do not. */
struct falls {
	struct fall *terms;
	size_t n;
	double gone, error;
};

/*
 * The sum of all |terms| at t bounds |M| for all larger t, each term falling.  The rule
 * with a smaller shift falls more slowly but starts lower.  Terms that have become nothing are
 * not looked at again.
 */
static double bound_at(struct falls *f, double t)
{
	double sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++) {
		double size = f->terms[i].size * exp(-t * f->terms[i].rate);

		sum += size;
		if (size > 1e-20)
			f->terms[kept++] = f->terms[i];
		else
			f->gone += size;
	}
	f->n = kept;
	return (sum + f->gone) * (1 + 0x1p-30) + f->error;
}

static void list_falls(const struct sotto_law *law, double c, double log_m, double shift,
		       const struct rule *r, struct fall *terms)
{
	for (size_t i = 0; i < r->n; i++) {
		struct cx loss, w;

		atom(law, c, r->low + (double)i * r->step, shift, &loss, &w);
		terms[i].size = exp(w.re - log_root_2pi - log_m) * r->step;
		terms[i].rate = loss.im;
	}
}

/* High powers need the smallest shift too. */
enum { SHIFTS = 3, MANY = 64 };

/* Without memory nothing is claimed. */
static void climb(const struct sotto_law *law, struct state *st)
{
	const struct rule *r = &st->rule;
	struct fall *terms = malloc(SHIFTS * r->n * sizeof *terms);
	struct falls falls[SHIFTS];
	double t = 0.5 / (sqrt(st->k[2]) + 1e-300);
	int shifts = law->count < MANY ? SHIFTS - 1 : SHIFTS;
	int last = shifts - 1; /* the shift that was best; a larger one will be */

	if (!terms)
		return;
	make_atoms(law, st);
	for (int i = 0; i < shifts; i++) {
		falls[i] = (struct falls){terms + (size_t)i * r->n, r->n, 0,
					  quadrature_error(law)};
		if (i > 0)
			list_falls(law, st->c, st->k[0], ldexp(r->shift, -i), r,
				   falls[i].terms);
	}
	for (size_t i = 0; i < r->n; i++) /* the rule itself */
		terms[i] = (struct fall){st->size[i], st->li[i]};
	for (int i = 0; i < 80 && st->ladder.n < SOTTO_RUNGS; i++, t *= 2) {
		double bound = bound_at(&falls[last], t);

		for (double next; last > 0; last--, bound = next) {
			next = bound_at(&falls[last - 1], t);
			if (!(next < bound))
				break;
		}
		if (st->ladder.n > 0)
			bound = fmin(bound, st->ladder.bound[st->ladder.n - 1]);
		bound = fmin(bound, 1);
		if (st->ladder.n == 0 && bound > 0.85)
			continue;
		if (st->ladder.n == 0)
			st->ladder.first = t;
		st->ladder.bound[st->ladder.n++] = bound;
		if ((double)law->count * log(bound) < -60)
			break;
	}
	free(terms);
}

static double
log_decay(const struct sotto_law *law, void *state, double c, double t, double end_of_line)
{
	struct state *st = state;

	if (!st->has_ladder && st->rule.n > 0)
		climb(law, st);
	st->has_ladder = true;
	return sotto_ladder_decay(law, state, c, t, end_of_line);
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct rule r = rule_for(law, c, digits_of(law));
	struct state *st = allocate(&r);
	double n = (double)law->count, size;

	(void)h;
	if (!st)
		return SOTTO_ENOMEM;
	st->c = c;
	one_cumulants(law, c, digits_of(law), st->k, &size);
	*state = st;
	*log_m = n * st->k[0];
	*slack = SOTTO_U * (n * size + 4 * fabs(*log_m)) + n * quadrature_error(law);
	return SOTTO_OK;
}

enum sotto_status
sotto_sgauss_points_for(const struct sotto_law *law, double c, struct sotto_sgauss_points *out)
{
	struct rule r = rule_for(law, c, digits_of(law));

	if (r.n == 0)
		return SOTTO_EREFUSED;
	*out = (struct sotto_sgauss_points){malloc(r.n * sizeof *out->at), r.n,
					    quadrature_error(law)};
	if (!out->at)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r.n; i++) {
		double x = r.low + (double)i * r.step;
		struct sotto_sgauss_point *p = &out->at[i];

		atom(law, 0, x, r.shift, &p->loss, &p->log_mass);
		p->log_mass.re += log(r.step) - log_root_2pi;
		p->loss_error = loss_error(
			law, x, law->direction == SOTTO_ADD ? cx_scale(p->loss, -1) : p->loss);
		p->mass_error = SOTTO_U * (2 * x * x + 16) + p->loss_error;
	}
	return SOTTO_OK;
}

/* Each turn is the square of the last. */
void sotto_sgauss_turns(const struct sotto_block *b, struct cx l, double *xr, double *xi)
{
	double t0 = b->h * (double)b->first;
	struct cx x = cx_expm1(-t0 * l.im, t0 * l.re), s = cx_expm1(-b->h * l.im, b->h * l.re);

	xr[0] = x.re;
	xi[0] = x.im;
	for (size_t k = 1; k < SOTTO_BLOCK; k *= 2) {
		for (size_t j = 0; j < k; j++) {
			xr[j + k] = xr[j] + s.re + (xr[j] * s.re - xi[j] * s.im);
			xi[j + k] = xi[j] + s.im + (xr[j] * s.im + xi[j] * s.re);
		}
		s = cx_add(cx_scale(s, 2), cx_mul(s, s));
	}
}

/* Adds w (exp(i t l) - 1) at the nodes of the block. */
static void
add_atom(const struct sotto_block *b, struct cx l, struct cx w, double *dr, double *di)
{
	double xr[SOTTO_BLOCK], xi[SOTTO_BLOCK];

	sotto_sgauss_turns(b, l, xr, xi);
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		dr[j] += w.re * xr[j] - w.im * xi[j];
		di[j] += w.re * xi[j] + w.im * xr[j];
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	double t = b->h * (double)(b->first + SOTTO_BLOCK);
	struct state *st = state;

	if (st->rule.n == 0) {
		sotto_block_blur(b);
		return;
	}
	make_atoms(law, st);
	for (size_t i = 0; i < st->rule.n; i++)
		if (st->size[i] > FAINT)
			add_atom(b, cx_of(st->lr[i], st->li[i]), cx_of(st->wr[i], st->wi[i]),
				 dr, di);
	sotto_block_multiply(b, dr, di,
			     2 * st->eta0 * fmin(1, t * st->spread) + st->eta1 * t +
				     quadrature_error(law) + 4 * FAINT * (double)st->rule.n,
			     law->count);
}

/* A term is a complex atom. */
static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;

	(void)law;
	return (double)b->n * (60 + 1.2 * (double)st->rule.n);
}

const struct sotto_law_class sotto_law_sampled_gaussian = {
	.cumulants = cumulants,
	.terms = terms,
	.steps = steps,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.end = end,
	.release = release,
};
