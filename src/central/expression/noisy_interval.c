/*
 * Writes the ends as expressions beside the value: sums add ends, products take the extremes of
 * four corners, and a quotient whose divisor may be 0 has no ends.
 */
#include "central/expression/noisy_interval.h"

#include "core/base/failure.h"

static enum sotto_status set(struct sotto_binder *b, struct sotto_bound *out,
			     const struct sotto_expression *low,
			     const struct sotto_expression *high)
{
	out->by_one = false;
	SOTTO_TRY(sotto_bind_made(b, &out->low, low));
	return sotto_bind_made(b, &out->high, high);
}

/* All four corners, and the least and the greatest of them. */
static enum sotto_status corners(struct sotto_binder *b, enum sotto_operation_name o,
				 const struct sotto_expression *const *x,
				 const struct sotto_expression *const *y,
				 struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;
	const struct sotto_expression *c[4];

	for (int i = 0; i < 4; i++)
		c[i] = sotto_expression_make(
			a, sotto_operation(o),
			(const struct sotto_expression *[]){x[i / 2], y[i % 2]}, 2);
	return set(b, out, SOTTO_APPLY(a, SOTTO_OP_LEAST, c[0], c[1], c[2], c[3]),
		   SOTTO_APPLY(a, SOTTO_OP_GREATEST, c[0], c[1], c[2], c[3]));
}

/* Nothing is said of a quotient whose divisor may be 0. */
static enum sotto_status without_zero(struct sotto_binder *b,
				      const struct sotto_expression *const *y,
				      struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;
	const struct sotto_expression *zero = sotto_expression_whole(a, 0);
	const struct sotto_expression *fine =
		SOTTO_APPLY(a, SOTTO_OP_OR, SOTTO_APPLY(a, SOTTO_OP_GT, y[0], zero),
			    SOTTO_APPLY(a, SOTTO_OP_LT, y[1], zero));

	return set(b, out, SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN, fine, out->low),
		   SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN, fine, out->high));
}

enum sotto_status
sotto_interval_arithmetic(struct sotto_binder *b, enum sotto_sql_op op,
			  const struct sotto_bound *x, const struct sotto_bound *y,
			  const struct sotto_expression *const *args, struct sotto_bound *out)
{
	const struct sotto_expression *u[2] = {x->low ? x->low : args[0],
					       x->high ? x->high : args[0]};
	const struct sotto_expression *v[2] = {y->low ? y->low : args[1],
					       y->high ? y->high : args[1]};
	struct sotto_arena *a = b->arena;

	if ((!x->low && x->noisy) || (!y->low && y->noisy) || (!x->low && !y->low))
		return SOTTO_OK;
	switch (op) {
	case SOTTO_SQL_ADD:
		return set(b, out, SOTTO_APPLY(a, SOTTO_OP_ADD, u[0], v[0]),
			   SOTTO_APPLY(a, SOTTO_OP_ADD, u[1], v[1]));
	case SOTTO_SQL_SUBTRACT:
		return set(b, out, SOTTO_APPLY(a, SOTTO_OP_SUBTRACT, u[0], v[1]),
			   SOTTO_APPLY(a, SOTTO_OP_SUBTRACT, u[1], v[0]));
	case SOTTO_SQL_MULTIPLY:
		return corners(b, SOTTO_OP_MULTIPLY, u, v, out);
	case SOTTO_SQL_DIVIDE:
		SOTTO_TRY(corners(b, SOTTO_OP_DIVIDE, u, v, out));
		return without_zero(b, v, out);
	default:
		return SOTTO_OK;
	}
}

