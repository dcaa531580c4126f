/*
 * Computes the rate epsilon over twice the sensitivity (or once, for monotone scores) as a
 * fraction, and the weights from it.
 */
#include "core/mechanism/choice/preference.h"

#include <stdlib.h>

static enum sotto_status
init(struct sotto_preference *p, const struct sotto_selection *s, struct sotto_error *err)
{
	struct sotto_rational rate;
	enum sotto_status st;

	sotto_rational_init(&rate);
	st = sotto_selection_rate(s, 1, &rate, err);
	if (st == SOTTO_OK) {
		sotto_weight_init(&p->weight, rate.q);
		sotto_rational_init(&p->epsilon);
		sotto_rational_set(&p->epsilon, s->epsilon);
		p->least = s->least;
	}
	sotto_rational_release(&rate);
	return st;
}

enum sotto_status sotto_preference_new(const struct sotto_selection *s,
				       struct sotto_preference **out, struct sotto_error *err)
{
	struct sotto_preference *p = malloc(sizeof *p);
	enum sotto_status st;

	if (!p)
		return SOTTO_ENOMEM;
	st = init(p, s, err);
	if (st == SOTTO_OK)
		*out = p;
	else
		free(p);
	return st;
}

void sotto_preference_free(struct sotto_preference *p)
{
	if (!p)
		return;
	sotto_weight_release(&p->weight);
	sotto_rational_release(&p->epsilon);
	free(p);
}
