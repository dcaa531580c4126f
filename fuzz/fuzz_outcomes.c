/* Outcomes and scores: no crash, names once, and steps that give the scores back. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noise/choice/noise_outcomes.h"

/* On the common step every score is a whole number of steps, or too large. */
static void check_steps(const struct outcomes *list)
{
	struct sotto_exact *scores = NULL;
	struct sotto_error err = {""};
	struct sotto_rational step;
	mpq_t back;

	sotto_rational_init(&step);
	mpq_init(back);
	outcomes_common_step(list, &step);
	if (outcomes_steps(list, &step, &scores, &err) == OUTCOME_DONE)
		for (size_t i = 0; i < list->count; i++) {
			mpq_set_si(back, scores[i].secret, 1);
			mpq_mul(back, back, step.q);
			if (!mpq_equal(back, list->items[i].score.q))
				abort();
		}
	else if (!strstr(err.text, "beyond 2^63"))
		abort();
	mpq_clear(back);
	sotto_rational_release(&step);
	free(scores);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct operands none = {0};
	struct sotto_error err = {""};
	struct outcomes list;
	struct outcome_source source = {.csv = "-", .operands = &none};

	if (size == 0 || size > 4096) /* long numbers make slow denominators */
		return 0;
	source.in = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!source.in)
		abort();
	if (outcomes_read(&list, &source, &err) == OUTCOME_DONE) {
		if (list.count == 0)
			abort();
		check_steps(&list);
	} else if (err.text[0] == '\0') {
		abort();
	}
	outcomes_release(&list);
	fclose(source.in);
	return 0;
}
