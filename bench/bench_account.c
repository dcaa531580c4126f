/*
 * The accountant.  The unit x is one complex exponential, timed in this run; other rows are
 * measured against bare loops over as many numbers.
 */
#include <complex.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sotto/account.h"
#include "sotto/cost.h"
#include "timing.h"

enum { MANY = 1000000, FEW = 1000, POINTS = 1000, STEPS = 1000, KOV = 100000, ORDERS = 160 };

static volatile double sink;

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK) {
		fprintf(stderr, "%s\n", sotto_status_text(st));
		exit(1);
	}
}

static struct sotto_rational number(const char *text)
{
	struct sotto_rational r;

	sotto_rational_init(&r);
	must(sotto_rational_parse(&r, text, NULL));
	return r;
}

/* One question: epsilon of a workload. */
struct question {
	const char *events;
	const char *delta;
	enum sotto_method method;
	struct sotto_account_answer answer;
};

static void ask(void *context)
{
	struct question *q = context;
	struct sotto_rational delta = number(q->delta);
	struct sotto_workload *w;

	must(sotto_workload_new(&w));
	must(sotto_workload_add_text(w, q->events, NULL));
	must(sotto_account_epsilon(w, &delta, q->method, &q->answer));
	sotto_workload_free(w);
	sotto_rational_release(&delta);
}

static double time_of(struct question *q)
{
	return bench_best(ask, q, 1);
}

static void run_exponentials(void *context)
{
	double complex sum = 0;

	(void)context;
	for (int i = 0; i < 100000; i++)
		sum += cexp(CMPLX(-1e-6 * i, 0.37 * i));
	sink = creal(sum);
}

static double complex_exponential(void)
{
	return bench_best(run_exponentials, NULL, 100000);
}

static void bench_sampled(double x)
{
	struct question q = {
		"sampled(rate=0.01, gaussian(sigma=1))*10000", "1e-5", SOTTO_PLD, {0}};
	double ns = time_of(&q), width;

	width = q.answer.upper - q.answer.lower;
	bench_row("sampled Gaussian q=.01 sigma=1 x 10^4", ns, "cexp", x, BENCH_AT_MOST, 100000,
		  100000);
	bench_figure("... width of the answer", width, "", "1e-8", 1e-8, BENCH_AT_MOST, 1,
		     0.01);
	bench_row("... dp_accounting's time", ns, "dp_accounting",
		  bench_peer("dp_accounting.sampled"), BENCH_FASTER, 20, 100);
	bench_figure("... how far off it is", width, "", "dp_accounting, off",
		     fabs(bench_peer("dp_accounting.sampled.epsilon") - q.answer.upper),
		     BENCH_FASTER, 1000, 100000);
	bench_row("... prv_accountant's time", ns, "prv_accountant",
		  bench_peer("prv_accountant.sampled"), BENCH_FASTER, 20, 100);
	bench_figure("... how wide it is", width, "", "prv_accountant, width",
		     bench_peer("prv_accountant.sampled.width"), BENCH_FASTER, 1000, 100000);
}

/* Events so small that 1000 of them are still nearly a lattice, which is the slow case. */
static void bench_faint_laplace(void)
{
	struct question few = {"laplace(epsilon=0.01)*1000", "1e-6", SOTTO_PLD, {0}};
	struct question many = {"laplace(epsilon=0.01)*1000000", "1e-6", SOTTO_PLD, {0}};
	double at_few = time_of(&few);

	bench_row("Laplace 0.01 x 10^6 at delta 1e-6", time_of(&many), "x 10^3", at_few,
		  BENCH_AT_MOST, 1.2, 1.2);
	bench_row("... x 10^3", at_few, "a second", 1e9, BENCH_AT_MOST, 1, 0.1);
	bench_figure("... width", few.answer.upper - few.answer.lower, "", "1e-6", 1e-6,
		     BENCH_AT_MOST, 1, 0.001);
}

