/*
 * What a charge would leave, and how many like it fit, by the same limits and rules as a
 * real charge.
 */
#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"

void sotto_ledger_forecast_init(struct sotto_ledger_forecast *f)
{
	*f = (struct sotto_ledger_forecast){0};
	sotto_rational_init(&f->epsilon_left);
	sotto_rational_init(&f->delta_left);
}

void sotto_ledger_forecast_release(struct sotto_ledger_forecast *f)
{
	if (!f)
		return;
	sotto_rational_release(&f->epsilon_left);
	sotto_rational_release(&f->delta_left);
}

static void lower(struct sotto_rational *x, const struct sotto_rational *y)
{
	if (sotto_rational_compare(y, x) < 0)
		sotto_rational_set(x, y);
}

/* The whole as it is shown comes first; a share can only lower what is left. */
static void take_left(struct sotto_limit *limit, const struct sotto_cost *cost, bool first,
		      struct sotto_rational *epsilon, struct sotto_rational *delta)
{
	struct sotto_filter_left left;

	sotto_filter_left_init(&left);
	sotto_limit_left(limit, cost, &left);
	if (first) {
		sotto_rational_set(epsilon, &left.epsilon);
		sotto_rational_set(delta, &left.delta);
	} else {
		lower(epsilon, &left.epsilon);
		lower(delta, &left.delta);
	}
	sotto_filter_left_release(&left);
}

/* What an analyst is told about: the whole as it is shown, and a share. */
static bool is_told(const struct sotto_limit *limit, const char *analyst)
{
	if (!analyst)
		return !limit->analyst && !limit->is_shown;
	return limit->is_shown || (limit->analyst && sotto_limit_concerns(limit, analyst));
}

static enum sotto_status look(struct sotto_ledger *l, const char *analyst,
			      const struct sotto_cost *cost, struct sotto_ledger_forecast *f,
			      struct sotto_error *err)
{
	int64_t when;

	SOTTO_TRY(sotto_ledger_begin(l, false, err));
	when = sotto_ledger_time(l);
	f->affordable =
		sotto_ledger_admits(l, analyst ? analyst : "", cost, when, NULL) == SOTTO_OK;
	f->fits = f->affordable ? UINT64_MAX : 0;
	for (size_t i = SOTTO_LIMIT_WHOLE; i < l->limit_count; i++) {
		uint64_t fits;

		if (!is_told(&l->limits[i], analyst))
			continue;
		SOTTO_TRY(sotto_ledger_settle(l, &l->limits[i], when, err));
		fits = sotto_limit_fits(&l->limits[i], NULL, cost);
		f->fits = fits < f->fits ? fits : f->fits;
		take_left(&l->limits[i], f->affordable ? cost : NULL, i < SOTTO_LIMIT_SHARES,
			  &f->epsilon_left, &f->delta_left);
	}
	/* What others share is shown as spent, so that less may seem to fit than does. */
	if (f->affordable && f->fits == 0)
		f->fits = 1;
	return SOTTO_OK;
}

static bool is_cost(const struct sotto_cost *cost)
{
	return sotto_rational_sign(&cost->epsilon) >= 0 &&
	       sotto_rational_sign(&cost->delta) >= 0 && sotto_rational_sign(&cost->rho) >= 0;
}

enum sotto_status sotto_ledger_forecast(struct sotto_ledger *l, const char *analyst,
					const struct sotto_cost *cost,
					struct sotto_ledger_forecast *out,
					struct sotto_error *err)
{
	enum sotto_status st;

	if (!cost || !out || !is_cost(cost))
		return sotto_fail(err, SOTTO_EINVAL,
				  "a forecast needs a cost that is not negative");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = look(l, analyst, cost, out, err);
	sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}

static enum sotto_status
look_after(struct sotto_ledger *l, const char *analyst, const struct sotto_cost *first,
	   const struct sotto_cost *then, uint64_t *fits, struct sotto_error *err)
{
	int64_t when;

	SOTTO_TRY(sotto_ledger_begin(l, false, err));
	when = sotto_ledger_time(l);
	*fits = UINT64_MAX;
	if (sotto_ledger_admits(l, analyst, first, when, NULL) != SOTTO_OK)
		*fits = 0;
	for (size_t i = SOTTO_LIMIT_WHOLE; *fits > 0 && i < l->limit_count; i++) {
		uint64_t here;

		if (!is_told(&l->limits[i], analyst))
			continue;
		SOTTO_TRY(sotto_ledger_settle(l, &l->limits[i], when, err));
		here = sotto_limit_fits(&l->limits[i], first, then);
		*fits = here < *fits ? here : *fits;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_ledger_fits_after(struct sotto_ledger *l, const char *analyst,
					  const struct sotto_cost *first,
					  const struct sotto_cost *then, uint64_t *fits,
					  struct sotto_error *err)
{
	uint64_t found = 0;
	enum sotto_status st;

	if (!analyst || !first || !then || !fits || !is_cost(first) || !is_cost(then))
		return sotto_fail(err, SOTTO_EINVAL,
				  "a forecast needs an analyst and two costs that are not "
				  "negative");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = look_after(l, analyst, first, then, &found, err);
	sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	if (st == SOTTO_OK)
		*fits = found;
	return st;
}

/* ---- what an analyst is told ------------------------------------------------------------------ */

/* Within the transaction of the totals. */
static enum sotto_status lower_left(struct sotto_ledger *l, const char *analyst,
				    struct sotto_ledger_totals *out, struct sotto_error *err)
{
	for (size_t i = SOTTO_LIMIT_WHOLE; i < l->limit_count; i++) {
		if (!is_told(&l->limits[i], analyst))
			continue;
		SOTTO_TRY(sotto_ledger_settle(l, &l->limits[i], out->time, err));
		take_left(&l->limits[i], NULL, i < SOTTO_LIMIT_SHARES, &out->left.epsilon,
			  &out->left.delta);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_ledger_told(struct sotto_ledger *l, const char *analyst,
				    struct sotto_ledger_totals *out, struct sotto_error *err)
{
	enum sotto_status st;

	SOTTO_TRY(sotto_ledger_tally(l, analyst, err));
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = sotto_ledger_total(l, analyst, out, err);
	if (st == SOTTO_OK)
		st = lower_left(l, analyst, out, err);
	sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}
