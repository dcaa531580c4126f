/*
 * Reads all sources into one list, refuses names that occur twice, and converts scores to whole
 * steps of a grid; messages give the place of a bad score, never the score.
 */
#include "noise/choice/noise_outcomes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "read/csv.h"
#include "show/terminal.h"
#include "sotto/noise.h"

/* Which fields of a record hold what. */
struct layout {
	size_t outcome; /* SIZE_MAX if there is none */
	size_t score;
};

static enum outcome append(struct outcomes *list, const char *name, const char *score,
			   const char *place, struct sotto_error *err)
{
	struct outcome_item *item;

	list->items = memory_grow(list->items, list->count, sizeof *list->items);
	item = &list->items[list->count];
	sotto_rational_init(&item->score);
	if (sotto_rational_parse(&item->score, score, NULL) != SOTTO_OK) {
		sotto_rational_release(&item->score);
		return complaint_refuse(err, "%s: expected a score like 12, -0.5, 1e6 or 1/3",
					place);
	}
	item->name = name ? memory_copy_text(name) : memory_text("%zu", list->count);
	list->count++;
	return OUTCOME_DONE;
}

void outcomes_release(struct outcomes *list)
{
	for (size_t i = 0; i < list->count; i++) {
		sotto_rational_release(&list->items[i].score);
		free(list->items[i].name);
	}
	free(list->items);
	*list = (struct outcomes){0};
}

/* "name=score" or "score" */
static enum outcome
take_operand(struct outcomes *list, const char *operand, size_t number, struct sotto_error *err)
{
	const char *equals = strrchr(operand, '=');
	char *place = memory_text("operand %zu", number);
	char *name = equals ? memory_text("%.*s", (int)(equals - operand), operand) : NULL;
	enum outcome outcome = append(list, name, equals ? equals + 1 : operand, place, err);

	free(name);
	free(place);
	return outcome;
}

static bool is_number(const char *text)
{
	struct sotto_rational r;
	bool number;

	sotto_rational_init(&r);
	number = sotto_rational_parse(&r, text, NULL) == SOTTO_OK;
	sotto_rational_release(&r);
	return number;
}

static size_t find_field(const struct csv_reader *csv, const char *name)
{
	for (size_t i = 0; i < csv->field_count; i++)
		if (strcmp(csv_field(csv, i), name) == 0)
			return i;
	return SIZE_MAX;
}

/* True if the first record is a header; sets the layout either way. */
static bool read_header(const struct csv_reader *csv, struct layout *layout)
{
	layout->outcome = find_field(csv, "outcome");
	layout->score = find_field(csv, "score");
	if (layout->score != SIZE_MAX)
		return true;
	layout->outcome = csv->field_count > 1 ? 0 : SIZE_MAX;
	layout->score = csv->field_count > 1 ? 1 : 0;
	return !is_number(csv_field(csv, layout->score));
}

static enum outcome take_record(struct outcomes *list, const struct csv_reader *csv,
				const struct layout *layout, const char *file,
				struct sotto_error *err)
{
	char *place = memory_text("%s, line %zu", file, csv->start);
	enum outcome outcome;

	if (layout->score >= csv->field_count ||
	    (layout->outcome != SIZE_MAX && layout->outcome >= csv->field_count))
		outcome = complaint_refuse(err, "%s: expected an outcome and its score", place);
	else
		outcome = append(list,
				 layout->outcome == SIZE_MAX ? NULL
							     : csv_field(csv, layout->outcome),
				 csv_field(csv, layout->score), place, err);
	free(place);
	return outcome;
}

static enum outcome read_records(struct outcomes *list, struct csv_reader *csv,
				 const char *file, struct sotto_error *err)
{
	enum outcome outcome = OUTCOME_DONE;
	enum csv_result result;
	struct sotto_error why;
	struct layout layout;
	bool first = true;

	while (outcome == OUTCOME_DONE && (result = csv_next(csv, &why)) != CSV_END) {
		if (result == CSV_BROKEN)
			return complaint_refuse(err, "%s, %s", file, why.text);
		if (!first || !read_header(csv, &layout))
			outcome = take_record(list, csv, &layout, file, err);
		first = false;
	}
	return outcome;
}

static enum outcome
read_stream(struct outcomes *list, FILE *in, const char *file, struct sotto_error *err)
{
	struct csv_reader csv;
	enum outcome outcome;

	if (terminal_is(in))
		fputs("reading outcome,score from standard input; end with Ctrl-D\n", stderr);
	csv_init(&csv, in);
	outcome = read_records(list, &csv, file, err);
	csv_release(&csv);
	return outcome;
}

