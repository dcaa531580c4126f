/*
 * yaml.h - reads a YAML document; every complaint has a line number
 */
#ifndef SOTTO_YAML_H
#define SOTTO_YAML_H

#include <stdbool.h>
#include <yaml.h>

#include "core/base/arena.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct sotto_yaml {
	yaml_document_t document;
	const char *path;
	struct sotto_arena *arena;
	struct sotto_error *err;
};

/*
 * Reads a document; release it after success.
 *
 * Fails:    SOTTO_EPARSE, also for a second document and for lists nested more than 100 deep.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_yaml_load(struct sotto_yaml *y, const char *text, size_t length);
void sotto_yaml_release(struct sotto_yaml *y);

/* Writes "path:line: sentence", with the node's line, and returns SOTTO_EPARSE. */
__attribute__((format(printf, 3, 4))) enum sotto_status
sotto_yaml_fail(struct sotto_yaml *y, const yaml_node_t *node, const char *format, ...);

/* Returns the line of a node, counted from 1. */
size_t sotto_yaml_line(const yaml_node_t *node);

/* One field of a mapping and the function that reads its value. */
struct sotto_yaml_field {
	const char *name;
	enum sotto_status (*read)(struct sotto_yaml *y, yaml_node_t *value, void *target);
};

/*
 * Reads a mapping by its list of fields (ended by a NULL name).  Unknown and
 * repeated fields are refused; `what` names the mapping in messages.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_yaml_fields(struct sotto_yaml *y, yaml_node_t *node, const char *what,
		  const struct sotto_yaml_field *fields, void *target);

/* Calls each(y, key text, key node, value, target) for every entry of a mapping with any keys. */
typedef enum sotto_status (*sotto_yaml_entry_fn)(struct sotto_yaml *y, const char *name,
						 yaml_node_t *key, yaml_node_t *value,
						 void *target);
SOTTO_MUST_CHECK enum sotto_status sotto_yaml_entries(struct sotto_yaml *y, yaml_node_t *node,
						      const char *what,
						      sotto_yaml_entry_fn each, void *target);

/* Finds the first key of a mapping that repeats an earlier one; both are NULL if none does. */
SOTTO_MUST_CHECK enum sotto_status
sotto_yaml_find_repeated(struct sotto_yaml *y, yaml_node_t *node, bool ignore_case,
			 yaml_node_t **first, yaml_node_t **second);

/* Read scalars.  The text lives in the arena. */
SOTTO_MUST_CHECK enum sotto_status
sotto_yaml_text(struct sotto_yaml *y, yaml_node_t *node, const char *what, const char **out);
SOTTO_MUST_CHECK enum sotto_status sotto_yaml_number(struct sotto_yaml *y, yaml_node_t *node,
						     const char *what,
						     struct sotto_rational **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_yaml_truth(struct sotto_yaml *y, yaml_node_t *node, const char *what, bool *out);
SOTTO_MUST_CHECK enum sotto_status
sotto_yaml_count(struct sotto_yaml *y, yaml_node_t *node, const char *what, int64_t *out);

/* True for a plain (unquoted) scalar. */
bool sotto_yaml_is_plain(const yaml_node_t *node);

#endif
