/* Events about disjoint cells that cost what two of their cells cost: these are composed in their place (couples.md). */
#include <stdlib.h>

#include "core/account/law/couples/couples.h"
#include "core/account/law/couples/worst_couple.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

static bool may_settle(const struct sotto_terms *t, const struct sotto_event *e)
{
	return t->n >= sotto_couples_terms(e) && sotto_couples_possible(e, t->neighbours) &&
	       !sotto_work_is_spent(t->work);
}

static void leave_out(struct sotto_loss_measure *m, double mass, uint64_t count)
{
	mpfr_t one;

	mpfr_init2(one, 64);
	mpfr_set_d(one, mass, MPFR_RNDU);
	sotto_measure_leave_out(m, one, count);
	mpfr_clear(one);
}

/* Adds a term, or the two that it costs as much as. */
static enum sotto_status settle(struct sotto_loss_measure *m, const struct sotto_terms *t,
				const struct sotto_term *term, struct sotto_terms *out)
{
	struct sotto_event *const *cells = term->event->children;
	struct sotto_worst_couple worst;
	enum sotto_status st = SOTTO_EREFUSED;

	if (may_settle(t, term->event))
		st = sotto_worst_couple_of(term->event, t->work, &worst);
	if (st == SOTTO_EREFUSED) {
		out->list[out->n++] = *term;
		return SOTTO_OK;
	}
	SOTTO_TRY(st);
	out->list[out->n++] = (struct sotto_term){cells[worst.one], term->count};
	out->list[out->n++] = (struct sotto_term){cells[worst.other], term->count};
	leave_out(m, worst.left_out, term->count);
	return SOTTO_OK;
}

enum sotto_status sotto_measure_settle_couples(struct sotto_loss_measure *m,
					       const struct sotto_terms *t,
					       struct sotto_terms *out)
{
	*out = *t;
	out->n = 0;
	out->list = malloc((2 * t->n + 1) * sizeof *out->list);
	if (!out->list)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		enum sotto_status st = settle(m, t, &t->list[i], out);

		if (st != SOTTO_OK) {
			free(out->list);
			return st;
		}
	}
	return SOTTO_OK;
}
