/* sotto release PLAN --explain NODE: one node, as JSON or in words */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "census/release_command.h"
#include "frame/complaint.h"
#include "show/json.h"
#include "show/table.h"

static const struct column columns[] = {
	{"query", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
	{"cells", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
	{"share", "rho", COLUMN_TEXT, ALIGN_RIGHT}, /* or epsilon */
	{"variance", "variance of the noise", COLUMN_NUMBER, ALIGN_BY_KIND}};

static void
print_number(json_t *about, const char *key, const char *one, const char *many, FILE *out)
{
	long long n = json_integer_value(json_object_get(about, key));

	fprintf(out, "%lld %s", n, n == 1 ? one : many);
}

static void print_place(json_t *about, FILE *out)
{
	fprintf(out, "%s: a node of level %s with ",
		json_string_value(json_object_get(about, "node")),
		json_string_value(json_object_get(about, "level")));
	print_number(about, "children", "child", "children", out);
	fputs(" (", out);
	print_number(about, "leaves", "leaf", "leaves", out);
	fputs(") and ", out);
	print_number(about, "siblings", "sibling", "siblings", out);
	fputc('\n', out);
}

static void print_bounds(json_t *bounds, FILE *out)
{
	for (size_t i = 0; i < json_array_size(bounds); i++) {
		json_t *b = json_array_get(bounds, i), *upper = json_object_get(b, "upper");
		long long lower = json_integer_value(json_object_get(b, "lower"));
		const char *group = json_string_value(json_object_get(b, "group"));

		if (!json_object_get(b, "exact") && lower == 0 && json_is_null(upper))
			continue;
		fprintf(out, "%s%s%s: ", json_string_value(json_object_get(b, "query")),
			group ? " " : "", group ? group : "");
		if (json_object_get(b, "exact"))
			fputs("published exactly, as the data have it\n", out);
		else if (json_is_null(upper))
			fprintf(out, "at least %lld\n", lower);
		else
			fprintf(out, "from %lld to %lld\n", lower,
				(long long)json_integer_value(upper));
	}
}

static void print_errors(json_t *errors, FILE *out)
{
	const char *before = "error of the total to expect: ";

	for (void *at = json_object_iter(errors); at; at = json_object_iter_next(errors, at)) {
		json_t *mae = json_object_get(json_object_iter_value(at), "mae");

		fprintf(out, "%s%s ", before, json_object_iter_key(at));
		if (json_is_number(mae))
			fprintf(out, "%.4g", json_number_value(mae));
		else
			fputs("not determined", out);
		before = ", ";
	}
	if (json_object_size(errors) > 0)
		fputc('\n', out);
}

static void add_query(struct table *t, const char *name, json_t *query)
{
	json_t *rho = json_object_get(query, "rho");

	table_add_text(t, name);
	table_add_integer(t, json_integer_value(json_object_get(query, "cells")));
	table_add_text(t, json_string_value(rho ? rho : json_object_get(query, "epsilon")));
	table_add_double(t, json_number_value(json_object_get(query, "variance")), 6);
}

enum outcome release_explain(const struct invocation *call, struct sotto_error *err)
{
	const struct release_settings *settings = call->settings;
	char *text = NULL;
	enum sotto_status st =
		sotto_census_explain(call->operands.items[0], settings->explain, &text, err);
	struct column shown[sizeof columns / sizeof columns[0]];
	json_t *about, *queries;
	struct table t;

	if (st != SOTTO_OK || call->format == FORMAT_JSON) {
		if (st == SOTTO_OK) {
			json_print_versioned(text, call->out);
			fputc('\n', call->out);
		}
		free(text);
		return release_outcome(st, err);
	}
	about = json_loads(text, 0, NULL);
	free(text);
	if (!about)
		return complaint_refuse(err, "out of memory");
	queries = json_object_get(about, "queries");
	if (call->format == FORMAT_TABLE) {
		print_place(about, call->out);
		print_bounds(json_object_get(about, "bounds"), call->out);
		print_errors(json_object_get(about, "predicted_total_error"), call->out);
	}
	memcpy(shown, columns, sizeof columns);
	if (json_object_get(json_object_iter_value(json_object_iter(queries)), "epsilon"))
		shown[2].title = "epsilon";
	table_init(&t, shown, sizeof shown / sizeof shown[0]);
	for (void *at = json_object_iter(queries); at; at = json_object_iter_next(queries, at))
		add_query(&t, json_object_iter_key(at), json_object_iter_value(at));
	table_print(&t, call->format, call->out);
	table_release(&t);
	json_decref(about);
	return OUTCOME_DONE;
}
