/*
 * A problem from a YAML file:
 *
 *	answers: 6             # or labels: [a, b, c]
 *	graph: path            # a name, {edges: [[0,1], ..]}, {line: [0,2,3,7]}, {metric: d.csv}
 *	epsilon: ln2           # 0.5, ln(3/2), {alpha: 1/2}
 *	prior: binomial 0.3    # a name, {table: [1/4, 1/2, 1/4]}, {table: p.csv}
 *	gain: distance         # a name, {table: [[1, 0], [0, 1]]}, {table: g.csv}
 *	mechanism: geometric   # {matrix: m.csv}, or a list of such
 *	normalize: true        # the prior
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel/utility/channel_problem.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

enum { FILE_MAX = 1 << 20, MECHANISMS_MAX = 32 };

/* What is being filled, and the folder of the file. */
struct target {
	struct sotto_user_case_parts parts;
	const char *folder;
	const char **next; /* where the mechanism that is being read goes */
};

/* ---- lists as matrices ----------------------------------------------------------------------- */

static enum sotto_status
add_item(struct sotto_yaml *y, yaml_node_t *node, struct sotto_buffer *b, bool last)
{
	const char *text;

	SOTTO_TRY(sotto_yaml_text(y, node, "a number", &text));
	return sotto_buffer_appendf(b, "%s%s", text, last ? "\n" : ",");
}

static enum sotto_status add_row(struct sotto_yaml *y, yaml_node_t *row, struct sotto_buffer *b)
{
	const yaml_node_item_t *item = row->data.sequence.items.start;

	if (row->type != YAML_SEQUENCE_NODE)
		return add_item(y, row, b, true);
	for (; item < row->data.sequence.items.top; item++)
		SOTTO_TRY(add_item(y, yaml_document_get_node(&y->document, *item), b,
				   item + 1 == row->data.sequence.items.top));
	return SOTTO_OK;
}

/* [[1, 0], [0, 1]], or [1/4, 1/2, 1/4] as one column */
static enum sotto_status
read_list(struct sotto_yaml *y, yaml_node_t *node, struct sotto_matrix **out)
{
	struct sotto_buffer b;
	enum sotto_status st = SOTTO_OK;
	struct sotto_error why = {""};

	sotto_buffer_init(&b, FILE_MAX);
	for (const yaml_node_item_t *item = node->data.sequence.items.start;
	     st == SOTTO_OK && item < node->data.sequence.items.top; item++)
		st = add_row(y, yaml_document_get_node(&y->document, *item), &b);
	if (st == SOTTO_OK &&
	    sotto_matrix_parse(sotto_buffer_text(&b), b.length, "list", out, &why) != SOTTO_OK)
		st = sotto_yaml_fail(y, node, "the list cannot be read (%.200s)", why.text);
	sotto_buffer_release(&b);
	return st;
}

