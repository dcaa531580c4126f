/*
 * Writes one finding three times: as sentences for people, as JSON and as one CSV row.  Exact
 * fractions are written where they are short.
 */
#include "channel/verify/verify_show.h"

#include <stdlib.h>

#include "channel/channel_show.h"
#include "show/table.h"
#include "show/terminal.h"

/* ---- for people ------------------------------------------------------------------------------------ */

static bool has_length_one(const struct sotto_verdict *v)
{
	struct sotto_rational one;
	bool is_one;

	sotto_rational_init(&one);
	sotto_rational_set_integer(&one, 1);
	is_one = sotto_rational_compare(&v->length, &one) == 0;
	sotto_rational_release(&one);
	return is_one;
}

static void print_epsilon(const char *label, const struct sotto_verdict *v, FILE *out)
{
	char *ratio;

	if (v->infinite) {
		fprintf(out,
			"%-22sinfinite: an output is possible for one answer and impossible "
			"for its "
			"neighbour\n",
			label);
		return;
	}
	ratio = channel_text_exact(&v->ratio);
	channel_print_epsilon(22, label, v->epsilon_up, out);
	if (sotto_rational_sign(&v->length) != 0 && v->witness.row != v->witness.neighbour)
		fprintf(out, " = ln(%s)%s", ratio, !has_length_one(v) ? " / length" : "");
	fputc('\n', out);
	free(ratio);
}

static void print_witness(const struct finding *f, bool delta, FILE *out)
{
	const struct sotto_witness *w = &f->verdict.witness;
	struct sotto_rational p, q;
	char *first, *second;

	if (w->row == w->neighbour)
		return;
	if (delta) {
		fprintf(out, "%-22sanswers %zu and %zu\n", "witness", w->row, w->neighbour);
		return;
	}
	sotto_rational_init(&p);
	sotto_rational_init(&q);
	if (sotto_matrix_get(f->channel, w->row, w->column, &p) == SOTTO_OK &&
	    sotto_matrix_get(f->channel, w->neighbour, w->column, &q) == SOTTO_OK) {
		first = channel_text_exact(&p);
		second = channel_text_exact(&q);
		fprintf(out, "%-22soutput %zu: %s for answer %zu, %s for answer %zu\n",
			"witness", w->column, first, w->row, second, w->neighbour);
		free(first);
		free(second);
	}
	sotto_rational_release(&p);
	sotto_rational_release(&q);
}

static void print_rows(const struct finding *f, FILE *out)
{
	struct sotto_rational sum;
	char *text;

	if (!f->normalized) {
		fprintf(out, "%-22sexactly 1\n", "every row sums to");
		return;
	}
	sotto_rational_init(&sum);
	sotto_rational_set_integer(&sum, 1);
	sotto_rational_subtract(&sum, &sum, &f->defect);
	text = channel_text_exact(&sum);
	fprintf(out,
		"row %-18zusums to %s, not 1: the first epsilon is of the weights as they "
		"are, the second of rows divided by their sums\n",
		f->bad_row + 1, text);
	free(text);
	sotto_rational_release(&sum);
}

static void print_derivation(const struct finding *f, const char *from, FILE *out)
{
	struct sotto_rational least;
	char *text;

	sotto_rational_init(&least);
	if (sotto_matrix_get(f->derivation.remap, f->derivation.row, f->derivation.column,
			     &least) == SOTTO_OK) {
		text = channel_text_exact(&least);
		fprintf(out, "%-22s%s", "derivable", f->derivation.derivable ? "yes" : "no");
		fprintf(out, ", from the geometric mechanism at %s", from);
		if (!f->derivation.derivable)
			fprintf(out,
				": output %zu of it would need a remap to %zu with probability "
				"%s",
				f->derivation.row, f->derivation.column, text);
		fputc('\n', out);
		free(text);
	}
	sotto_rational_release(&least);
}

/* A matrix with a row a line, indented. */
static void print_matrix(const struct sotto_matrix *m, FILE *out)
{
	struct sotto_rational cell;

	sotto_rational_init(&cell);
	for (size_t i = 0; i < sotto_matrix_rows(m); i++) {
		fputs("   ", out);
		for (size_t j = 0; j < sotto_matrix_columns(m); j++)
			if (sotto_matrix_get(m, i, j, &cell) == SOTTO_OK) {
				char *text = channel_text_exact(&cell);

				fprintf(out, " %s", text);
				free(text);
			}
		fputc('\n', out);
	}
	sotto_rational_release(&cell);
}

static void print_refinement(const struct sotto_refinement *r, const char *from, FILE *out)
{
	char *less, *more;

	if (r->derivable) {
		fprintf(out, "%-22syes, %s followed by this random remap is exactly it\n",
			"derivable", from);
		print_matrix(r->remap, out);
		return;
	}
	less = channel_text_exact(&r->from);
	more = channel_text_exact(&r->to);
	fprintf(out,
		"%-22sno, from %s: with a uniform prior and the gain below it is worth %s, "
		"%s only %s\n",
		"derivable", from, more, from, less);
	print_matrix(r->gain, out);
	free(less);
	free(more);
}

