/* SQL text: no crash; a plan, or a reason; never engine SQL with the analyst's comments in it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "central/plan/plan.h"

static const char policy_text[] =
	"budget: {epsilon: 1, delta: 1e-6}\n"
	"tables:\n"
	"  t:\n    source: t.csv\n    unit: id\n    max_groups: 2\n    max_rows: 3\n"
	"    columns:\n      a: {bounds: [0, 10], type: integer}\n"
	"      b: {bounds: [-1, 1]}\n      c: {keys: [x, y]}\n      k: {unique: true}\n"
	"  p: {source: p.csv, public: true}\n"
	"  v:\n    source: v.csv\n    unit: {column: id, via: v.k -> t.k}\n    max_groups: 1\n"
	"    max_rows: 2\n    columns: {e: {bounds: [0, 5], step: 0.5}}\n"
	"  w:\n    source: w.csv\n    unit: {column: id, via: w.who -> t.id}\n"
	"    columns: {e: {bounds: [0, 5]}}\n";

static struct sotto_schema_column private_columns[] = {
	{.name = "id", .type = SOTTO_TYPE_LOOSE}, {.name = "a", .type = SOTTO_TYPE_LOOSE},
	{.name = "b", .type = SOTTO_TYPE_LOOSE},  {.name = "c", .type = SOTTO_TYPE_LOOSE},
	{.name = "d", .type = SOTTO_TYPE_DATE},   {.name = "k", .type = SOTTO_TYPE_LOOSE},
	{.name = "u", .type = SOTTO_TYPE_LOOSE},
};
static struct sotto_schema_column linked_columns[] = {
	{.name = "k", .type = SOTTO_TYPE_LOOSE},
	{.name = "who", .type = SOTTO_TYPE_LOOSE},
	{.name = "e", .type = SOTTO_TYPE_LOOSE},
};
static struct sotto_schema_column public_columns[] = {
	{.name = "c", .type = SOTTO_TYPE_TEXT},
	{.name = "n", .type = SOTTO_TYPE_INTEGER},
};

static const struct {
	struct sotto_schema_column *columns;
	size_t count;
} schemas[] = {
	{private_columns, sizeof private_columns / sizeof private_columns[0]},
	{public_columns, sizeof public_columns / sizeof public_columns[0]},
	{linked_columns, sizeof linked_columns / sizeof linked_columns[0]},
	{linked_columns, sizeof linked_columns / sizeof linked_columns[0]},
};

enum { TABLES = sizeof schemas / sizeof schemas[0] };

struct world {
	struct sotto_policy policy;
	struct sotto_schema_table tables[TABLES];
};

static enum sotto_status give_schema(void *context, const struct sotto_policy_table *table,
				     const struct sotto_schema_table **out,
				     struct sotto_error *err)
{
	struct world *w = context;
	size_t i = (size_t)(table - w->policy.tables);

	(void)err;
	w->tables[i] = (struct sotto_schema_table){.policy = table,
						   .scan = table->name,
						   .columns = schemas[i].columns,
						   .column_count = schemas[i].count};
	*out = &w->tables[i];
	return SOTTO_OK;
}

static void check(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->measure_count; i++)
		if (plan->measures[i].per_group < 1 || plan->groups < 1)
			abort(); /* a measure that no noise protects */
	for (size_t i = 0; i < plan->part_count; i++)
		check(plan->parts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_error err = {""};
	struct sotto_plan plan;
	struct world w;
	char *sql = malloc(size + 1);

	if (!sql)
		abort();
	memcpy(sql, data, size);
	sql[size] = '\0';
	if (sotto_policy_parse(&w.policy, "p.yaml", policy_text, sizeof policy_text - 1,
			       &err) != SOTTO_OK)
		abort();
	struct sotto_plan_request request = {
		.policy = &w.policy, .schema = give_schema, .schema_context = &w};
	if (sotto_plan_make(&plan, &request, sql, &err) == SOTTO_OK) {
		check(&plan);
		sotto_plan_release(&plan);
	} else if (err.text[0] == '\0') {
		abort();
	}
	sotto_policy_release(&w.policy);
	free(sql);
	return 0;
}
