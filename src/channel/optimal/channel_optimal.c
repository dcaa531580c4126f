#include <stdlib.h>

#include "channel/matrix/channel_build.h"
#include "channel/matrix/channel_powers.h"
#include "channel/optimal/channel_program.h"
#include "channel/optimal/channel_repair.h"
#include "core/base/failure.h"
#include "sotto/utility.h"

/* Above this many cells no program is made; an exact vertex is tried up to fewer. */
enum { PROGRAM_CELLS_MAX = 200000, VERTEX_CELLS_MAX = 700 };

const char *sotto_optimal_method_name(enum sotto_optimal_method m)
{
	static const char *const names[] = {
		[SOTTO_OPTIMAL_CONSTANT] = "constant",
		[SOTTO_OPTIMAL_CERTIFICATE] = "certificate",
		[SOTTO_OPTIMAL_TIGHT] = "closed form",
		[SOTTO_OPTIMAL_VERTEX] = "linear program, exact vertex",
		[SOTTO_OPTIMAL_REPAIRED] = "linear program, repaired",
	};

	return m < sizeof names / sizeof names[0] ? names[m] : NULL;
}

/* The question as the steps below pass it on. */
struct task {
	const struct sotto_graph *graph;
	const struct sotto_eps *eps;
	const struct sotto_matrix *prior, *gain;
};

/* lower becomes the utility of the channel */
static enum sotto_status measure(const struct task *t, struct sotto_optimal *o)
{
	struct sotto_use use;

	SOTTO_TRY(sotto_use_find(o->channel, t->prior, t->gain, &use));
	mpq_set(o->lower.q, use.utility.q);
	sotto_use_release(&use);
	return SOTTO_OK;
}

/* ---- closed forms ----------------------------------------------------------------------------- */

static enum sotto_status constant(const struct task *t, struct sotto_optimal *o)
{
	size_t n = t->graph->nodes;

	SOTTO_TRY(sotto_matrix_new(n, 1, &o->channel));
	for (size_t y = 0; y < n; y++)
		mpq_set_ui(o->channel->cells[y], 1, 1);
	o->method = SOTTO_OPTIMAL_CONSTANT;
	SOTTO_TRY(measure(t, o));
	mpq_set(o->upper.q, o->lower.q);
	return SOTTO_OK;
}

/* Sets *upper if the certificate at the fraction below e^-epsilon says optimal. */
static enum sotto_status certified_upper(const struct task *t, mpq_t upper, bool *found)
{
	struct sotto_certificate c;

	SOTTO_TRY(sotto_certificate_find(t->graph, t->eps, SOTTO_ALPHA_DOWN, t->prior, t->gain,
					 &c));
	*found = c.applies && c.optimal;
	if (*found)
		mpq_set(upper, c.utility.q);
	sotto_certificate_release(&c);
	return SOTTO_OK;
}

static enum sotto_status
by_certificate(const struct task *t, struct sotto_optimal *o, bool *done)
{
	struct sotto_certificate c;

	*done = false;
	SOTTO_TRY(sotto_certificate_find(t->graph, t->eps, SOTTO_ALPHA_UP, t->prior, t->gain,
					 &c));
	if (c.applies && c.optimal)
		mpq_set(o->lower.q, c.utility.q);
	*done = c.applies && c.optimal;
	sotto_certificate_release(&c);
	if (*done)
		SOTTO_TRY(certified_upper(t, o->upper.q, done));
	if (!*done)
		return SOTTO_OK;
	o->method = SOTTO_OPTIMAL_CERTIFICATE;
	return sotto_channel_build(t->graph->is_path ? SOTTO_BUILD_GEOMETRIC
						     : SOTTO_BUILD_TIGHT,
				   t->graph, t->eps, &o->channel, NULL);
}

static bool is_uniform_identity(const struct task *t)
{
	bool fine = t->gain->rows == t->graph->nodes;

	for (size_t y = 1; y < t->graph->nodes && fine; y++)
		fine = mpq_equal(t->prior->cells[y], t->prior->cells[0]);
	for (size_t i = 0; fine && i < t->gain->rows * t->gain->columns; i++)
		fine = mpq_cmp_ui(t->gain->cells[i],
				  i / t->gain->columns == i % t->gain->columns, 1) == 0;
	return fine;
}

/* Only where e^-epsilon is a fraction: both bounds are then the same number. */
static enum sotto_status by_tight(const struct task *t, struct sotto_optimal *o, bool *done)
{
	enum { NODES_MAX = 200 };
	enum sotto_status st;

	*done = false;
	if (!t->eps->is_log || t->graph->has_lengths || t->graph->nodes > NODES_MAX ||
	    !is_uniform_identity(t))
		return SOTTO_OK;
	st = sotto_channel_build(SOTTO_BUILD_TIGHT, t->graph, t->eps, &o->channel, NULL);
	if (st == SOTTO_EINVAL)
		return SOTTO_OK;
	SOTTO_TRY(st);
	SOTTO_TRY(measure(t, o));
	mpq_set(o->upper.q, o->lower.q);
	o->method = SOTTO_OPTIMAL_TIGHT;
	*done = true;
	return SOTTO_OK;
}

