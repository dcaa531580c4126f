/*
 * Figures with joint 95 % intervals first, then sentences, with the limit that is worth
 * raising; the share of lost rows is computed at the corners of its box.
 */
#include "central/session/answer/answer_loss.h"

#include <math.h>
#include <stddef.h>

#include "central/session/answer/answer_limits.h"
#include "central/session/release/releases.h"
#include "core/base/failure.h"

/* ---- figures ------------------------------------------------------------------------------- */

static const struct sotto_loss_figure unknown = {NAN, NAN, NAN};

static bool is_known(struct sotto_loss_figure f)
{
	return !isnan(f.value);
}

static struct sotto_loss_figure figure(const struct sotto_loss_value *v, bool joint)
{
	double x = (double)v->value, e = (double)(joint ? v->joint_error : v->error);

	return (struct sotto_loss_figure){fmax(x, 0), fmax(x - e, 0), fmax(x + e, 0)};
}

static struct sotto_loss_figure
find(const struct sotto_release *r, enum sotto_loss_kind kind, bool joint)
{
	for (size_t i = 0; i < r->loss_count; i++)
		if (r->losses[i].kind == kind)
			return figure(&r->losses[i], joint);
	return unknown;
}

static double ratio(double lost, double kept)
{
	return lost > 0 ? lost / (lost + kept) : 0;
}

/* No loss is below 0: a noisy one that is makes nobody surer than one of 0 would. */
static double high_end(const struct sotto_release *r, enum sotto_loss_kind kind)
{
	for (size_t i = 0; i < r->loss_count; i++)
		if (r->losses[i].kind == kind)
			return fmax((double)r->losses[i].value, 0) +
			       (double)r->losses[i].joint_error;
	return 0;
}

/* At the corners of the box in which both lie with 95 %: it grows with lost, falls with kept. */
static struct sotto_loss_figure
share_of(const struct sotto_release *r, enum sotto_loss_kind lost, enum sotto_loss_kind kept)
{
	struct sotto_loss_figure l = find(r, lost, true), k = find(r, kept, true);

	if (!is_known(l) || !is_known(k))
		return unknown;
	return (struct sotto_loss_figure){ratio(l.value, k.value), ratio(l.low, k.high),
					  ratio(high_end(r, lost), k.low)};
}

static void set_figures(struct sotto_loss *l, const struct sotto_release *r)
{
	*l = (struct sotto_loss){.is_estimated = r->loss_count > 0,
				 .units = find(r, SOTTO_LOSS_UNITS, false),
				 .units_losing_rows = find(r, SOTTO_LOSS_UNITS_OF_ROWS, false),
				 .units_losing_groups =
					 find(r, SOTTO_LOSS_UNITS_OF_GROUPS, false),
				 .units_clipped = find(r, SOTTO_LOSS_UNITS_CLIPPED, false),
				 .rows_lost = find(r, SOTTO_LOSS_ROWS, false),
				 .rows_kept = find(r, SOTTO_LOSS_ROWS_KEPT, false),
				 .pairs_lost = find(r, SOTTO_LOSS_PAIRS, false),
				 .pairs_kept = find(r, SOTTO_LOSS_PAIRS_KEPT, false),
				 .share = share_of(r, SOTTO_LOSS_ROWS, SOTTO_LOSS_ROWS_KEPT)};
	if (!is_known(l->share))
		l->share = share_of(r, SOTTO_LOSS_PAIRS, SOTTO_LOSS_PAIRS_KEPT);
	l->biased = (is_known(l->share) && l->share.low > 0) ||
		    (is_known(l->units_clipped) && l->units_clipped.low > 0);
}

/* ---- sentences ----------------------------------------------------------------------------- */

static enum sotto_status say(struct sotto_arena *arena, struct sotto_loss *l, const char *text)
{
	const char **slot = SOTTO_PUSH(arena, l->sentences, l->sentence_count);

	if (!slot || !text)
		return SOTTO_ENOMEM;
	*slot = text;
	return SOTTO_OK;
}

/* Two digits: more would be noise. */
static const char *percent(struct sotto_arena *arena, double share)
{
	return sotto_arena_textf(arena, "%.*f", share > 0 && share < 0.01 ? 1 : 0, 100 * share);
}

static double rounded(double x)
{
	double unit = x > 0 ? pow(10, fmax(floor(log10(x)) - 1, 0)) : 1;

	return round(x / unit) * unit;
}

