/*
 * The largest of several curves as pieces: M(s) against an integral of the event's own curve, and many events
 * against the same events cut into cells.
 *
 * Seen to fail: far nodes of atoms alone, without what is between them (law_pieces_class.c); listed parts whose Q-mass above is that of one outcome
 * fewer (law_pieces_list.c); a draw that
 * adds no mass from the stretch above (laplace_fold.c); seams of negative mass that are left out, or counted as positive ones (law_pieces_points.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/law/pieces/law_pieces.h"
#include "core/account/loss/loss_curve.h"
#include "testlib/tap.h"

enum { STEPS = 1 << 16 };

/* delta at the points of Simpson's rule from -reach to reach */
struct samples {
	double reach, delta[STEPS + 1];
};

static void make_terms(struct sotto_terms *t, const char *text, uint64_t count)
{
	struct sotto_event *e = NULL;

	CHECK(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
	CHECK(sotto_terms_add(t, e, count) == SOTTO_OK);
	sotto_event_free(e);
}

/* One cell: Gaussian (a = sigma), Laplace or pure (a = epsilon) or discrete Gaussian noise, sampled at a rate of at most 1. */
enum noise { GAUSSIAN, LAPLACE, PURE, DISCRETE };
struct cell {
	enum noise noise;
	double a, rate;
	int draws; /* of Laplace noise, which is not sampled then; or 0 */
};

/* The sum over all outcomes of what P has more than y Q. */
static double discrete_delta(double sigma, double y)
{
	double sum = 0, all = 0, v = 2 * sigma * sigma;

	for (double x = -ceil(9 * sigma); x <= ceil(9 * sigma) + 1; x++) {
		all += exp(-x * x / v);
		sum += fmax(0, exp(-x * x / v) - y * exp(-(x - 1) * (x - 1) / v));
	}
	return sum / all;
}

/* delta(log y) of the noise alone, y = e^epsilon */
static double noise_delta(const struct cell *n, double y)
{
	double x = log(y), mu = 1 / n->a;

	if (y <= 0)
		return 1 - y;
	if (n->noise == DISCRETE)
		return discrete_delta(n->a, y);
	if (n->noise == PURE)
		return x >= n->a    ? 0
		       : x <= -n->a ? 1 - y
				    : (1 - exp(x - n->a)) / (1 + exp(-n->a));
	if (n->noise == GAUSSIAN)
		return 0.5 * erfc((x / mu - mu / 2) * M_SQRT1_2) -
		       0.5 * y * erfc((x / mu + mu / 2) * M_SQRT1_2);
	return x >= n->a ? 0 : x <= -n->a ? 1 - y : 1 - exp((x - n->a) / 2);
}

/* Removed: q f((E - 1 + q)/q); added: v f(q E/v), v = 1 - (1-q) E. */
static double cell_delta(const struct cell *n, enum sotto_direction direction, double epsilon)
{
	double e = exp(epsilon), q = n->rate, v = 1 - (1 - q) * e;

	if (direction == SOTTO_REMOVE)
		return e > 1 - q ? q * noise_delta(n, (e - 1 + q) / q) : 1 - e;
	return v > 0 ? v * noise_delta(n, q * e / v) : 0;
}

/* delta of a draw of Laplace noise at step i of so many, from -reach; 1 - e^epsilon below that, and 0 above. */
static double step_of(const double *delta, double reach, int i)
{
	return i < 0 ? -expm1(-reach + 2 * reach / STEPS * i) : i > STEPS ? 0 : delta[i];
}

/*
 * delta of a draw more is the mean of delta(epsilon - x) over its loss x: 1/2 at a, e^-a/2 at -a and e^((x-a)/2)/4 between.  With z = epsilon - x the last is
 * e^((epsilon-a)/2)/4 times the integral of e^(-z/2) delta(z), by the trapezoid rule; all steps divide a.
 */
static void add_draw(double *delta, double a, double reach)
{
	static double sum[2 * STEPS + 2], more[STEPS + 1];
	double h = 2 * reach / STEPS;
	int jump = (int)lround(a / h), half = STEPS / 2;

	sum[0] = 0;
	for (int i = 1; i <= 2 * STEPS; i++) /* from step -half */
		sum[i] = sum[i - 1] + h / 2 *
					      (exp(-(-reach + h * (i - 1 - half)) / 2) *
						       step_of(delta, reach, i - 1 - half) +
					       exp(-(-reach + h * (i - half)) / 2) *
						       step_of(delta, reach, i - half));
	for (int i = 0; i <= STEPS; i++)
		more[i] = 0.5 * step_of(delta, reach, i - jump) +
			  0.5 * exp(-a) * step_of(delta, reach, i + jump) +
			  0.25 * exp((-reach + h * i - a) / 2) *
				  (sum[i + jump + half] - sum[i - jump + half]);
	memcpy(delta, more, sizeof more);
}

/* Of several draws, whose losses are within the reach. */
static void sample_draws(double *delta, const struct cell *cell, double reach)
{
	for (int i = 0; i <= STEPS; i++)
		delta[i] = cell_delta(cell, SOTTO_REMOVE, -reach + 2 * reach / STEPS * i);
	for (int i = 1; i < cell->draws; i++)
		add_draw(delta, cell->a, reach);
}

static void sample(struct samples *s, const struct cell *cells, enum sotto_direction direction,
		   double reach)
{
	static double draws[STEPS + 1];

	s->reach = reach;
	memset(s->delta, 0, sizeof s->delta);
	for (int j = 0; j < 3 && cells[j].a > 0; j++) {
		if (cells[j].draws)
			sample_draws(draws, &cells[j], reach);
		for (int i = 0; i <= STEPS; i++)
			s->delta[i] = fmax(
				s->delta[i],
				cells[j].draws ? draws[i]
					       : cell_delta(&cells[j], direction,
							    -reach + 2 * reach / STEPS * i));
	}
}

/* Simpson's rule errs by this at most where the curve has kinks, which turn it by less than a whole. */
static double kink_error(const struct samples *s, double c, double t)
{
	double h = 2 * s->reach / STEPS;

	return 3 * h * h * hypot(c, t) * hypot(c + 1, t);
}

/*
 * M(c + i t) = s(s+1) times the integral of exp(s epsilon) delta, by Simpson's rule from -reach to reach; below,
 * delta = 1 - e^epsilon has the integral e^(-s reach) (1/s - e^(-reach)/(s+1)).
 */
static void by_curve(const struct samples *s, double c, double t, double *re, double *im)
{
	double reach = s->reach, h = 2 * reach / STEPS, sr = 0, si = 0, ar, ai, br, bi, kr, ki;

	for (int i = 0; i <= STEPS; i++) {
		double x = -reach + h * i;
		double w = (i == 0 || i == STEPS ? 1
			    : i % 2              ? 4
						 : 2) *
			   h / 3 * exp(c * x) * s->delta[i];

		sr += w * cos(t * x);
		si += w * sin(t * x);
	}
	ar = c / (c * c + t * t) - exp(-reach) * (c + 1) / ((c + 1) * (c + 1) + t * t);
	ai = -t / (c * c + t * t) + exp(-reach) * t / ((c + 1) * (c + 1) + t * t);
	br = exp(-c * reach) * cos(t * reach);
	bi = -exp(-c * reach) * sin(t * reach);
	sr += ar * br - ai * bi;
	si += ar * bi + ai * br;
	kr = c * (c + 1) - t * t;
	ki = t * (2 * c + 1);
	*re = kr * sr - ki * si;
	*im = kr * si + ki * sr;
}

/* Beside many others far nodes are bounded: by no less than they are. */
static void check_far(struct sotto_law *law, const struct samples *samples, double c, double h)
{
	struct sotto_block b = {.c = c, .h = h, .n = SOTTO_BLOCK};
	double log_m, slack, m0, m0_im;
	void *state = NULL;

	law->of_many = true;
	CHECK(law->class->begin(law, c, h, &state, &log_m, &slack) == SOTTO_OK);
	by_curve(samples, c, 0, &m0, &m0_im);
	for (b.first = 128; b.first <= 256; b.first *= 2) {
		for (size_t j = 0; j < SOTTO_BLOCK; j++) {
			b.re[j] = 1;
			b.im[j] = b.relative[j] = b.absolute[j] = 0;
		}
		law->class->apply(law, state, &b);
		for (size_t j = 0; j < SOTTO_BLOCK; j += 7) {
			double t = h * (double)(b.first + j), re, im,
			       kink = kink_error(samples, c, t);

			by_curve(samples, c, t, &re, &im);
			CHECK(hypot(re / m0 - b.re[j], im / m0 - b.im[j]) <=
			      b.absolute[j] + b.relative[j] + kink);
			CHECK(b.absolute[j] <= 1 + 1e-9);
		}
	}
	law->class->end(state);
}

/* M(c), and M at the nodes of the first block, for an event that text says and cells describe. */
static void check_transform(const char *text, const struct cell *cells,
			    enum sotto_direction direction, double c, double h, double reach)
{
	struct sotto_law law = {.count = 1};
	static struct samples samples;
	struct sotto_terms t;
	struct sotto_block b = {.c = c, .h = h, .n = SOTTO_BLOCK};
	double log_m, slack, m0, m0_im, k[3] = {0};
	void *state = NULL;

	sotto_terms_init(&t, SOTTO_ADD_REMOVE);
	make_terms(&t, text, 1);
	CHECK(sotto_pieces_possible(t.list[0].event, SOTTO_ADD_REMOVE));
	CHECK(sotto_law_pieces_of(&law, t.list[0].event, direction, NULL) == SOTTO_OK);
	sample(&samples, cells, direction, reach);
	CHECK(law.class->begin(&law, c, h, &state, &log_m, &slack) == SOTTO_OK);
	by_curve(&samples, c, 0, &m0, &m0_im);
	CHECK(fabs(expm1(log_m - log(m0))) < slack + kink_error(&samples, c, 0));
	CHECK(slack < 1e-10);
	law.class->cumulants(&law, c, k);
	CHECK(fabs(k[0] - log(m0)) < kink_error(&samples, c, 0));
	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	law.class->apply(&law, state, &b);
	for (size_t j = 0; j < SOTTO_BLOCK; j += 5) {
		double re, im, error = b.absolute[j] + b.relative[j] * hypot(b.re[j], b.im[j]);
		double kink = kink_error(&samples, c, h * (double)j);

		by_curve(&samples, c, h * (double)j, &re, &im);
		CHECK(hypot(re / m0 - b.re[j], im / m0 - b.im[j]) < error + kink);
		CHECK(error < 1e-8 && kink < 2e-4);
		CHECK(log(hypot(re, im) / m0 - kink) <
		      law.class->log_decay(&law, state, c, h * (double)j, INFINITY));
	}
	law.class->end(state);
	check_far(&law, &samples, c, h);
	law.class->release(&law);
	sotto_terms_release(&t);
}

static void transform_is_that_of_the_largest_curve(void)
{
	for (int d = 0; d < 2; d++) {
		enum sotto_direction direction = d ? SOTTO_ADD : SOTTO_REMOVE;

		check_transform("parallel(gaussian(sigma=2), laplace(epsilon=1))",
				(struct cell[3]){{GAUSSIAN, 2, 1, 0}, {LAPLACE, 1, 1, 0}},
				direction, 1.5, 0.3, 8);
		check_transform("parallel(gaussian(sigma=15), laplace(epsilon=0.02))",
				(struct cell[3]){{GAUSSIAN, 15, 1, 0}, {LAPLACE, 0.02, 1, 0}},
				direction, 20, 2, 1);
		check_transform("parallel(gaussian(sigma=15), laplace(epsilon=0.15))",
				(struct cell[3]){{GAUSSIAN, 15, 1, 0}, {LAPLACE, 0.15, 1, 0}},
				direction, 4, 2, 1);
		check_transform(
			"parallel(sampled(rate=0.1, gaussian(sigma=2)), laplace(epsilon=0.15))",
			(struct cell[3]){{GAUSSIAN, 2, 0.1, 0}, {LAPLACE, 0.15, 1, 0}},
			direction, 3, 1, 5);
		check_transform(
			"parallel(sampled(rate=0.3, gaussian(sigma=0.7)), gaussian(sigma=3))",
			(struct cell[3]){{GAUSSIAN, 0.7, 0.3, 0}, {GAUSSIAN, 3, 1, 0}},
			direction, 1, 0.2, 16);
		check_transform("parallel(sampled(rate=0.5, laplace(epsilon=2)), "
				"laplace(epsilon=0.9), gaussian(sigma=3))",
				(struct cell[3]){{LAPLACE, 2, 0.5, 0},
						 {LAPLACE, 0.9, 1, 0},
						 {GAUSSIAN, 3, 1, 0}},
				direction, 1, 0.5, 6);
	}
}

/* With discrete noise, of which the outcomes are listed. */
static void transform_of_discrete_cells(void)
{
	for (int d = 0; d < 2; d++) {
		enum sotto_direction direction = d ? SOTTO_ADD : SOTTO_REMOVE;

		check_transform("parallel(gaussian(sigma=4), pure(epsilon=0.2))",
				(struct cell[3]){{GAUSSIAN, 4, 1, 0}, {PURE, 0.2, 1, 0}},
				direction, 3, 0.5, 5);
		check_transform("parallel(laplace(epsilon=0.6), discrete-gaussian(sigma=3))",
				(struct cell[3]){{LAPLACE, 0.6, 1, 0}, {DISCRETE, 3, 1, 0}},
				direction, 1.5, 0.3, 5);
		check_transform("parallel(sampled(rate=0.2, laplace(epsilon=1)), "
				"sampled(rate=0.3, discrete-gaussian(sigma=2)))",
				(struct cell[3]){{LAPLACE, 1, 0.2, 0}, {DISCRETE, 2, 0.3, 0}},
				direction, 2, 0.5, 5);
		check_transform("parallel(sampled(rate=0.1, gaussian(sigma=2)), "
				"pure(epsilon=0.1), discrete-gaussian(sigma=12))",
				(struct cell[3]){{GAUSSIAN, 2, 0.1, 0},
						 {PURE, 0.1, 1, 0},
						 {DISCRETE, 12, 1, 0}},
				direction, 2, 0.5, 5);
	}
}

/*
 * Below 0, where both curves are nearly 1 - E, it cannot be told which is on top, and another part may take over a bit too late: the seam there
 * has a negative mass, with which M(s) is as good as elsewhere.
 */
static void curves_that_touch_are_sharp(void)
{
	for (int d = 0; d < 2; d++) {
		enum sotto_direction direction = d ? SOTTO_ADD : SOTTO_REMOVE;

		check_transform(
			"parallel(sampled(rate=0.0003, gaussian(sigma=1.2)), "
			"sampled(rate=0.0003, laplace(epsilon=4.5)))",
			(struct cell[3]){{GAUSSIAN, 1.2, 3e-4, 0}, {LAPLACE, 4.5, 3e-4, 0}},
			direction, 0.4, 0.1, 4);
		check_transform(
			"parallel(sampled(rate=0.02, discrete-gaussian(sigma=3)), "
			"sampled(rate=0.02, laplace(epsilon=4.2)))",
			(struct cell[3]){{DISCRETE, 3, 0.02, 0}, {LAPLACE, 4.2, 0.02, 0}},
			direction, 0.4, 0.1, 4);
	}
}

/* Of several draws of Laplace noise, each of which adds a stretch. */
static void transform_of_several_draws(void)
{
	check_transform("parallel(laplace(epsilon=0.5)*5, laplace(epsilon=1)*2)",
			(struct cell[3]){{LAPLACE, 0.5, 1, 5}, {LAPLACE, 1, 1, 2}},
			SOTTO_REMOVE, 1, 0.2, 8);
	check_transform("parallel(laplace(epsilon=0.25)*8, laplace(epsilon=1))",
			(struct cell[3]){{LAPLACE, 0.25, 1, 8}, {LAPLACE, 1, 1, 0}}, SOTTO_ADD,
			1.5, 0.3, 4);
	check_transform("parallel(laplace(epsilon=1)*6, gaussian(sigma=0.8))",
			(struct cell[3]){{LAPLACE, 1, 1, 6}, {GAUSSIAN, 0.8, 1, 0}},
			SOTTO_REMOVE, 0.5, 0.1, 16);
}

/* The bracket of epsilon at delta = 1e-6 of some distinct events, a count of each. */
static void
price(const char *const *texts, size_t n, uint64_t count, double *lower, double *upper)
{
	struct sotto_work work = {.left = SOTTO_WORK_WHOLE};
	struct sotto_curve *curve;
	struct sotto_level level;
	struct sotto_terms t;

	sotto_terms_init(&t, SOTTO_ADD_REMOVE);
	t.work = &work;
	for (size_t i = 0; i < n; i++)
		make_terms(&t, texts[i], count);
	sotto_terms_sort(&t);
	sotto_level_init_log(&level, log(1e-6));
	CHECK(sotto_curve_new(&t, SOTTO_REMOVE, &curve) == SOTTO_OK);
	CHECK(sotto_curve_epsilon(curve, &level, lower, upper) == SOTTO_OK);
	sotto_curve_free(curve);
	sotto_level_release(&level);
	sotto_terms_release(&t);
}

/* Seven distinct events are pieces, and one event of seven times the count is cut into cells. */
static void many_events_cost_what_cells_say(void)
{
	static const char *const seven[] = {
		"parallel(gaussian(sigma=15), laplace(epsilon=0.03))",
		"parallel(gaussian(sigma=15), laplace(epsilon=0.03000000000001))",
		"parallel(gaussian(sigma=15), laplace(epsilon=0.03000000000002))",
		"parallel(gaussian(sigma=15), laplace(epsilon=0.03000000000003))",
		"parallel(gaussian(sigma=15), laplace(epsilon=0.03000000000004))",
		"parallel(gaussian(sigma=15), laplace(epsilon=0.03000000000005))",
		"parallel(gaussian(sigma=15), laplace(epsilon=0.03000000000006))"};
	double low, high, cut_low, cut_high;

	price(seven, 7, 40, &low, &high);
	price(seven, 1, 280, &cut_low, &cut_high);
	CHECK(low <= high && high - low < 1e-7);
	CHECK(low <= cut_high + 1e-9 && cut_low <= high + 1e-9);
	CHECK(cut_high - cut_low < 1e-5);
}

/* Nothing is claimed that was not computed: curves that nearly touch everywhere. */
static void close_curves_are_refused_or_charged(void)
{
	struct sotto_law law = {.count = 1};
	struct sotto_terms t;
	enum sotto_status st;

	sotto_terms_init(&t, SOTTO_ADD_REMOVE);
	make_terms(&t,
		   "parallel(sampled(rate=0.5, gaussian(sigma=1)), "
		   "sampled(rate=0.500000001, gaussian(sigma=1.000000001)))",
		   1);
	st = sotto_law_pieces_of(&law, t.list[0].event, SOTTO_REMOVE, NULL);
	CHECK(st == SOTTO_OK || st == SOTTO_EREFUSED);
	if (st == SOTTO_OK)
		law.class->release(&law);
	sotto_terms_release(&t);
}

int main(void)
{
	RUN(transform_is_that_of_the_largest_curve);
	RUN(transform_of_discrete_cells);
	RUN(curves_that_touch_are_sharp);
	RUN(transform_of_several_draws);
	RUN(many_events_cost_what_cells_say);
	RUN(close_curves_are_refused_or_charged);
	return tap_done();
}
