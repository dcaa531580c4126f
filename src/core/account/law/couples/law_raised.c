/* All bounds here are derived in couples.md. */
#include "core/account/law/couples/law_raised.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/base/failure.h"

/* What corners are gathered in, of one of many laws and of few. */
enum { OF_MANY = 256, OF_FEW = 512 };
/* Rounding of a sum of corners, relative to their sizes, and of a corner's mass, relative to the lines on both sides. */
#define ROUNDING (64 * SOTTO_U)
#define ROUNDING_OF_LINES (32 * SOTTO_U)
/* Steps (work.h) of a cell's law at a node, and of a place of a list. */
#define CELL_STEPS 150.0
#define PLACE_STEPS 1.5

struct state {
	const struct sotto_raised *r;
	void *cells[2];
	double log_in, loose; /* log of what the cells are over, and what of it is not known */
	double *weight; /* of the corners, over that */
	double sum, size; /* of the weights, and of their sizes at most */
	double scale; /* e^-log_in */
};

/* Beyond the last order no corner is farther out than the top. */
static double area_at(const struct sotto_rise *r, double c, double top)
{
	double last = r->order[SOTTO_RISE_ORDERS - 1];

	return c <= last ? rise_area(r, c)
			 : r->area[SOTTO_RISE_ORDERS - 1] * exp((c - last) * top);
}

/* What the corners' sum may be wrong by: gathering, or all of it where they are too far apart; rounding; and what is not known of the curve. */
static double
error_of(const struct sotto_raised *r, double c, double t, double size, double scale)
{
	double s = hypot(c, t),
	       gathered = s < sotto_gathered_list_reach(&r->corners)
				  ? 2 * sotto_gathered_list_error(&r->corners, c, t)
				  : 1;

	return size * (fmin(1, gathered) + ROUNDING * (1 + s)) +
	       scale * (area_at(&r->error, c, r->top) * s * hypot(c + 1, t) * (1 + 0x1p-40) +
			area_at(&r->rounding, c, r->top) * (1 + s));
}

/* Whether the corners' sum is computed there. */
static bool is_summed(const struct sotto_raised *r, double c, double t)
{
	return hypot(c, t) < sotto_gathered_list_reach(&r->corners);
}

/* Over e^log_in; returns the sum. */
static double
weigh(const struct sotto_gathered_list *l, double c, double log_in, double *weight)
{
	double power[2 * SOTTO_GATHERED_MAX], sum = 0,
					      scale = exp(c * l->loss[l->n - 1] - log_in);

	sotto_gathered_list_powers(l, c, power);
	for (size_t i = 0; i < l->n; i++) {
		double w = l->mass[i] * power[i] * scale;

		sum += w;
		if (weight)
			weight[i] = w;
	}
	return sum;
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	const struct sotto_raised *r = law->raised;
	double one[3] = {s * (s + 1) * r->mu2 / 2, (s + 0.5) * r->mu2, r->mu2}, size, most;

	for (size_t i = 0; i < r->n; i++)
		r->cells[i].class->cumulants(&r->cells[i], s, one);
	size = area_at(&r->size, s, r->top) * exp(-one[0]);
	most = error_of(r, s, 0, size, exp(-one[0])) +
	       (is_summed(r, s, 0) ? fmax(0, weigh(&r->corners, s, one[0], NULL)) : 0);
	one[0] += log1p(most) * (1 + 0x1p-40);
	sotto_law_add_cumulants(law, one, k);
}

static double terms(const struct sotto_law *law, double s)
{
	(void)s;
	return 0.05 * (double)law->raised->corners.n;
}

static void end(void *state)
{
	struct state *st = state;

	for (size_t i = 0; i < st->r->n; i++)
		if (st->r->cells[i].class->end && st->cells[i])
			st->r->cells[i].class->end(st->cells[i]);
	free(st->weight);
	free(st);
}

