/* Policies: no crash; what is accepted has a budget, and a unit for every private table. */
#include "fuzz.h"

#include <stdlib.h>

#include "central/policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_error err = {""};
	struct sotto_policy p;

	if (sotto_policy_parse(&p, "p.yaml", (const char *)data, size, &err) != SOTTO_OK)
		return 0;
	if (sotto_rational_sign(p.epsilon) <= 0 || p.table_count == 0)
		abort();
	for (size_t i = 0; i < p.table_count; i++) {
		const struct sotto_policy_table *t = &p.tables[i];

		if (!t->is_public && !t->unit && !t->unit_is_row && !t->via)
			abort();
		if (t->via && (!t->root || t->root->is_public || !t->root->unit))
			abort(); /* a path that leads to nobody */
		if (t->max_rows < 1 || t->max_groups < 1)
			abort();
	}
	sotto_policy_release(&p);
	return 0;
}
