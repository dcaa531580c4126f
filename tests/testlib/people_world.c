#include "testlib/people_world.h"

#include "testlib/tap.h"

static struct sotto_schema_column columns[] = {
	{.name = "id", .type = SOTTO_TYPE_INTEGER},
	{.name = "t", .type = SOTTO_TYPE_TEXT},
	{.name = "x", .type = SOTTO_TYPE_NUMBER, .is_double = true},
	{.name = "sex", .type = SOTTO_TYPE_TEXT},
};

static struct sotto_schema_column public_columns[] = {
	{.name = "k", .type = SOTTO_TYPE_INTEGER},
	{.name = "word", .type = SOTTO_TYPE_TEXT},
};

static enum sotto_status give_schema(void *context, const struct sotto_policy_table *table,
				     const struct sotto_schema_table **out,
				     struct sotto_error *err)
{
	struct people_world *w = context;
	struct sotto_schema_table *t = &w->schemas[table->is_public];

	(void)err;
	*t = (struct sotto_schema_table){.policy = table,
					 .scan = table->is_public ? "source.\"pub\""
								  : "source.\"people\"",
					 .columns = table->is_public ? public_columns : columns,
					 .column_count = table->is_public ? 2 : 4};
	*out = t;
	return SOTTO_OK;
}

bool people_open(struct people_world *w)
{
	static const char policy[] =
		"budget: {epsilon: 1, delta: 1e-6}\n"
		"tables:\n"
		"  people: {source: p.csv, unit: id, max_groups: 3, columns: {x: {bounds: [0, "
		"9]}, sex: {keys: [F, M]}, t: {max_text: 500}}}\n"
		"  pub: {source: q.csv, public: true}\n";
	static const char tables[] =
		"CREATE SCHEMA source; CREATE TABLE source.people(id BIGINT, t VARCHAR, x "
		"DOUBLE, sex VARCHAR); CREATE TABLE source.pub AS SELECT range AS k, 'w' || "
		"range AS word FROM range(900)";
	struct sotto_error err = {""};
	bool ok = sotto_engine_open(1, &w->engine, &err) == SOTTO_OK &&
		  sotto_engine_execute(w->engine, tables) == SOTTO_OK &&
		  sotto_policy_parse(&w->policy, "p.yaml", policy, sizeof policy - 1, &err) ==
			  SOTTO_OK;

	if (!ok)
		tap_note("%s %s", err.text, w->engine ? sotto_engine_detail(w->engine) : "");
	return ok;
}

void people_close(struct people_world *w)
{
	sotto_policy_release(&w->policy);
	sotto_engine_close(w->engine);
}

enum sotto_status people_plan(struct people_world *w, struct sotto_plan *plan, const char *sql,
			      struct sotto_error *err)
{
	const struct sotto_plan_request request = {
		.policy = &w->policy, .schema = give_schema, .schema_context = w};

	return sotto_plan_make(plan, &request, sql, err);
}

const char *people_check(struct people_world *w, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->check_count; i++) {
		struct sotto_engine_result *r = NULL;
		int64_t n;

		if (!tap_check(sotto_engine_run(w->engine, plan->checks[i].query.sql, &r) ==
				       SOTTO_OK,
			       __FILE__, __LINE__, "%s", sotto_engine_detail(w->engine)))
			return "no check";
		n = sotto_engine_cell(r, 0, 0).integer;
		sotto_engine_result_free(r);
		if (n > plan->checks[i].most)
			return plan->checks[i].why;
	}
	return NULL;
}
