/*
 * Goes through the events once to refuse deep nesting and second documents, then lets libyaml
 * build the tree; mappings are read by tables of fields, and unknown or repeated names are
 * refused.
 */
#include "core/base/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/arena_rational.h"
#include "core/base/failure.h"

enum { DEPTH_MAX = 100 };

/* Of bytes that are not text libyaml says only how many stand before them. */
static size_t line_of_problem(const yaml_parser_t *parser)
{
	const unsigned char *at = parser->input.string.start, *end = parser->input.string.end;
	size_t lines = 0;

	if (parser->error != YAML_READER_ERROR)
		return parser->problem_mark.line + 1;
	if (parser->problem_offset < (size_t)(end - at))
		end = at + parser->problem_offset;
	for (; at < end; at++)
		lines += *at == '\n';
	return lines + 1;
}

static enum sotto_status parse_failure(struct sotto_yaml *y, const yaml_parser_t *parser)
{
	if (parser->error == YAML_MEMORY_ERROR)
		return SOTTO_ENOMEM;
	return sotto_fail(y->err, SOTTO_EPARSE, "%s:%zu: this is not YAML: %s", y->path,
			  line_of_problem(parser),
			  parser->problem ? parser->problem : "the text cannot be read");
}

/*
 * Event by event, before a document is made of them: one document, and not nested
 * deeper than anybody writes by hand, because libyaml takes time that grows with
 * the square of the depth.
 */
static enum sotto_status
look_at(struct sotto_yaml *y, const yaml_event_t *e, int *depth, int *documents)
{
	size_t line = e->start_mark.line + 1;

	if (e->type == YAML_SEQUENCE_START_EVENT || e->type == YAML_MAPPING_START_EVENT)
		++*depth;
	if (e->type == YAML_SEQUENCE_END_EVENT || e->type == YAML_MAPPING_END_EVENT)
		--*depth;
	*documents += e->type == YAML_DOCUMENT_START_EVENT;
	if (*depth > DEPTH_MAX)
		return sotto_fail(y->err, SOTTO_EPARSE,
				  "%.160s:%zu: lists are nested more than %d deep", y->path,
				  line, DEPTH_MAX);
	if (*documents > 1)
		return sotto_fail(y->err, SOTTO_EPARSE,
				  "%.160s:%zu: a second document begins here; a policy is one "
				  "document; remove the ---",
				  y->path, line);
	return SOTTO_OK;
}

static enum sotto_status scan(struct sotto_yaml *y, yaml_parser_t *parser)
{
	enum sotto_status st = SOTTO_OK;
	int depth = 0, documents = 0;
	bool ended = false;
	yaml_event_t e;

	while (st == SOTTO_OK && !ended) {
		if (!yaml_parser_parse(parser, &e))
			return parse_failure(y, parser);
		st = look_at(y, &e, &depth, &documents);
		ended = e.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
	}
	return st;
}

static enum sotto_status load(struct sotto_yaml *y, yaml_parser_t *parser)
{
	if (!yaml_parser_load(parser, &y->document))
		return parse_failure(y, parser);
	if (yaml_document_get_root_node(&y->document))
		return SOTTO_OK;
	yaml_document_delete(&y->document);
	return sotto_fail(y->err, SOTTO_EPARSE, "%.160s: the file is empty", y->path);
}

static enum sotto_status
with_parser(struct sotto_yaml *y, const char *text, size_t length,
	    enum sotto_status (*step)(struct sotto_yaml *, yaml_parser_t *))
{
	yaml_parser_t parser;
	enum sotto_status st;

	if (!yaml_parser_initialize(&parser))
		return SOTTO_ENOMEM;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	st = step(y, &parser);
	yaml_parser_delete(&parser);
	return st;
}

enum sotto_status sotto_yaml_load(struct sotto_yaml *y, const char *text, size_t length)
{
	SOTTO_TRY(with_parser(y, text, length, scan));
	return with_parser(y, text, length, load);
}

void sotto_yaml_release(struct sotto_yaml *y)
{
	yaml_document_delete(&y->document);
}

