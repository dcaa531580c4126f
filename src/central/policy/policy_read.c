/*
 * The shape of a policy file, field by field.
 */
#include "central/policy/policy_read.h"

#include <stdio.h>
#include <string.h>

#include "core/base/failure.h"

/* ---- the policy ---------------------------------------------------------------- */

static enum sotto_status check_privacy(struct sotto_yaml *y, yaml_node_t *value,
				       const struct sotto_rational *epsilon,
				       const struct sotto_rational *delta)
{
	if (epsilon && sotto_rational_sign(epsilon) <= 0)
		return sotto_yaml_fail(y, value, "epsilon must be above 0");
	if (delta && (sotto_rational_sign(delta) < 0 || mpq_cmp_ui(delta->q, 1, 1) >= 0))
		return sotto_yaml_fail(y, value, "delta must be from 0 to below 1");
	return SOTTO_OK;
}

static enum sotto_status read_epsilon(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "epsilon", &p->epsilon));
	return check_privacy(y, value, p->epsilon, NULL);
}

static enum sotto_status read_delta(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "delta", &p->delta));
	return check_privacy(y, value, NULL, p->delta);
}

static enum sotto_status read_analyst(struct sotto_yaml *y, const char *name, yaml_node_t *key,
				      yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;
	struct sotto_policy_analyst a = {.name = sotto_arena_text(y->arena, name)}, *slot;

	(void)key;
	SOTTO_TRY(sotto_yaml_number(y, value, "a share", &a.share));
	if (sotto_rational_sign(a.share) <= 0 || mpq_cmp_ui(a.share->q, 1, 1) > 0)
		return sotto_yaml_fail(
			y, value, "the share of %.40s must be above 0 and at most 1", name);
	slot = SOTTO_PUSH(y->arena, p->analysts, p->analyst_count);
	if (!slot || !a.name)
		return SOTTO_ENOMEM;
	*slot = a;
	return SOTTO_OK;
}

static enum sotto_status read_analysts(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_entries(y, value, "analysts", read_analyst, target);
}

/* "30 days": then the budget is per window, which the owner thereby states. */
static enum sotto_status read_renew(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	static const struct {
		const char *word;
		uint64_t seconds;
	} units[] = {{"hour", 3600}, {"day", 86400}, {"week", 604800}};
	struct sotto_policy *p = target;
	char word[8] = "", rest = '\0';
	unsigned count = 0;
	const char *text;

	SOTTO_TRY(sotto_yaml_text(y, value, "renew", &text));
	if (sscanf(text, "%6u %6[a-z] %c", &count, word, &rest) == 2 && count > 0)
		for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
			if (strncmp(word, units[i].word, strlen(units[i].word)) == 0) {
				p->window = count * units[i].seconds;
				return SOTTO_OK;
			}
	return sotto_yaml_fail(y, value,
			       "renew must be a time like \"30 days\", \"12 hours\" or "
			       "\"4 weeks\"");
}

static const struct sotto_yaml_field budget_fields[] = {{"epsilon", read_epsilon},
							{"delta", read_delta},
							{"analysts", read_analysts},
							{"renew", read_renew},
							{NULL, NULL}};

static enum sotto_status read_budget(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_fields(y, value, "the budget", budget_fields, p));
	if (!p->epsilon)
		return sotto_yaml_fail(y, value, "the budget needs an epsilon");
	return SOTTO_OK;
}

static enum sotto_status
read_default_epsilon(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "epsilon", &p->default_epsilon));
	return check_privacy(y, value, p->default_epsilon, NULL);
}

static enum sotto_status
read_default_delta(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "delta", &p->default_delta));
	return check_privacy(y, value, NULL, p->default_delta);
}

static const struct sotto_yaml_field default_fields[] = {
	{"epsilon", read_default_epsilon}, {"delta", read_default_delta}, {NULL, NULL}};

static enum sotto_status read_default(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_fields(y, value, "the default", default_fields, target);
}

static const char *const engines[] = {[SOTTO_SERVER_NONE] = "duckdb",
				      [SOTTO_SERVER_POSTGRES] = "postgres",
				      [SOTTO_SERVER_ADBC] = "adbc"};

const char *sotto_policy_engine(enum sotto_policy_server server)
{
	return engines[server];
}

static enum sotto_status read_engine(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;
	const char *engine;

	SOTTO_TRY(sotto_yaml_text(y, value, "engine", &engine));
	for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
		if (strcmp(engine, engines[i]) == 0) {
			p->server = (enum sotto_policy_server)i;
			return SOTTO_OK;
		}
	return sotto_yaml_fail(y, value,
			       "unknown engine \"%.40s\"; write engine: duckdb, engine: "
			       "postgres or engine: adbc",
			       engine);
}

static enum sotto_status read_dsn(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "dsn", &((struct sotto_policy *)target)->dsn);
}

static enum sotto_status read_driver(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "driver", &((struct sotto_policy *)target)->driver);
}

static enum sotto_status read_uri(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "uri", &((struct sotto_policy *)target)->uri);
}

