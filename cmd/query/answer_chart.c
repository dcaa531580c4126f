/*
 * Splits the columns of an answer into keys, which name the bars, and numbers, of which each
 * gets a chart; a key of dates, if it is the only key, becomes a time axis.
 */
#include "query/answer_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frame/allocation.h"
#include "show/chart/bars_text.h"
#include "show/chart/chart.h"
#include "show/number_text.h"

enum { CHARTS_MAX = 8, BARS_MAX = 200 };

/* What is drawn: the same names, or dates, under each of the charts. */
struct picture {
	const struct sotto_answer *answer;
	size_t columns[CHARTS_MAX]; /* with the numbers */
	size_t count;
	size_t rows; /* that are drawn */
	size_t *order; /* of rows: as in the answer, or by date */
	char **names;
	double *dates; /* days since 1970-01-01; NULL: bars */
};

/* ---- what to draw -------------------------------------------------------------------------- */

static bool is_numeric(const struct sotto_answer_column *c)
{
	return strcmp(c->type, "integer") == 0 || strcmp(c->type, "number") == 0;
}

/* In an exact answer the first column names the rows; the numbers after it are drawn. */
static bool is_drawn(const struct sotto_answer *a, size_t column, bool any_noisy)
{
	const struct sotto_answer_column *c = &a->columns[column];

	if (!is_numeric(c))
		return false;
	return any_noisy ? c->noisy : column > 0 || a->column_count == 1;
}

static void choose_columns(struct picture *p)
{
	const struct sotto_answer *a = p->answer;
	bool any_noisy = false;

	for (size_t i = 0; i < a->column_count; i++)
		any_noisy |= a->columns[i].noisy && is_numeric(&a->columns[i]);
	for (size_t i = 0; i < a->column_count && p->count < CHARTS_MAX; i++)
		if (is_drawn(a, i, any_noisy))
			p->columns[p->count++] = i;
}

static bool is_key(const struct picture *p, size_t column)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->columns[i] == column)
			return false;
	return !p->answer->columns[column].noisy;
}

static const struct sotto_value *value_at(const struct picture *p, size_t row, size_t column)
{
	return &p->answer->values[row * p->answer->column_count + column];
}

/* The caller frees it. */
static char *value_text(const struct sotto_value *v)
{
	switch (v->kind) {
	case SOTTO_VALUE_BOOL:
		return memory_copy_text(v->integer ? "true" : "false");
	case SOTTO_VALUE_INTEGER:
		return number_text_integer(v->integer);
	case SOTTO_VALUE_NUMBER:
		return number_text_double(v->number);
	case SOTTO_VALUE_TEXT:
		return memory_copy_text(v->text);
	case SOTTO_VALUE_NULL:
		break;
	}
	return memory_copy_text("NULL");
}

/* The keys of a row, between commas; nothing where there are none. */
static char *name_row(const struct picture *p, size_t row)
{
	char *name = memory_copy_text("");

	for (size_t c = 0; c < p->answer->column_count; c++) {
		char *value, *longer;

		if (!is_key(p, c))
			continue;
		value = value_text(value_at(p, row, c));
		longer = memory_text("%s%s%s", name, *name ? ", " : "", value);
		free(value);
		free(name);
		name = longer;
	}
	return name;
}

/* ---- dates --------------------------------------------------------------------------------- */

/* NaN for what is not a date. */
static double day_of(const struct sotto_value *v)
{
	struct tm t = {0};
	const char *rest =
		v->kind == SOTTO_VALUE_TEXT ? strptime(v->text, "%Y-%m-%d", &t) : NULL;

	if (!rest)
		return NAN;
	if (*rest == ' ' || *rest == 'T')
		(void)strptime(rest + 1, "%H:%M:%S", &t);
	return (double)timegm(&t) / 86400;
}

/* The one key of the answer, if it is a date; otherwise how many columns there are. */
static size_t date_column(const struct picture *p)
{
	size_t found = p->answer->column_count, keys = 0;

	for (size_t c = 0; c < p->answer->column_count; c++)
		if (is_key(p, c)) {
			keys++;
			found = c;
		}
	if (keys != 1 || (strcmp(p->answer->columns[found].type, "date") != 0 &&
			  strcmp(p->answer->columns[found].type, "timestamp") != 0))
		return p->answer->column_count;
	return found;
}

static int compare_dates(const void *x, const void *y, void *dates)
{
	double a = ((double *)dates)[*(const size_t *)x],
	       b = ((double *)dates)[*(const size_t *)y];

	return isnan(a) ? !isnan(b) : isnan(b) ? -1 : (a > b) - (a < b);
}

static void read_dates(struct picture *p)
{
	size_t column = date_column(p), n = p->answer->row_count;

	if (column == p->answer->column_count || n < 2)
		return;
	p->dates = memory_new(n, sizeof *p->dates);
	for (size_t i = 0; i < n; i++)
		p->dates[i] = day_of(value_at(p, i, column));
	qsort_r(p->order, n, sizeof *p->order, compare_dates, p->dates);
}

/* ---- the picture --------------------------------------------------------------------------- */

