/*
 * Shows as many digits as the error leaves meaningful; spent budget is rounded up and what is
 * left is rounded down.
 */
#include "query/answer_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "query/limits_print.h"
#include "show/json_document.h"
#include "show/number_text.h"
#include "show/printable.h"
#include "show/table.h"
#include "show/terminal.h"

static bool is_number(const struct sotto_value *v)
{
	return v->kind == SOTTO_VALUE_INTEGER || v->kind == SOTTO_VALUE_NUMBER;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void write_columns(struct json_writer *w, const struct sotto_answer *a)
{
	json_key(w, "columns");
	json_open_array(w);
	for (size_t i = 0; i < a->column_count; i++) {
		json_open_record(w);
		json_member_text(w, "name", a->columns[i].name);
		json_member_text(w, "type", a->columns[i].type);
		json_member_text(w, "kind", a->columns[i].noisy ? "noisy" : "key");
		if (a->columns[i].noisy) {
			json_member_bool(w, "biased", a->columns[i].biased);
			json_member_text(w, "interval", "noise only");
		}
		json_close_object(w);
	}
	json_close_array(w);
}

void answer_write_spent(struct json_writer *w, const char *key,
			const struct sotto_rational *epsilon,
			const struct sotto_rational *delta)
{
	json_key(w, key);
	json_open_record(w);
	json_write_amount_up(w, "epsilon", epsilon);
	json_write_amount_up(w, "delta", delta);
	json_close_object(w);
}

void answer_write_left(struct json_writer *w, const char *key,
		       const struct sotto_rational *epsilon, const struct sotto_rational *delta)
{
	json_key(w, key);
	json_open_record(w);
	json_write_amount_down(w, "epsilon", epsilon);
	json_write_amount_down(w, "delta", delta);
	json_close_object(w);
}

void answer_write_fits(struct json_writer *w, uint64_t fits)
{
	json_key(w, "fits");
	if (fits < UINT64_MAX)
		json_write_integer(w, fits > INT64_MAX ? INT64_MAX : (int64_t)fits);
	else
		json_write_null(w);
}

static void print_json(const struct sotto_answer *a, FILE *out)
{
	struct json_writer w;
	const struct sotto_document d = json_document(&w);

	json_begin(&w, out);
	json_open_object(&w);
	write_columns(&w, a);
	sotto_answer_write_rows(a, &d);
	answer_write_spent(&w, "cost", &a->epsilon, &a->delta);
	answer_write_left(&w, "remaining", &a->epsilon_left, &a->delta_left);
	answer_write_fits(&w, a->fits);
	json_member_bool(&w, "repeated", a->repeated);
	json_member_bool(&w, "data_changed", a->data_changed);
	json_member_bool(&w, "made_up", a->made_up);
	json_member_text(&w, "mechanism", a->mechanism);
	sotto_limits_write(a->limits, a->limits_count, "limits", &d);
	json_key(&w, "notes");
	json_open_array(&w);
	for (size_t i = 0; i < a->note_count; i++)
		json_write_text(&w, a->notes[i]);
	json_close_array(&w);
	json_close_object(&w);
	json_end(&w);
}

/* ---- tables --------------------------------------------------------------------------------- */

static double half_width(const struct sotto_answer *a, size_t at)
{
	return fmax(a->highs[at].number - a->values[at].number,
		    a->values[at].number - a->lows[at].number);
}

static bool has_margin(const struct sotto_answer *a, size_t at)
{
	return is_number(&a->values[at]) && is_number(&a->lows[at]) && half_width(a, at) > 0;
}

/* How a column of numbers is written. */
struct digits {
	int decimals; /* after the point, in every row */
	bool by_cell; /* too small or too large for that: each as it needs */
};

/*
 * As many decimals as give the smallest margin of the column three digits; whole numbers and
 * their margins have none.
 */
static struct digits digits_of(const struct sotto_answer *a, size_t column)
{
	enum { DIGITS = 3, MOST = 12 };
	double least = INFINITY, largest = 0;
	int decimals;

	for (size_t i = column; i < a->row_count * a->column_count; i += a->column_count) {
		if (!has_margin(a, i))
			continue;
		least = fmin(least, half_width(a, i));
		largest = fmax(largest, fabs(a->values[i].number) + half_width(a, i));
	}
	if (strcmp(a->columns[column].type, "integer") == 0)
		return (struct digits){.by_cell = !(largest < 1e15)};
	if (!isfinite(least) || !(largest < 1e15))
		return (struct digits){.by_cell = true};
	decimals = DIGITS - 1 - (int)floor(log10(least));
	if (decimals > MOST)
		return (struct digits){.by_cell = true};
	return (struct digits){.decimals = decimals > 0 ? decimals : 0};
}

/* Digits that the error leaves meaning, and two more. */
static int digits_for(double value, double error)
{
	double ratio = error > 0 ? fabs(value) / error : 1e6;
	int digits = 3 + (ratio > 1 ? (int)floor(log10(ratio)) : 0);

	return digits > 15 ? 15 : digits;
}

static void add_shortest(struct table *t, double x)
{
	char *text = number_text_double(x);

	table_add_text(t, text);
	free(text);
}

static void add_decimals(struct table *t, double x, int decimals)
{
	char *text = memory_text("%.*f", decimals, x);

	table_add_text(t, text);
	free(text);
}

static void add_number(struct table *t, const struct sotto_answer *a, size_t at,
		       const struct digits *digits)
{
	double x = a->values[at].number;

	if (!has_margin(a, at))
		add_shortest(t, x);
	else if (digits->by_cell)
		table_add_double(t, x, digits_for(x, half_width(a, at)));
	else
		add_decimals(t, x, digits->decimals);
}

/* For people if digits are given, else for programs. */
static void
add_value(struct table *t, const struct sotto_answer *a, size_t at, const struct digits *digits)
{
	const struct sotto_value *v = &a->values[at];

	if (v->kind == SOTTO_VALUE_NULL && digits)
		table_add_text(t, "NULL"); /* a blank would look like an empty text */
	else if (v->kind == SOTTO_VALUE_NULL)
		table_add_nothing(t);
	else if (v->kind == SOTTO_VALUE_BOOL)
		table_add_text(t, v->integer ? "true" : "false");
	else if (v->kind == SOTTO_VALUE_TEXT)
		table_add_text(t, v->text);
	else if (v->kind == SOTTO_VALUE_INTEGER)
		table_add_integer(t, v->integer);
	else if (!digits && v->text)
		table_add_text(t, v->text);
	else if (digits)
		add_number(t, a, at, digits);
	else
		add_shortest(t, v->number);
}

static void add_bound(struct table *t, const struct sotto_value *v)
{
	if (is_number(v))
		table_add_double(t, v->number, 17);
	else if (v->kind == SOTTO_VALUE_TEXT) /* of a date */
		table_add_text(t, v->text);
	else
		table_add_nothing(t);
}

static void add_margin(struct table *t, const struct sotto_answer *a, size_t at,
		       const struct digits *digits)
{
	char *text;

	if (a->lows[at].kind == SOTTO_VALUE_TEXT && a->highs[at].kind == SOTTO_VALUE_TEXT) {
		text = memory_text("%s to %s", a->lows[at].text, a->highs[at].text);
		table_add_text(t, text);
		free(text);
	} else if (!is_number(&a->lows[at])) {
		table_add_nothing(t);
	} else if (digits->by_cell) {
		table_add_double(t, half_width(a, at), 3);
	} else {
		add_decimals(t, half_width(a, at), digits->decimals);
	}
}

static enum column_kind kind_of(const struct sotto_answer_column *c)
{
	if (strcmp(c->type, "integer") == 0)
		return COLUMN_INTEGER;
	return strcmp(c->type, "number") == 0 ? COLUMN_NUMBER : COLUMN_TEXT;
}

/* Noisy columns are followed by their 95 % margin (people) or by both ends (programs). */
static size_t lay_out(const struct sotto_answer *a, bool people, struct column *columns)
{
	size_t n = 0;

	for (size_t i = 0; i < a->column_count; i++) {
		const struct sotto_answer_column *c = &a->columns[i];
		enum column_kind ends = kind_of(c) == COLUMN_TEXT ? COLUMN_TEXT : COLUMN_NUMBER;

		columns[n++] =
			(struct column){.name = memory_copy_text(c->name), .kind = kind_of(c)};
		if (!c->noisy || strcmp(c->type, "boolean") == 0)
			continue;
		if (people) {
			columns[n++] = (struct column){
				.name = memory_copy_text(c->biased ? "+-*" : "+-"),
				.kind = ends};
			continue;
		}
		columns[n++] =
			(struct column){.name = memory_text("%s_low", c->name), .kind = ends};
		columns[n++] =
			(struct column){.name = memory_text("%s_high", c->name), .kind = ends};
	}
	return n;
}

static void print_table(const struct sotto_answer *a, enum format format, FILE *out)
{
	bool people = format == FORMAT_TABLE;
	struct column *columns = memory_new(3 * a->column_count + 1, sizeof *columns);
	struct digits *digits = memory_new(a->column_count + 1, sizeof *digits);
	size_t n = lay_out(a, people, columns);
	struct table t;

	for (size_t i = 0; i < a->column_count; i++)
		digits[i] = digits_of(a, i);
	table_init(&t, columns, n);
	for (size_t i = 0; i < a->row_count * a->column_count; i++) {
		const struct sotto_answer_column *c = &a->columns[i % a->column_count];

		add_value(&t, a, i, people ? &digits[i % a->column_count] : NULL);
		if (!c->noisy || strcmp(c->type, "boolean") == 0)
			continue;
		if (people) {
			add_margin(&t, a, i, &digits[i % a->column_count]);
		} else {
			add_bound(&t, &a->lows[i]);
			add_bound(&t, &a->highs[i]);
		}
	}
	table_print(&t, format, out);
	table_release(&t);
	free(digits);
	for (size_t i = 0; i < n; i++)
		free((char *)columns[i].name);
	free(columns);
}

/* Takes the texts; delta may be NULL. */
static void print_pair(FILE *out, char *epsilon, char *delta)
{
	fprintf(out, "epsilon %s%s%s", epsilon, delta ? ", delta " : "", delta ? delta : "");
	free(epsilon);
	free(delta);
}

void answer_print_spent(FILE *out, const struct sotto_rational *epsilon,
			const struct sotto_rational *delta)
{
	print_pair(out, number_text_amount_up(epsilon),
		   delta ? number_text_amount_up(delta) : NULL);
}

void answer_print_left(FILE *out, const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta)
{
	print_pair(out, number_text_amount_down(epsilon),
		   delta ? number_text_amount_down(delta) : NULL);
}

/* A choice of groups has nothing to give an interval of. */
static const char *interval_words(const struct sotto_answer *a)
{
	for (size_t i = 0; i < a->column_count; i++)
		if (a->columns[i].noisy)
			return strncmp(a->mechanism, "discrete", 8) == 0 ? " noise, " : ", ";
	return NULL;
}

/* What the interval is about, where it could be taken for more. */
static const char *interval_of(const struct sotto_answer *a)
{
	for (size_t i = 0; i < a->limits_count; i++)
		if (a->limits[i].sentence_count > 0)
			return " of the noise only";
	return "";
}

static void print_cost(const struct sotto_answer *a, FILE *out)
{
	const char *dim = terminal_dim(out), *plain = terminal_plain(out);

	fprintf(out, "\n%s", dim);
	limits_print(a, "", out);
	for (size_t i = 0; i < a->note_count; i++) {
		printable_print(a->notes[i], out);
		fputc('\n', out);
	}
	if (a->made_up) {
		fprintf(out, "nothing was read and nothing was charged");
	} else if (a->repeated) {
		fprintf(out, "the same answer as before, free");
	} else if (sotto_rational_sign(&a->epsilon) == 0) {
		fprintf(out, "exact and free: nothing private was asked");
	} else {
		const char *words = interval_words(a);

		fprintf(out, "%s", a->mechanism);
		if (words)
			fprintf(out, "%s+- is the 95 %% interval%s", words, interval_of(a));
		fprintf(out, "; cost ");
		answer_print_spent(out, &a->epsilon,
				   sotto_rational_sign(&a->delta) > 0 ? &a->delta : NULL);
	}
	fprintf(out, "; left ");
	answer_print_left(out, &a->epsilon_left, &a->delta_left);
	if (a->fits < UINT64_MAX)
		fprintf(out, "; %llu more question%s like it fit%s",
			(unsigned long long)a->fits, a->fits == 1 ? "" : "s",
			a->fits == 1 ? "s" : "");
	fprintf(out, "%s\n", plain);
}

void answer_print(const struct sotto_answer *a, enum format format, bool full, FILE *out)
{
	if (format == FORMAT_JSON) {
		print_json(a, out);
		return;
	}
	if (format == FORMAT_CSV && full)
		limits_print(a, "# ", out);
	if (format == FORMAT_TABLE && a->made_up)
		fprintf(out,
			"%sMADE-UP ROWS%s: a real answer has other numbers, with errors of "
			"about this size\n\n",
			terminal_bold(out), terminal_plain(out));
	print_table(a, format, out);
	if (format == FORMAT_TABLE)
		print_cost(a, out);
}
