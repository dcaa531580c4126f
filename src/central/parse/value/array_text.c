/*
 * Reads elements one by one: within double quotes every letter counts, a backslash takes the next
 * one as it is, and NULL without quotes is not a value.
 */
#include "central/parse/value/array_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/parse/pg_node.h"

static const char blanks[] = " \t\r\n\f\v";

/* {"A_Const": ...}; quoted: NULL is a word like others. */
static json_t *element(const char *text, size_t n, bool quoted, int at)
{
	if (!quoted && n == 4 && strncasecmp(text, "null", 4) == 0)
		return json_pack("{s:{s:b, s:i}}", "A_Const", "isnull", 1, "location", at);
	return json_pack("{s:{s:{s:s%}, s:i}}", "A_Const", "sval", "sval", text, n, "location",
			 at);
}

/* Copies an element to out and ends behind it; NULL: it has no end, or is none. */
static const char *take(const char *s, char *out, size_t *length, bool *quoted)
{
	size_t n = 0, kept = 0; /* what is kept has no blanks at its end */

	*quoted = *s == '"';
	for (s += *quoted; *s && (*quoted ? *s != '"' : !strchr(",}", *s)); s++) {
		if (!*quoted && strchr("{\"", *s))
			return NULL;
		if (*s == '\\') {
			s++;
			if (!*s)
				return NULL;
			kept = n + 1;
		} else if (*quoted || !strchr(blanks, *s)) {
			kept = n + 1;
		}
		out[n++] = *s;
	}
	if (!*s || (!*quoted && kept == 0))
		return NULL;
	*length = kept;
	return s + *quoted;
}

static bool read_list(const char *s, char *word, json_t *list, int at)
{
	bool quoted;
	size_t n;

	s += strspn(s, blanks);
	if (*s++ != '{')
		return false;
	for (;;) {
		s += strspn(s, blanks);
		s = take(s, word, &n, &quoted);
		if (!s || json_array_append_new(list, element(word, n, quoted, at)) != 0)
			return false;
		s += strspn(s, blanks);
		if (*s != ',')
			break;
		s++;
	}
	if (*s++ != '}')
		return false;
	return s[strspn(s, blanks)] == '\0';
}

static json_t *list_of(const char *text, int at)
{
	char *word = malloc(strlen(text) + 1);
	json_t *list = json_array();

	if (!word || !list || !read_list(text, word, list, at)) {
		json_decref(list);
		list = NULL;
	}
	free(word);
	return list;
}

json_t *sotto_sql_array_elements(const json_t *node)
{
	const json_t *cast = json_object_get(node, "TypeCast"), *constant;
	json_t *array;
	const char *text;

	if (cast && json_array_size(json_object_get(json_object_get(cast, "typeName"),
						    "arrayBounds")) > 0)
		node = json_object_get(cast, "arg");
	array = json_object_get(node, "A_ArrayExpr");
	if (array)
		return json_incref(json_object_get(array, "elements"));
	constant = json_object_get(node, "A_Const");
	text = json_string_value(json_object_get(json_object_get(constant, "sval"), "sval"));
	return text ? list_of(text, sotto_sql_node_int(constant, "location", 0)) : NULL;
}
