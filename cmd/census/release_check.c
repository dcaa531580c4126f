/* sotto release PLAN --check: the account, as JSON or as a table of the levels */
#include <stdlib.h>

#include "census/release_command.h"
#include "frame/complaint.h"
#include "show/json.h"
#include "show/number_text.h"
#include "show/table.h"

static const struct column columns[] = {
	{"level", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
	{"nodes", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
	{"queries", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
	{"fraction", "share of the budget", COLUMN_TEXT, ALIGN_RIGHT},
	{"naive", "error of a total: naive", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"topdown", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"gls", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};

static void add_level(struct table *t, const char *name, json_t *level)
{
	static const char *const modes[] = {"naive", "topdown", "gls"};
	json_t *errors = json_object_get(level, "predicted_total_error");

	table_add_text(t, name);
	if (json_object_get(level, "nodes"))
		table_add_integer(t, json_integer_value(json_object_get(level, "nodes")));
	else
		table_add_nothing(t);
	table_add_integer(t, (int64_t)json_object_size(json_object_get(level, "queries")));
	table_add_text(t, json_string_value(json_object_get(level, "fraction")));
	for (size_t i = 0; i < 3; i++) {
		json_t *mae = json_object_get(json_object_get(errors, modes[i]), "mae");

		if (json_is_number(mae))
			table_add_double(t, json_number_value(mae), 4);
		else
			table_add_nothing(t);
	}
}

static void print_cost(json_t *account, FILE *out)
{
	const char *rho = json_string_value(json_object_get(account, "rho"));
	char *epsilon = number_text_rounded_up(
		json_number_value(json_object_get(account, "epsilon")), 6);

	char *delta = number_text_double(json_number_value(json_object_get(account, "delta")));

	if (rho)
		fprintf(out, "rho %s: epsilon %s at delta %s, rounded up", rho, epsilon, delta);
	else
		fprintf(out, "epsilon %s",
			json_string_value(json_object_get(account, "epsilon_exact")));
	free(epsilon);
	free(delta);
	fprintf(out, "; neighbours %s; %lld cells\n",
		json_string_value(json_object_get(account, "neighbours")),
		(long long)json_integer_value(json_object_get(account, "cells")));
}

/* Names in the object that invariants publish, as a list; the number of those printed before. */
static int print_published(json_t *meanings, const char *what, int before, FILE *out)
{
	for (void *at = json_object_iter(meanings); at;
	     at = json_object_iter_next(meanings, at)) {
		if (!json_object_get(json_object_iter_value(at), "published_exactly"))
			continue;
		fprintf(out, "%s%s%s",
			before++ ? ", "
				 : "not covered, because invariants publish it exactly: ",
			what, json_object_iter_key(at));
	}
	return before;
}

static void print_invariants(json_t *account, FILE *out)
{
	json_t *semantics = json_object_get(account, "semantics");
	int n = print_published(json_object_get(semantics, "attribute"), "", 0, out);

	n = print_published(json_object_get(semantics, "geography"), "the place below ", n,
			    out);
	if (n)
		fputc('\n', out);
}

void release_print_account(const struct invocation *call, json_t *account)
{
	json_t *levels = json_object_get(account, "levels");
	struct table t;

	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	for (void *at = json_object_iter(levels); at; at = json_object_iter_next(levels, at))
		add_level(&t, json_object_iter_key(at), json_object_iter_value(at));
	if (call->format == FORMAT_TABLE) {
		print_cost(account, call->out);
		print_invariants(account, call->out);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
}

enum outcome release_check(const struct invocation *call, struct sotto_error *err)
{
	char *text = NULL;
	enum sotto_status st = sotto_census_check(call->operands.items[0], &text, err);
	json_t *account;

	if (st != SOTTO_OK || call->format == FORMAT_JSON) {
		if (st == SOTTO_OK)
			json_print_versioned(text, call->out);
		free(text);
		return release_outcome(st, err);
	}
	account = json_loads(text, 0, NULL);
	free(text);
	if (!account)
		return complaint_refuse(err, "out of memory");
	release_print_account(call, account);
	json_decref(account);
	return OUTCOME_DONE;
}