/*
 * The noise Z of the samplers has tails G(m) = P(|Z| >= m) with log G concave and G(0) = 1, so that
 * G(s m) <= G(m)^s for s >= 1.  An interval of half width h is missed if |Z| >= h + 1 (h + one step),
 * with 1/20 at most; one of half width s (h + 1) with 20^-s = 1/(20 k) at most, for s = ln(20 k) / ln 20.
 * That is for counts, whose step is 1.  Others have steps that are not known here, so the answer
 * that they come from says how much wider its intervals must be (answer_stretch.c).  Where it cannot
 * say, a value that has bounds lies between these.
 */
static const struct sotto_expression *
stretched_by(struct sotto_binder *b, const struct sotto_bound *x,
	     const struct sotto_expression *end, const struct sotto_rational *bound)
{
	const struct sotto_expression *stretched = SOTTO_APPLY(
		b->arena, SOTTO_OP_STRETCHED_BY, x->value, end, b->together->factor);

	if (!bound || !stretched ||
	    (x->type != SOTTO_TYPE_INTEGER && x->type != SOTTO_TYPE_NUMBER))
		return stretched;
	/* A row whose value has no interval gets none. */
	return SOTTO_APPLY(
		b->arena, SOTTO_OP_COALESCE, stretched,
		SOTTO_APPLY(b->arena, SOTTO_OP_ONLY_WHEN,
			    SOTTO_APPLY(b->arena, SOTTO_OP_NOT,
					SOTTO_APPLY(b->arena, SOTTO_OP_IS_NULL, end)),
			    sotto_expression_number(b->arena, bound, true)));
}

enum sotto_status sotto_interval_stretch(struct sotto_binder *b, struct sotto_bound *x)
{
	struct sotto_arena *a = b->arena;

	if (!x->low)
		return SOTTO_OK;
	if (!x->by_one)
		return set(b, x, stretched_by(b, x, x->low, x->range.lo),
			   stretched_by(b, x, x->high, x->range.hi));
	return set(b, x,
		   SOTTO_APPLY(a, SOTTO_OP_STRETCHED, x->value, x->low,
			       sotto_expression_whole(a, -1), b->together->numbers),
		   SOTTO_APPLY(a, SOTTO_OP_STRETCHED, x->value, x->high,
			       sotto_expression_whole(a, 1), b->together->numbers));
}

enum sotto_status sotto_interval_negate(struct sotto_binder *b, const struct sotto_bound *x,
					struct sotto_bound *out)
{
	if (!x->low)
		return SOTTO_OK;
	return set(b, out, SOTTO_APPLY(b->arena, SOTTO_OP_NEGATE, x->high),
		   SOTTO_APPLY(b->arena, SOTTO_OP_NEGATE, x->low));
}

static const struct sotto_expression *
over_all(struct sotto_arena *a, enum sotto_operation_name o, const struct sotto_expression *x,
	 const struct sotto_over *over)
{
	const struct sotto_expression *value = SOTTO_APPLY(a, o, x);

	return over && value ? sotto_expression_over(a, value, over) : value;
}

/* Only if each number has ends: a row without them would be left out of the ends alone. */
const struct sotto_expression *
sotto_interval_known(struct sotto_arena *a, const struct sotto_bound *x,
		     const struct sotto_over *over, const struct sotto_expression *end)
{
	return SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN,
			   SOTTO_APPLY(a, SOTTO_OP_EQ,
				       over_all(a, SOTTO_OP_COUNT, x->value, over),
				       over_all(a, SOTTO_OP_COUNT, x->low, over)),
			   end);
}

enum sotto_status
sotto_interval_aggregate(struct sotto_binder *b, enum sotto_operation_name operation,
			 const struct sotto_bound *x, const struct sotto_over *over,
			 struct sotto_bound *out)
{
	bool grows = operation == SOTTO_OP_SUM || operation == SOTTO_OP_AVG ||
		     operation == SOTTO_OP_MIN || operation == SOTTO_OP_MAX;

	if (!x->low || !grows)
		return SOTTO_OK;
	return set(b, out,
		   sotto_interval_known(b->arena, x, over,
					over_all(b->arena, operation, x->low, over)),
		   sotto_interval_known(b->arena, x, over,
					over_all(b->arena, operation, x->high, over)));
}

