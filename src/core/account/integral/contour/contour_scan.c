/*
 * Rates the laws at a few nodes and multiplies bounds of the smallest ones, each looked at only
 * as densely as its first nodes say is needed, until little is left to gain.
 */
#include "core/account/integral/contour/contour_scan.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/nonuniform.h"
#include "core/base/failure.h"

enum {
	LAWS_MAX = 400, /* looked at, at most */
	PATIENCE = 96, /* laws after which nothing more is to be expected */
	LOOKS = SOTTO_BLOCK - 1, /* steps between the nodes of a block */
	BIT = SOTTO_SCAN_NODES,
	BITS = SOTTO_SCAN_BOUNDS
};

/* Between two nodes that are looked at |M(s)/M(c)|^2 may be larger by this. */
#define SLIP 0.02

/* What the bounds of one law take for each of them (work.h). */
#define BOUND_STEPS 2

/* Of outcomes, of which only the size of a sum counts. */
#define DIGITS 12
/* What a block takes until enough laws were multiplied, roughly. */
#define BLOCK_STEPS 2e4

/* Every how many nodes a law is looked at, and how much larger it may be between them. */
struct stride {
	uint64_t nodes; /* a power of two up to SOTTO_BLOCK */
	double slip;
};

/* A law, and how small it is at a few nodes all over the line, for each node that has to be looked at. */
struct candidate {
	size_t law;
	double log_size;
};

void sotto_scan_release(struct sotto_scan *scan)
{
	free(scan->bound);
	scan->bound = NULL;
}

double sotto_scan_weight(const struct sotto_scan *scan, const struct sotto_scan_line *line,
			 size_t block)
{
	double t = line->h * (double)block * SOTTO_BLOCK, sum = 0;

	for (size_t i = 0; i < BITS; i++)
		sum += scan->bound[block * BITS + i];
	return 4 * BIT * sum / (t * t + line->c * line->c) * (1 + 0x1p-40);
}

/* Ones, to multiply by a law. */
static void start(struct sotto_block *b, double c, double h, uint64_t first)
{
	*b = (struct sotto_block){.c = c, .h = h, .first = first, .n = SOTTO_BLOCK};
	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b->re[j] = 1;
}

static double size_up(const struct sotto_block *b, size_t j)
{
	return cx_abs(cx_of(b->re[j], b->im[j])) * (1 + b->relative[j] + 4 * SOTTO_U) +
	       b->absolute[j];
}

static double size_down(const struct sotto_block *b, size_t j)
{
	return cx_abs(cx_of(b->re[j], b->im[j])) * (1 - b->relative[j] - 4 * SOTTO_U) -
	       b->absolute[j];
}

static void
charge(const struct sotto_scan_line *line, size_t law, void *state, const struct sotto_block *b)
{
	const struct sotto_law *l = &line->m->laws[law];

	sotto_work_use(line->m->work, l->class->steps ? l->class->steps(l, state, b)
						      : SOTTO_BLOCK * sotto_law_steps(l));
}

/*
 * psi = |M(s)/M(c)|^2 is a real characteristic function, so |psi(t) - (psi(t-u) + psi(t+u))/2| is at most 1 - psi(u).
 * Halving a step again and again, the slips add up.
 */
static struct stride stride_of(const struct sotto_scan_line *line, size_t law)
{
	struct stride s = {1, 0};
	struct sotto_block b;

	start(&b, line->c, line->h, 0);
	line->m->laws[law].class->apply(&line->m->laws[law], line->state[law], &b);
	charge(line, law, line->state[law], &b);
	for (size_t u = 1; u < SOTTO_BLOCK; u *= 2) {
		double size = fmax(0, size_down(&b, u)), slip = s.slip + (1 - size * size);

		if (!(slip <= SLIP))
			break;
		s = (struct stride){2 * u, slip * (1 + 8 * SOTTO_U)};
	}
	return s;
}

/* So little that it can be left out without looking at the others. */
static double least(const struct sotto_scan *scan, const struct sotto_scan_line *line)
{
	return line->budget / (4 * (double)scan->blocks);
}

static bool matters(const struct sotto_scan *scan, const struct sotto_scan_line *line,
		    size_t from, size_t to)
{
	for (size_t i = from; i <= to && i < scan->blocks; i++)
		if (sotto_scan_weight(scan, line, i) >= least(scan, line))
			return true;
	return false;
}

/* The step from node number k of a stride to the next raises the blocks that it touches to the larger of the two sizes, and what may lie between. */
static void
lift(const struct sotto_scan *scan, struct stride s, uint64_t k, double size, double *most)
{
	uint64_t from = k * s.nodes, to = from + s.nodes;
	double bound = fmin(1, sqrt(size * size + s.slip) * (1 + 8 * SOTTO_U));

	for (uint64_t i = from / BIT; i <= to / BIT && i < scan->blocks * BITS; i++)
		most[i] = fmax(most[i], bound);
}