static enum sotto_status read_ledger(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "ledger", &((struct sotto_policy *)target)->ledger);
}

static enum sotto_status read_witness(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "ledger-witness",
			       &((struct sotto_policy *)target)->witness);
}

static enum sotto_status read_log(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "log", &((struct sotto_policy *)target)->log);
}

static enum sotto_status read_sealed(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "sealed", &((struct sotto_policy *)target)->sealed);
}

static enum sotto_status read_tables(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_policy_read_names(y, value, "tables", sotto_policy_read_table, target);
}

static const struct sotto_yaml_field policy_fields[] = {
	{"engine", read_engine},
	{"dsn", read_dsn},
	{"driver", read_driver},
	{"uri", read_uri},
	{"ledger", read_ledger},
	{"ledger-witness", read_witness},
	{"budget", read_budget},
	{"default", read_default},
	{"log", read_log},
	{"sealed", read_sealed},
	{"tables", read_tables},
	{"time", sotto_policy_read_time},
	{"spread", sotto_policy_read_spread},
	{"memory", sotto_policy_read_memory},
	{"min_epsilon", sotto_policy_read_min_epsilon},
	{"diagnostics", sotto_policy_read_diagnostics},
	{"auto_epsilon", sotto_policy_read_auto_epsilon},
	{"typical_group", sotto_policy_read_typical_group},
	{"name", sotto_policy_read_name},
	{"trusted_proxy", sotto_policy_read_proxy},
	{"collections", sotto_policy_read_collections},
	{NULL, NULL},
};

/* What stands on a server can change at any time, and nothing has checked it. */
static void rely_on_promises(struct sotto_policy_table *t)
{
	for (size_t i = 0; i < t->column_count; i++) {
		struct sotto_policy_column *c = &t->columns[i];

		c->unique = c->promises_unique && !t->on_server;
		c->nullable = !c->promises_filled || t->on_server;
	}
}

/* Each server is reached in its own words. */
static enum sotto_status check_address(struct sotto_yaml *y, const struct sotto_policy *p)
{
	if (p->dsn && p->server != SOTTO_SERVER_POSTGRES)
		return sotto_fail(
			y->err, SOTTO_EPARSE,
			"%.160s: dsn is for engine: postgres; write that too, or leave "
			"dsn out",
			y->path);
	if ((p->driver || p->uri) && p->server != SOTTO_SERVER_ADBC)
		return sotto_fail(
			y->err, SOTTO_EPARSE,
			"%.160s: driver and uri are for engine: adbc; write that too, "
			"or leave them out",
			y->path);
	if (p->server == SOTTO_SERVER_ADBC && (!p->driver || !*p->driver || !p->uri))
		return sotto_fail(y->err, SOTTO_EPARSE,
				  "%.160s: engine: adbc needs driver: LIBRARY and uri: ADDRESS",
				  y->path);
	return SOTTO_OK;
}

/* Known once all fields were read: the engine may stand last. */
static enum sotto_status place_sources(struct sotto_yaml *y, struct sotto_policy *p)
{
	for (size_t i = 0; i < p->table_count; i++) {
		struct sotto_policy_table *t = &p->tables[i];

		t->on_server = p->server && !(t->source && strchr(t->source, '/'));
		if (t->on_server && !t->source)
			t->source = t->name;
		if (!t->source)
			return sotto_fail(
				y->err, SOTTO_EPARSE,
				"%.160s:%zu: table %.40s has no source; write source: "
				"FILE",
				y->path, t->line, t->name);
		if (t->on_server && t->table)
			return sotto_fail(
				y->err, SOTTO_EPARSE,
				"%.160s:%zu: the name of table %.40s on the server is "
				"its source; leave table out",
				y->path, t->line, t->name);
		rely_on_promises(t);
	}
	return check_address(y, p);
}

enum sotto_status sotto_policy_read(struct sotto_yaml *y, struct sotto_policy *p)
{
	yaml_node_t *root = yaml_document_get_root_node(&y->document);

	SOTTO_TRY(sotto_policy_set_limits(y, p));
	SOTTO_TRY(sotto_yaml_fields(y, root, "the policy", policy_fields, p));
	if (!p->epsilon)
		return sotto_yaml_fail(y, root,
				       "the policy has no budget; write budget: "
				       "{epsilon: 1, delta: 1e-6}");
	if (p->table_count == 0)
		return sotto_yaml_fail(y, root, "the policy has no tables");
	if (p->default_epsilon && mpq_cmp(p->default_epsilon->q, p->min_epsilon->q) < 0)
		return sotto_yaml_fail(
			y, root,
			"the default epsilon is below min_epsilon, the least "
			"that a question costs; raise the default or lower min_epsilon");
	if (p->spread.line && !p->has_limit)
		p->limit = SOTTO_SPREAD_LIMIT;
	SOTTO_TRY(sotto_policy_set_auto_epsilon(y, p));
	SOTTO_TRY(place_sources(y, p));
	return sotto_policy_link_units(y, p);
}