static enum sotto_status
beside(struct sotto_yaml *y, const struct target *t, const char *name, const char **out)
{
	*out = *name == '/' ? name : sotto_arena_textf(y->arena, "%s/%s", t->folder, name);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* A list, or the path of a CSV file. */
static enum sotto_status read_table(struct sotto_yaml *y, yaml_node_t *node,
				    const struct target *t, struct sotto_matrix **out)
{
	const char *name, *path;

	if (*out)
		return sotto_yaml_fail(y, node, "write either edges or a metric, not both");
	if (node->type == YAML_SEQUENCE_NODE)
		return read_list(y, node, out);
	SOTTO_TRY(sotto_yaml_text(y, node, "a list or the name of a CSV file", &name));
	SOTTO_TRY(beside(y, t, name, &path));
	return sotto_matrix_read(path, out, y->err);
}

/* ---- fields ------------------------------------------------------------------------------------- */

static enum sotto_status read_edges(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	struct target *t = target;

	return read_table(y, node, t, &t->parts.graph);
}

/* Positions as the name that sotto_graph_named knows. */
static enum sotto_status read_line(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	struct target *t = target;
	const char *text = "line";

	if (node->type != YAML_SEQUENCE_NODE)
		return sotto_yaml_fail(y, node, "line takes a list of positions");
	for (const yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		const char *position;

		SOTTO_TRY(sotto_yaml_text(y, yaml_document_get_node(&y->document, *item),
					  "a position", &position));
		text = sotto_arena_textf(y->arena, "%s %s", text, position);
		if (!text)
			return SOTTO_ENOMEM;
	}
	t->parts.texts.graph = text;
	return SOTTO_OK;
}

static enum sotto_status read_graph(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	static const struct sotto_yaml_field fields[] = {{"edges", read_edges},
							 {"metric", read_edges},
							 {"line", read_line},
							 {NULL, NULL}};
	struct target *t = target;

	if (node->type == YAML_MAPPING_NODE)
		return sotto_yaml_fields(y, node, "graph", fields, target);
	return sotto_yaml_text(y, node, "graph", &t->parts.texts.graph);
}

static enum sotto_status read_alpha(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	struct target *t = target;
	const char *text;

	SOTTO_TRY(sotto_yaml_text(y, node, "alpha", &text));
	t->parts.texts.epsilon = sotto_arena_textf(y->arena, "alpha=%s", text);
	return t->parts.texts.epsilon ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status read_epsilon(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	static const struct sotto_yaml_field fields[] = {{"alpha", read_alpha}, {NULL, NULL}};
	struct target *t = target;

	if (node->type == YAML_MAPPING_NODE)
		return sotto_yaml_fields(y, node, "epsilon", fields, target);
	return sotto_yaml_text(y, node, "epsilon", &t->parts.texts.epsilon);
}

static enum sotto_status read_prior_table(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	struct target *t = target;

	return read_table(y, node, t, &t->parts.prior);
}

static enum sotto_status read_prior(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	static const struct sotto_yaml_field fields[] = {{"table", read_prior_table},
							 {NULL, NULL}};
	struct target *t = target;

	if (node->type == YAML_MAPPING_NODE)
		return sotto_yaml_fields(y, node, "prior", fields, target);
	return sotto_yaml_text(y, node, "prior", &t->parts.texts.prior);
}

static enum sotto_status read_gain_table(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	struct target *t = target;

	return read_table(y, node, t, &t->parts.gain);
}

static enum sotto_status read_gain(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	static const struct sotto_yaml_field fields[] = {{"table", read_gain_table},
							 {NULL, NULL}};
	struct target *t = target;

	if (node->type == YAML_MAPPING_NODE)
		return sotto_yaml_fields(y, node, "gain", fields, target);
	return sotto_yaml_text(y, node, "gain", &t->parts.texts.gain);
}

static enum sotto_status read_matrix(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	struct target *t = target;
	const char *name;

	SOTTO_TRY(sotto_yaml_text(y, node, "matrix", &name));
	return beside(y, t, name, t->next);
}

/* A name, or {matrix: m.csv} */
static enum sotto_status
read_one_mechanism(struct sotto_yaml *y, yaml_node_t *node, struct target *t)
{
	static const struct sotto_yaml_field fields[] = {{"matrix", read_matrix}, {NULL, NULL}};

	if (node->type == YAML_MAPPING_NODE)
		SOTTO_TRY(sotto_yaml_fields(y, node, "mechanism", fields, t));
	else
		SOTTO_TRY(sotto_yaml_text(y, node, "mechanism", t->next));
	if (!*t->next)
		return sotto_yaml_fail(y, node, "mechanism takes a name or {matrix: FILE}");
	return SOTTO_OK;
}

static enum sotto_status read_mechanism(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	bool list = node->type == YAML_SEQUENCE_NODE;
	const yaml_node_item_t *items = list ? node->data.sequence.items.start : NULL;
	size_t count = list ? (size_t)(node->data.sequence.items.top - items) : 1;
	struct target *t = target;

	if (count == 0 || count > MECHANISMS_MAX)
		return sotto_yaml_fail(y, node, "mechanism takes a list of 1 to %d",
				       MECHANISMS_MAX);
	t->parts.mechanisms = sotto_arena_alloc(y->arena, (count + 1) * sizeof(char *));
	if (!t->parts.mechanisms)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i <= count; i++)
		t->parts.mechanisms[i] = NULL;
	for (size_t i = 0; i < count; i++) {
		yaml_node_t *one = list ? yaml_document_get_node(&y->document, items[i]) : node;

		t->next = &t->parts.mechanisms[i];
		SOTTO_TRY(read_one_mechanism(y, one, t));
	}
	return SOTTO_OK;
}

static enum sotto_status read_answers(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	struct target *t = target;
	int64_t n;

	SOTTO_TRY(sotto_yaml_count(y, node, "answers", &n));
	if (n < 1 || n > 10000)
		return sotto_yaml_fail(y, node, "there must be 1 to 10000 answers");
	t->parts.texts.answers = (size_t)n;
	return SOTTO_OK;
}

static enum sotto_status read_labels(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	struct target *t = target;

	if (node->type != YAML_SEQUENCE_NODE)
		return sotto_yaml_fail(y, node, "labels takes a list of names");
	t->parts.label_count =
		(size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
	t->parts.labels =
		sotto_arena_alloc(y->arena, (t->parts.label_count + 1) * sizeof(char *));
	if (!t->parts.labels)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < t->parts.label_count; i++)
		SOTTO_TRY(sotto_yaml_text(
			y,
			yaml_document_get_node(&y->document,
					       node->data.sequence.items.start[i]),
			"a label", &t->parts.labels[i]));
	if (!t->parts.texts.answers)
		t->parts.texts.answers = t->parts.label_count;
	return SOTTO_OK;
}

static enum sotto_status read_normalize(struct sotto_yaml *y, yaml_node_t *node, void *target)
{
	struct target *t = target;

	return sotto_yaml_truth(y, node, "normalize", &t->parts.texts.normalize);
}

static const struct sotto_yaml_field fields[] = {
	{"answers", read_answers},     {"labels", read_labels},       {"graph", read_graph},
	{"epsilon", read_epsilon},     {"prior", read_prior},         {"gain", read_gain},
	{"mechanism", read_mechanism}, {"normalize", read_normalize}, {NULL, NULL}};

/* ---- the file ------------------------------------------------------------------------------------- */

static enum sotto_status
read_text(const char *path, struct sotto_buffer *b, struct sotto_error *err)
{
	enum sotto_status st = sotto_buffer_append_file(b, path);

	if (st == SOTTO_EMISSING)
		return sotto_fail(err, SOTTO_EIO, "%.300s could not be opened", path);
	if (st == SOTTO_EIO)
		return sotto_fail(err, SOTTO_EIO, "%.300s could not be read", path);
	if (st == SOTTO_ERANGE)
		return sotto_fail(err, SOTTO_ERANGE, "%.300s is too large for a problem", path);
	return st;
}

static void replace(const char **text, struct sotto_matrix **table, const char *with)
{
	if (!with)
		return;
	*text = with;
	sotto_matrix_free(*table);
	*table = NULL;
}

/* What was said on the command line goes before the file, also before a table in it. */
static void override(struct sotto_user_case_parts *p, const struct sotto_user_case_texts *over)
{
	struct sotto_user_case_texts *t = &p->texts;

	if (!over)
		return;
	t->answers = over->answers ? over->answers : t->answers;
	replace(&t->graph, &p->graph, over->graph);
	replace(&t->prior, &p->prior, over->prior);
	replace(&t->gain, &p->gain, over->gain);
	t->epsilon = over->epsilon ? over->epsilon : t->epsilon;
	t->mechanism = over->mechanism ? over->mechanism : t->mechanism;
	t->normalize = over->normalize || t->normalize;
}

static enum sotto_status read_document(struct sotto_yaml *y, const char *text, size_t length,
				       const struct sotto_user_case_texts *over,
				       struct target *t, struct sotto_user_case *out)
{
	enum sotto_status st;

	SOTTO_TRY(sotto_yaml_load(y, text, length));
	st = sotto_yaml_fields(y, yaml_document_get_root_node(&y->document), "the problem",
			       fields, t);
	if (st == SOTTO_OK) {
		override(&t->parts, over);
		st = sotto_user_case_assemble(&t->parts, out, y->err);
	} else {
		sotto_matrix_free(t->parts.graph);
		sotto_matrix_free(t->parts.prior);
		sotto_matrix_free(t->parts.gain);
	}
	sotto_yaml_release(y);
	return st;
}

enum sotto_status sotto_user_case_parse(const char *text, size_t length, const char *path,
					const struct sotto_user_case_texts *over,
					struct sotto_user_case *out, struct sotto_error *err)
{
	char *copy = strdup(path);
	struct target t = {.folder = copy ? dirname(copy) : NULL};
	struct sotto_arena arena;
	struct sotto_yaml y = {.path = path, .arena = &arena, .err = err};
	enum sotto_status st;

	if (!copy)
		return SOTTO_ENOMEM;
	sotto_arena_init(&arena, FILE_MAX);
	st = read_document(&y, text, length, over, &t, out);
	sotto_arena_release(&arena);
	free(copy);
	return st;
}

enum sotto_status sotto_user_case_read(const char *path,
				       const struct sotto_user_case_texts *over,
				       struct sotto_user_case *out, struct sotto_error *err)
{
	struct sotto_buffer b;
	enum sotto_status st;

	if (!path || !out)
		return SOTTO_EINVAL;
	sotto_buffer_init(&b, FILE_MAX);
	st = read_text(path, &b, err);
	if (st == SOTTO_OK)
		st = sotto_user_case_parse(sotto_buffer_text(&b), b.length, path, over, out,
					   err);
	sotto_buffer_release(&b);
	return st;
}
