/*
 * The first and the last whole number come from exact bounds, rounded inwards; the values are a
 * range that the engine generates, not a list.
 */
#include "central/expression/domain/bounded_domain.h"

#include "central/expression/domain/public_domain.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

static bool is_temporal(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_DATE || x->type == SOTTO_TYPE_TIMESTAMP;
}

/* The first and the last whole number between the bounds. */
static bool ends(const struct sotto_bound *x, int64_t *lo, int64_t *hi)
{
	mpz_t n;
	bool fits;

	if (!sotto_range_is_closed(x->range))
		return false;
	mpz_init(n);
	mpz_cdiv_q(n, mpq_numref(x->range.lo->q), mpq_denref(x->range.lo->q));
	fits = mpz_sizeinbase(n, 2) < 60;
	*lo = fits ? mpz_get_si(n) : 0;
	mpz_fdiv_q(n, mpq_numref(x->range.hi->q), mpq_denref(x->range.hi->q));
	fits = fits && mpz_sizeinbase(n, 2) < 60;
	*hi = fits ? mpz_get_si(n) : 0;
	mpz_clear(n);
	return fits && *lo <= *hi;
}

int64_t sotto_bounded_count(const struct sotto_bound *x, bool days, int64_t most)
{
	int64_t lo, hi;

	if (x->type != SOTTO_TYPE_INTEGER && x->type != SOTTO_TYPE_DATE &&
	    !(days && x->type == SOTTO_TYPE_TIMESTAMP))
		return 0;
	if (!ends(x, &lo, &hi) || hi - lo >= most)
		return 0;
	return hi - lo + 1;
}

/* A whole number as a value of x's type in the engine. */
static const struct sotto_expression *
as_value(struct sotto_arena *a, const struct sotto_bound *x, const struct sotto_expression *n)
{
	if (is_temporal(x))
		n = SOTTO_APPLY(a, SOTTO_OP_DAY, n);
	else
		return sotto_expression_cast(a, SOTTO_OP_CAST, n,
					     x->is_double ? SOTTO_TYPE_NUMBER
							  : SOTTO_TYPE_INTEGER);
	return x->type == SOTTO_TYPE_DATE
		       ? n
		       : sotto_expression_cast(a, SOTTO_OP_CAST, n, SOTTO_TYPE_TIMESTAMP);
}

enum sotto_status sotto_bounded_domain(struct sotto_arena *a, const struct sotto_bound *x,
				       bool days, const struct sotto_domain **out)
{
	struct sotto_domain *d = sotto_arena_alloc(a, sizeof *d);
	int64_t lo = 0, hi = 0;

	*out = NULL;
	if (!sotto_bounded_count(x, days, SOTTO_COMPUTED_MAX) || !ends(x, &lo, &hi))
		return SOTTO_OK;
	SOTTO_NEED(d);
	d->rows = sotto_rowset_one(a, as_value(a, x, sotto_expression_column(a, NULL, "range")),
				   "k", sotto_rowset_range(a, lo, hi));
	d->size = hi - lo + 1;
	SOTTO_NEED(d->rows);
	*out = d;
	return x->nullable ? sotto_domain_with_null(a, d, out) : SOTTO_OK;
}

static const struct sotto_expression *held(struct sotto_arena *a, const struct sotto_bound *x,
					   const struct sotto_expression *lo,
					   const struct sotto_expression *hi)
{
	return SOTTO_APPLY(
		a, x->is_double || x->type == SOTTO_TYPE_NUMBER ? SOTTO_OP_CLIP : SOTTO_OP_HELD,
		x->value, lo, hi);
}

const struct sotto_expression *
sotto_bounded_value(struct sotto_arena *a, const struct sotto_bound *x)
{
	int64_t lo, hi;

	if (!ends(x, &lo, &hi))
		return x->value;
	return held(a, x, as_value(a, x, sotto_expression_whole(a, lo)),
		    as_value(a, x, sotto_expression_whole(a, hi)));
}
