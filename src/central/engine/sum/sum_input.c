/*
 * Looks up the task of a chunk once, opens its columns, and checks that the task asks for no
 * others: what the engine runs is not taken for granted.
 */
#include "central/engine/sum/sum_input.h"

static const char *find_task(const struct sotto_sum_function *f, duckdb_data_chunk chunk,
			     size_t columns, const struct sotto_sum_task **out)
{
	const struct sotto_duckdb *api = f->api;
	const uint16_t *numbers =
		api->duckdb_vector_get_data(api->duckdb_data_chunk_get_vector(chunk, 0));
	const struct sotto_sum_task *task = sotto_sum_tasks_find(f->tasks, numbers[0]);

	if (!task || task->value_count > f->values || (f->is_pair && task->keep == 0))
		return "there is no such task";
	for (size_t i = 0; i < task->value_count; i++)
		if (task->values[i].column >= columns)
			return "the task has other columns";
	for (size_t i = 0; i < task->note_count; i++)
		if (task->notes[i].column >= columns)
			return "the task has other columns";
	*out = task;
	return NULL;
}

/* What is not a number can be counted. */
static const char *open_columns(const struct sotto_duckdb *api, duckdb_data_chunk chunk,
				size_t first, struct sotto_sum_input *in)
{
	bool numbers[SOTTO_SUM_COLUMNS];

	for (size_t i = 0; i < in->columns; i++)
		numbers[i] = sotto_column_open(
			api, api->duckdb_data_chunk_get_vector(chunk, first + i),
			&in->readers[i]);
	for (size_t i = 0; i < in->task->value_count; i++)
		if (in->task->values[i].kind != SOTTO_SUM_COUNT &&
		    !numbers[in->task->values[i].column])
			return "a column has no numbers";
	return NULL;
}

const char *sotto_sum_input_find(const struct sotto_sum_function *f, duckdb_data_chunk chunk,
				 size_t first, struct sotto_sum_input *out)
{
	const char *why;

	out->rows = f->api->duckdb_data_chunk_get_size(chunk);
	out->columns = f->api->duckdb_data_chunk_get_column_count(chunk) - first;
	if (out->rows == 0)
		return NULL;
	why = find_task(f, chunk, out->columns, &out->task);
	return why ? why : open_columns(f->api, chunk, first, out);
}

size_t
sotto_sum_input_read(const struct sotto_sum_input *in, size_t from, struct sotto_sum_block *b)
{
	size_t count = in->rows - from < SOTTO_SUM_BLOCK ? in->rows - from : SOTTO_SUM_BLOCK;

	for (size_t i = 0; i < in->columns; i++)
		b->is_whole[i] = sotto_column_read(&in->readers[i], from, count, b->values[i],
						   b->present[i]);
	return count;
}
