/*
 * Releases that are chosen one by one, and what many of them cost together.
 *
 *	cc adaptive.c $(pkg-config --cflags --libs sotto) -o adaptive
 *
 * A filter holds a budget in memory: it admits a release only if everything so far and the
 * new release fit, even if every question is chosen after seeing all earlier answers. The
 * accountant prices a plan that is fixed beforehand, and gives a smaller bound.  An odometer
 * has no limit and says what has been spent so far.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sotto/sotto.h>

static void check(enum sotto_status status, const struct sotto_error *err)
{
	if (status == SOTTO_OK)
		return;
	fprintf(stderr, "adaptive: %s\n", err->text[0] ? err->text : sotto_status_text(status));
	exit(1);
}

static struct sotto_rational number(const char *text)
{
	struct sotto_error err = {0};
	struct sotto_rational r;

	sotto_rational_init(&r);
	check(sotto_rational_parse(&r, text, NULL), &err);
	return r;
}

/* Publishes a count with Gaussian noise of variance 100 if the filter admits its cost. */
static void publish(struct sotto_filter *filter, struct sotto_exact count)
{
	struct sotto_rational sigma2 = number("100");
	struct sotto_error err = {0};
	struct sotto_gaussian *gaussian;
	struct sotto_noisy noisy;
	struct sotto_cost cost;
	struct sotto_rng *rng;

	sotto_cost_init(&cost);
	check(sotto_gaussian_new(&sigma2, &gaussian), &err);
	check(sotto_gaussian_cost(gaussian, 1, &cost), &err);
	check(sotto_filter_admit(filter, &cost, &err), &err); /* charged first, then drawn */
	check(sotto_rng_open(&rng), &err);
	check(sotto_gaussian_publish(gaussian, rng, count, &noisy), &err);
	printf("about %" PRId64 " patients\n", noisy.value);
	sotto_rng_close(rng);
	sotto_gaussian_free(gaussian);
	sotto_cost_release(&cost);
	sotto_rational_release(&sigma2);
}

/* The costs of three other mechanisms, each stated by its theorem. */
static void own_mechanisms(struct sotto_filter *filter)
{
	struct sotto_rational epsilon = number("0.05"), delta = number("1e-8"),
			      rho = number("1/1000");
	struct sotto_error err = {0};
	struct sotto_cost month, extra;

	sotto_cost_init(&month);
	sotto_cost_init(&extra);
	check(sotto_cost_set_pure(&month, &epsilon), &err);
	sotto_cost_repeat(&month, 12); /* a year of monthly reports */
	check(sotto_cost_set_approx(&extra, &epsilon, &delta), &err);
	sotto_cost_add(&month, &extra);
	check(sotto_cost_set_zcdp(&extra, &rho, &delta), &err);
	sotto_cost_add(&month, &extra);
	if (sotto_filter_would_admit(filter, &month, &err) == SOTTO_OK)
		printf("the year fits\n");
	else
		printf("the year does not fit: %s\n", err.text);
	sotto_cost_release(&month);
	sotto_cost_release(&extra);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
	sotto_rational_release(&rho);
}

/* No limit, and you may stop at any time: what has been spent until then? */
static void spend_freely(void)
{
	struct sotto_rational epsilon = number("0.05"), delta = number("1e-6"),
			      squares = number("0.05"), guess = number("0.1");
	struct sotto_odometer odometer;
	struct sotto_error err = {0};
	struct sotto_cost cost;
	double at_all_times;

	sotto_cost_init(&cost);
	check(sotto_cost_set_pure(&cost, &epsilon), &err);
	check(sotto_odometer_init(&odometer, &delta), &err);
	for (int i = 0; i < 20; i++)
		check(sotto_odometer_add(&odometer, &cost), &err);
	/* 20 times 0.05^2 is 0.05 */
	check(sotto_odometer_mixture_up(&squares, &guess, &delta, &at_all_times), &err);
	printf("20 releases so far: epsilon %.4f; by a mixture %.4f\n",
	       sotto_odometer_epsilon_up(&odometer), at_all_times);
	sotto_odometer_release(&odometer);
	sotto_cost_release(&cost);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
	sotto_rational_release(&squares);
	sotto_rational_release(&guess);
}