/* The cells, each for itself. */
static enum sotto_status begin_cells(struct state *st, double c, double h)
{
	st->log_in = c * (c + 1) * st->r->mu2 / 2;
	st->loose = 8 * SOTTO_U * st->log_in;
	for (size_t i = 0; i < st->r->n; i++) {
		const struct sotto_law *cell = &st->r->cells[i];
		double log_m, slack;

		SOTTO_TRY(cell->class->begin(cell, c, h, &st->cells[i], &log_m, &slack));
		st->log_in += log_m;
		st->loose += slack;
	}
	st->loose += 16 * SOTTO_U * fabs(st->log_in);
	return SOTTO_OK;
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	const struct sotto_raised *r = law->raised;
	struct state *st = calloc(1, sizeof *st);
	double n = (double)law->count;

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	st->r = r;
	st->weight = calloc(r->corners.n, sizeof *st->weight);
	if (!st->weight)
		return SOTTO_ENOMEM;
	SOTTO_TRY(begin_cells(st, c, h));
	if (is_summed(r, c, 0))
		st->sum = weigh(&r->corners, c, st->log_in, st->weight);
	st->scale = exp(-st->log_in);
	st->size = area_at(&r->size, c, r->top) * st->scale;
	*log_m = n * (st->log_in + log1p(st->sum));
	*slack = n * (st->loose + 1.1 * error_of(r, c, 0, st->size, st->scale)) +
		 8 * SOTTO_U * (n + fabs(*log_m));
	return SOTTO_OK;
}

/* Both cells at each node of a block, over what they are over. */
static void start(const struct sotto_law *law, const struct state *st, struct sotto_block *b)
{
	const struct sotto_raised *r = law->raised;

	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double t = b->h * (double)(b->first + j);
		struct cx z = cx_exp(-0.5 * r->mu2 * t * t, t * (b->c + 0.5) * r->mu2);

		b->re[j] = z.re;
		b->im[j] = z.im;
		b->relative[j] = SOTTO_U * (4 + 8 * r->mu2 * t * (t + b->c + 1));
		b->absolute[j] = 0;
	}
	for (size_t i = 0; i < r->n; i++)
		r->cells[i].class->apply(&r->cells[i], st->cells[i], b);
}

/* Whether the corners' sum is computed at the first node of a block. */
static bool is_near(const struct sotto_raised *r, const struct sotto_block *b)
{
	return is_summed(r, b->c, b->h * (double)b->first);
}

/* Multiplies node j by z^count; z is wrong by eta. */
static void multiply(struct sotto_block *b, size_t j, struct cx z, double eta, uint64_t count)
{
	double n = (double)count, size = cx_abs(z), all = pow(size + eta, n),
	       before = cx_abs(cx_of(b->re[j], b->im[j])),
	       change = size > 0 ? pow(size, n) * expm1(n * log1p(eta / size)) : all;
	struct cx power = cx_power(z, count), out = cx_mul(cx_of(b->re[j], b->im[j]), power);

	b->absolute[j] = (b->absolute[j] * all + before * (1 + b->relative[j]) * change) *
				 (1 + 0x1p-40) +
			 0x1p-1000;
	b->relative[j] += SOTTO_U * (8 + 8 * n) * (1 + b->relative[j]);
	b->re[j] = out.re;
	b->im[j] = out.im;
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0}, all;
	const struct sotto_raised *r = law->raised;
	struct state *st = state;
	struct sotto_block in = *b;

	start(law, st, &in);
	all = 1 + st->sum;
	for (size_t i = 0; i < r->corners.n && is_near(r, b); i++)
		sotto_block_add_atom(b, r->corners.loss[i], st->weight[i], dr, di);
	for (size_t j = 0; j < b->n; j++) {
		double t = b->h * (double)(b->first + j), error;
		bool summed = is_summed(r, b->c, t);
		struct cx z = cx_of(in.re[j] + (summed ? st->sum + dr[j] : 0),
				    in.im[j] + (summed ? di[j] : 0));

		error = cx_abs(cx_of(in.re[j], in.im[j])) * (in.relative[j] + st->loose) +
			in.absolute[j] * (1 + st->loose) +
			error_of(r, b->c, t, st->size, st->scale) + st->loose * st->size +
			SOTTO_U * (64 + (double)r->corners.n) * st->size;
		multiply(b, j, cx_of(z.re / all, z.im / all),
			 error / all * (1 + 0x1p-40) + 4 * SOTTO_U, law->count);
	}
}

static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;
	double places = is_near(st->r, b) ? (double)st->r->corners.n : 0,
	       sum = SOTTO_BLOCK * (PLACE_STEPS * places + 40);

	(void)law;
	for (size_t i = 0; i < st->r->n; i++) {
		const struct sotto_law *cell = &st->r->cells[i];

		sum += cell->class->steps ? cell->class->steps(cell, st->cells[i], b)
					  : SOTTO_BLOCK * CELL_STEPS;
	}
	return sum;
}