/* An interval that reaches beyond half of the rows says nothing: say what would tell more. */
static enum sotto_status
say_unseen(struct sotto_arena *arena, struct sotto_loss *l, const char *high)
{
	if (l->share.high > 0.5)
		return say(arena, l,
			   "this epsilon is too small to estimate what these limits lose; a "
			   "larger --epsilon shows it, --diagnostics 0 spends nothing on it");
	return say(arena, l,
		   sotto_arena_textf(
			   arena,
			   "what these limits lose could not be distinguished from noise (%s "
			   "%s %% of the %s)",
			   l->share.high < 0.001 ? "less than" : "0 to",
			   l->share.high < 0.001 ? "0.1" : high,
			   is_known(l->rows_lost) ? "rows" : "groups"));
}

static enum sotto_status say_lost(struct sotto_arena *arena, const struct sotto_plan *plan,
				  const char *who, struct sotto_loss *l)
{
	bool rows = is_known(l->rows_lost);
	struct sotto_loss_figure lost = rows ? l->rows_lost : l->pairs_lost;
	const char *low = percent(arena, l->share.low), *high = percent(arena, l->share.high);
	const char *value = percent(arena, l->share.value);
	const char *what = plan->key_count == 0 ? "rows" : rows ? "rows" : "groups of a ";

	if (!is_known(l->share))
		return SOTTO_OK;
	if (!low || !high || !value)
		return SOTTO_ENOMEM;
	if (l->share.low <= 0)
		return say_unseen(arena, l, high);
	return say(arena, l,
		   sotto_arena_textf(
			   arena,
			   "estimated loss: the limits lost at least %.0f %s%s, %s %% "
			   "of them (95 %% interval: %s to %s %%)",
			   rounded(lost.value), what, rows ? "" : who, value, low, high));
}

static enum sotto_status
say_clipped(struct sotto_arena *arena, const char *who, struct sotto_loss *l)
{
	if (!is_known(l->units_clipped) || l->units_clipped.low <= 0)
		return SOTTO_OK;
	return say(arena, l,
		   sotto_arena_textf(
			   arena,
			   "estimated: %.0f units (%s) have a value outside its "
			   "bounds (95 %% interval: %.0f to %.0f): wider bounds would "
			   "keep it, and make the noise larger",
			   rounded(l->units_clipped.value), who, rounded(l->units_clipped.low),
			   rounded(l->units_clipped.high)));
}

/* Which limit to raise: the one that cuts more units, and what doubling it does to the noise. */
static enum sotto_status suggest(struct sotto_arena *arena, const struct sotto_plan *plan,
				 const struct sotto_limits *limits, struct sotto_loss *l)
{
	bool groups = limits->groups_can_bind &&
		      (!limits->rows_can_bind ||
		       l->units_losing_groups.value >= l->units_losing_rows.value);
	double factor = groups && plan->noise == SOTTO_NOISE_GAUSSIAN ? sqrt(2) : 2;
	long long now = groups ? limits->max_groups : limits->max_rows;

	if (!is_known(l->share) || l->share.low <= 0)
		return SOTTO_OK;
	return say(arena, l,
		   sotto_arena_textf(arena,
				     "%s: %lld in the policy instead of %lld would lose less, "
				     "with noise %.2g times as large",
				     groups ? "max_groups" : "max_rows", 2 * now, now, factor));
}

static enum sotto_status
say_hidden(struct sotto_arena *arena, const struct sotto_limits *limits, struct sotto_loss *l)
{
	if (!limits->hides_keys || !l->is_estimated)
		return SOTTO_OK;
	return say(arena, l,
		   "groups that the threshold hides are a further loss, which is not in these "
		   "figures");
}

enum sotto_status
sotto_answer_add_loss(struct sotto_answer_owned *o, const struct sotto_plan *plan,
		      const struct sotto_release *release, struct sotto_limits *limits)
{
	struct sotto_arena *arena = &o->arena;
	struct sotto_loss *l = &limits->loss;
	const char *who = sotto_unit_word(arena, plan);

	if (!who)
		return SOTTO_ENOMEM;
	set_figures(l, release);
	if (!l->is_estimated)
		return SOTTO_OK;
	SOTTO_TRY(say_lost(arena, plan, who, l));
	SOTTO_TRY(suggest(arena, plan, limits, l));
	SOTTO_TRY(say_clipped(arena, who, l));
	return say_hidden(arena, limits, l);
}

/* ---- columns ------------------------------------------------------------------------------- */

enum sotto_status
sotto_answer_add_losses(struct sotto_answer_owned *o, const struct sotto_releases *r)
{
	struct sotto_answer *a = &o->answer;
	bool biased = false;

	for (size_t i = 0; i < r->count && i < a->limits_count; i++) {
		SOTTO_TRY(sotto_answer_add_loss(o, r->plans[i], &r->items[i], &a->limits[i]));
		biased = biased || a->limits[i].loss.biased;
	}
	for (size_t i = 0; i < a->column_count; i++)
		a->columns[i].biased = a->columns[i].noisy && biased;
	return SOTTO_OK;
}