/* ---- the program -------------------------------------------------------------------------------- */

static enum sotto_status add_sums(struct sotto_program *p, size_t answers, size_t guesses)
{
	mpq_t one;
	enum sotto_status st = SOTTO_OK;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	for (size_t y = 0; y < answers && st == SOTTO_OK; y++) {
		st = sotto_program_row(p, true);
		if (st == SOTTO_OK)
			mpq_set(p->right[p->rows - 1], one);
		for (size_t w = 0; w < guesses && st == SOTTO_OK; w++)
			st = sotto_program_entry(p, y * guesses + w, one);
	}
	mpq_clear(one);
	return st;
}

/* p_yw - k p_y'w <= 0 for one direction of an edge */
static enum sotto_status
add_bounds(struct sotto_program *p, size_t y, size_t neighbour, const mpq_t k, size_t guesses)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t one, minus;

	mpq_inits(one, minus, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	mpq_neg(minus, k);
	for (size_t w = 0; w < guesses && st == SOTTO_OK; w++) {
		st = sotto_program_row(p, false);
		if (st == SOTTO_OK)
			st = sotto_program_entry(p, y * guesses + w, one);
		if (st == SOTTO_OK)
			st = sotto_program_entry(p, neighbour * guesses + w, minus);
	}
	mpq_clears(one, minus, (mpq_ptr)0);
	return st;
}

static enum sotto_status fill_program(const struct task *t, struct sotto_program *p)
{
	size_t n = t->graph->nodes, guesses = t->gain->rows;
	enum sotto_status st;
	mpq_t k;

	for (size_t y = 0; y < n; y++)
		for (size_t w = 0; w < guesses; w++)
			mpq_mul(p->objective[y * guesses + w], t->prior->cells[y],
				sotto_matrix_at(t->gain, w, y));
	SOTTO_TRY(add_sums(p, n, guesses));
	mpq_init(k);
	st = SOTTO_OK;
	for (size_t i = 0; i < 2 * t->graph->edge_count && st == SOTTO_OK; i++) {
		const struct sotto_edge *e = &t->graph->edges[i / 2];

		(void)sotto_eps_alpha_up(t->eps, e->length, SOTTO_CHANNEL_BITS, k);
		mpq_inv(k, k);
		st = add_bounds(p, i % 2 ? e->to : e->from, i % 2 ? e->from : e->to, k,
				guesses);
	}
	mpq_clear(k);
	return st;
}

static enum sotto_status
channel_of(const struct task *t, const double *x, const mpq_t *exact, struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_new(t->graph->nodes, t->gain->rows, out));
	for (size_t i = 0; i < t->graph->nodes * t->gain->rows; i++) {
		if (exact)
			mpq_set((*out)->cells[i], exact[i]);
		else
			mpq_set_d((*out)->cells[i], x[i]);
	}
	return SOTTO_OK;
}

/* r_yw of optimal.md, for all cells */
static void reduced_costs(const struct task *t, const struct sotto_program *p,
			  const double *price, struct sotto_matrix *r)
{
	size_t guesses = t->gain->rows, row = t->graph->nodes;
	mpq_t mu, k, term;

	mpq_inits(mu, k, term, (mpq_ptr)0);
	for (size_t y = 0; y < t->graph->nodes; y++) {
		mpq_set_d(mu, price[y]);
		for (size_t w = 0; w < guesses; w++)
			mpq_sub(sotto_matrix_at(r, y, w), p->objective[y * guesses + w], mu);
	}
	for (size_t i = 0; i < 2 * t->graph->edge_count; i++) {
		const struct sotto_edge *e = &t->graph->edges[i / 2];
		size_t y = i % 2 ? e->to : e->from, neighbour = i % 2 ? e->from : e->to;

		(void)sotto_eps_alpha_down(t->eps, e->length, SOTTO_CHANNEL_BITS, k);
		mpq_inv(k, k);
		for (size_t w = 0; w < guesses; w++, row++) {
			if (!(price[row] > 0))
				continue;
			mpq_set_d(mu, price[row]);
			mpq_sub(sotto_matrix_at(r, y, w), sotto_matrix_at(r, y, w), mu);
			mpq_mul(term, k, mu);
			mpq_add(sotto_matrix_at(r, neighbour, w),
				sotto_matrix_at(r, neighbour, w), term);
		}
	}
	mpq_clears(mu, k, term, (mpq_ptr)0);
}

