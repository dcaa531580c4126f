/* What the policy tells sotto serve: its name, the proxy that it trusts, its collections. */
#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "central/policy/policy_read.h"
#include "core/base/failure.h"
#include "sotto/client.h"

/* Names stand in paths of HTTP and in connection strings. */
static bool is_name(const char *text)
{
	size_t n = strlen(text);

	if (n == 0 || n > 63 || !isalpha((unsigned char)text[0]))
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("._-", *text))
			return false;
	return true;
}

enum sotto_status sotto_policy_read_name(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_text(y, value, "name", &p->name));
	if (!is_name(p->name))
		return sotto_yaml_fail(y, value,
				       "name begins with a letter and has at most 63 letters, "
				       "digits and the signs . _ -");
	return SOTTO_OK;
}

static enum sotto_status add_proxy(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;
	const char *address, **slot;
	unsigned char bytes[sizeof(struct in6_addr)];

	SOTTO_TRY(sotto_yaml_text(y, value, "trusted_proxy", &address));
	if (inet_pton(AF_INET, address, bytes) != 1 && inet_pton(AF_INET6, address, bytes) != 1)
		return sotto_yaml_fail(y, value,
				       "trusted_proxy is an address like 127.0.0.1, or a list "
				       "of them");
	slot = SOTTO_PUSH(y->arena, p->proxies, p->proxy_count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = address;
	return SOTTO_OK;
}

enum sotto_status
sotto_policy_read_proxy(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	if (value->type != YAML_SEQUENCE_NODE)
		return add_proxy(y, value, target);
	for (yaml_node_item_t *i = value->data.sequence.items.start;
	     i < value->data.sequence.items.top; i++)
		SOTTO_TRY(add_proxy(y, yaml_document_get_node(&y->document, *i), target));
	return SOTTO_OK;
}

/* ---- collections -------------------------------------------------------------------------- */

static enum sotto_status read_params(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "params",
			       &((struct sotto_policy_collection *)target)->params);
}

static enum sotto_status read_store(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "store",
			       &((struct sotto_policy_collection *)target)->store);
}

static enum sotto_status
read_max_reports(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	int64_t *out = &((struct sotto_policy_collection *)target)->max_reports;

	SOTTO_TRY(sotto_yaml_count(y, value, "max_reports", out));
	if (*out > SOTTO_CLIENT_BATCH_REPORTS_MAX)
		return sotto_yaml_fail(y, value, "max_reports is at most %u",
				       SOTTO_CLIENT_BATCH_REPORTS_MAX);
	return SOTTO_OK;
}

static const struct sotto_yaml_field collection_fields[] = {
	{"params", read_params},
	{"store", read_store},
	{"max_reports", read_max_reports},
	{NULL, NULL},
};

static enum sotto_status read_collection(struct sotto_yaml *y, const char *name,
					 yaml_node_t *key, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;
	struct sotto_policy_collection c = {.name = sotto_arena_text(y->arena, name),
					    .max_reports = SOTTO_COLLECTION_REPORTS},
				       *slot;

	if (!is_name(name))
		return sotto_yaml_fail(y, key,
				       "the name of a collection begins with a letter and has "
				       "at most 63 letters, digits and the signs . _ -");
	SOTTO_TRY(sotto_yaml_fields(y, value, "a collection", collection_fields, &c));
	if (!c.params || !c.store)
		return sotto_yaml_fail(
			y, key, "collection %.60s needs params: FILE and store: FOLDER", name);
	slot = SOTTO_PUSH(y->arena, p->collections, p->collection_count);
	if (!slot || !c.name)
		return SOTTO_ENOMEM;
	*slot = c;
	return SOTTO_OK;
}

enum sotto_status
sotto_policy_read_collections(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_entries(y, value, "collections", read_collection, target);
}
