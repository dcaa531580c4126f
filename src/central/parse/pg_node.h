/*
 * pg_node.h - reading the parser's JSON tree
 *
 * Every node of that tree is an object with one member, whose name is the
 * node's type: {"ColumnRef": {...}}.  Fields that are zero or empty are absent.
 */
#ifndef SOTTO_PG_NODE_H
#define SOTTO_PG_NODE_H

#include <jansson.h>
#include <stdbool.h>

/* The type name of a node ("" if it is not one), and its fields. */
const char *sotto_sql_node_type(const json_t *node);
json_t *sotto_sql_node_body(const json_t *node);

/* A field that is a name or an enum's name ("" if absent); an integer; a truth value. */
const char *sotto_sql_node_word(const json_t *body, const char *field);
int sotto_sql_node_int(const json_t *body, const char *field, int otherwise);
bool sotto_sql_node_true(const json_t *body, const char *field);

/* The text of a {"String": {"sval": ...}} node; "" for any other. */
const char *sotto_sql_node_string(const json_t *node);

/* The last name of a list of strings: pg_catalog.count gives count. */
const char *sotto_sql_node_last_name(const json_t *list);

#endif