static enum sotto_status
upper_bound(const struct task *t, const struct sotto_program *p, const double *price, mpq_t out)
{
	struct sotto_matrix *r;
	mpq_t rho, lam;

	SOTTO_TRY(sotto_matrix_new(t->graph->nodes, t->gain->rows, &r));
	reduced_costs(t, p, price, r);
	mpq_inits(rho, lam, (mpq_ptr)0);
	for (size_t i = 0; i < r->rows * r->columns; i++)
		if (mpq_cmp(r->cells[i], rho) > 0)
			mpq_set(rho, r->cells[i]);
	mpq_set_ui(out, t->graph->nodes, 1);
	mpq_mul(out, out, rho);
	for (size_t y = 0; y < t->graph->nodes; y++) {
		mpq_set_d(lam, price[y]);
		mpq_add(out, out, lam);
	}
	mpq_clears(rho, lam, (mpq_ptr)0);
	sotto_matrix_free(r);
	return SOTTO_OK;
}

/* The exact vertex, where fractions stay small enough to try. */
static enum sotto_status try_vertex(const struct task *t, const struct sotto_program *p,
				    const struct sotto_program_answer *a,
				    struct sotto_optimal *o, bool *done)
{
	struct sotto_matrix *x;
	enum sotto_status st;

	*done = false;
	if (!t->eps->is_log || t->graph->has_lengths || p->columns > VERTEX_CELLS_MAX)
		return SOTTO_OK;
	st = sotto_program_exact(p, a, &x);
	if (st == SOTTO_ESTATE)
		return SOTTO_OK;
	SOTTO_TRY(st);
	st = channel_of(t, NULL, (const mpq_t *)x->cells, &o->channel);
	sotto_matrix_free(x);
	SOTTO_TRY(st);
	SOTTO_TRY(measure(t, o));
	mpq_set(o->upper.q, o->lower.q);
	o->method = SOTTO_OPTIMAL_VERTEX;
	*done = true;
	return SOTTO_OK;
}

static enum sotto_status use_answer(const struct task *t, const struct sotto_program *p,
				    const struct sotto_program_answer *a,
				    struct sotto_optimal *o)
{
	bool done;

	SOTTO_TRY(try_vertex(t, p, a, o, &done));
	if (done)
		return SOTTO_OK;
	SOTTO_TRY(channel_of(t, a->x, NULL, &o->channel));
	SOTTO_TRY(sotto_channel_repair(o->channel, t->graph, t->eps));
	o->method = SOTTO_OPTIMAL_REPAIRED;
	SOTTO_TRY(measure(t, o));
	return upper_bound(t, p, a->price, o->upper.q);
}

static enum sotto_status
by_program(const struct task *t, struct sotto_optimal *o, struct sotto_error *err)
{
	size_t cells = t->graph->nodes * t->gain->rows;
	struct sotto_program_answer a;
	struct sotto_program *p;
	enum sotto_status st;

	if (cells > PROGRAM_CELLS_MAX)
		return sotto_fail(
			err, SOTTO_ERANGE,
			"%zu answers and %zu guesses are too many for a linear program",
			t->graph->nodes, t->gain->rows);
	SOTTO_TRY(sotto_program_new(cells, &p));
	st = fill_program(t, p);
	if (st == SOTTO_OK)
		st = sotto_program_solve(p, &a, err);
	if (st == SOTTO_OK) {
		st = use_answer(t, p, &a, o);
		sotto_program_answer_release(&a);
	}
	sotto_program_free(p);
	return st;
}

static enum sotto_status find(const struct task *t, enum sotto_optimal_ways ways,
			      struct sotto_optimal *o, struct sotto_error *err)
{
	bool done = false;

	if (sotto_eps_is_zero(t->eps) && t->graph->is_tree)
		return constant(t, o);
	if (ways != SOTTO_WAYS_PROGRAM)
		SOTTO_TRY(by_certificate(t, o, &done));
	if (ways != SOTTO_WAYS_PROGRAM && !done)
		SOTTO_TRY(by_tight(t, o, &done));
	if (done)
		return SOTTO_OK;
	if (ways == SOTTO_WAYS_CLOSED)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "no closed form is the best here; leave --method out");
	return by_program(t, o, err);
}

enum sotto_status
sotto_optimal_find(const struct sotto_graph *graph, const struct sotto_eps *eps,
		   const struct sotto_matrix *prior, const struct sotto_matrix *gain,
		   enum sotto_optimal_ways ways, struct sotto_optimal *out,
		   struct sotto_error *err)
{
	const struct task t = {graph, eps, prior, gain};
	struct sotto_optimal o = {.channel = NULL};
	enum sotto_status st;

	if (!graph || !eps || !prior || !gain || !out || prior->columns != graph->nodes ||
	    gain->columns != graph->nodes || !gain->rows)
		return SOTTO_EINVAL;
	sotto_rational_init(&o.lower);
	sotto_rational_init(&o.upper);
	st = find(&t, ways, &o, err);
	if (st == SOTTO_OK)
		*out = o;
	else
		sotto_optimal_release(&o);
	return st;
}

void sotto_optimal_release(struct sotto_optimal *o)
{
	if (!o)
		return;
	sotto_rational_release(&o->lower);
	sotto_rational_release(&o->upper);
	sotto_matrix_free(o->channel);
	o->channel = NULL;
}