bool sotto_interval_needs_all(const struct sotto_binder *b, enum sotto_operation_name operation)
{
	return b->picks || operation == SOTTO_OP_MIN || operation == SOTTO_OP_MAX;
}

/* NULL if one of the ends is: CASE WHEN count(*) = count(x) THEN min(x) END. */
const struct sotto_expression *
sotto_interval_hull_end(struct sotto_arena *a, enum sotto_operation_name extreme,
			const struct sotto_expression *x, const struct sotto_over *over)
{
	const struct sotto_expression *rows = sotto_expression_word(a, SOTTO_OP_STAR);

	return SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN,
			   SOTTO_APPLY(a, SOTTO_OP_EQ, over_all(a, SOTTO_OP_COUNT, rows, over),
				       over_all(a, SOTTO_OP_COUNT, x, over)),
			   over_all(a, extreme, x, over));
}

enum sotto_status sotto_interval_of_group(struct sotto_binder *b, struct sotto_bound *x)
{
	if (!x->low)
		return SOTTO_OK;
	return set(b, x, sotto_interval_hull_end(b->arena, SOTTO_OP_MIN, x->low, NULL),
		   sotto_interval_hull_end(b->arena, SOTTO_OP_MAX, x->high, NULL));
}

/* ---- calls -------------------------------------------------------------------------------- */

enum { ARGUMENTS_MAX = 4 };

static const struct sotto_expression *
call_at(struct sotto_arena *a, const struct sotto_operation *operation,
	const struct sotto_expression *const *values, size_t count,
	const struct sotto_expression *first)
{
	const struct sotto_expression *args[ARGUMENTS_MAX] = {NULL};

	for (size_t i = 0; i < count; i++)
		args[i] = i ? values[i] : first;
	return sotto_expression_make(a, operation, args, count);
}

enum sotto_status
sotto_interval_growing(struct sotto_binder *b, const struct sotto_operation *operation,
		       const struct sotto_expression *const *values, size_t count,
		       const struct sotto_bound *x, struct sotto_bound *out)
{
	if (!x->low || count > ARGUMENTS_MAX)
		return SOTTO_OK;
	return set(b, out, call_at(b->arena, operation, values, count, x->low),
		   call_at(b->arena, operation, values, count, x->high));
}

/* From 0 on if the ends have different signs. */
enum sotto_status
sotto_interval_abs(struct sotto_binder *b, const struct sotto_bound *x, struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;

	if (!x->low)
		return SOTTO_OK;
	return set(b, out,
		   SOTTO_APPLY(a, SOTTO_OP_GREATEST, x->low,
			       SOTTO_APPLY(a, SOTTO_OP_NEGATE, x->high),
			       sotto_expression_whole(a, 0)),
		   SOTTO_APPLY(a, SOTTO_OP_GREATEST, x->high,
			       SOTTO_APPLY(a, SOTTO_OP_NEGATE, x->low)));
}

/* ---- choices ------------------------------------------------------------------------------ */

/* Is there noise in the parts, and does each that is noisy have ends? */
static bool have_ends(const struct sotto_merged *m)
{
	bool some = false;

	for (size_t i = 0; i < m->count; i++) {
		if (m->parts[i].noisy && !m->parts[i].low)
			return false;
		some = some || m->parts[i].low;
	}
	return some;
}

static const struct sotto_expression *end_of(const struct sotto_merged *m, size_t i, bool high)
{
	if (!m->parts[i].low)
		return m->values[i];
	return high ? m->parts[i].high : m->parts[i].low;
}

