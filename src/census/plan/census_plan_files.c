/* The keys of a plan about files and the run: input, nodes, fanout, estimate, output. */
#include <string.h>

#include "census/plan/census_plan_read.h"
#include "census/plan/census_plan_item.h"
#include "core/base/failure.h"

#define TEXT_READER(name, field)                                                               \
	static enum sotto_status name(struct sotto_yaml *y, yaml_node_t *value, void *plan)    \
	{                                                                                      \
		return sotto_yaml_text(y, value, #field,                                       \
				       &((struct sotto_census_plan *)plan)->field);            \
	}

TEXT_READER(read_microdata, microdata)
TEXT_READER(read_counts, counts)
TEXT_READER(read_count_column, count_column)

enum sotto_status sotto_census_read_input(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const struct sotto_yaml_field fields[] = {{"microdata", read_microdata},
							 {"counts", read_counts},
							 {"count_column", read_count_column},
							 {NULL, NULL}};
	struct sotto_census_plan *p = plan;

	SOTTO_TRY(sotto_yaml_fields(y, value, "input", fields, plan));
	if ((p->microdata != NULL) == (p->counts != NULL) || (p->counts && !p->count_column))
		return sotto_yaml_fail(
			y, value,
			"input is {microdata: FILE} or {counts: FILE, count_column: "
			"COLUMN}");
	return SOTTO_OK;
}

enum sotto_status sotto_census_read_nodes(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	struct sotto_census_plan *p = plan;

	SOTTO_TRY(sotto_yaml_text(y, value, "nodes", &p->nodes));
	p->nodes_from_data = strcmp(p->nodes, "from-data-acknowledged") == 0;
	return SOTTO_OK;
}

struct fanout {
	double values[SOTTO_CENSUS_LEVELS_MAX];
	size_t n;
};

static enum sotto_status read_fan(struct sotto_yaml *y, yaml_node_t *item, void *target)
{
	struct fanout *f = target;
	struct sotto_rational *r;

	SOTTO_TRY(sotto_yaml_number(y, item, "fanout", &r));
	if (f->n == SOTTO_CENSUS_LEVELS_MAX || sotto_rational_double_up(r) < 1)
		return sotto_yaml_fail(
			y, item,
			"fanout is the mean number of children at each level, at "
			"least 1");
	f->values[f->n++] = sotto_rational_double_up(r);
	return SOTTO_OK;
}

enum sotto_status sotto_census_read_fanout(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	struct sotto_census_plan *p = plan;
	struct fanout f = {.n = 0};
	double *kept;

	SOTTO_TRY(sotto_census_items(y, value, "fanout", read_fan, &f));
	if (f.n + 1 != p->level_count)
		return sotto_yaml_fail(y, value,
				       "fanout needs one number for each level but the last");
	kept = sotto_arena_alloc(&p->arena, sizeof f.values);
	if (!kept)
		return SOTTO_ENOMEM;
	memcpy(kept, f.values, sizeof f.values);
	p->fanout = kept;
	p->fanout_count = f.n;
	return SOTTO_OK;
}

/* ---- estimate ---------------------------------------------------------------------------------- */

static enum sotto_status read_mode(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const char *const words[] = {"naive", "topdown", "gls", NULL};
	size_t which;

	SOTTO_TRY(sotto_census_word(y, value, "mode", words, &which));
	((struct sotto_census_plan *)plan)->mode = (enum sotto_census_mode)which;
	return SOTTO_OK;
}

static enum sotto_status read_rounding(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const char *const words[] = {"l1", "unbiased", "fast", NULL};
	size_t which;

	SOTTO_TRY(sotto_census_word(y, value, "rounding", words, &which));
	((struct sotto_census_plan *)plan)->rounding = (enum sotto_rounding)which;
	return SOTTO_OK;
}

static enum sotto_status read_up_levels(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const char *const words[] = {"auto", "all", "inner", NULL};
	struct sotto_census_plan *p = plan;
	size_t which;

	SOTTO_TRY(sotto_census_word(y, value, "up_levels", words, &which));
	p->up_auto = which == 0;
	p->up_all = which == 1;
	return SOTTO_OK;
}

static enum sotto_status read_bypass(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_yaml_truth(y, value, "bypass",
				&((struct sotto_census_plan *)plan)->bypass);
}

/* The cells of a node are rounded to its total in any case. */
static enum sotto_status read_tol_slack(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	struct sotto_rational *slack;

	SOTTO_TRY(sotto_yaml_number(y, value, "tol_slack", &slack));
	if (sotto_rational_sign(slack) < 0 || mpq_cmp_ui(slack->q, 1, 2) >= 0)
		return sotto_yaml_fail(y, value, "tol_slack is 0 or more, and below 0.5");
	((struct sotto_census_plan *)plan)->tol_slack = mpq_get_d(slack->q);
	return SOTTO_OK;
}

enum sotto_status
sotto_census_read_estimate(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const struct sotto_yaml_field fields[] = {
		{"mode", read_mode},           {"up_levels", read_up_levels},
		{"rounding", read_rounding},   {"bypass", read_bypass},
		{"tol_slack", read_tol_slack}, {NULL, NULL}};

	return sotto_yaml_fields(y, value, "estimate", fields, plan);
}

/* ---- output ------------------------------------------------------------------------------------ */

static enum sotto_status read_dir(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_yaml_text(y, value, "dir", &((struct sotto_census_plan *)plan)->output);
}

static enum sotto_status read_table(struct sotto_yaml *y, yaml_node_t *item, void *plan)
{
	struct sotto_census_plan *p = plan;
	size_t *added = SOTTO_PUSH(&p->arena, p->tables, p->table_count);

	return added ? sotto_census_read_query(y, item, p, added) : SOTTO_ENOMEM;
}

static enum sotto_status read_tables(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_census_items(y, value, "tables", read_table, plan);
}

static enum sotto_status read_intervals(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	struct sotto_census_plan *p = plan;

	SOTTO_TRY(sotto_yaml_number(y, value, "intervals", &p->intervals));
	if (sotto_rational_sign(p->intervals) <= 0 || mpq_cmp_ui(p->intervals->q, 1, 1) >= 0)
		return sotto_yaml_fail(y, value, "intervals is a confidence between 0 and 1");
	return SOTTO_OK;
}

static enum sotto_status read_linear(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_yaml_truth(y, value, "linear_estimates",
				&((struct sotto_census_plan *)plan)->linear_estimates);
}

TEXT_READER(read_people, microdata_output)

static enum sotto_status read_format(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const char *const words[] = {"csv", "parquet", NULL};
	size_t which;

	SOTTO_TRY(sotto_census_word(y, value, "format", words, &which));
	((struct sotto_census_plan *)plan)->parquet = which == 1;
	return SOTTO_OK;
}

enum sotto_status sotto_census_read_output(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const struct sotto_yaml_field fields[] = {{"dir", read_dir},
							 {"tables", read_tables},
							 {"intervals", read_intervals},
							 {"linear_estimates", read_linear},
							 {"microdata", read_people},
							 {"format", read_format},
							 {NULL, NULL}};

	return sotto_yaml_fields(y, value, "output", fields, plan);
}
