#include "core/mechanism/choice/preference.h"

enum sotto_status sotto_preference_init(struct sotto_preference *p,
					const struct sotto_selection *s,
					struct sotto_error *err)
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

void sotto_preference_release(struct sotto_preference *p)
{
	sotto_weight_release(&p->weight);
	sotto_rational_release(&p->epsilon);
}
