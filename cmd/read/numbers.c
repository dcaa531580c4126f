/*
 * All sources end in one function, which parses an exact fraction and turns it into whole steps
 * of the grid; memory that held a value is wiped.
 */
#include "read/numbers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "frame/suggest.h"
#include "read/csv.h"
#include "show/terminal.h"

enum { TOKEN_MAX = 4096 };

struct reading {
	struct numbers *numbers;
	const struct sotto_grid *grid;
	bool round;
	struct sotto_rational value; /* of the number being read */
	struct sotto_error *err;
};

void numbers_release(struct numbers *n)
{
	if (n->items)
		explicit_bzero(n->items, n->room * sizeof *n->items);
	free(n->items);
	*n = (struct numbers){0};
}

/* Not realloc: the block that it leaves behind would keep exact values. */
static void grow(struct numbers *n)
{
	struct numbers larger = {.count = n->count, .room = n->room ? n->room * 2 : 64};

	larger.items = memory_new(larger.room, sizeof *larger.items);
	if (n->count)
		memcpy(larger.items, n->items, n->count * sizeof *n->items);
	numbers_release(n);
	*n = larger;
}

static void append(struct numbers *n, int64_t steps)
{
	if (n->count == n->room)
		grow(n);
	n->items[n->count++] = sotto_exact_of(steps);
}

/* place: "operand 3", "standard input, line 7" */
static enum outcome take(struct reading *r, const char *text, const char *place)
{
	int64_t steps;

	if (sotto_rational_parse(&r->value, text, NULL) != SOTTO_OK)
		return complaint_refuse(
			r->err, "%s: expected a number like 12, -0.5, 1e6 or 1/3", place);
	if (!r->round && !sotto_grid_holds(r->grid, &r->value))
		return complaint_refuse(
			r->err, "%s: expected a whole number; --step gives a finer grid",
			place);
	if (sotto_grid_round(r->grid, &r->value, &steps) != SOTTO_OK)
		return complaint_refuse(
			r->err, "%s: the value is beyond 2^63 steps; a larger --step is needed",
			place);
	append(r->numbers, steps);
	return OUTCOME_DONE;
}

static enum outcome read_operands(struct reading *r, const struct operands *operands)
{
	enum outcome outcome = OUTCOME_DONE;
	char place[40];

	for (size_t i = 0; i < operands->count && outcome == OUTCOME_DONE; i++) {
		(void)snprintf(place, sizeof place, "operand %zu", i + 1);
		outcome = take(r, operands->items[i], place);
	}
	return outcome;
}

/*
 * The next word of the stream, cut at TOKEN_MAX (which no number reaches);
 * line is the one it stands on.
 */
static bool next_token(FILE *in, char token[TOKEN_MAX + 2], size_t *line)
{
	size_t length = 0;
	int byte;

	while ((byte = getc_unlocked(in)) != EOF && isspace(byte))
		*line += byte == '\n';
	for (; byte != EOF && !isspace(byte); byte = getc_unlocked(in))
		if (length <= TOKEN_MAX)
			token[length++] = byte ? (char)byte : '?';
	if (byte != EOF)
		ungetc(byte, in);
	token[length] = '\0';
	return length > 0;
}

static enum outcome read_stream(struct reading *r, FILE *in)
{
	enum outcome outcome = OUTCOME_DONE;
	char token[TOKEN_MAX + 2], place[60];
	size_t line = 1;

	if (terminal_is(in))
		fputs("reading numbers from standard input; end with Ctrl-D\n", stderr);
	while (outcome == OUTCOME_DONE && next_token(in, token, &line)) {
		(void)snprintf(place, sizeof place, "standard input, line %zu", line);
		outcome = take(r, token, place);
	}
	explicit_bzero(token, sizeof token);
	if (outcome == OUTCOME_DONE && ferror(in))
		return complaint_refuse(r->err, "standard input could not be read");
	return outcome;
}