static void picture_init(struct picture *p, const struct sotto_answer *a)
{
	*p = (struct picture){.answer = a};
	choose_columns(p);
	p->order = memory_new(a->row_count + 1, sizeof *p->order);
	for (size_t i = 0; i < a->row_count; i++)
		p->order[i] = i;
	read_dates(p);
	p->rows = p->dates || a->row_count < BARS_MAX ? a->row_count : BARS_MAX;
	p->names = memory_new(a->row_count + 1, sizeof *p->names);
	for (size_t i = 0; i < p->rows; i++)
		p->names[i] = name_row(p, p->order[i]);
}

static void picture_release(struct picture *p)
{
	for (size_t i = 0; i < p->rows; i++)
		free(p->names[i]);
	free(p->names);
	free(p->order);
	free(p->dates);
}

static bool is_number(const struct sotto_value *v)
{
	return v->kind == SOTTO_VALUE_INTEGER || v->kind == SOTTO_VALUE_NUMBER;
}

/* Four rows of numbers: x, y, low, high. */
struct numbers {
	double *x, *y, *low, *high;
};

static struct numbers take_numbers(const struct picture *p, size_t column)
{
	double *all = memory_new(4 * p->rows + 1, sizeof *all);
	struct numbers n = {all, all + p->rows, all + 2 * p->rows, all + 3 * p->rows};

	for (size_t i = 0; i < p->rows; i++) {
		size_t at = p->order[i] * p->answer->column_count + column;
		const struct sotto_answer *a = p->answer;

		n.x[i] = p->dates ? p->dates[p->order[i]] : (double)i;
		n.y[i] = is_number(&a->values[at]) ? a->values[at].number : NAN;
		n.low[i] = is_number(&a->lows[at]) ? a->lows[at].number : NAN;
		n.high[i] = is_number(&a->highs[at]) ? a->highs[at].number : NAN;
	}
	return n;
}

/* "count by ward, sex"; the caller frees it. */
static char *title_of(const struct picture *p, size_t column)
{
	char *title = memory_copy_text(p->answer->columns[column].name), *longer;
	const char *between = " by ";

	for (size_t c = 0; c < p->answer->column_count; c++) {
		if (!is_key(p, c))
			continue;
		longer = memory_text("%s%s%s", title, between, p->answer->columns[c].name);
		free(title);
		title = longer;
		between = ", ";
	}
	return title;
}

static char *subtitle_of(const struct picture *p, size_t column)
{
	const struct sotto_answer *a = p->answer;
	const char *what =
		a->columns[column].noisy ? "whiskers are 95 % intervals" : "exact values";

	if (p->rows < a->row_count)
		return memory_text("%s%s; the first %zu of %zu rows",
				   a->made_up ? "MADE-UP ROWS; " : "", what, p->rows,
				   a->row_count);
	return memory_text("%s%s", a->made_up ? "MADE-UP ROWS; " : "", what);
}

bool answer_chart_write(const struct sotto_answer *a, FILE *out)
{
	struct chart charts[CHARTS_MAX] = {0};
	struct chart_line lines[CHARTS_MAX] = {0};
	struct numbers numbers[CHARTS_MAX];
	struct picture p;
	bool drawn;

	picture_init(&p, a);
	for (size_t i = 0; i < p.count; i++) {
		const char *name = a->columns[p.columns[i]].name;
		size_t date = date_column(&p);

		numbers[i] = take_numbers(&p, p.columns[i]);
		lines[i] = (struct chart_line){NULL,           numbers[i].x,    numbers[i].y,
					       numbers[i].low, numbers[i].high, p.rows,
					       false,          false,           false};
		charts[i] =
			(struct chart){.title = title_of(&p, p.columns[i]),
				       .subtitle = subtitle_of(&p, p.columns[i]),
				       .x_name = p.dates ? a->columns[date].name : name,
				       .y_name = name,
				       .x_dates = p.dates != NULL,
				       .names = p.dates ? NULL : (const char *const *)p.names,
				       .lines = &lines[i],
				       .line_count = 1};
	}
	drawn = p.count > 0 && p.rows > 0 && chart_write_all(charts, p.count, out);
	for (size_t i = 0; i < p.count; i++) {
		free((char *)charts[i].title);
		free((char *)charts[i].subtitle);
		free(numbers[i].x);
	}
	picture_release(&p);
	return drawn;
}

bool answer_chart_print(const struct sotto_answer *a, FILE *out, unsigned width)
{
	bool drawn = false;
	struct picture p;

	picture_init(&p, a);
	for (size_t i = 0; i < p.count && p.rows > 0; i++) {
		struct numbers n = take_numbers(&p, p.columns[i]);
		char *title = title_of(&p, p.columns[i]);
		const struct bars_text bars = {.title = title,
					       .names = (const char *const *)p.names,
					       .values = n.y,
					       .low = n.low,
					       .high = n.high,
					       .count = p.rows};

		drawn |= bars_text_print(&bars, out, width);
		free(title);
		free(n.x);
	}
	picture_release(&p);
	return drawn;
}
