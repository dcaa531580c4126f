/*
 * Finds the place with the marks that the YAML parser keeps, and splices one replacement into
 * the bytes; a layout that it does not understand is refused, never guessed.
 */
#include "central/policy/policy_edit.h"

#include <string.h>
#include <strings.h>

#include "core/base/failure.h"
#include "core/base/yaml.h"

/* What is to happen: bytes from..to of the text become the replacement. */
struct edit {
	struct sotto_yaml *yaml;
	size_t from, to; /* in characters, as the parser counts */
	bool next_line; /* the replacement goes in after the line of from */
	struct sotto_buffer *replacement;
};

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(e->replacement, __VA_ARGS__))

static yaml_node_t *find(struct sotto_yaml *y, yaml_node_t *mapping, const char *name)
{
	if (!mapping || mapping->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
	     p < mapping->data.mapping.pairs.top; p++) {
		yaml_node_t *key = yaml_document_get_node(&y->document, p->key);

		if (key && key->type == YAML_SCALAR_NODE &&
		    strcasecmp((const char *)key->data.scalar.value, name) == 0)
			return yaml_document_get_node(&y->document, p->value);
	}
	return NULL;
}

static bool is_flow(const yaml_node_t *node)
{
	return node->type == YAML_MAPPING_NODE
		       ? node->data.mapping.style == YAML_FLOW_MAPPING_STYLE
		       : node->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE;
}

static bool is_empty(const yaml_node_t *node)
{
	return (node->type == YAML_SCALAR_NODE && node->data.scalar.length == 0) ||
	       (node->type == YAML_MAPPING_NODE &&
		node->data.mapping.pairs.start == node->data.mapping.pairs.top);
}