void verify_print(const struct finding *f, const struct verify_settings *s, FILE *out)
{
	fprintf(out, "%s%zu answers, %zu outputs, graph %s%s\n", terminal_bold(out),
		sotto_matrix_rows(f->channel), sotto_matrix_columns(f->channel), s->graph,
		terminal_plain(out));
	print_rows(f, out);
	print_epsilon(s->delta.given ? "epsilon at this delta" : "epsilon", &f->verdict, out);
	if (f->normalized)
		print_epsilon("epsilon, normalized", &f->verdict_normalized, out);
	print_witness(f, s->delta.given, out);
	if (f->eps)
		fprintf(out, "%-22s%s, at epsilon %s%s%s\n", "private",
			f->private ? "yes" : "no", s->epsilon,
			s->delta.given ? " and delta " : "",
			s->delta.given ? s->delta.text : "");
	if (f->source)
		print_derivation(f, s->derivable, out);
	if (f->other)
		print_refinement(&f->refinement, s->derivable, out);
}

/* ---- for programs ------------------------------------------------------------------------------------ */

static void write_verdict(struct json_writer *json, const struct sotto_verdict *v)
{
	char *ratio = channel_fraction(&v->ratio);

	json_member_double(json, "epsilon", v->epsilon_up);
	json_key(json, "ratio");
	if (v->infinite)
		json_write_null(json);
	else
		json_write_text(json, ratio);
	json_member_bool(json, "infinite", v->infinite);
	json_key(json, "witness");
	if (v->witness.row == v->witness.neighbour) {
		json_write_null(json);
	} else {
		json_open_record(json);
		json_member_integer(json, "row", (int64_t)v->witness.row);
		json_member_integer(json, "neighbour", (int64_t)v->witness.neighbour);
		json_member_integer(json, "column", (int64_t)v->witness.column);
		json_close_object(json);
	}
	free(ratio);
}

static void write_derivation(struct json_writer *json, const struct finding *f)
{
	struct sotto_rational least;

	sotto_rational_init(&least);
	json_member_bool(json, "derivable", f->derivation.derivable);
	if (sotto_matrix_get(f->derivation.remap, f->derivation.row, f->derivation.column,
			     &least) == SOTTO_OK)
		channel_write_exact(json, "smallest_remap", &least, true);
	sotto_rational_release(&least);
}

static void write_matrix(struct json_writer *json, const struct sotto_matrix *m)
{
	struct sotto_rational cell;

	sotto_rational_init(&cell);
	json_open_array(json);
	for (size_t i = 0; i < sotto_matrix_rows(m); i++) {
		json_open_row(json);
		for (size_t j = 0; j < sotto_matrix_columns(m); j++)
			if (sotto_matrix_get(m, i, j, &cell) == SOTTO_OK) {
				char *text = channel_fraction(&cell);

				json_write_text(json, text);
				free(text);
			}
		json_close_array(json);
	}
	json_close_array(json);
	sotto_rational_release(&cell);
}

static void write_refinement(struct json_writer *json, const struct sotto_refinement *r)
{
	json_member_bool(json, "derivable", r->derivable);
	json_key(json, r->derivable ? "remap" : "gain");
	write_matrix(json, r->derivable ? r->remap : r->gain);
	if (r->derivable)
		return;
	channel_write_exact(json, "gain_of_source", &r->from, true);
	channel_write_exact(json, "gain_of_matrix", &r->to, true);
}

void verify_write(const struct finding *f, FILE *out)
{
	struct json_writer json;

	json_begin(&json, out);
	json_open_object(&json);
	json_member_integer(&json, "answers", (int64_t)sotto_matrix_rows(f->channel));
	json_member_integer(&json, "outputs", (int64_t)sotto_matrix_columns(f->channel));
	json_member_bool(&json, "rows_sum_to_one", !f->normalized);
	write_verdict(&json, &f->verdict);
	json_key(&json, "private");
	if (f->eps)
		json_write_bool(&json, f->private);
	else
		json_write_bool(&json, !f->verdict.infinite);
	if (f->normalized) {
		json_key(&json, "normalized");
		json_open_object(&json);
		write_verdict(&json, &f->verdict_normalized);
		json_close_object(&json);
	}
	if (f->source)
		write_derivation(&json, f);
	if (f->other)
		write_refinement(&json, &f->refinement);
	json_close_object(&json);
	json_end(&json);
}

void verify_print_csv(const struct finding *f, FILE *out)
{
	static const struct column columns[] = {
		{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"ratio", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"infinite", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"row", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
		{"neighbour", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
		{"column", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
		{"private", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	const struct sotto_verdict *v = &f->verdict;
	char *ratio = channel_fraction(&v->ratio);
	struct table t;

	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	if (v->infinite) {
		table_add_nothing(&t);
		table_add_nothing(&t);
	} else {
		table_add_double_up(&t, v->epsilon_up, 17);
		table_add_text(&t, ratio);
	}
	table_add_text(&t, v->infinite ? "true" : "false");
	table_add_integer(&t, (int64_t)v->witness.row);
	table_add_integer(&t, (int64_t)v->witness.neighbour);
	table_add_integer(&t, (int64_t)v->witness.column);
	table_add_text(&t, (f->eps ? f->private : !v->infinite) ? "true" : "false");
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
	free(ratio);
}
