/* The findings of "sotto sensitivity", as text, CSV and JSON. */
#include "sensitivity/sensitivity_finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/numbers.h"
#include "sensitivity/sensitivity_brute.h"
#include "show/json.h"
#include "show/number_text.h"
#include "show/table.h"
#include "show/terminal.h"

static double root(const struct sotto_rational *square)
{
	return sqrt(sotto_rational_double_up(square));
}

/* Exact if short, else so many digits. */
static char *brief(const struct sotto_rational *r)
{
	char *text = number_text_rational(r);

	if (strlen(text) <= 16)
		return text;
	free(text);
	return number_text_rounded(sotto_rational_double_up(r), 10);
}

static void set_scale(struct sotto_rational *scale, const struct sensitivity_finding *f,
		      const struct sensitivity_settings *settings)
{
	numbers_divide(scale, &f->s.l1, &settings->epsilon.value);
}

/* "|3| x (B - A) = 3.6", or only the number where the formula is one */
static void print_formula(const struct sensitivity_finding *f,
			  const struct sensitivity_settings *settings, FILE *out)
{
	char *l1 = brief(&f->s.l1);

	if (settings->factor.given)
		fprintf(out, "|%s| x (%s) = ", settings->factor.text, f->s.formula);
	else if (strcmp(f->s.formula, l1) != 0)
		fprintf(out, "%s = ", f->s.formula);
	fputs(l1, out);
	free(l1);
}

static bool has_one_norm(const struct sensitivity_finding *f)
{
	bool one;
	struct sotto_rational square;

	sotto_rational_init(&square);
	sotto_rational_multiply(&square, &f->s.l1, &f->s.l1);
	one = sotto_rational_compare(&square, &f->s.l2_squared) == 0;
	sotto_rational_release(&square);
	return one;
}

/*
 * From the sensitivity to the density: scale S/epsilon, so (epsilon/2S) e^(-epsilon |z -
 * y|/S), with the numbers in it.
 */
static void explain_finding(const struct sensitivity_finding *f, FILE *out)
{
	struct sotto_rational rate, half;
	char *s, *inverse, *front;

	if (sotto_rational_sign(&f->s.l1) == 0) {
		fputs("    step by step: nobody moves the answer, so no noise is needed\n",
		      out);
		return;
	}
	sotto_rational_init(&rate);
	sotto_rational_init(&half);
	sotto_rational_set_integer(&rate, 1);
	numbers_divide(&rate, &rate, &f->s.l1);
	sotto_rational_scale(&half, &rate, -1);
	s = brief(&f->s.l1);
	inverse = brief(&rate);
	front = brief(&half);
	fputs("    step by step:\n", out);
	fprintf(out,
		"      1. neighbours: %s; their answers f(x) and f(x') differ by at "
		"most S\n",
		f->neighbours);
	fprintf(out, "      2. the worst pair: %s; so S = %s = %s\n", f->s.reason, f->s.formula,
		s);
	fputs("      3. noise of scale S/epsilon: the output z has density\n"
	      "           (epsilon/2S) e^(-epsilon |z - y|/S)  around y = f(x)\n",
	      out);
	fprintf(out, "           = %s epsilon e^(-%s epsilon |z - y|)\n", front, inverse);
	fputs("      4. |z - f(x)| and |z - f(x')| differ by at most S, so two densities\n"
	      "         differ by a factor of at most e^epsilon: it is epsilon-private\n",
	      out);
	free(s);
	free(inverse);
	free(front);
	sotto_rational_release(&rate);
	sotto_rational_release(&half);
}

