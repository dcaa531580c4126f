#include "channel/matrix/channel_build.h"
#include "channel/matrix/channel_powers.h"
#include "channel/optimal/channel_columns.h"
#include "channel/optimal/channel_optimal_program.h"
#include "core/base/failure.h"
#include "sotto/utility.h"

const char *sotto_optimal_method_name(enum sotto_optimal_method m)
{
	static const char *const names[] = {
		[SOTTO_OPTIMAL_CONSTANT] = "constant",
		[SOTTO_OPTIMAL_CERTIFICATE] = "certificate",
		[SOTTO_OPTIMAL_TIGHT] = "closed form",
		[SOTTO_OPTIMAL_COLUMNS] = "exact columns",
		[SOTTO_OPTIMAL_VERTEX] = "linear program, exact vertex",
		[SOTTO_OPTIMAL_REPAIRED] = "linear program, repaired",
	};

	return m < sizeof names / sizeof names[0] ? names[m] : NULL;
}

/* ---- closed forms ----------------------------------------------------------------------------- */

static enum sotto_status constant(const struct sotto_task *t, struct sotto_optimal *o)
{
	size_t n = t->graph->nodes;

	SOTTO_TRY(sotto_matrix_new(n, 1, &o->channel));
	for (size_t y = 0; y < n; y++)
		mpq_set_ui(o->channel->cells[y], 1, 1);
	o->method = SOTTO_OPTIMAL_CONSTANT;
	SOTTO_TRY(sotto_optimal_measure(t, o));
	mpq_set(o->upper.q, o->lower.q);
	return SOTTO_OK;
}

/* Sets *upper if the certificate at the fraction below e^-epsilon says optimal. */
static enum sotto_status certified_upper(const struct sotto_task *t, mpq_t upper, bool *found)
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
by_certificate(const struct sotto_task *t, struct sotto_optimal *o, bool *done)
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

static bool is_uniform_identity(const struct sotto_task *t)
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
static enum sotto_status
by_tight(const struct sotto_task *t, struct sotto_optimal *o, bool *done)
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
	SOTTO_TRY(sotto_optimal_measure(t, o));
	mpq_set(o->upper.q, o->lower.q);
	o->method = SOTTO_OPTIMAL_TIGHT;
	*done = true;
	return SOTTO_OK;
}

/* ---- columns on a tree ------------------------------------------------------------------------- */

static enum sotto_status weighted(const struct sotto_task *t, struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_copy(t->gain, out));
	for (size_t i = 0; i < t->gain->rows * t->gain->columns; i++)
		mpq_mul((*out)->cells[i], (*out)->cells[i],
			t->prior->cells[i % t->gain->columns]);
	return SOTTO_OK;
}

/* channel may be NULL; *done is false if fractions would grow too long. */
static enum sotto_status solve_columns(const struct sotto_task *t, enum sotto_alpha_side side,
				       bool patient, mpq_t utility,
				       struct sotto_matrix **channel, bool *done)
{
	struct sotto_matrix *q;
	struct sotto_channel_tree tree;
	enum sotto_status st;

	SOTTO_TRY(sotto_channel_tree_init(&tree, t->graph, t->eps, side));
	*done = sotto_columns_suit(&tree, t->gain->rows, patient);
	st = *done ? weighted(t, &q) : SOTTO_OK;
	if (*done && st == SOTTO_OK) {
		st = sotto_columns_find(&tree, q, utility, channel);
		*done = st == SOTTO_OK;
		st = st == SOTTO_ESTATE ? SOTTO_OK : st; /* too many steps */
		sotto_matrix_free(q);
	}
	sotto_channel_tree_release(&tree);
	return st;
}

static enum sotto_status
by_columns(const struct sotto_task *t, bool patient, struct sotto_optimal *o, bool *done)
{
	*done = false;
	if (!t->graph->is_tree || sotto_eps_is_zero(t->eps))
		return SOTTO_OK;
	SOTTO_TRY(solve_columns(t, SOTTO_ALPHA_UP, patient, o->lower.q, &o->channel, done));
	mpq_set(o->upper.q, o->lower.q);
	if (*done && (!t->eps->is_log || t->graph->has_lengths))
		SOTTO_TRY(solve_columns(t, SOTTO_ALPHA_DOWN, patient, o->upper.q, NULL, done));
	if (*done) {
		o->method = SOTTO_OPTIMAL_COLUMNS;
	} else {
		sotto_matrix_free(o->channel);
		o->channel = NULL;
	}
	return SOTTO_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* Without a solver a tree may take columns that need longer. */
static enum sotto_status program_or_columns(const struct sotto_task *t, bool columns,
					    struct sotto_optimal *o, struct sotto_error *err)
{
	enum sotto_status st = sotto_optimal_by_program(t, o, err);
	bool done = false;

	if (st != SOTTO_EMISSING || !columns)
		return st;
	SOTTO_TRY(by_columns(t, true, o, &done));
	return done ? SOTTO_OK : st;
}

static enum sotto_status find(const struct sotto_task *t, enum sotto_optimal_ways ways,
			      struct sotto_optimal *o, struct sotto_error *err)
{
	bool closed = ways == SOTTO_WAYS_ALL || ways == SOTTO_WAYS_CLOSED;
	bool columns = ways == SOTTO_WAYS_ALL || ways == SOTTO_WAYS_COLUMNS;
	bool done = false;

	if (sotto_eps_is_zero(t->eps) && t->graph->is_tree)
		return constant(t, o);
	if (closed)
		SOTTO_TRY(by_certificate(t, o, &done));
	if (closed && !done)
		SOTTO_TRY(by_tight(t, o, &done));
	if (columns && !done)
		SOTTO_TRY(by_columns(t, ways == SOTTO_WAYS_COLUMNS, o, &done));
	if (done)
		return SOTTO_OK;
	if (ways == SOTTO_WAYS_CLOSED)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "no closed form is the best here; leave --method out");
	if (ways == SOTTO_WAYS_COLUMNS)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "columns are for small trees; leave --method out");
	return program_or_columns(t, columns, o, err);
}

enum sotto_status
sotto_optimal_find(const struct sotto_graph *graph, const struct sotto_eps *eps,
		   const struct sotto_matrix *prior, const struct sotto_matrix *gain,
		   enum sotto_optimal_ways ways, struct sotto_optimal *out,
		   struct sotto_error *err)
{
	const struct sotto_task t = {graph, eps, prior, gain};
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