static void bench_laplace(double x)
{
	struct question usual = {"laplace(epsilon=0.1)*1000", "1e-9", SOTTO_PLD, {0}};
	struct question tiny = {"laplace(epsilon=0.1)*1000", "1e-30", SOTTO_PLD, {0}};
	struct question few = {"laplace(epsilon=0.1)*1000", "1e-6", SOTTO_PLD, {0}};
	struct question many = {"laplace(epsilon=0.1)*1000000", "1e-6", SOTTO_PLD, {0}};
	double at_usual = time_of(&usual), at_tiny = time_of(&tiny);

	bench_row("Laplace 0.1 x 1000 at delta 1e-9", at_usual, "cexp", x, BENCH_AT_MOST, 20000,
		  20000);
	bench_figure("... width", usual.answer.upper - usual.answer.lower, "", "1e-9", 1e-9,
		     BENCH_AT_MOST, 1, 0.01);
	bench_row("... at delta 1e-30", at_tiny, "at 1e-9", at_usual, BENCH_AT_MOST, 1.2, 1.2);
	bench_figure("... width", tiny.answer.upper - tiny.answer.lower, "", "1e-8", 1e-8,
		     BENCH_AT_MOST, 1, 0.01);
	bench_row("... dp_accounting's time at 1e-9", at_usual, "dp_accounting",
		  bench_peer("dp_accounting.laplace"), BENCH_FASTER, 20, 100);
	bench_row("the same event 10^6 times", time_of(&many), "10^3 times", time_of(&few),
		  BENCH_AT_MOST, 1.2, 1.2);
	bench_faint_laplace();
}

/* Sums of many numbers. */
struct numbers {
	double *value;
	size_t n;
	void (*add)(struct sotto_workload *, const struct numbers *);
	const char *delta; /* NULL to add only */
};

static void add_laplaces(struct sotto_workload *w, const struct numbers *x)
{
	must(sotto_workload_add_laplaces(w, x->value, x->n));
}

static void add_gaussians(struct sotto_workload *w, const struct numbers *x)
{
	must(sotto_workload_add_gaussians(w, x->value, x->n));
}

static void add_zcdps(struct sotto_workload *w, const struct numbers *x)
{
	must(sotto_workload_add_zcdps(w, x->value, x->n));
}

static void add_numbers(void *context)
{
	const struct numbers *x = context;
	struct sotto_account_answer answer;
	struct sotto_workload *w;

	must(sotto_workload_new(&w));
	x->add(w, x);
	if (x->delta) {
		struct sotto_rational delta = number(x->delta);

		must(sotto_account_epsilon(w, &delta, SOTTO_PLD, &answer));
		sotto_rational_release(&delta);
		sink = answer.upper;
	}
	sotto_workload_free(w);
}

static void multiply_and_add(void *context)
{
	double re = 0, im = 0, wr = 0.99999, wi = 1e-3;

	(void)context;
	for (int i = 0; i < 100000000; i++) {
		double r = re * wr - im * wi + 1, m = re * wi + im * wr;

		re = r;
		im = m;
	}
	sink = re + im;
}

static void sum_doubles(void *context)
{
	const struct numbers *x = context;
	double sum = 0;

	for (size_t i = 0; i < x->n; i++)
		sum += x->value[i];
	sink = sum;
}

static void bench_many(void)
{
	struct numbers x = {malloc(MANY * sizeof *x.value), MANY, add_laplaces, "1e-6"};
	double loop = bench_best(multiply_and_add, NULL, 1), distinct, few;

	if (!x.value)
		must(SOTTO_ENOMEM);
	for (size_t i = 0; i < MANY; i++)
		x.value[i] = 1e-3 * (1 + (double)i / MANY);
	distinct = bench_best(add_numbers, &x, 1);
	bench_row("10^6 distinct Laplace events, epsilon", distinct, "10^8 complex mult-adds",
		  loop, BENCH_AT_MOST, 1.5, 1);
	x.delta = NULL;
	x.add = add_gaussians;
	bench_row("adding 10^6 Gaussians", bench_best(add_numbers, &x, 1),
		  "summing 10^6 doubles", bench_best(sum_doubles, &x, 1), BENCH_AT_MOST, 4, 3);
	x.add = add_zcdps;
	bench_row("adding 10^6 zCDP events", bench_best(add_numbers, &x, 1),
		  "summing 10^6 doubles", bench_best(sum_doubles, &x, 1), BENCH_AT_MOST, 4, 3);
	for (size_t i = 0; i < MANY; i++)
		x.value[i] = 1e-3 * (1 + (double)(i % FEW) / FEW);
	x.delta = "1e-6";
	x.add = add_laplaces;
	few = bench_best(add_numbers, &x, 1);
	/* a twentieth of what the row above may take; it takes far less than it may */
	bench_row("10^6 Laplace events, 1000 of them distinct", few, "10^6 distinct, at most",
		  1.5 * loop, BENCH_AT_MOST, 1.0 / 20, 1.0 / 20);
	bench_note("... against 10^6 distinct as they are", few, "10^6 distinct", distinct);
	free(x.value);
}

