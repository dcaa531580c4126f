/*
 * Walks through YAML lists for the readers of the plan; a word that is not expected is refused
 * with the list of those that are.
 */
#include "census/plan/census_plan_item.h"

#include <stdio.h>
#include <string.h>

#include "census/plan/census_query.h"
#include "core/base/failure.h"

enum sotto_status sotto_census_items(struct sotto_yaml *y, yaml_node_t *list, const char *what,
				     sotto_census_item_fn each, void *target)
{
	if (list->type != YAML_SEQUENCE_NODE)
		return sotto_yaml_fail(y, list, "%s must be a list", what);
	for (yaml_node_item_t *i = list->data.sequence.items.start;
	     i < list->data.sequence.items.top; i++)
		SOTTO_TRY(each(y, yaml_document_get_node(&y->document, *i), target));
	return SOTTO_OK;
}

enum sotto_status sotto_census_word(struct sotto_yaml *y, yaml_node_t *node, const char *what,
				    const char *const *words, size_t *out)
{
	char list[200] = "";
	const char *text;
	size_t n = 0;

	SOTTO_TRY(sotto_yaml_text(y, node, what, &text));
	for (size_t i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0) {
			*out = i;
			return SOTTO_OK;
		}
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "",
					      words[i]);
	}
	return sotto_yaml_fail(y, node, "%s is one of %s, not \"%.40s\"", what, list, text);
}

enum sotto_status sotto_census_read_query(struct sotto_yaml *y, yaml_node_t *node,
					  struct sotto_census_plan *p, size_t *out)
{
	struct sotto_error why = {""};
	const char *name;

	SOTTO_TRY(sotto_yaml_text(y, node, "query", &name));
	if (sotto_census_query_find(p, name, out, &why) != SOTTO_OK)
		return sotto_yaml_fail(y, node, "%s", why.text);
	return SOTTO_OK;
}