/* A name as YAML takes it. */
static enum sotto_status add_name(struct edit *e, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

	if (*name && name[strspn(name, plain)] == '\0')
		return sotto_buffer_append_text(e->replacement, name);
	ADD("\"");
	for (const char *c = name; *c; c++)
		ADD("%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
	ADD("\"");
	return SOTTO_OK;
}

/* In place of a scalar or an empty mapping: the whole value in braces. */
static enum sotto_status
replace_empty(struct edit *e, const yaml_node_t *node, const char *entry)
{
	e->from = node->start_mark.index;
	e->to = node->end_mark.index;
	ADD("%s{ %s }", node->type == YAML_SCALAR_NODE ? " " : "", entry);
	return SOTTO_OK;
}

/* Before the first entry of a mapping, in its own style. */
static enum sotto_status
insert_first(struct edit *e, const yaml_node_t *mapping, const char *entry)
{
	e->from = mapping->start_mark.index + (is_flow(mapping) ? 1 : 0);
	e->to = e->from;
	if (is_flow(mapping))
		ADD(" %s,", entry);
	else
		ADD("%s\n%*s", entry, (int)mapping->start_mark.column, "");
	return SOTTO_OK;
}

static enum sotto_status insert(struct edit *e, yaml_node_t *node, const char *entry)
{
	if (is_empty(node))
		return replace_empty(e, node, entry);
	if (node->type != YAML_MAPPING_NODE)
		return SOTTO_EREFUSED;
	return insert_first(e, node, entry);
}

/* "columns:" with nothing but comments after it: a line of its own, before those. */
static enum sotto_status insert_line(struct edit *e, const yaml_node_t *table,
				     const yaml_node_t *columns, const char *entry)
{
	e->from = e->to = columns->start_mark.index;
	e->next_line = true;
	ADD("\n%*s%s", (int)table->start_mark.column + 2, "", entry);
	return SOTTO_OK;
}

static enum sotto_status replace_bounds(struct edit *e, yaml_node_t *node, const char *bounds)
{
	if (node->type != YAML_SEQUENCE_NODE || !is_flow(node))
		return SOTTO_EREFUSED;
	e->from = node->start_mark.index;
	e->to = node->end_mark.index;
	return sotto_buffer_append_text(e->replacement, bounds);
}

/* NAME: { bounds: [..] }, inside { } of columns if the table has none yet. */
static enum sotto_status insert_column(struct edit *e, yaml_node_t *table, yaml_node_t *columns,
				       const char *column, const char *bounds)
{
	struct sotto_buffer entry, *whole = e->replacement;
	enum sotto_status st;

	sotto_buffer_init(&entry, 1 << 16);
	e->replacement = &entry;
	st = columns ? SOTTO_OK : sotto_buffer_append_text(&entry, "columns: { ");
	if (st == SOTTO_OK)
		st = add_name(e, column);
	if (st == SOTTO_OK)
		st = sotto_buffer_appendf(&entry, ": { bounds: %s }%s", bounds,
					  columns ? "" : " }");
	e->replacement = whole;
	if (st == SOTTO_OK && columns && columns->type == YAML_SCALAR_NODE && !is_flow(table))
		st = insert_line(e, table, columns, sotto_buffer_text(&entry));
	else if (st == SOTTO_OK)
		st = insert(e, columns ? columns : table, sotto_buffer_text(&entry));
	sotto_buffer_release(&entry);
	return st;
}

static enum sotto_status
find_edit(struct edit *e, const char *table_name, const char *column_name, const char *bounds)
{
	struct sotto_yaml *y = e->yaml;
	yaml_node_t *root = yaml_document_get_root_node(&y->document);
	yaml_node_t *table = find(y, find(y, root, "tables"), table_name);
	yaml_node_t *columns = find(y, table, "columns");
	yaml_node_t *column = find(y, columns, column_name);
	yaml_node_t *old = find(y, column, "bounds");
	char entry[256];

	if (!table)
		return SOTTO_EREFUSED;
	if (old)
		return replace_bounds(e, old, bounds);
	if (!column)
		return insert_column(e, table, columns, column_name, bounds);
	(void)snprintf(entry, sizeof entry, "bounds: %s", bounds);
	return insert(e, column, entry);
}

/* max_groups or max_rows of a table: in place of what it says, or as its first field. */
static enum sotto_status
find_limit(struct edit *e, const char *table_name, const char *field, int64_t value)
{
	struct sotto_yaml *y = e->yaml;
	yaml_node_t *root = yaml_document_get_root_node(&y->document);
	yaml_node_t *table = find(y, find(y, root, "tables"), table_name);
	yaml_node_t *old = find(y, table, field);
	char entry[64];

	if (!table || (old && old->type != YAML_SCALAR_NODE))
		return SOTTO_EREFUSED;
	(void)snprintf(entry, sizeof entry, "%s: %lld", field, (long long)value);
	if (!old)
		return insert(e, table, entry);
	e->from = old->start_mark.index;
	e->to = old->end_mark.index;
	return sotto_buffer_appendf(e->replacement, "%lld", (long long)value);
}

/* The byte at which the n-th character begins: the parser counts characters. */
static size_t byte_of(const char *text, size_t length, size_t n)
{
	size_t i = 0;

	while (i < length && n > 0) {
		i++;
		while (i < length && ((unsigned char)text[i] & 0xc0) == 0x80)
			i++;
		n--;
	}
	return i;
}

static enum sotto_status
splice(const struct edit *e, const char *text, size_t length, struct sotto_buffer *out)
{
	size_t from = byte_of(text, length, e->from), to = byte_of(text, length, e->to);

	while (e->next_line && from < length && text[from] != '\n')
		to = ++from;
	SOTTO_TRY(sotto_buffer_append(out, text, from));
	SOTTO_TRY(sotto_buffer_append(out, e->replacement->bytes, e->replacement->length));
	return sotto_buffer_append(out, text + to, length - to);
}

enum sotto_status sotto_policy_set_bounds(const char *text, size_t length, const char *table,
					  const char *column, const char *bounds,
					  struct sotto_buffer *out, struct sotto_error *err)
{
	struct sotto_buffer replacement;
	struct sotto_yaml y = {.path = "policy", .err = err};
	struct edit e = {.yaml = &y, .replacement = &replacement};
	enum sotto_status st;

	SOTTO_TRY(sotto_yaml_load(&y, text, length));
	sotto_buffer_init(&replacement, 1 << 16);
	st = find_edit(&e, table, column, bounds);
	if (st == SOTTO_OK)
		st = splice(&e, text, length, out);
	sotto_buffer_release(&replacement);
	sotto_yaml_release(&y);
	return st;
}

enum sotto_status sotto_policy_set_limit(const char *text, size_t length, const char *table,
					 const char *field, int64_t value,
					 struct sotto_buffer *out)
{
	struct sotto_buffer replacement;
	struct sotto_yaml y = {.path = "policy"};
	struct edit e = {.yaml = &y, .replacement = &replacement};
	enum sotto_status st;

	SOTTO_TRY(sotto_yaml_load(&y, text, length));
	sotto_buffer_init(&replacement, 1 << 16);
	st = find_limit(&e, table, field, value);
	if (st == SOTTO_OK)
		st = splice(&e, text, length, out);
	sotto_buffer_release(&replacement);
	sotto_yaml_release(&y);
	return st;
}
