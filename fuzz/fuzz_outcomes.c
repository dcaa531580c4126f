/* Outcomes and scores: no crash, names once, and steps that are near the scores. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noise/choice/noise_outcomes.h"

/* Rounding to the integers moves no score by more than a half; others are too large. */
static void check_steps(const struct outcomes *list)
{
	struct sotto_exact *scores = NULL;
	struct sotto_error err = {""};
	struct sotto_rational step;
	mpq_t moved;

	sotto_rational_init(&step);
	sotto_rational_set_integer(&step, 1);
	mpq_init(moved);
	if (outcomes_steps(list, &step, true, &scores, &err) == OUTCOME_DONE)
		for (size_t i = 0; i < list->count; i++) {
			mpq_set_si(moved, scores[i].secret, 1);
			mpq_sub(moved, moved, list->items[i].score.q);
			if (mpq_cmp_si(moved, -1, 2) <= 0 || mpq_cmp_si(moved, 1, 2) > 0)
				abort();
		}
	else if (!strstr(err.text, "beyond 2^63"))
		abort();
	mpq_clear(moved);
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