size_t sotto_yaml_line(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

enum sotto_status
sotto_yaml_fail(struct sotto_yaml *y, const yaml_node_t *node, const char *format, ...)
{
	char sentence[SOTTO_ERROR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	return sotto_fail(y->err, SOTTO_EPARSE, "%.160s:%zu: %.300s", y->path,
			  sotto_yaml_line(node), sentence);
}

static const char *scalar(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length
		       ? text
		       : NULL;
}

bool sotto_yaml_is_plain(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE &&
	       node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static enum sotto_status unknown_field(struct sotto_yaml *y, yaml_node_t *key, const char *name,
				       const char *what, const struct sotto_yaml_field *fields)
{
	char list[256] = "";
	size_t n = 0;

	for (const struct sotto_yaml_field *f = fields; f->name && n < sizeof list; f++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "",
				      f->name);
	return sotto_yaml_fail(y, key, "unknown field \"%.40s\" in %s; the fields are %s", name,
			       what, list);
}

struct field_reader {
	const struct sotto_yaml_field *fields;
	const char *what;
	void *target;
};

static enum sotto_status read_field(struct sotto_yaml *y, const char *name, yaml_node_t *key,
				    yaml_node_t *value, void *target)
{
	const struct field_reader *r = target;

	for (const struct sotto_yaml_field *f = r->fields; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f->read(y, value, r->target);
	return unknown_field(y, key, name, r->what, r->fields);
}

enum sotto_status sotto_yaml_fields(struct sotto_yaml *y, yaml_node_t *node, const char *what,
				    const struct sotto_yaml_field *fields, void *target)
{
	struct field_reader r = {.fields = fields, .what = what, .target = target};

	return sotto_yaml_entries(y, node, what, read_field, &r);
}

/* ---- names that occur twice ----------------------------------------------------------------- */

struct named {
	const char *name;
	yaml_node_t *key;
	size_t place;
};

static int compare_names(const void *x, const void *y, void *compare)
{
	int (*const *by)(const char *, const char *) = compare;
	const struct named *a = x, *b = y;
	int c = (*by)(a->name, b->name);

	return c ? c : (a->place > b->place) - (a->place < b->place);
}

static size_t list_names(struct sotto_yaml *y, yaml_node_t *node, struct named *list)
{
	size_t n = 0;

	for (yaml_node_pair_t *p = node->data.mapping.pairs.start;
	     p < node->data.mapping.pairs.top; p++) {
		yaml_node_t *key = yaml_document_get_node(&y->document, p->key);
		const char *name = key ? scalar(key) : NULL;

		if (name)
			list[n] = (struct named){.name = name, .key = key, .place = n}, n++;
	}
	return n;
}

/* Sorted, so that a long list does not take quadratic time. */
enum sotto_status sotto_yaml_find_repeated(struct sotto_yaml *y, yaml_node_t *node,
					   bool ignore_case, yaml_node_t **first,
					   yaml_node_t **second)
{
	int (*by)(const char *, const char *) = ignore_case ? strcasecmp : strcmp;
	size_t n = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
	struct named *list = calloc(n + 1, sizeof *list);
	size_t place = SIZE_MAX;

	*first = *second = NULL;
	if (!list)
		return SOTTO_ENOMEM;
	n = list_names(y, node, list);
	qsort_r(list, n, sizeof *list, compare_names, &by);
	for (size_t i = 1; i < n; i++) {
		if (by(list[i - 1].name, list[i].name) != 0 || list[i].place > place)
			continue;
		place = list[i].place; /* the first line that repeats something is named */
		*first = list[i - 1].key;
		*second = list[i].key;
	}
	free(list);
	return SOTTO_OK;
}

static enum sotto_status check_repeated(struct sotto_yaml *y, yaml_node_t *node)
{
	yaml_node_t *first, *second;

	SOTTO_TRY(sotto_yaml_find_repeated(y, node, false, &first, &second));
	if (!second)
		return SOTTO_OK;
	return sotto_yaml_fail(y, second, "\"%.40s\" is given twice (first on line %zu)",
			       scalar(second), sotto_yaml_line(first));
}

enum sotto_status sotto_yaml_entries(struct sotto_yaml *y, yaml_node_t *node, const char *what,
				     sotto_yaml_entry_fn each, void *target)
{
	if (node->type != YAML_MAPPING_NODE)
		return sotto_yaml_fail(y, node, "%s must be a list of \"name: value\"", what);
	SOTTO_TRY(check_repeated(y, node));
	for (yaml_node_pair_t *p = node->data.mapping.pairs.start;
	     p < node->data.mapping.pairs.top; p++) {
		yaml_node_t *key = yaml_document_get_node(&y->document, p->key);
		yaml_node_t *value = yaml_document_get_node(&y->document, p->value);
		const char *name = key ? scalar(key) : NULL;

		if (!name || !*name || !value)
			return sotto_yaml_fail(y, key ? key : node,
					       "a name in %s must be plain text", what);
		SOTTO_TRY(each(y, name, key, value, target));
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_yaml_text(struct sotto_yaml *y, yaml_node_t *node, const char *what, const char **out)
{
	const char *text = scalar(node);

	if (!text || !*text)
		return sotto_yaml_fail(y, node, "%s must be a text", what);
	*out = sotto_arena_text(y->arena, text);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_yaml_number(struct sotto_yaml *y, yaml_node_t *node, const char *what,
				    struct sotto_rational **out)
{
	const char *text = scalar(node);
	struct sotto_rational *r = sotto_arena_rational(y->arena);

	if (!r)
		return SOTTO_ENOMEM;
	if (!text || sotto_rational_parse(r, text, NULL) != SOTTO_OK)
		return sotto_yaml_fail(
			y, node, "%s must be a number, written like 0.5, 1e-6 or 1/3", what);
	*out = r;
	return SOTTO_OK;
}

enum sotto_status
sotto_yaml_truth(struct sotto_yaml *y, yaml_node_t *node, const char *what, bool *out)
{
	const char *text = scalar(node);

	if (text && strcmp(text, "true") == 0)
		*out = true;
	else if (text && strcmp(text, "false") == 0)
		*out = false;
	else
		return sotto_yaml_fail(y, node, "%s must be true or false", what);
	return SOTTO_OK;
}

enum sotto_status
sotto_yaml_count(struct sotto_yaml *y, yaml_node_t *node, const char *what, int64_t *out)
{
	const int64_t most = 1000000;
	struct sotto_rational *r;

	SOTTO_TRY(sotto_yaml_number(y, node, what, &r));
	if (mpz_cmp_ui(mpq_denref(r->q), 1) != 0 || mpq_cmp_si(r->q, 1, 1) < 0 ||
	    mpq_cmp_si(r->q, most, 1) > 0)
		return sotto_yaml_fail(y, node, "%s must be a whole number from 1 to 1000000",
				       what);
	*out = mpz_get_si(mpq_numref(r->q));
	return SOTTO_OK;
}
