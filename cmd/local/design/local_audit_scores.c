/* Scores, and what sotto/audit.h makes of them. */
#include <math.h>
#include <stdlib.h>

#include "frame/allocation.h"
#include "local/design/local_audit.h"

void audit_scores_init(struct audit_scores *s, size_t count)
{
	s->count = count;
	for (int i = 0; i < 2; i++)
		s->of[i] = memory_new(count, sizeof *s->of[i]);
}

void audit_scores_release(struct audit_scores *s)
{
	free(s->of[0]);
	free(s->of[1]);
	*s = (struct audit_scores){.count = 0};
}

static struct sotto_audit_scores borrowed(const struct audit_scores *s)
{
	return (struct sotto_audit_scores){{s->of[0], s->of[1]}, s->count};
}

struct sotto_audit_event
audit_choose(const struct audit_scores *s, size_t trials, double alpha, double *epsilon)
{
	const struct sotto_audit_scores scores = borrowed(s);
	const struct sotto_audit_level level = {.alpha = alpha};
	struct sotto_audit_event event = {.least = INFINITY};

	if (sotto_audit_choose(&scores, trials, &level, &event, epsilon) == SOTTO_ENOMEM)
		memory_fail();
	return event;
}

double audit_try(const struct audit_scores *s, struct sotto_audit_event event, double alpha)
{
	const struct sotto_audit_scores scores = borrowed(s);

	return sotto_audit_try(&scores, &event, &(struct sotto_audit_level){.alpha = alpha})
		.epsilon;
}

void audit_found_release(struct audit_found *f)
{
	free(f->inputs[0]);
	free(f->inputs[1]);
}
