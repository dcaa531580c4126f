/* Finds the order from rough cumulants of all terms, and how far out all of them together are nothing. */
#include "core/account/law/outcomes/wanted_line.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/outcomes/rough_loss.h"

/* log of the delta; orders above the one found, and -log of what far nodes are. */
#define LOG_DELTA -24.0
#define MARGIN 1.1
#define FALL 25.0
/* Orders that are tried, each so much higher, and how often the interval is halved; distances likewise. */
#define LEAST 4e-3
#define HIGHER 4.0
#define FARTHER 2.0
enum { ORDERS = 12, HALVINGS = 4, DISTANCES = 12 };
/* Nodes of so many laws are made law by law (contour_by_law.c). */
enum { FEW = 64 };
/* No order is wanted at which K is more. */
#define K_MAX 1e5
/* Steps (work.h) for each event and order. */
#define STEPS 400.0

/* All terms; Laplace events in bulk, and real Gaussians, by their variance. */
struct all {
	struct sotto_rough_loss *one;
	size_t n;
	double variance;
	struct sotto_work *work;
};

/* log delta at the epsilon whose saddle point is c. */
static double log_delta(const struct all *a, double c)
{
	double k = c * (c + 1) * a->variance / 2, slope = (c + 0.5) * a->variance, one;

	for (size_t i = 0; i < a->n && k < K_MAX; i++) {
		k += sotto_rough_cumulant(&a->one[i], c, &one);
		slope += one;
	}
	sotto_work_use(a->work, STEPS * (double)a->n);
	return k < K_MAX ? k - c * slope - log(c * (c + 1)) : -INFINITY;
}

static double find_order(const struct all *a)
{
	double low = LEAST, high = LEAST;

	for (int i = 0; i < ORDERS && log_delta(a, high) > LOG_DELTA; i++, high *= HIGHER)
		low = high;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = sqrt(low * high);

		if (log_delta(a, middle) > LOG_DELTA)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low * high);
}

static double fall(const struct all *a, double c, double t)
{
	double sum = t * t * a->variance / 2;

	for (size_t i = 0; i < a->n && sum < FALL; i++)
		sum += sotto_rough_fall(&a->one[i], c, t);
	sotto_work_use(a->work, STEPS * (double)a->n);
	return sum;
}

/* From an order on, since a line is about as far from the real line as it is wide. */
static double find_far(const struct all *a, double c)
{
	double low = c, high = c;

	for (int i = 0; i < DISTANCES && fall(a, c, low) >= FALL; i++)
		low /= FARTHER;
	high = low * FARTHER;
	for (int i = 0; i < DISTANCES && fall(a, c, high) < FALL; i++, high *= FARTHER)
		low = high;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = sqrt(low * high);

		if (fall(a, c, middle) < FALL)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double variance_of_bulk(const struct sotto_terms *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_laplace; i++)
		sum += (double)t->laplace_count[i] * pow(fmin(t->laplace[i], 1.5), 2);
	return sum;
}

struct sotto_wanted_line sotto_wanted_line_of(const struct sotto_terms *t, bool is_used)
{
	struct sotto_wanted_line line = {INFINITY, INFINITY, t->n <= FEW};
	struct all a = {.n = t->n, .variance = variance_of_bulk(t), .work = t->work};
	double order;

	if (!is_used)
		return line;
	a.one = malloc(t->n * sizeof *a.one);
	if (!a.one)
		return line;
	for (size_t i = 0; i < t->n; i++)
		a.one[i] = sotto_rough_loss_of(t->list[i].event, (double)t->list[i].count);
	order = find_order(&a);
	line.far = find_far(&a, order);
	line.order = MARGIN * order;
	free(a.one);
	return line;
}