/* Nothing is known of the blocks from one to the other. */
static void lift_all(const struct sotto_scan *scan, size_t from, size_t to, double *most)
{
	for (size_t i = from * BITS; i < (to + 1) * BITS && i < scan->blocks * BITS; i++)
		most[i] = 1;
}

/* What one law says of the blocks that still matter, from a state for every few nodes. */
static void look(const struct sotto_scan *scan, const struct sotto_scan_line *line,
		 struct stride s, size_t law, void *state, double *most)
{
	const struct sotto_law *l = &line->m->laws[law];

	for (uint64_t k = 0; k * LOOKS * s.nodes < scan->blocks * SOTTO_BLOCK; k++) {
		size_t from = k * LOOKS * s.nodes / SOTTO_BLOCK,
		       to = (k + 1) * LOOKS * s.nodes / SOTTO_BLOCK;
		struct sotto_block b;

		if (!matters(scan, line, from, to)) {
			lift_all(scan, from, to, most);
			continue;
		}
		start(&b, line->c, line->h * (double)s.nodes, k * LOOKS);
		l->class->apply(l, state, &b);
		charge(line, law, state, &b);
		for (size_t j = 0; j < LOOKS; j++)
			lift(scan, s, b.first + j, fmax(size_up(&b, j), size_up(&b, j + 1)),
			     most);
	}
}

/* The sums of a segment. */
static void lift_segment(const struct sotto_scan *scan, const struct sotto_nonuniform *u,
			 struct stride s, const struct sotto_law *law, double error,
			 double *most)
{
	double before = cx_abs(u->sums[0]);

	for (uint64_t j = 1; j < SOTTO_SEGMENT; j++) {
		double now = cx_abs(u->sums[j]), size = fmin(1, fmax(before, now) + error);

		lift(scan, s, u->first + j - 1,
		     law->count == 1 ? size : pow(size, (double)law->count), most);
		before = now;
	}
}

/* What the outcomes of one law say at every few nodes. */
static enum sotto_status survey(const struct sotto_scan *scan,
				const struct sotto_scan_line *line, struct stride s, size_t law,
				double *most)
{
	const struct sotto_law *l = &line->m->laws[law];
	uint64_t nodes = scan->blocks * SOTTO_BLOCK, span = (SOTTO_SEGMENT - 1) * s.nodes;
	struct sotto_law_outcomes o;
	struct sotto_nonuniform u;
	enum sotto_status st;

	SOTTO_TRY(l->class->outcomes(l, line->state[law], line->c,
				     line->h * (double)(nodes + s.nodes), DIGITS, &o));
	if (o.to < line->h * (double)nodes) {
		free(o.loss);
		return SOTTO_EREFUSED;
	}
	st = sotto_nonuniform_init(&u, o.loss, o.n, line->h * (double)s.nodes,
				   SOTTO_NONUNIFORM_ROUGH);
	for (uint64_t first = 0; st == SOTTO_OK && first < nodes; first += span) {
		size_t from = first / SOTTO_BLOCK, to = (first + span) / SOTTO_BLOCK;

		if (!matters(scan, line, from, to)) {
			lift_all(scan, from, to, most);
			continue;
		}
		sotto_nonuniform_run(&u, o.loss, o.weight, first / s.nodes);
		sotto_work_use(line->m->work, sotto_nonuniform_steps(&u));
		lift_segment(scan, &u, s, l, o.error + 1.1 * sotto_nonuniform_error(&u), most);
	}
	sotto_nonuniform_release(&u);
	free(o.loss);
	return st;
}

/* What one law says of each few nodes: by its outcomes, if it has them, or where it is looked at. */
static enum sotto_status find_most(const struct sotto_scan *scan,
				   const struct sotto_scan_line *line, size_t law, double *most)
{
	const struct sotto_law *l = &line->m->laws[law];
	struct stride s = stride_of(line, law);
	double log_m, slack;
	void *state = NULL;
	enum sotto_status st = SOTTO_EREFUSED;

	for (size_t i = 0; i < scan->blocks * BITS; i++)
		most[i] = 0;
	if (l->class->outcomes)
		st = survey(scan, line, s, law, most);
	if (st != SOTTO_EREFUSED)
		return st;
	st = l->class->begin(l, line->c, line->h * (double)s.nodes, &state, &log_m, &slack);
	if (st == SOTTO_OK)
		look(scan, line, s, law, state, most);
	if (l->class->end && state)
		l->class->end(state);
	return st;
}

/* Multiplies the bounds by those of one law. */
static enum sotto_status
apply_law(struct sotto_scan *scan, const struct sotto_scan_line *line, size_t law, double *most)
{
	sotto_work_use(line->m->work, BOUND_STEPS * (double)(scan->blocks * BITS));
	SOTTO_TRY(find_most(scan, line, law, most));
	for (size_t i = 0; i < scan->blocks * BITS; i++)
		scan->bound[i] *= most[i] * (1 + 4 * SOTTO_U);
	return SOTTO_OK;
}

