/* Linking two appearances of a device by the cohort that it sends in the clear. */
#include <stdlib.h>

#include "frame/allocation.h"
#include "local/design/local_attack.h"

static void add(struct stage *s, const char *what, double x)
{
	table_add_text(&s->table, what);
	table_add_double(&s->table, x, 5);
}

/*
 * All devices appear twice under unlinked names.  Without the tag each is one of
 * all; with it, one of its cohort: the expected size, and the chance of a right link.
 */
enum sotto_status stage_cohort(struct stage *s)
{
	uint64_t n = s->settings->devices.value;
	uint64_t *sizes = memory_new(s->params.groups, sizeof *sizes);
	double hidden = 0, cohorts = 0;
	enum sotto_status st = SOTTO_OK;

	for (uint64_t i = 0; i < n && st == SOTTO_OK; i++) {
		struct sotto_client c;
		uint8_t key[32];

		st = stage_device(s, &s->params, key, &c);
		if (st == SOTTO_OK)
			sizes[c.group]++;
	}
	for (uint32_t g = 0; g < s->params.groups; g++) {
		hidden += (double)sizes[g] * (double)sizes[g] / (double)n;
		cohorts += sizes[g] > 0;
	}
	if (st == SOTTO_OK) {
		add(s, "devices that look alike without cohorts", (double)n);
		add(s, "devices that look alike with cohorts", hidden);
		add(s, "links guessed right without cohorts, percent", 100 / (double)n);
		add(s, "links guessed right with cohorts, percent", 100 * cohorts / (double)n);
	}
	free(sizes);
	return st;
}
