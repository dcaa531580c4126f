/* SQL text: no crash; a plan, or a reason; never engine SQL with the analyst's comments in it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

static const char policy_text[] =
	"budget: {epsilon: 1, delta: 1e-6}\n"
	"tables:\n"
	"  t:\n    source: t.csv\n    unit: id\n    max_groups: 2\n    max_rows: 3\n"
	"    columns:\n      a: {bounds: [0, 10], type: integer}\n"
	"      b: {bounds: [-1, 1]}\n      c: {keys: [x, y]}\n"
	"  p: {source: p.csv, public: true}\n";

static struct sotto_schema_column private_columns[] = {
	{"id", SOTTO_TYPE_LOOSE, false, false, 0}, {"a", SOTTO_TYPE_LOOSE, false, false, 0},
	{"b", SOTTO_TYPE_LOOSE, false, false, 0},  {"c", SOTTO_TYPE_LOOSE, false, false, 0},
	{"d", SOTTO_TYPE_DATE, false, false, 0},
};
static struct sotto_schema_column public_columns[] = {
	{"c", SOTTO_TYPE_TEXT, false, false, 0},
	{"n", SOTTO_TYPE_INTEGER, false, false, 0},
};

static enum sotto_status give_schema(void *context, const struct sotto_policy_table *table,
				     const struct sotto_schema_table **out,
				     struct sotto_error *err)
{
	struct sotto_schema_table *tables = context;
	struct sotto_schema_table *t = &tables[table->is_public];

	(void)err;
	*t = table->is_public ? (struct sotto_schema_table){.policy = table,
							    .scan = "p",
							    .columns = public_columns,
							    .column_count = 2}
			      : (struct sotto_schema_table){.policy = table,
							    .scan = "t",
							    .columns = private_columns,
							    .column_count = 5};
	*out = t;
	return SOTTO_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_schema_table tables[2];
	struct sotto_error err = {""};
	struct sotto_policy policy;
	struct sotto_plan plan;
	char *sql = malloc(size + 1);

	if (!sql)
		abort();
	memcpy(sql, data, size);
	sql[size] = '\0';
	if (sotto_policy_parse(&policy, "p.yaml", policy_text, sizeof policy_text - 1, &err) !=
	    SOTTO_OK)
		abort();
	struct sotto_plan_request request = {
		.policy = &policy, .schema = give_schema, .schema_context = tables};
	if (sotto_plan_make(&plan, &request, sql, &err) == SOTTO_OK) {
		for (size_t i = 0; i < plan.measure_count; i++)
			if (plan.measures[i].per_group < 1 || plan.groups < 1)
				abort(); /* a measure that no noise protects */
		sotto_plan_release(&plan);
	} else if (err.text[0] == '\0') {
		abort();
	}
	sotto_policy_release(&policy);
	free(sql);
	return 0;
}