static void free_raised(struct sotto_raised *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->cells[i].class->release)
			r->cells[i].class->release(&r->cells[i]);
	free(r->cells);
	free(r->corners.loss);
	free(r);
}

static void release(struct sotto_law *law)
{
	free_raised(law->raised);
}

static const struct sotto_law_class raised_class = {
	.cumulants = cumulants,
	.terms = terms,
	.steps = steps,
	.begin = begin,
	.apply = apply,
	.by_its_own = true,
	.end = end,
	.release = release,
};

/* A line from one point to the next: its value at E = 0, and how much it falls for each unit of E. */
struct line {
	double value, fall;
};

static struct line line_to(const struct sotto_points *p, size_t i)
{
	double width, fall;

	if (i == 0 || i >= p->n)
		return (struct line){0, 0};
	width = exp(p->x[i - 1]) * expm1(p->x[i] - p->x[i - 1]);
	fall = (p->value[i - 1] - p->value[i]) / width;
	return (struct line){p->value[i] + fall * exp(p->x[i]), fall};
}

struct corners {
	double *loss, *mass;
	size_t n;
};

static void add_corner(struct corners *c, double loss, double mass)
{
	c->loss[c->n] = loss;
	c->mass[c->n++] = mass;
}

/* Corners that have one weight at each order. */
enum { GROUP = 16 };

static void add_sizes(struct sotto_rise *sizes, double size, double from, double to)
{
	for (int i = 0; size > 0 && i < SOTTO_RISE_ORDERS; i++)
		sizes->area[i] +=
			size * (exp(sizes->order[i] * to) + exp(-(sizes->order[i] + 1) * from));
}

/* The changes of the lines at the points, and what they are at the opposite places; at E = 1 both sides meet. */
static void
list_corners(const struct sotto_points *p, struct corners *c, struct sotto_raised *r)
{
	struct line last = line_to(p, 1);
	double size = fabs(last.value + last.fall), from = 0,
	       lines = fabs(last.value) + fabs(last.fall);

	add_corner(c, 0, -last.value - last.fall);
	for (size_t i = 1; i < p->n; i++) {
		struct line next = line_to(p, i + 1);
		double place = exp(p->x[i]);

		add_corner(c, p->x[i], last.value - next.value);
		add_corner(c, -p->x[i], last.fall - next.fall);
		size += fabs(last.value - next.value) + fabs(last.fall - next.fall) * place;
		lines += fabs(last.value) + fabs(next.value) +
			 (fabs(last.fall) + fabs(next.fall)) * place;
		if (i % GROUP == 0 || i + 1 == p->n) {
			add_sizes(&r->size, size * (1 + 0x1p-40), from, p->x[i]);
			add_sizes(&r->rounding, ROUNDING_OF_LINES * lines, from, p->x[i]);
			size = lines = 0;
			from = p->x[i];
		}
		last = next;
	}
}

static enum sotto_status
gather(struct sotto_raised *r, const struct sotto_points *p, size_t size)
{
	struct corners c = {.loss = malloc(4 * (p->n + 1) * sizeof *c.loss)};
	enum sotto_status st;

	if (!c.loss)
		return SOTTO_ENOMEM;
	c.mass = c.loss + 2 * (p->n + 1);
	list_corners(p, &c, r);
	st = sotto_gathered_list_of(&r->corners, c.loss, c.mass, c.n, size);
	free(c.loss);
	return st;
}

enum sotto_status sotto_law_raised_of(struct sotto_law *law, struct sotto_law *cells, size_t n,
				      double mu2, const struct sotto_largest_couple *largest,
				      bool of_many)
{
	struct sotto_raised *r = calloc(1, sizeof *r);
	enum sotto_status st = SOTTO_ENOMEM;

	if (r) {
		*r = (struct sotto_raised){.mu2 = mu2,
					   .top = largest->top,
					   .size = largest->error,
					   .rounding = largest->error,
					   .error = largest->error};
		for (int i = 0; i < SOTTO_RISE_ORDERS; i++)
			r->size.area[i] = r->rounding.area[i] = 0;
		st = gather(r, &largest->above, of_many ? OF_MANY : OF_FEW);
	}
	if (st != SOTTO_OK) {
		if (r)
			free_raised(r);
		return st;
	}
	r->cells = cells;
	r->n = n;
	law->class = &raised_class;
	law->raised = r;
	return SOTTO_OK;
}