static size_t count_alive(const struct sotto_scan *scan, const struct sotto_scan_line *line)
{
	size_t n = 0;

	for (size_t i = 0; i < scan->blocks; i++)
		n += sotto_scan_weight(scan, line, i) >= least(scan, line);
	return n;
}

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->log_size != y->log_size)
		return x->log_size < y->log_size ? -1 : 1;
	return x->law < y->law ? -1 : 1;
}

static enum sotto_status
rate(const struct sotto_scan_line *line, double spacing, struct candidate *candidate)
{
	const struct sotto_law *l = &line->m->laws[candidate->law];
	double log_m, slack;
	struct sotto_block b;
	void *state = NULL;
	enum sotto_status st = l->class->begin(l, line->c, spacing, &state, &log_m, &slack);

	if (st == SOTTO_OK) {
		start(&b, line->c, spacing, 1);
		l->class->apply(l, state, &b);
		charge(line, candidate->law, state, &b);
		for (size_t j = 0; j < SOTTO_BLOCK; j++)
			candidate->log_size += log(fmin(1, size_up(&b, j) + SLIP));
	}
	if (l->class->end && state)
		l->class->end(state);
	candidate->log_size *= (double)stride_of(line, candidate->law).nodes;
	return st;
}

/* The smallest laws first, of those that were not swept. */
static enum sotto_status sort_laws(const struct sotto_scan *scan,
				   const struct sotto_scan_line *line, const bool *is_swept,
				   struct candidate *list, size_t *n)
{
	double spacing = line->h * (double)scan->blocks * 0.97;

	*n = 0;
	for (size_t i = 0; i < line->m->n; i++) {
		if (is_swept[i])
			continue;
		list[*n] = (struct candidate){i, 0};
		SOTTO_TRY(rate(line, spacing, &list[(*n)++]));
	}
	qsort(list, *n, sizeof *list, compare);
	return SOTTO_OK;
}

static enum sotto_status apply_laws(struct sotto_scan *scan, const struct sotto_scan_line *line,
				    const struct candidate *list, size_t n, double *most)
{
	size_t before = scan->blocks;

	for (size_t i = 0; i < n && i < LAWS_MAX; i++) {
		double used = line->m->work ? line->m->work->used : 0;

		if (sotto_work_is_spent(line->m->work))
			break;
		SOTTO_TRY(apply_law(scan, line, list[i].law, most));
		if (line->m->work &&
		    BLOCK_STEPS * (double)count_alive(scan, line) < line->m->work->used - used)
			break; /* another law would take longer than the blocks that are left */
		if (i % PATIENCE == PATIENCE - 1) {
			size_t alive = count_alive(scan, line);

			if ((double)alive > 0.95 * (double)before)
				break;
			before = alive;
		}
	}
	return SOTTO_OK;
}

static int compare_weights(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The lightest blocks that together weigh half the budget. */
static void
find_cut(struct sotto_scan *scan, const struct sotto_scan_line *line, double *weight)
{
	double sum = 0;

	for (size_t i = 0; i < scan->blocks; i++)
		weight[i] = sotto_scan_weight(scan, line, i);
	qsort(weight, scan->blocks, sizeof *weight, compare_weights);
	for (size_t i = 0; i < scan->blocks; i++) {
		sum += weight[i];
		if (sum > 0.5 * line->budget)
			break;
		scan->cut = weight[i];
	}
}

/* Sweeps very many laws at once, where that says most of what there is to say; else nothing is as yet known. */
static enum sotto_status
start_bounds(struct sotto_scan *scan, const struct sotto_scan_line *line, bool *is_swept)
{
	for (size_t i = 0; i < scan->blocks * BITS; i++)
		scan->bound[i] = 1;
	SOTTO_TRY(sotto_scan_sweep(scan->bound, scan->blocks, line, is_swept));
	if (count_alive(scan, line) <= scan->blocks / 2)
		return SOTTO_OK;
	for (size_t i = 0; i < scan->blocks * BITS; i++)
		scan->bound[i] = 1;
	for (size_t i = 0; i < line->m->n; i++)
		is_swept[i] = false;
	return SOTTO_OK;
}

enum sotto_status sotto_scan_make(struct sotto_scan *scan, size_t blocks,
				  const struct sotto_scan_line *line, bool one_by_one)
{
	double *most = malloc(blocks * BITS * sizeof *most);
	struct candidate *list = malloc(line->m->n * sizeof *list);
	bool *is_swept = calloc(line->m->n, sizeof *is_swept);
	enum sotto_status st = SOTTO_ENOMEM;
	size_t n = 0;

	*scan = (struct sotto_scan){blocks, malloc(blocks * BITS * sizeof *scan->bound), 0};
	if (most && list && is_swept && scan->bound)
		st = start_bounds(scan, line, is_swept);
	if (st == SOTTO_OK && one_by_one)
		st = sort_laws(scan, line, is_swept, list, &n);
	if (st == SOTTO_OK && one_by_one)
		st = apply_laws(scan, line, list, n, most);
	if (st == SOTTO_OK)
		find_cut(scan, line, most);
	free(is_swept);
	free(list);
	free(most);
	if (st != SOTTO_OK)
		sotto_scan_release(scan);
	return st;
}
