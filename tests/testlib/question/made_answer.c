/* Draws rows of extreme values for each finished part and writes the same into both engines. */
#include "testlib/question/made_answer.h"

#include <stdlib.h>

#include "central/session/answer/answer_table.h"
#include "testlib/tap.h"

enum { ROWS_MAX = 9 };

static struct sotto_value random_value(struct world *w, enum sotto_sql_type type)
{
	static const double numbers[] = {0, 1, -1, 2, 3, 0.5, 40, 1e300, -1e300, 9.3e18};
	static const char *const texts[] = {"a", "b", "c", "", "1", "-12", "O'Hara", "é"};
	static const char *const days[] = {"2024-01-31", "2024-02-29", "0001-01-01",
					   "9999-12-31", "2024-03-01"};
	struct sotto_value v = {.kind = SOTTO_VALUE_NULL};

	if (chance_in(&w->chance, 8))
		return v;
	switch (type) {
	case SOTTO_TYPE_INTEGER:
	case SOTTO_TYPE_NUMBER:
		v.kind = SOTTO_VALUE_NUMBER;
		v.number = WORLD_PICK(w, numbers);
		break;
	case SOTTO_TYPE_BOOLEAN:
		v.kind = SOTTO_VALUE_BOOL;
		v.integer = chance_in(&w->chance, 2);
		break;
	case SOTTO_TYPE_DATE:
	case SOTTO_TYPE_TIMESTAMP:
		v.kind = SOTTO_VALUE_TEXT;
		v.text = WORLD_PICK(w, days);
		break;
	default:
		v.kind = SOTTO_VALUE_TEXT;
		v.text = WORLD_PICK(w, texts);
		break;
	}
	return v;
}

static bool write_part(struct world *w, const struct sotto_plan *part, size_t index)
{
	size_t n = part->output_count;
	struct sotto_answer answer = {
		.column_count = n,
		.row_count = part->key_count ? chance_below(&w->chance, ROWS_MAX) : 1};
	struct sotto_value *values = calloc(3 * n * ROWS_MAX + 1, sizeof *values);
	bool done = values != NULL;

	answer.values = values;
	answer.lows = done ? values + n * ROWS_MAX : NULL;
	answer.highs = done ? values + 2 * n * ROWS_MAX : NULL;
	for (size_t i = 0; done && i < n * answer.row_count; i++) {
		values[i] = random_value(w, part->outputs[i % n].type);
		answer.lows[i] = answer.highs[i] = values[i];
	}
	for (int i = 0; done && i < 2; i++)
		done = tap_check(sotto_answer_table_write(w->engines[i], part, index, 1,
							  &answer, NULL) == SOTTO_OK,
				 __FILE__, __LINE__, "%s", sotto_engine_detail(w->engines[i]));
	free(values);
	return done;
}

bool made_answers_write(struct world *w, const struct sotto_plan *plan)
{
	bool done = true;

	for (size_t i = 0; done && i < plan->part_count; i++)
		done = write_part(w, plan->parts[i], i);
	return done;
}

void made_answers_drop(struct world *w, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++)
		for (int j = 0; j < 2; j++)
			sotto_answer_table_drop(w->engines[j], i);
}