static enum outcome find_column(const struct csv_reader *csv, const char *file,
				const char *column, size_t *index, struct sotto_error *err)
{
	struct suggestion s = {.typed = column};

	for (size_t i = 0; i < csv->field_count; i++) {
		if (strcmp(csv_field(csv, i), column) == 0) {
			*index = i;
			return OUTCOME_DONE;
		}
		suggest_offer(&s, csv_field(csv, i));
	}
	if (s.word)
		return complaint_refuse(err, "%s has no column %.80s; did you mean %.80s?",
					file, column, s.word);
	return complaint_refuse(err, "%s has no column %.80s; the first line must name it",
				file, column);
}

static enum outcome take_record(struct reading *r, const struct csv_reader *csv,
				const struct number_source *source, size_t column)
{
	enum outcome outcome;
	char *place =
		memory_text("%s, line %zu, column %s", source->csv, csv->start, source->column);

	if (column >= csv->field_count)
		outcome = complaint_refuse(r->err, "%s: the line ends before it", place);
	else
		outcome = take(r, csv_field(csv, column), place);
	free(place);
	return outcome;
}

static enum outcome
read_records(struct reading *r, struct csv_reader *csv, const struct number_source *source)
{
	enum outcome outcome = OUTCOME_DONE;
	enum csv_result result;
	struct sotto_error why;
	size_t column = 0;
	bool named = false;

	while (outcome == OUTCOME_DONE && (result = csv_next(csv, &why)) != CSV_END) {
		if (result == CSV_BROKEN)
			return complaint_refuse(r->err, "%s, %s", source->csv, why.text);
		if (named)
			outcome = take_record(r, csv, source, column);
		else
			outcome =
				find_column(csv, source->csv, source->column, &column, r->err);
		named = true;
	}
	return outcome;
}

static enum outcome read_csv(struct reading *r, const struct number_source *source)
{
	bool from_input = strcmp(source->csv, "-") == 0;
	FILE *in = from_input ? source->in : fopen(source->csv, "re");
	struct csv_reader csv;
	enum outcome outcome;

	if (!in)
		return complaint_refuse(r->err, "%s could not be opened", source->csv);
	csv_init(&csv, in);
	outcome = read_records(r, &csv, source);
	csv_release(&csv);
	if (!from_input)
		fclose(in);
	return outcome;
}

static enum outcome read_source(struct reading *r, const struct number_source *source)
{
	if (source->csv && source->operands->count)
		return complaint_usage(r->err,
				       "values come from --csv or as operands, not both");
	if (source->csv && !source->column)
		return complaint_usage(r->err, "--csv needs --column NAME");
	if (source->column && !source->csv)
		return complaint_usage(r->err, "--column needs --csv FILE");
	if (source->csv)
		return read_csv(r, source);
	if (source->operands->count)
		return read_operands(r, source->operands);
	return read_stream(r, source->in);
}

enum outcome numbers_read(struct numbers *n, const struct number_source *source,
			  const struct sotto_grid *grid, bool round, struct sotto_error *err)
{
	struct reading r = {.numbers = n, .grid = grid, .round = round, .err = err};
	enum outcome outcome;

	*n = (struct numbers){0};
	sotto_rational_init(&r.value);
	outcome = read_source(&r, source);
	sotto_rational_release(&r.value);
	if (outcome == OUTCOME_DONE && n->count == 0)
		return complaint_refuse(err, "there is no value to read");
	return outcome;
}

void numbers_error(const struct sotto_grid *grid, bool round, int64_t steps,
		   struct sotto_rational *error)
{
	struct sotto_rational half;

	sotto_rational_init(&half);
	sotto_rational_scale(&half, &grid->step, -1);
	sotto_grid_value(grid, steps, error);
	if (round)
		sotto_rational_add(error, error, &half);
	sotto_rational_release(&half);
}

void numbers_complement(struct sotto_rational *r, const struct sotto_rational *p)
{
	sotto_rational_set_integer(r, 1);
	sotto_rational_subtract(r, r, p);
}

double numbers_complement_down(const struct sotto_rational *p)
{
	struct sotto_rational r;
	double x;

	sotto_rational_init(&r);
	numbers_complement(&r, p);
	x = sotto_rational_double_down(&r);
	sotto_rational_release(&r);
	return x;
}

void numbers_divide(struct sotto_rational *r, const struct sotto_rational *a,
		    const struct sotto_rational *b)
{
	if (sotto_rational_divide(r, a, b) != SOTTO_OK)
		abort();
}
