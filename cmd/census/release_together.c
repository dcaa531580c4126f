/* sotto release PLAN PLAN... --check: each account, and what all of them cost together */
#include <stdlib.h>
#include <string.h>

#include "census/release_command.h"
#include "frame/complaint.h"
#include "show/json.h"
#include "show/number_text.h"

/* Costs that were added up. */
struct together {
	struct sotto_rational cost, delta; /* rho, or epsilon of the pure model */
	double epsilon_sum; /* what adding the epsilons gives, which is no bound worth having */
	bool pure;
	struct sotto_census_conversion to;
};

static const char *text_of(const json_t *account, const char *key)
{
	return json_string_value(json_object_get(account, key));
}

/* Costs add up if they are of one kind. */
static enum outcome
is_alike(json_t *first, json_t *other, const char *plan, struct sotto_error *err)
{
	static const char *const keys[] = {"model", "neighbours"};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(text_of(first, keys[i]), text_of(other, keys[i])) != 0)
			return complaint_usage(
				err,
				"%.200s has another privacy.%s than the first plan, so "
				"their costs do not add up",
				plan, keys[i]);
	if (json_number_value(json_object_get(first, "delta")) !=
	    json_number_value(json_object_get(other, "delta")))
		return complaint_usage(err, "%.200s has a different delta from the first plan",
				       plan);
	return OUTCOME_DONE;
}

static enum sotto_status add(struct together *t, json_t *account, struct sotto_error *err)
{
	struct sotto_rational part;
	enum sotto_status st;

	sotto_rational_init(&part);
	st = sotto_rational_parse(&part, text_of(account, t->pure ? "epsilon_exact" : "rho"),
				  err);
	if (st == SOTTO_OK)
		sotto_rational_add(&t->cost, &t->cost, &part);
	t->epsilon_sum += json_number_value(json_object_get(account, "epsilon"));
	sotto_rational_release(&part);
	return st;
}

static enum sotto_status convert(struct together *t, json_t *account, struct sotto_error *err)
{
	char *delta;
	enum sotto_status st;

	if (t->pure)
		return SOTTO_OK;
	delta = number_text_double(json_number_value(json_object_get(account, "delta")));
	st = sotto_rational_parse(&t->delta, delta, err);
	free(delta);
	return st == SOTTO_OK ? sotto_census_convert(&t->cost, &t->delta, &t->to) : st;
}

static void print_json(const struct together *t, json_t *accounts, FILE *out)
{
	json_t *root = json_object(), *sum = json_object();
	char *cost = number_text_parameter(&t->cost), *text;

	json_object_set_new(sum, t->pure ? "epsilon_exact" : "rho", json_string(cost));
	json_object_set_new(
		sum, "epsilon",
		json_real(t->pure ? sotto_rational_double_up(&t->cost) : t->to.epsilon_up));
	if (!t->pure) {
		json_object_set_new(sum, "epsilon_bun_steinke",
				    json_real(t->to.epsilon_bun_steinke_up));
		json_object_set_new(sum, "sum_of_epsilons", json_real(t->epsilon_sum));
	}
	json_object_set(root, "plans", accounts);
	json_object_set_new(root, "together", sum);
	text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	if (text)
		json_print_versioned(text, out);
	free(text);
	free(cost);
	json_decref(root);
}

static void
print_tables(const struct invocation *call, const struct together *t, json_t *accounts)
{
	char *cost = number_text_parameter(&t->cost);
	char *epsilon = number_text_rounded_up(t->to.epsilon_up, 6),
	     *sum = number_text_rounded_up(t->epsilon_sum, 6);

	for (size_t i = 0; i < json_array_size(accounts); i++) {
		if (call->format == FORMAT_TABLE)
			fprintf(call->out, "%s: ", call->operands.items[i]);
		release_print_account(call, json_array_get(accounts, i));
		fputc('\n', call->out);
	}
	if (call->format == FORMAT_TABLE && t->pure)
		fprintf(call->out, "together: epsilon %s\n", cost);
	else if (call->format == FORMAT_TABLE)
		fprintf(call->out,
			"together: rho %s: epsilon %s at the same delta, rounded up; adding "
			"the "
			"epsilons would say %s, and that at a larger delta\n",
			cost, epsilon, sum);
	free(cost);
	free(epsilon);
	free(sum);
}

/* The accounts of all plans, in a list. */
static enum outcome read_all(const struct invocation *call, struct together *t,
			     json_t *accounts, struct sotto_error *err)
{
	enum outcome outcome = OUTCOME_DONE;

	for (size_t i = 0; outcome == OUTCOME_DONE && i < call->operands.count; i++) {
		char *text = NULL;
		enum sotto_status st = sotto_census_check(call->operands.items[i], &text, err);
		json_t *account = st == SOTTO_OK ? json_loads(text, 0, NULL) : NULL;

		free(text);
		if (account) {
			(void)json_array_append_new(accounts, account);
			t->pure = strcmp(text_of(account, "model"), "pure") == 0;
			outcome = is_alike(json_array_get(accounts, 0), account,
					   call->operands.items[i], err);
			st = add(t, account, err);
		} else if (st == SOTTO_OK) {
			st = SOTTO_ENOMEM;
		}
		if (outcome == OUTCOME_DONE)
			outcome = release_outcome(st, err);
	}
	return outcome;
}

enum outcome release_together(const struct invocation *call, struct sotto_error *err)
{
	struct together t = {.epsilon_sum = 0};
	json_t *accounts = json_array();
	enum outcome outcome;

	sotto_rational_init(&t.cost);
	sotto_rational_init(&t.delta);
	outcome = accounts ? read_all(call, &t, accounts, err)
			   : complaint_refuse(err, "out of memory");
	if (outcome == OUTCOME_DONE)
		outcome = release_outcome(convert(&t, json_array_get(accounts, 0), err), err);
	if (outcome == OUTCOME_DONE && call->format == FORMAT_JSON)
		print_json(&t, accounts, call->out);
	else if (outcome == OUTCOME_DONE)
		print_tables(call, &t, accounts);
	json_decref(accounts);
	sotto_rational_release(&t.cost);
	sotto_rational_release(&t.delta);
	return outcome;
}