static void print_finding(const struct sensitivity_finding *f,
			  const struct sensitivity_settings *settings, FILE *out)
{
	struct sotto_rational scale;
	char *text = number_text_rounded(root(&f->s.l2_squared), 10);

	fprintf(out, "%s%s%s: ", terminal_bold(out), f->neighbours, terminal_plain(out));
	print_formula(f, settings, out);
	if (!has_one_norm(f))
		fprintf(out, " (L2: %s)", text);
	fprintf(out, "\n    because %s\n", f->s.reason);
	free(text);
	if (f->tried)
		fprintf(out,
			"    all datasets of %llu to %llu records with values A, (A+B)/2 "
			"and B: the same\n",
			(unsigned long long)settings->min.value,
			(unsigned long long)settings->min.value + BRUTE_MORE);
	if (settings->explain)
		explain_finding(f, out);
	if (f->has_steps)
		fprintf(out, "    on the grid: %lld steps\n", (long long)f->steps);
	if (!settings->epsilon.given)
		return;
	sotto_rational_init(&scale);
	set_scale(&scale, f, settings);
	text = brief(&scale);
	fprintf(out, "    Laplace noise at epsilon %s: scale %s\n", settings->epsilon.text,
		text);
	free(text);
	sotto_rational_release(&scale);
}

/* A number even where the exact one is a fraction. */
static void write_near(struct json_writer *json, const struct sotto_rational *r)
{
	char *text = number_text_rational(r);

	if (number_text_survives_double(text))
		json_write_number_text(json, text);
	else
		json_write_double(json, sotto_rational_double_up(r));
	free(text);
}

static void write_scale(struct json_writer *json, const struct sensitivity_finding *f,
			const struct sensitivity_settings *settings)
{
	struct sotto_rational scale;

	sotto_rational_init(&scale);
	set_scale(&scale, f, settings);
	json_key(json, "scale");
	write_near(json, &scale);
	sotto_rational_release(&scale);
}

static void write_finding(struct json_writer *json, const struct sensitivity_finding *f,
			  const struct sensitivity_settings *settings)
{
	char *exact;

	json_key(json, f->replace ? "replace" : "add_remove");
	json_open_object(json);
	json_key(json, "l1");
	write_near(json, &f->s.l1);
	json_key(json, "l2");
	if (has_one_norm(f))
		write_near(json, &f->s.l1);
	else
		json_write_double(json, root(&f->s.l2_squared));
	json_key(json, "exact");
	exact = number_text_rational(&f->s.l1);
	json_write_text(json, exact);
	free(exact);
	if (f->has_steps) {
		json_member_integer(json, "steps", f->steps);
	}
	if (settings->epsilon.given)
		write_scale(json, f, settings);
	if (f->tried) {
		json_member_bool(json, "tried", true);
	}
	json_member_text(json, "formula", f->s.formula);
	json_member_text(json, "reason", f->s.reason);
	json_close_object(json);
}

static void print_csv(const struct sensitivity_finding *list, size_t n, FILE *out)
{
	static const struct column columns[] = {
		{"neighbours", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"l1", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"l2", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"formula", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"reason", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, 5);
	for (size_t i = 0; i < n; i++) {
		table_add_text(&t, list[i].replace ? "replace" : "add_remove");
		table_add_rational(&t, &list[i].s.l1);
		table_add_double(&t, root(&list[i].s.l2_squared), 10);
		table_add_text(&t, list[i].s.formula);
		table_add_text(&t, list[i].s.reason);
	}
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
}

void sensitivity_print(const char *name, const struct sensitivity_finding *list, size_t n,
		       const struct invocation *call)
{
	struct json_writer json;

	if (call->format == FORMAT_TABLE)
		for (size_t i = 0; i < n; i++)
			print_finding(&list[i], call->settings, call->out);
	if (call->format == FORMAT_CSV)
		print_csv(list, n, call->out);
	if (call->format != FORMAT_JSON)
		return;
	json_begin(&json, call->out);
	json_open_object(&json);
	json_member_text(&json, "query", name);
	for (size_t i = 0; i < n; i++)
		write_finding(&json, &list[i], call->settings);
	json_close_object(&json);
	json_end(&json);
}
