/*
 * Prints the figures that the library finds in floating point for the geometric mechanism, in
 * the three formats.
 */
#include "channel/utility/utility_long.h"

#include <math.h>
#include <string.h>

#include "channel/channel_show.h"
#include "frame/complaint.h"
#include "show/table.h"

bool utility_long_suits(const struct problem_settings *s, const char *mechanism,
			const struct invocation *call)
{
	return channel_is_long_path(s, UTILITY_EXACT_MAX, call) &&
	       (!mechanism || strcmp(mechanism, "geometric") == 0);
}

static void print_human(const struct sotto_path_use *u, double epsilon, FILE *out)
{
	size_t moved = 0;

	for (size_t z = 0; z < u->outputs; z++)
		moved += u->remap[z] != z;
	fprintf(out, "%-22s%.12g\n", "utility", u->utility);
	if (u->has_raw)
		fprintf(out, "%-22s%.12g\n", "  without a remap", u->raw);
	fprintf(out, "%-22s%.12g\n", "  without the output", u->prior_value);
	if (moved)
		fprintf(out,
			"%-22sanother number for %zu of %zu outputs; --format json "
			"lists them\n",
			"best guess by output", moved, u->outputs);
	else
		fprintf(out, "%-22sthe output itself\n", "best guess by output");
	channel_print_epsilon(22, "epsilon", epsilon, out);
	fputc('\n', out);
	fprintf(out, "%-22s%.10g bits, at most %.10g for any prior\n", "min-entropy leakage",
		u->min_entropy, log2(u->capacity));
}

static void write_null(struct json_writer *json, const char *key)
{
	json_key(json, key);
	json_write_null(json);
}

static void write_json(const struct sotto_path_use *u, double epsilon, FILE *out)
{
	struct json_writer json;

	json_begin(&json, out);
	json_open_object(&json);
	json_member_text(&json, "mechanism", "geometric");
	json_member_double(&json, "utility", u->utility);
	write_null(&json, "utility_exact");
	json_member_double(&json, "utility_without_remap", u->has_raw ? u->raw : NAN);
	json_key(&json, "remap");
	json_open_row(&json);
	for (size_t z = 0; z < u->outputs; z++)
		json_write_integer(&json, (int64_t)u->remap[z]);
	json_close_array(&json);
	write_null(&json, "tie_sets");
	json_member_double(&json, "prior_value", u->prior_value);
	json_member_double(&json, "bayes_risk", u->bayes_risk);
	json_key(&json, "leakage");
	json_open_object(&json);
	json_member_double(&json, "additive", u->utility - u->prior_value);
	json_member_double(&json, "multiplicative",
			   u->prior_value != 0 ? u->utility / u->prior_value : NAN);
	json_member_double(&json, "min_entropy", u->min_entropy);
	json_member_double(&json, "bayes_capacity", u->capacity);
	json_member_double(&json, "min_capacity", log2(u->capacity));
	json_close_object(&json);
	json_member_double(&json, "epsilon", epsilon);
	json_close_object(&json);
	json_end(&json);
}

static void print_csv(const struct sotto_path_use *u, double epsilon, FILE *out)
{
	static const struct column columns[] = {
		{"mechanism", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"utility", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"utility_without_remap", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"prior_value", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"bayes_risk", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"min_entropy", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	table_add_text(&t, "geometric");
	table_add_double_up(&t, epsilon, 17);
	table_add_double(&t, u->utility, 17);
	if (u->has_raw)
		table_add_double(&t, u->raw, 17);
	else
		table_add_nothing(&t);
	table_add_double(&t, u->prior_value, 17);
	table_add_double(&t, u->bayes_risk, 17);
	table_add_double(&t, u->min_entropy, 17);
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
}

enum outcome utility_long(const struct problem_settings *s, const struct invocation *call,
			  struct sotto_error *err)
{
	struct sotto_matrix *prior = NULL;
	struct sotto_error why = {""};
	struct sotto_eps *eps = NULL;
	struct sotto_path_use u;
	enum sotto_status st;

	if (!s->epsilon)
		return complaint_usage(
			err, "say which epsilon: --epsilon 0.5, ln2, ln(3/2) or alpha=1/2");
	if (s->answers.value > 20000)
		return complaint_usage(err, "there can be at most 20000 answers");
	st = sotto_eps_new(s->epsilon, &eps, &why);
	if (st == SOTTO_OK)
		st = channel_prior_read(s, &prior, &why);
	if (st == SOTTO_OK)
		st = sotto_path_use_find(prior, s->gain ? s->gain : "distance", eps, &u, &why);
	sotto_matrix_free(prior);
	if (st == SOTTO_OK) {
		double epsilon = sotto_eps_double(eps);

		if (call->format == FORMAT_JSON)
			write_json(&u, epsilon, call->out);
		else if (call->format == FORMAT_CSV)
			print_csv(&u, epsilon, call->out);
		else
			print_human(&u, epsilon, call->out);
		if (call->format == FORMAT_TABLE)
			fprintf(command_notes(call),
				"more than %d answers: computed in floating point, not in "
				"fractions\n",
				UTILITY_EXACT_MAX);
		sotto_path_use_release(&u);
	}
	sotto_eps_free(eps);
	return st == SOTTO_OK ? OUTCOME_DONE : channel_complain(st, &why, err);
}