/* Budgets in other units: rho, and Renyi divergences at a list of orders. */
static void other_budgets(void)
{
	static const double orders[] = {2, 4, 8, 16, 32},
			    divergence[] = {.01, .02, .04, .08, .16};
	struct sotto_rational epsilon = number("1"), delta = number("1e-6"),
			      rho = number("0.05"), part = number("1/100"), zero = number("0");
	struct sotto_renyi_filter *renyi;
	struct sotto_filter zcdp;
	struct sotto_error err = {0};
	struct sotto_cost cost;
	int by_rho = 0, by_renyi = 0;

	sotto_cost_init(&cost);
	check(sotto_cost_set_zcdp(&cost, &part, &zero), &err);
	check(sotto_filter_init_zcdp(&zcdp, &rho, &delta, &err), &err);
	while (sotto_filter_admit(&zcdp, &cost, &err) == SOTTO_OK)
		by_rho++;
	check(sotto_renyi_filter_new(orders, 5, &epsilon, &delta, &renyi), &err);
	while (sotto_renyi_filter_admit(renyi, divergence) == SOTTO_OK)
		by_renyi++;
	printf("rho 0.05 admits %d releases of rho 1/100; the Renyi filter admits %d\n", by_rho,
	       by_renyi);
	sotto_renyi_filter_free(renyi);
	sotto_filter_release(&zcdp);
	sotto_cost_release(&cost);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
	sotto_rational_release(&rho);
	sotto_rational_release(&part);
	sotto_rational_release(&zero);
}

/* 3000 releases with parameters of their own: what do they cost together? */
static void price_many(void)
{
	static double laplace[1000], gaussian[1000], zcdp[1000];
	struct sotto_account_answer answer = {0};
	struct sotto_rational delta = number("1e-6");
	struct sotto_error err = {0};
	struct sotto_workload *w, *planned;

	for (int i = 0; i < 1000; i++) {
		laplace[i] = 0.01 + i * 1e-6; /* epsilon */
		gaussian[i] = 0.01 + i * 1e-6; /* sensitivity / sigma */
		zcdp[i] = 1e-5 + i * 1e-9; /* rho */
	}
	check(sotto_workload_new(&w), &err);
	check(sotto_workload_add_laplaces(w, laplace, 1000), &err);
	check(sotto_workload_add_gaussians(w, gaussian, 1000), &err);
	check(sotto_workload_new(&planned), &err);
	check(sotto_workload_add_zcdps(planned, zcdp, 1000), &err);
	check(sotto_workload_merge(w, planned, &err), &err);
	sotto_workload_free(planned);
	check(sotto_account_best_epsilon(w, &delta, &answer), &err);
	printf("3000 releases: epsilon at most %.4f\n", answer.upper);
	sotto_workload_free(w);
	sotto_rational_release(&delta);
}

int main(void)
{
	struct sotto_rational epsilon = number("1"), delta = number("1e-6");
	struct sotto_filter_left left;
	struct sotto_filter filter;
	struct sotto_error err = {0};

	check(sotto_filter_init(&filter, &epsilon, &delta, &err), &err);
	publish(&filter, sotto_exact_of(1204)); /* from the private data */
	own_mechanisms(&filter);
	sotto_filter_left_init(&left);
	sotto_filter_left(&filter, &left);
	printf("a single release of epsilon %.4f would still fit\n",
	       sotto_rational_double_down(&left.epsilon));
	sotto_filter_left_release(&left);
	sotto_filter_release(&filter);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
	spend_freely();
	other_budgets();
	price_many();
	return 0;
}