/* One admission after a history of some length. */
struct history {
	struct sotto_filter filter;
	struct sotto_cost cost;
};

static void admit(void *context)
{
	struct history *h = context;

	for (int i = 0; i < STEPS; i++)
		must(sotto_filter_admit(&h->filter, &h->cost, NULL));
}

static void add_rationals(void *context)
{
	struct sotto_rational *r = context;

	for (int i = 0; i < STEPS; i++)
		mpq_add(r[0].q, r[0].q, r[1].q);
}

static void bench_filter(void)
{
	struct sotto_rational epsilon = number("1e9"), delta = number("1e-6"),
			      share = number("1/1000"),
			      sums[2] = {number("0"), number("1/1000")};
	struct history h;
	double fresh, later;

	must(sotto_filter_init(&h.filter, &epsilon, &delta, NULL));
	sotto_cost_init(&h.cost);
	must(sotto_cost_set_pure(&h.cost, &share));
	/* what the addends look like: rho is a multiple of 2^-96 */
	sotto_rational_set(&sums[1], &h.cost.rho);
	fresh = bench_best(admit, &h, STEPS);
	for (int i = 0; i < 1000; i++)
		admit(&h);
	later = bench_best(admit, &h, STEPS);
	bench_row("filter step after 10^6 steps", later, "after few", fresh, BENCH_AT_MOST, 1.3,
		  1.1);
	bench_row("filter step", later, "rational addition",
		  bench_best(add_rationals, sums, STEPS), BENCH_AT_MOST, 4, 4);
	sotto_cost_release(&h.cost);
	sotto_filter_release(&h.filter);
}

/* Points of a curve, and calibration. */
struct points {
	struct sotto_workload *w;
	double epsilon[POINTS], low[POINTS], high[POINTS];
	size_t n;
};

static void draw_curve(void *context)
{
	struct points *p = context;

	must(sotto_account_curve(p->w, p->epsilon, p->n, p->low, p->high));
}

static void calibrate(void *context)
{
	const char *events[] = {"sampled(rate=0.01, gaussian(sigma=?))*1000"};
	struct sotto_rational target = number("1"), delta = number("1e-5");
	struct sotto_problem problem = {events, 1, "sigma", &target, &delta, SOTTO_ADD_REMOVE};
	struct sotto_solution solution;

	(void)context;
	sotto_rational_init(&solution.value);
	must(sotto_account_solve(&problem, &solution, NULL));
	sotto_rational_release(&solution.value);
	sotto_rational_release(&target);
	sotto_rational_release(&delta);
}

/* 1000 epsilons from the first on: the time for all, and for the first alone. */
static double time_curve(const char *events, double first, double reach, double *one)
{
	static struct points p;
	double whole;

	must(sotto_workload_new(&p.w));
	must(sotto_workload_add_text(p.w, events, NULL));
	for (size_t i = 0; i < POINTS; i++)
		p.epsilon[i] = first + reach * (double)i / POINTS;
	p.n = POINTS;
	whole = bench_best(draw_curve, &p, 1);
	p.n = 1;
	*one = bench_best(draw_curve, &p, 1);
	sotto_workload_free(p.w);
	return whole;
}

