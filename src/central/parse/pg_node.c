/*
 * Looks fields up in jansson's objects; an absent field reads as the empty text, the given
 * number or false.
 */
#include "central/parse/pg_node.h"

const char *sotto_sql_node_type(const json_t *node)
{
	void *iter = json_is_object(node) ? json_object_iter((json_t *)node) : NULL;

	return iter ? json_object_iter_key(iter) : "";
}

json_t *sotto_sql_node_body(const json_t *node)
{
	void *iter = json_is_object(node) ? json_object_iter((json_t *)node) : NULL;

	return iter ? json_object_iter_value(iter) : NULL;
}

const char *sotto_sql_node_word(const json_t *body, const char *field)
{
	const char *word = json_string_value(json_object_get(body, field));

	return word ? word : "";
}

int sotto_sql_node_int(const json_t *body, const char *field, int otherwise)
{
	json_t *value = json_object_get(body, field);

	return json_is_integer(value) ? (int)json_integer_value(value) : otherwise;
}

bool sotto_sql_node_true(const json_t *body, const char *field)
{
	return json_is_true(json_object_get(body, field));
}

const char *sotto_sql_node_string(const json_t *node)
{
	return sotto_sql_node_word(json_object_get(node, "String"), "sval");
}

const char *sotto_sql_node_last_name(const json_t *list)
{
	size_t n = json_array_size(list);

	return n ? sotto_sql_node_string(json_array_get(list, n - 1)) : "";
}
