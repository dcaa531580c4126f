/*
 * The functions of PostgreSQL that a question about the catalog may call, and what SQLite calls
 * ours that stand for them.
 */
#include <string.h>

#include "server/catalog/catalog_inside.h"

/* ---- the list ------------------------------------------------------------------------------- */

/* PostgreSQL's name, SQLite's, and what it gives. */
static const struct {
	const char *name, *ours;
	enum sotto_pg_type type;
} list[] = {
	{"count", "count", SOTTO_PG_INT8},
	{"min", "min", SOTTO_PG_ANY},
	{"max", "max", SOTTO_PG_ANY},
	{"sum", "sum", SOTTO_PG_INT8},
	{"bool_or", "max", SOTTO_PG_BOOL},
	{"bool_and", "min", SOTTO_PG_BOOL},
	{"every", "min", SOTTO_PG_BOOL},
	{"string_agg", "group_concat", SOTTO_PG_TEXT},
	{"array_agg", "pg_array_agg", SOTTO_PG_TEXT_ARRAY},
	{"row_number", "row_number", SOTTO_PG_INT8},
	{"rank", "rank", SOTTO_PG_INT8},
	{"lower", "lower", SOTTO_PG_TEXT},
	{"upper", "upper", SOTTO_PG_TEXT},
	{"length", "length", SOTTO_PG_INT4},
	{"char_length", "length", SOTTO_PG_INT4},
	{"btrim", "trim", SOTTO_PG_TEXT},
	{"ltrim", "ltrim", SOTTO_PG_TEXT},
	{"rtrim", "rtrim", SOTTO_PG_TEXT},
	{"substring", "substr", SOTTO_PG_TEXT},
	{"substr", "substr", SOTTO_PG_TEXT},
	{"replace", "replace", SOTTO_PG_TEXT},
	{"position", "instr", SOTTO_PG_INT4},
	{"strpos", "instr", SOTTO_PG_INT4},
	{"abs", "abs", SOTTO_PG_INT8},
	{"json_build_object", "json_object", SOTTO_PG_TEXT},
	{"concat", "pg_concat", SOTTO_PG_TEXT},
	{"format", "pg_format", SOTTO_PG_TEXT},
	{"quote_ident", "quote_ident", SOTTO_PG_TEXT},
	{"array_upper", "array_upper", SOTTO_PG_INT4},
	{"array_lower", "array_lower", SOTTO_PG_INT4},
	{"array_length", "array_length", SOTTO_PG_INT4},
	{"cardinality", "cardinality", SOTTO_PG_INT4},
	{"array_to_string", "array_to_string", SOTTO_PG_TEXT},
	{"string_to_array", "string_to_array", SOTTO_PG_TEXT_ARRAY},
	{"version", "version", SOTTO_PG_TEXT},
	{"current_database", "\"current_database\"", SOTTO_PG_TEXT},
	{"current_schema", "\"current_schema\"", SOTTO_PG_TEXT},
	{"current_schemas", "current_schemas", SOTTO_PG_TEXT_ARRAY},
	{"current_setting", "current_setting", SOTTO_PG_TEXT},
	{"pg_backend_pid", "pg_backend_pid", SOTTO_PG_INT4},
	{"pg_get_userbyid", "pg_get_userbyid", SOTTO_PG_TEXT},
	{"format_type", "format_type", SOTTO_PG_TEXT},
	{"obj_description", "obj_description", SOTTO_PG_TEXT},
	{"col_description", "col_description", SOTTO_PG_TEXT},
	{"to_regclass", "pg_regclass", SOTTO_PG_REGCLASS},
	{"to_regtype", "pg_regtype", SOTTO_PG_REGTYPE},
	{"pg_encoding_to_char", "pg_encoding_to_char", SOTTO_PG_TEXT},
	/* yes */
	{"pg_table_is_visible", "pg_table_is_visible", SOTTO_PG_BOOL},
	{"pg_type_is_visible", "pg_yes", SOTTO_PG_BOOL},
	{"pg_function_is_visible", "pg_yes", SOTTO_PG_BOOL},
	{"has_table_privilege", "pg_may_read", SOTTO_PG_BOOL},
	{"has_any_column_privilege", "pg_may_read", SOTTO_PG_BOOL},
	{"has_column_privilege", "pg_may_read", SOTTO_PG_BOOL},
	{"has_schema_privilege", "pg_may_use", SOTTO_PG_BOOL},
	{"has_database_privilege", "pg_may_use", SOTTO_PG_BOOL},
	/* no */
	{"pg_is_in_recovery", "pg_no", SOTTO_PG_BOOL},
	{"pg_is_wal_replay_paused", "pg_no", SOTTO_PG_BOOL},
	{"pg_relation_is_publishable", "pg_no", SOTTO_PG_BOOL},
	{"pg_is_other_temp_schema", "pg_no", SOTTO_PG_BOOL},
	{"pg_has_role", "pg_no", SOTTO_PG_BOOL},
	/* nothing to tell */
	{"pg_get_expr", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_constraintdef", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_indexdef", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_viewdef", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_triggerdef", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_ruledef", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_partkeydef", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_serial_sequence", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_function_result", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_function_arguments", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_function_identity_arguments", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_functiondef", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_get_statisticsobjdef_columns", "pg_nothing", SOTTO_PG_TEXT},
	{"shobj_description", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_tablespace_location", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_size_pretty", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_table_size", "pg_nothing", SOTTO_PG_INT8},
	{"pg_relation_size", "pg_nothing", SOTTO_PG_INT8},
	{"pg_total_relation_size", "pg_nothing", SOTTO_PG_INT8},
	{"pg_indexes_size", "pg_nothing", SOTTO_PG_INT8},
	{"pg_database_size", "pg_nothing", SOTTO_PG_INT8},
	{"pg_stat_get_numscans", "pg_nothing", SOTTO_PG_INT8},
	{"pg_my_temp_schema", "pg_nothing", SOTTO_PG_OID},
	{"inet_server_addr", "pg_nothing", SOTTO_PG_TEXT},
	{"inet_server_port", "pg_nothing", SOTTO_PG_INT4},
	{"inet_client_addr", "pg_nothing", SOTTO_PG_TEXT},
	{"pg_postmaster_start_time", "pg_nothing", SOTTO_PG_TEXT},
	{"unnest", "pg_nothing", SOTTO_PG_INT2},
	{"generate_subscripts", "pg_nothing", SOTTO_PG_INT4},
	{"_pg_expandarray", "pg_nothing", SOTTO_PG_INT4},
};

const char *sotto_catalog_function(const char *name, enum sotto_pg_type *type)
{
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (strcmp(list[i].name, name) == 0) {
			*type = list[i].type;
			return list[i].ours;
		}
	return NULL;
}