static void bench_curve(void)
{
	struct question one = {
		"sampled(rate=0.01, gaussian(sigma=1.2))*1000", "1e-5", SOTTO_PLD, {0}};
	double whole, point;

	whole = time_curve(one.events, 0.5, 2, &point);
	bench_row("curve of 1000 points", whole, "one point", point, BENCH_AT_MOST, 10, 5);
	/* one point is a few dozen nodes, as is each of the others: no promise in its terms */
	whole = time_curve("laplace(epsilon=0.1)*1000", 10, 15, &point);
	bench_row("... a point of it, Laplace 0.1 x 1000", whole / POINTS, "one point", point,
		  BENCH_AT_MOST, 1, 0.2);
	bench_row("calibration of sigma under sampling", bench_best(calibrate, NULL, 1),
		  "one epsilon", time_of(&one), BENCH_AT_MOST, 15, 15);
}

static void exponentials(void *context)
{
	double sum = 0;

	(void)context;
	for (int i = 0; i < KOV; i++)
		sum += exp(-1e-4 * i);
	sink = sum;
}

static void bench_theorems(void)
{
	struct question kov = {"pure(epsilon=0.01)*100000", "1e-6", SOTTO_KOV, {0}};
	struct question small = {"shuffle(n=10000, epsilon0=1)", "1e-6", SOTTO_PLD, {0}};
	struct question large = {"shuffle(n=100000000, epsilon0=1)", "1e-6", SOTTO_PLD, {0}};

	bench_row("kov, 10^5 events", time_of(&kov), "10^5 exponentials",
		  bench_best(exponentials, NULL, 1), BENCH_AT_MOST, 4, 4);
	bench_row("shuffle, n = 10^8", time_of(&large), "n = 10^4", time_of(&small),
		  BENCH_AT_MOST, 120, 100);
}

/* Renyi orders at once. */
struct orders {
	struct sotto_renyi_filter *filter;
	double divergence[ORDERS];
};

static void admit_orders(void *context)
{
	struct orders *o = context;

	for (int i = 0; i < STEPS; i++)
		must(sotto_renyi_filter_admit(o->filter, o->divergence));
}

static void dependent_flops(void *context)
{
	double x = 1;

	(void)context;
	for (int i = 0; i < STEPS * 2 * ORDERS; i++)
		x = x * 0.999 + 1;
	sink = x;
}

static void bench_orders(void)
{
	struct sotto_rational epsilon = number("1e6"), delta = number("1e-6");
	double orders[ORDERS];
	struct orders o;

	for (int i = 0; i < ORDERS; i++) {
		orders[i] = 1.25 + i;
		o.divergence[i] = 1e-9 * orders[i];
	}
	must(sotto_renyi_filter_new(orders, ORDERS, &epsilon, &delta, &o.filter));
	bench_row("filter step with 160 Renyi orders", bench_best(admit_orders, &o, STEPS),
		  "320 multiply-adds in turn", bench_best(dependent_flops, NULL, STEPS),
		  BENCH_AT_MOST, 1, 0.7);
	sotto_renyi_filter_free(o.filter);
}

/* Peak memory of a process of its own that asks one question, less that of one that does not. */
static double peak_of(struct question *q)
{
	struct rusage usage = {0};
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (q)
			ask(q);
		_exit(0);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
		return NAN;
	return (double)usage.ru_maxrss / 1024;
}

static void bench_memory(void)
{
	struct question hard[] = {
		{"sampled(rate=0.1, laplace(epsilon=1))*50", "1e-6", SOTTO_PLD, {0}},
		{"shuffle(n=10000, epsilon0=1)*10", "1e-6", SOTTO_PLD, {0}},
		{"sampled(rate=0.1, discrete-gaussian(sigma=20))*50", "1e-6", SOTTO_PLD, {0}},
	};
	double most = 0, bare = peak_of(NULL);

	for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
		most = fmax(most, peak_of(&hard[i]) - bare);
	bench_figure("memory of a query", most, "MiB", "16 MiB", 16, BENCH_AT_MOST, 1, 1);
}

int main(void)
{
	double x;

	bench_open("account");
	bench_memory();
	x = complex_exponential();
	bench_sampled(x);
	bench_laplace(x);
	bench_many();
	bench_filter();
	bench_orders();
	bench_curve();
	bench_theorems();
	return bench_close();
}
