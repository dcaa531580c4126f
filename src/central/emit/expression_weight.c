/*
 * Operations that take a few nanoseconds whatever their arguments are count 1, those that read or
 * cut one column's text as every question does count as much as that takes, all others, whose work
 * an analyst can multiply, are heavy.  What a column is made of counts wherever the column stands.
 */
#include "central/emit/expression_weight.h"

#include <string.h>

enum { PLAIN = 1, READING = 40, LIGHT_MAX = 400, MUCH = 2000, HEAVY = 1000000 };

/* Operations of the table that an analyst cannot make longer, first to last. */
static const struct {
	enum sotto_operation_name first, last;
	int weight;
} known[] = {
	{SOTTO_OP_NULL, SOTTO_OP_BRANCHES, PLAIN},
	{SOTTO_OP_READ_MOMENT, SOTTO_OP_SHOWN_WHOLE, READING},
	{SOTTO_OP_ADD, SOTTO_OP_DIVIDE, PLAIN},
	{SOTTO_OP_NEGATE, SOTTO_OP_NEGATE, PLAIN},
	{SOTTO_OP_TRUNC, SOTTO_OP_WHOLE_ROUND, READING},
	{SOTTO_OP_NO_KEY_IF_LONG, SOTTO_OP_CUT, READING},
	{SOTTO_OP_TO_MONTHS, SOTTO_OP_WHOLE_DAYS, READING},
	{SOTTO_OP_EQ, SOTTO_OP_SUFFIX, PLAIN},
	{SOTTO_OP_COALESCE, SOTTO_OP_ONLY_WHEN, PLAIN},
	{SOTTO_OP_COUNT, SOTTO_OP_HASH, READING},
};

static double own_weight(const struct sotto_operation *o)
{
	if (o->form == SOTTO_OPERATION_CAST)
		return READING;
	if (o->form != SOTTO_OPERATION_CALL)
		return PLAIN;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (o >= sotto_operation(known[i].first) && o <= sotto_operation(known[i].last))
			return known[i].weight;
	return HEAVY;
}

static double weight(const struct sotto_expression *x)
{
	double sum = own_weight(x->operation);

	for (size_t i = 0; sum <= LIGHT_MAX && i < x->count; i++)
		sum += weight(x->args[i]) * sotto_operation_times(x->operation, i);
	return sum;
}

bool sotto_expression_is_tie(const struct sotto_expression *x)
{
	const char *first, *second;

	if ((x->operation != sotto_operation(SOTTO_OP_EQ) &&
	     x->operation != sotto_operation(SOTTO_OP_SAME)) ||
	    x->args[0]->operation->form != SOTTO_OPERATION_COLUMN ||
	    x->args[1]->operation->form != SOTTO_OPERATION_COLUMN)
		return false;
	first = x->args[0]->of.column.alias;
	second = x->args[1]->of.column.alias;
	return !first || !second || strcmp(first, second) != 0;
}

bool sotto_expression_is_heavy(const struct sotto_expression *x)
{
	return x && weight(x) + (sotto_expression_is_tie(x) ? 0 : x->making) > LIGHT_MAX;
}

bool sotto_expression_is_one_too_many(const struct sotto_expression *x, double *before)
{
	*before += weight(x) + x->making;
	return *before > LIGHT_MAX;
}

bool sotto_expression_is_much(const struct sotto_expression *x, double *before)
{
	*before += weight(x) + x->making;
	return *before > MUCH;
}

/* A heavy one, or one in a subquery. */
static bool holds_heavy(const struct sotto_expression *x)
{
	if (!x)
		return false;
	if (sotto_expression_is_heavy(x) ||
	    (x->operation->form == SOTTO_OPERATION_QUERY && sotto_rowset_is_heavy(x->of.query)))
		return true;
	for (size_t i = 0; i < x->count; i++)
		if (holds_heavy(x->args[i]))
			return true;
	return false;
}

static bool select_is_heavy(const struct sotto_rowset_select *s)
{
	for (size_t i = 0; i < s->output_count; i++)
		if (holds_heavy(s->outputs[i].value))
			return true;
	for (size_t i = 0; i < s->from_count; i++)
		if (sotto_rowset_is_heavy(s->from[i]))
			return true;
	return holds_heavy(s->where) || holds_heavy(s->groups) || holds_heavy(s->having) ||
	       holds_heavy(s->qualify) || holds_heavy(s->orders);
}

bool sotto_rowset_is_heavy(const struct sotto_rowset *r)
{
	switch (r->kind) {
	case SOTTO_ROWSET_JOIN:
		return sotto_rowset_is_heavy(r->of.join.left) ||
		       sotto_rowset_is_heavy(r->of.join.right) || holds_heavy(r->of.join.on);
	case SOTTO_ROWSET_SET:
		return sotto_rowset_is_heavy(r->of.both.first) ||
		       sotto_rowset_is_heavy(r->of.both.second);
	case SOTTO_ROWSET_SELECT:
		return select_is_heavy(&r->of.select);
	case SOTTO_ROWSET_SCAN:
	case SOTTO_ROWSET_PART:
	case SOTTO_ROWSET_VALUES:
	case SOTTO_ROWSET_RANGE:
	case SOTTO_ROWSET_HELD:
		break;
	}
	return false;
}