/* GREATEST and LEAST pass over NULL: they may where the value is NULL, not where its end is unknown. */
static const struct sotto_expression *extreme(struct sotto_arena *a,
					      enum sotto_operation_name o,
					      const struct sotto_merged *m, bool high)
{
	const struct sotto_expression **ends =
		sotto_arena_alloc(a, (m->count + 1) * sizeof(struct sotto_expression *));
	const struct sotto_expression *known = sotto_expression_word(a, SOTTO_OP_TRUE);

	for (size_t i = 0; ends && i < m->count; i++) {
		ends[i] = end_of(m, i, high);
		if (m->parts[i].low)
			known = SOTTO_APPLY(
				a, SOTTO_OP_BOTH, known,
				SOTTO_APPLY(a, SOTTO_OP_OR,
					    SOTTO_APPLY(a, SOTTO_OP_IS_NULL, m->values[i]),
					    SOTTO_APPLY(a, SOTTO_OP_PRESENT, ends[i])));
	}
	return ends ? SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN, known,
				  sotto_expression_make(a, sotto_operation(o), ends, m->count))
		    : NULL;
}

/* CASE WHEN c THEN x ... ELSE last END, of as many conditions as there are. */
static const struct sotto_expression *
choose(struct sotto_arena *a, const struct sotto_expression *const *conditions, size_t count,
       const struct sotto_merged *m, bool high)
{
	const struct sotto_expression **whens =
		sotto_arena_alloc(a, (count + 1) * sizeof(struct sotto_expression *));
	const struct sotto_expression *last = count < m->count
						      ? end_of(m, count, high)
						      : sotto_expression_word(a, SOTTO_OP_NULL);

	for (size_t i = 0; whens && i < count; i++)
		whens[i] = SOTTO_APPLY(a, SOTTO_OP_WHEN, conditions[i], end_of(m, i, high));
	return whens ? SOTTO_APPLY(a, SOTTO_OP_CASE,
				   sotto_expression_make(a, sotto_operation(SOTTO_OP_BRANCHES),
							 whens, count),
				   last)
		     : NULL;
}

/* The first that is there. */
static enum sotto_status
first_of(struct sotto_binder *b, const struct sotto_merged *m, struct sotto_bound *out)
{
	const struct sotto_expression **there =
		sotto_arena_alloc(b->arena, (m->count + 1) * sizeof(struct sotto_expression *));

	SOTTO_NEED(there);
	for (size_t i = 0; i + 1 < m->count; i++)
		SOTTO_TRY(sotto_bind_made(
			b, &there[i], SOTTO_APPLY(b->arena, SOTTO_OP_PRESENT, m->values[i])));
	if (m->count == 1)
		return set(b, out, end_of(m, 0, false), end_of(m, 0, true));
	return set(b, out, choose(b->arena, there, m->count - 1, m, false),
		   choose(b->arena, there, m->count - 1, m, true));
}

enum sotto_status sotto_interval_merged(struct sotto_binder *b,
					enum sotto_operation_name operation,
					const struct sotto_merged *m, struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;
	const struct sotto_expression *there = SOTTO_APPLY(a, SOTTO_OP_PRESENT, out->value);

	if (!have_ends(m))
		return SOTTO_OK;
	if (operation == SOTTO_OP_COALESCE)
		return first_of(b, m, out);
	if (operation == SOTTO_OP_NULLIF)
		return set(b, out,
			   SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN, there, end_of(m, 0, false)),
			   SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN, there, end_of(m, 0, true)));
	return set(b, out, extreme(a, operation, m, false), extreme(a, operation, m, true));
}

enum sotto_status sotto_interval_case(struct sotto_binder *b,
				      const struct sotto_expression *const *conditions,
				      size_t count, bool noisy, const struct sotto_merged *m,
				      struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;

	if (!have_ends(m))
		return SOTTO_OK;
	if (noisy)
		return set(b, out, extreme(a, SOTTO_OP_LEAST, m, false),
			   extreme(a, SOTTO_OP_GREATEST, m, true));
	return set(b, out, choose(a, conditions, count, m, false),
		   choose(a, conditions, count, m, true));
}
