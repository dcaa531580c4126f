/* The section `spread:` of a policy: workers that answer instead of one engine on this machine. */
#include <string.h>

#include "central/policy/policy_read.h"
#include "core/base/failure.h"

enum { BUCKETS_MAX = 100000 };

static struct sotto_policy_spread *spread_of(void *target)
{
	return &((struct sotto_policy *)target)->spread;
}

static enum sotto_status read_launcher(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "launcher", &spread_of(target)->launcher);
}

static enum sotto_status read_master(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "master", &spread_of(target)->master);
}

static enum sotto_status read_listen(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "listen", &spread_of(target)->listen);
}

static enum sotto_status read_program(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "program", &spread_of(target)->program);
}

static enum sotto_status
read_laid_out_by(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "laid_out_by", &spread_of(target)->laid_out_by);
}

static enum sotto_status read_buckets(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	int64_t buckets;

	SOTTO_TRY(sotto_yaml_count(y, value, "buckets", &buckets));
	if (buckets > BUCKETS_MAX)
		return sotto_yaml_fail(y, value, "buckets must be at most %d", BUCKETS_MAX);
	spread_of(target)->buckets = (uint32_t)buckets;
	return SOTTO_OK;
}

/* A text, or a list of them. */
static enum sotto_status read_words(struct sotto_yaml *y, yaml_node_t *value, const char *what,
				    const char ***words, size_t *count)
{
	const yaml_node_item_t *i;
	const char **slot;

	if (value->type != YAML_SEQUENCE_NODE) {
		slot = SOTTO_PUSH(y->arena, *words, *count);
		return slot ? sotto_yaml_text(y, value, what, slot) : SOTTO_ENOMEM;
	}
	for (i = value->data.sequence.items.start; i < value->data.sequence.items.top; i++) {
		slot = SOTTO_PUSH(y->arena, *words, *count);
		if (!slot)
			return SOTTO_ENOMEM;
		SOTTO_TRY(sotto_yaml_text(y, yaml_document_get_node(&y->document, *i), what,
					  slot));
	}
	return SOTTO_OK;
}

/* A word of its own for ssh, and no option. */
static enum sotto_status read_hosts(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_spread *s = spread_of(target);

	SOTTO_TRY(read_words(y, value, "hosts", &s->hosts, &s->host_count));
	for (size_t i = 0; i < s->host_count; i++)
		if (s->hosts[i][0] == '-' || s->hosts[i][0] == '\0' ||
		    strpbrk(s->hosts[i], " \t\r\n"))
			return sotto_yaml_fail(y, value,
					       "hosts is a list of names like db1 or "
					       "sotto@10.0.0.7");
	return SOTTO_OK;
}

static enum sotto_status read_options(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_spread *s = spread_of(target);

	return read_words(y, value, "options", &s->options, &s->option_count);
}

static const struct sotto_yaml_field spread_fields[] = {
	{"launcher", read_launcher},       {"master", read_master},   {"buckets", read_buckets},
	{"laid_out_by", read_laid_out_by}, {"hosts", read_hosts},     {"listen", read_listen},
	{"program", read_program},         {"options", read_options}, {NULL, NULL},
};

enum sotto_status
sotto_policy_read_spread(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_spread *s = spread_of(target);

	SOTTO_TRY(sotto_yaml_fields(y, value, "spread", spread_fields, target));
	s->line = sotto_yaml_line(value);
	if (!s->launcher)
		s->launcher = "local";
	if (s->buckets == 0)
		return sotto_yaml_fail(y, value,
				       "spread needs buckets: N, the number of parts that the "
				       "units are divided into, like 64");
	return SOTTO_OK;
}