static enum outcome read_file(struct outcomes *list, const char *file, struct sotto_error *err)
{
	FILE *in = fopen(file, "re");
	enum outcome outcome;

	if (!in)
		return complaint_refuse(err, "%s could not be opened", file);
	outcome = read_stream(list, in, file, err);
	fclose(in);
	return outcome;
}

/* One operand that is not a score is the name of a file. */
static bool names_a_file(const struct operands *operands)
{
	return operands->count == 1 && !is_number(operands->items[0]) &&
	       (!strchr(operands->items[0], '=') || access(operands->items[0], F_OK) == 0);
}

static enum outcome
read_source(struct outcomes *list, const struct outcome_source *source, struct sotto_error *err)
{
	const struct operands *operands = source->operands;
	enum outcome outcome = OUTCOME_DONE;
	const char *file = source->csv;

	if (file && operands->count)
		return complaint_usage(err, "scores come from --csv or as operands, not both");
	if (!file && names_a_file(operands))
		file = operands->items[0];
	if (file && strcmp(file, "-") != 0)
		return read_file(list, file, err);
	if (file || operands->count == 0)
		return read_stream(list, source->in, "standard input", err);
	for (size_t i = 0; i < operands->count && outcome == OUTCOME_DONE; i++)
		outcome = take_operand(list, operands->items[i], i + 1, err);
	return outcome;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum outcome refuse_twins(const struct outcomes *list, struct sotto_error *err)
{
	const char **names = memory_new(list->count, sizeof *names);
	enum outcome outcome = OUTCOME_DONE;

	for (size_t i = 0; i < list->count; i++)
		names[i] = list->items[i].name;
	qsort(names, list->count, sizeof *names, by_name);
	for (size_t i = 1; i < list->count && outcome == OUTCOME_DONE; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			outcome = complaint_refuse(err, "the outcome \"%.80s\" is given twice",
						   names[i]);
	free(names);
	return outcome;
}

enum outcome outcomes_read(struct outcomes *list, const struct outcome_source *source,
			   struct sotto_error *err)
{
	enum outcome outcome;

	*list = (struct outcomes){0};
	outcome = read_source(list, source, err);
	if (outcome == OUTCOME_DONE && list->count == 0)
		return complaint_refuse(err, "there is no outcome to choose from");
	return outcome == OUTCOME_DONE ? refuse_twins(list, err) : outcome;
}

static enum outcome set_steps(const struct outcomes *list, const struct sotto_grid *grid,
			      bool round, struct sotto_exact *scores, struct sotto_error *err)
{
	int64_t steps = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct outcome_item *item = &list->items[i];

		if (!round && !sotto_grid_holds(grid, &item->score))
			return complaint_refuse(err,
						"the score of \"%.80s\" is off the grid; "
						"--step gives a finer one",
						item->name);
		if (sotto_grid_round(grid, &item->score, &steps) != SOTTO_OK)
			return complaint_refuse(err,
						"the score of \"%.80s\" is beyond 2^63 "
						"steps; a larger --step is needed",
						item->name);
		scores[i] = sotto_exact_of(steps);
	}
	explicit_bzero(&steps, sizeof steps);
	return OUTCOME_DONE;
}

enum outcome outcomes_steps(const struct outcomes *list, const struct sotto_rational *step,
			    bool round, struct sotto_exact **scores, struct sotto_error *err)
{
	struct sotto_exact *steps = memory_new(list->count, sizeof *steps);
	enum outcome outcome = OUTCOME_REFUSED;
	struct sotto_grid grid;

	sotto_grid_init(&grid);
	if (sotto_grid_set_step(&grid, step) == SOTTO_OK)
		outcome = set_steps(list, &grid, round, steps, err);
	sotto_grid_release(&grid);
	if (outcome != OUTCOME_DONE) {
		explicit_bzero(steps, list->count * sizeof *steps);
		free(steps);
		return outcome;
	}
	*scores = steps;
	return OUTCOME_DONE;
}

enum sotto_status
outcomes_shown(const struct outcomes *list, const struct sotto_rational *step, int64_t *scores)
{
	struct sotto_grid grid;
	enum sotto_status st;

	sotto_grid_init(&grid);
	st = sotto_grid_set_step(&grid, step);
	for (size_t i = 0; i < list->count && st == SOTTO_OK; i++)
		st = sotto_grid_round(&grid, &list->items[i].score, &scores[i]);
	sotto_grid_release(&grid);
	return st;
}
