/*
 * Names and columns of the catalog's tables, as PostgreSQL 15 documents them.  Most stay
 * empty: there are no indexes, constraints or functions to list.
 */
#include "server/catalog/catalog_inside.h"

const struct sotto_catalog_table sotto_catalog_tables[] = {
	{"pg_catalog", "pg_aggregate",
	 "aggfnoid text, aggkind text, aggnumdirectargs int2, aggtransfn text, "
	 "aggfinalfn text, aggcombinefn text, aggserialfn text, aggdeserialfn "
	 "text, aggmtransfn text, aggminvtransfn text, aggmfinalfn text, "
	 "aggfinalextra bool, aggmfinalextra bool, aggfinalmodify text, "
	 "aggmfinalmodify text, aggsortop oid, aggtranstype oid, aggtransspace "
	 "int4, aggmtranstype oid, aggmtransspace int4, agginitval text, "
	 "aggminitval text"},
	{"pg_catalog", "pg_am", "oid oid, amname text, amhandler text, amtype text"},
	{"pg_catalog", "pg_attrdef", "oid oid, adrelid oid, adnum int2, adbin text"},
	{"pg_catalog", "pg_attribute",
	 "attrelid oid, attname text, atttypid oid, attstattarget int4, attlen "
	 "int2, attnum int2, attndims int4, attcacheoff int4, atttypmod int4, "
	 "attbyval bool, attalign text, attstorage text, attcompression text, "
	 "attnotnull bool, atthasdef bool, atthasmissing bool, attidentity text, "
	 "attgenerated text, attisdropped bool, attislocal bool, attinhcount int4, "
	 "attcollation oid, attacl text_array, attoptions text_array, "
	 "attfdwoptions text_array, attmissingval text"},
	{"pg_catalog", "pg_auth_members",
	 "roleid oid, member oid, grantor oid, admin_option bool"},
	{"pg_catalog", "pg_cast",
	 "oid oid, castsource oid, casttarget oid, castfunc oid, castcontext text, "
	 "castmethod text"},
	{"pg_catalog", "pg_class",
	 "oid oid, relname text, relnamespace oid, reltype oid, reloftype oid, "
	 "relowner oid, relam oid, relfilenode oid, reltablespace oid, relpages "
	 "int4, reltuples float4, relallvisible int4, reltoastrelid oid, "
	 "relhasindex bool, relisshared bool, relpersistence text, relkind text, "
	 "relnatts int2, relchecks int2, relhasrules bool, relhastriggers bool, "
	 "relhassubclass bool, relrowsecurity bool, relforcerowsecurity bool, "
	 "relispopulated bool, relreplident text, relispartition bool, relrewrite "
	 "oid, relfrozenxid text, relminmxid text, relacl text_array, reloptions "
	 "text_array, relpartbound text"},
	{"pg_catalog", "pg_collation",
	 "oid oid, collname text, collnamespace oid, collowner oid, collprovider "
	 "text, collisdeterministic bool, collencoding int4, collcollate text, "
	 "collctype text, colliculocale text, collversion text"},
	{"pg_catalog", "pg_constraint",
	 "oid oid, conname text, connamespace oid, contype text, condeferrable "
	 "bool, condeferred bool, convalidated bool, conrelid oid, contypid oid, "
	 "conindid oid, conparentid oid, confrelid oid, confupdtype text, "
	 "confdeltype text, confmatchtype text, conislocal bool, coninhcount int4, "
	 "connoinherit bool, conkey text_array, confkey text_array, conpfeqop "
	 "text_array, conppeqop text_array, conffeqop text_array, confdelsetcols "
	 "text_array, conexclop text_array, conbin text"},
	{"pg_catalog", "pg_database",
	 "oid oid, datname text, datdba oid, encoding int4, datlocprovider text, "
	 "datistemplate bool, datallowconn bool, datconnlimit int4, datfrozenxid "
	 "text, datminmxid text, dattablespace oid, datcollate text, datctype "
	 "text, daticulocale text, datcollversion text, datacl text_array"},
	{"pg_catalog", "pg_depend",
	 "classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, "
	 "refobjsubid int4, deptype text"},
	{"pg_catalog", "pg_description",
	 "objoid oid, classoid oid, objsubid int4, description text"},
	{"pg_catalog", "pg_enum",
	 "oid oid, enumtypid oid, enumsortorder float4, enumlabel text"},
	{"pg_catalog", "pg_event_trigger",
	 "oid oid, evtname text, evtevent text, evtowner oid, evtfoid oid, "
	 "evtenabled text, evttags text_array"},
	{"pg_catalog", "pg_extension",
	 "oid oid, extname text, extowner oid, extnamespace oid, extrelocatable "
	 "bool, extversion text, extconfig text_array, extcondition text_array"},
	{"pg_catalog", "pg_foreign_data_wrapper",
	 "oid oid, fdwname text, fdwowner oid, fdwhandler oid, fdwvalidator oid, "
	 "fdwacl text_array, fdwoptions text_array"},
	{"pg_catalog", "pg_foreign_server",
	 "oid oid, srvname text, srvowner oid, srvfdw oid, srvtype text, "
	 "srvversion text, srvacl text_array, srvoptions text_array"},
	{"pg_catalog", "pg_foreign_table", "ftrelid oid, ftserver oid, ftoptions text_array"},
	{"pg_catalog", "pg_group", "groname text, grosysid oid, grolist text_array"},
	{"pg_catalog", "pg_index",
	 "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, "
	 "indisunique bool, indnullsnotdistinct bool, indisprimary bool, "
	 "indisexclusion bool, indimmediate bool, indisclustered bool, indisvalid "
	 "bool, indcheckxmin bool, indisready bool, indislive bool, indisreplident "
	 "bool, indkey text_array, indcollation text_array, indclass text_array, "
	 "indoption text_array, indexprs text, indpred text"},
	{"pg_catalog", "pg_indexes",
	 "schemaname text, tablename text, indexname text, tablespace text, "
	 "indexdef text"},
	{"pg_catalog", "pg_inherits",
	 "inhrelid oid, inhparent oid, inhseqno int4, inhdetachpending bool"},
	{"pg_catalog", "pg_language",
	 "oid oid, lanname text, lanowner oid, lanispl bool, lanpltrusted bool, "
	 "lanplcallfoid oid, laninline oid, lanvalidator oid, lanacl text_array"},
	{"pg_catalog", "pg_locks",
	 "locktype text, database oid, relation oid, page int4, tuple int2, "
	 "virtualxid text, transactionid text, classid oid, objid oid, objsubid "
	 "int2, virtualtransaction text, pid int4, mode text, granted bool, "
	 "fastpath bool, waitstart timestamptz"},
	{"pg_catalog", "pg_matviews",
	 "schemaname text, matviewname text, matviewowner text, tablespace text, "
	 "hasindexes bool, ispopulated bool, definition text"},
	{"pg_catalog", "pg_namespace",
	 "oid oid, nspname text, nspowner oid, nspacl text_array"},
	{"pg_catalog", "pg_opclass",
	 "oid oid, opcmethod oid, opcname text, opcnamespace oid, opcowner oid, "
	 "opcfamily oid, opcintype oid, opcdefault bool, opckeytype oid"},
	{"pg_catalog", "pg_operator",
	 "oid oid, oprname text, oprnamespace oid, oprowner oid, oprkind text, "
	 "oprcanmerge bool, oprcanhash bool, oprleft oid, oprright oid, oprresult "
	 "oid, oprcom oid, oprnegate oid, oprcode text, oprrest text, oprjoin text"},
	{"pg_catalog", "pg_partitioned_table",
	 "partrelid oid, partstrat text, partnatts int2, partdefid oid, partattrs "
	 "text_array, partclass text_array, partcollation text_array, partexprs "
	 "text"},
	{"pg_catalog", "pg_policy",
	 "oid oid, polname text, polrelid oid, polcmd text, polpermissive bool, "
	 "polroles text_array, polqual text, polwithcheck text"},
	{"pg_catalog", "pg_proc",
	 "oid oid, proname text, pronamespace oid, proowner oid, prolang oid, "
	 "procost float4, prorows float4, provariadic oid, prosupport text, "
	 "prokind text, prosecdef bool, proleakproof bool, proisstrict bool, "
	 "proretset bool, provolatile text, proparallel text, pronargs int2, "
	 "pronargdefaults int2, prorettype oid, proargtypes text_array, "
	 "proallargtypes text_array, proargmodes text_array, proargnames "
	 "text_array, proargdefaults text, protrftypes text_array, prosrc text, "
	 "probin text, prosqlbody text, proconfig text_array, proacl text_array"},
	{"pg_catalog", "pg_publication",
	 "oid oid, pubname text, pubowner oid, puballtables bool, pubinsert bool, "
	 "pubupdate bool, pubdelete bool, pubtruncate bool, pubviaroot bool"},
	{"pg_catalog", "pg_publication_namespace", "oid oid, pnpubid oid, pnnspid oid"},
	{"pg_catalog", "pg_publication_rel",
	 "oid oid, prpubid oid, prrelid oid, prqual text, prattrs text_array"},
	{"pg_catalog", "pg_range",
	 "rngtypid oid, rngsubtype oid, rngmultitypid oid, rngcollation oid, "
	 "rngsubopc oid, rngcanonical text, rngsubdiff text"},
	{"pg_catalog", "pg_rewrite",
	 "oid oid, rulename text, ev_class oid, ev_type text, ev_enabled text, "
	 "is_instead bool, ev_qual text, ev_action text"},
	{"pg_catalog", "pg_roles",
	 "rolname text, rolsuper bool, rolinherit bool, rolcreaterole bool, "
	 "rolcreatedb bool, rolcanlogin bool, rolreplication bool, rolconnlimit "
	 "int4, rolpassword text, rolvaliduntil timestamptz, rolbypassrls bool, "
	 "rolconfig text_array, oid oid"},
	{"pg_catalog", "pg_sequence",
	 "seqrelid oid, seqtypid oid, seqstart int8, seqincrement int8, seqmax "
	 "int8, seqmin int8, seqcache int8, seqcycle bool"},
	{"pg_catalog", "pg_settings",
	 "name text, setting text, unit text, category text, short_desc text, "
	 "extra_desc text, context text, vartype text, source text, min_val text, "
	 "max_val text, enumvals text_array, boot_val text, reset_val text, "
	 "sourcefile text, sourceline int4, pending_restart bool"},
	{"pg_catalog", "pg_shdescription", "objoid oid, classoid oid, description text"},
	{"pg_catalog", "pg_stat_activity",
	 "datid oid, datname text, pid int4, leader_pid int4, usesysid oid, "
	 "usename text, application_name text, client_addr text, client_hostname "
	 "text, client_port int4, backend_start timestamptz, xact_start "
	 "timestamptz, query_start timestamptz, state_change timestamptz, "
	 "wait_event_type text, wait_event text, state text, backend_xid text, "
	 "backend_xmin text, query_id int8, query text, backend_type text"},
	{"pg_catalog", "pg_stat_user_tables",
	 "relid oid, schemaname text, relname text, seq_scan int8, seq_tup_read "
	 "int8, idx_scan int8, idx_tup_fetch int8, n_tup_ins int8, n_tup_upd int8, "
	 "n_tup_del int8, n_tup_hot_upd int8, n_live_tup int8, n_dead_tup int8, "
	 "n_mod_since_analyze int8, n_ins_since_vacuum int8, last_vacuum "
	 "timestamptz, last_autovacuum timestamptz, last_analyze timestamptz, "
	 "last_autoanalyze timestamptz, vacuum_count int8, autovacuum_count int8, "
	 "analyze_count int8, autoanalyze_count int8"},
	{"pg_catalog", "pg_statistic_ext",
	 "oid oid, stxrelid oid, stxname text, stxnamespace oid, stxowner oid, "
	 "stxstattarget int4, stxkeys text_array, stxkind text_array, stxexprs "
	 "text"},
	{"pg_catalog", "pg_stats",
	 "schemaname text, tablename text, attname text, inherited bool, null_frac "
	 "float4, avg_width int4, n_distinct float4, most_common_vals text_array, "
	 "most_common_freqs text_array, histogram_bounds text_array, correlation "
	 "float4, most_common_elems text_array, most_common_elem_freqs text_array, "
	 "elem_count_histogram text_array"},
	{"pg_catalog", "pg_tables",
	 "schemaname text, tablename text, tableowner text, tablespace text, "
	 "hasindexes bool, hasrules bool, hastriggers bool, rowsecurity bool"},
	{"pg_catalog", "pg_tablespace",
	 "oid oid, spcname text, spcowner oid, spcacl text_array, spcoptions "
	 "text_array"},
	{"pg_catalog", "pg_trigger",
	 "oid oid, tgrelid oid, tgparentid oid, tgname text, tgfoid oid, tgtype "
	 "int2, tgenabled text, tgisinternal bool, tgconstrrelid oid, "
	 "tgconstrindid oid, tgconstraint oid, tgdeferrable bool, tginitdeferred "
	 "bool, tgnargs int2, tgattr text_array, tgargs text, tgqual text, "
	 "tgoldtable text, tgnewtable text"},
	{"pg_catalog", "pg_type",
	 "oid oid, typname text, typnamespace oid, typowner oid, typlen int2, "
	 "typbyval bool, typtype text, typcategory text, typispreferred bool, "
	 "typisdefined bool, typdelim text, typrelid oid, typsubscript text, "
	 "typelem oid, typarray oid, typinput text, typoutput text, typreceive "
	 "text, typsend text, typmodin text, typmodout text, typanalyze text, "
	 "typalign text, typstorage text, typnotnull bool, typbasetype oid, "
	 "typtypmod int4, typndims int4, typcollation oid, typdefaultbin text, "
	 "typdefault text, typacl text_array"},
	{"pg_catalog", "pg_user",
	 "usename text, usesysid oid, usecreatedb bool, usesuper bool, userepl "
	 "bool, usebypassrls bool, passwd text, valuntil timestamptz, useconfig "
	 "text_array"},
	{"pg_catalog", "pg_views",
	 "schemaname text, viewname text, viewowner text, definition text"},
	{"information_schema", "applicable_roles",
	 "grantee text, role_name text, is_grantable text"},
	{"information_schema", "character_sets",
	 "character_set_catalog text, character_set_schema text, "
	 "character_set_name text, character_repertoire text, form_of_use text, "
	 "default_collate_catalog text, default_collate_schema text, "
	 "default_collate_name text"},
	{"information_schema", "check_constraints",
	 "constraint_catalog text, constraint_schema text, constraint_name text, "
	 "check_clause text"},
	{"information_schema", "column_privileges",
	 "grantor text, grantee text, table_catalog text, table_schema text, "
	 "table_name text, column_name text, privilege_type text, is_grantable "
	 "text"},
	{"information_schema", "columns",
	 "table_catalog text, table_schema text, table_name text, column_name "
	 "text, ordinal_position int4, column_default text, is_nullable text, "
	 "data_type text, character_maximum_length int4, character_octet_length "
	 "int4, numeric_precision int4, numeric_precision_radix int4, "
	 "numeric_scale int4, datetime_precision int4, interval_type text, "
	 "interval_precision int4, character_set_catalog text, "
	 "character_set_schema text, character_set_name text, collation_catalog "
	 "text, collation_schema text, collation_name text, domain_catalog text, "
	 "domain_schema text, domain_name text, udt_catalog text, udt_schema text, "
	 "udt_name text, scope_catalog text, scope_schema text, scope_name text, "
	 "maximum_cardinality int4, dtd_identifier text, is_self_referencing text, "
	 "is_identity text, identity_generation text, identity_start text, "
	 "identity_increment text, identity_maximum text, identity_minimum text, "
	 "identity_cycle text, is_generated text, generation_expression text, "
	 "is_updatable text"},
	{"information_schema", "constraint_column_usage",
	 "table_catalog text, table_schema text, table_name text, column_name "
	 "text, constraint_catalog text, constraint_schema text, constraint_name "
	 "text"},
	{"information_schema", "domains",
	 "domain_catalog text, domain_schema text, domain_name text, data_type "
	 "text, character_maximum_length int4, character_octet_length int4, "
	 "character_set_catalog text, character_set_schema text, "
	 "character_set_name text, collation_catalog text, collation_schema text, "
	 "collation_name text, numeric_precision int4, numeric_precision_radix "
	 "int4, numeric_scale int4, datetime_precision int4, interval_type text, "
	 "interval_precision int4, domain_default text, udt_catalog text, "
	 "udt_schema text, udt_name text, scope_catalog text, scope_schema text, "
	 "scope_name text, maximum_cardinality int4, dtd_identifier text"},
	{"information_schema", "element_types",
	 "object_catalog text, object_schema text, object_name text, object_type "
	 "text, collection_type_identifier text, data_type text, "
	 "character_maximum_length int4, character_octet_length int4, "
	 "character_set_catalog text, character_set_schema text, "
	 "character_set_name text, collation_catalog text, collation_schema text, "
	 "collation_name text, numeric_precision int4, numeric_precision_radix "
	 "int4, numeric_scale int4, datetime_precision int4, interval_type text, "
	 "interval_precision int4, domain_default text, udt_catalog text, "
	 "udt_schema text, udt_name text, scope_catalog text, scope_schema text, "
	 "scope_name text, maximum_cardinality int4, dtd_identifier text"},
	{"information_schema", "enabled_roles", "role_name text"},
	{"information_schema", "information_schema_catalog_name", "catalog_name text"},
	{"information_schema", "key_column_usage",
	 "constraint_catalog text, constraint_schema text, constraint_name text, "
	 "table_catalog text, table_schema text, table_name text, column_name "
	 "text, ordinal_position int4, position_in_unique_constraint int4"},
	{"information_schema", "parameters",
	 "specific_catalog text, specific_schema text, specific_name text, "
	 "ordinal_position int4, parameter_mode text, is_result text, as_locator "
	 "text, parameter_name text, data_type text, character_maximum_length "
	 "int4, character_octet_length int4, character_set_catalog text, "
	 "character_set_schema text, character_set_name text, collation_catalog "
	 "text, collation_schema text, collation_name text, numeric_precision "
	 "int4, numeric_precision_radix int4, numeric_scale int4, "
	 "datetime_precision int4, interval_type text, interval_precision int4, "
	 "udt_catalog text, udt_schema text, udt_name text, scope_catalog text, "
	 "scope_schema text, scope_name text, maximum_cardinality int4, "
	 "dtd_identifier text, parameter_default text"},
	{"information_schema", "referential_constraints",
	 "constraint_catalog text, constraint_schema text, constraint_name text, "
	 "unique_constraint_catalog text, unique_constraint_schema text, "
	 "unique_constraint_name text, match_option text, update_rule text, "
	 "delete_rule text"},
	{"information_schema", "role_table_grants",
	 "grantor text, grantee text, table_catalog text, table_schema text, "
	 "table_name text, privilege_type text, is_grantable text, with_hierarchy "
	 "text"},
	{"information_schema", "routines",
	 "specific_catalog text, specific_schema text, specific_name text, "
	 "routine_catalog text, routine_schema text, routine_name text, "
	 "routine_type text, module_catalog text, module_schema text, module_name "
	 "text, udt_catalog text, udt_schema text, udt_name text, data_type text, "
	 "character_maximum_length int4, character_octet_length int4, "
	 "character_set_catalog text, character_set_schema text, "
	 "character_set_name text, collation_catalog text, collation_schema text, "
	 "collation_name text, numeric_precision int4, numeric_precision_radix "
	 "int4, numeric_scale int4, datetime_precision int4, interval_type text, "
	 "interval_precision int4, type_udt_catalog text, type_udt_schema text, "
	 "type_udt_name text, scope_catalog text, scope_schema text, scope_name "
	 "text, maximum_cardinality int4, dtd_identifier text, routine_body text, "
	 "routine_definition text, external_name text, external_language text, "
	 "parameter_style text, is_deterministic text, sql_data_access text, "
	 "is_null_call text, sql_path text, schema_level_routine text, "
	 "max_dynamic_result_sets int4, is_user_defined_cast text, "
	 "is_implicitly_invocable text, security_type text, "
	 "to_sql_specific_catalog text, to_sql_specific_schema text, "
	 "to_sql_specific_name text, as_locator text, created text, last_altered "
	 "text, new_savepoint_level text, is_udt_dependent text, "
	 "result_cast_from_data_type text, result_cast_as_locator text, "
	 "result_cast_char_max_length int4, result_cast_char_octet_length int4, "
	 "result_cast_char_set_catalog text, result_cast_char_set_schema text, "
	 "result_cast_char_set_name text, result_cast_collation_catalog text, "
	 "result_cast_collation_schema text, result_cast_collation_name text, "
	 "result_cast_numeric_precision int4, result_cast_numeric_precision_radix "
	 "int4, result_cast_numeric_scale int4, result_cast_datetime_precision "
	 "int4, result_cast_interval_type text, result_cast_interval_precision "
	 "int4, result_cast_type_udt_catalog text, result_cast_type_udt_schema "
	 "text, result_cast_type_udt_name text, result_cast_scope_catalog text, "
	 "result_cast_scope_schema text, result_cast_scope_name text, "
	 "result_cast_maximum_cardinality int4, result_cast_dtd_identifier text"},
	{"information_schema", "schemata",
	 "catalog_name text, schema_name text, schema_owner text, "
	 "default_character_set_catalog text, default_character_set_schema text, "
	 "default_character_set_name text, sql_path text"},
	{"information_schema", "sequences",
	 "sequence_catalog text, sequence_schema text, sequence_name text, "
	 "data_type text, numeric_precision int4, numeric_precision_radix int4, "
	 "numeric_scale int4, start_value text, minimum_value text, maximum_value "
	 "text, increment text, cycle_option text"},
	{"information_schema", "table_constraints",
	 "constraint_catalog text, constraint_schema text, constraint_name text, "
	 "table_catalog text, table_schema text, table_name text, constraint_type "
	 "text, is_deferrable text, initially_deferred text, enforced text, "
	 "nulls_distinct text"},
	{"information_schema", "table_privileges",
	 "grantor text, grantee text, table_catalog text, table_schema text, "
	 "table_name text, privilege_type text, is_grantable text, with_hierarchy "
	 "text"},
	{"information_schema", "tables",
	 "table_catalog text, table_schema text, table_name text, table_type text, "
	 "self_referencing_column_name text, reference_generation text, "
	 "user_defined_type_catalog text, user_defined_type_schema text, "
	 "user_defined_type_name text, is_insertable_into text, is_typed text, "
	 "commit_action text"},
	{"information_schema", "triggers",
	 "trigger_catalog text, trigger_schema text, trigger_name text, "
	 "event_manipulation text, event_object_catalog text, event_object_schema "
	 "text, event_object_table text, action_order int4, action_condition text, "
	 "action_statement text, action_orientation text, action_timing text, "
	 "action_reference_old_table text, action_reference_new_table text, "
	 "action_reference_old_row text, action_reference_new_row text, created "
	 "text"},
	{"information_schema", "views",
	 "table_catalog text, table_schema text, table_name text, view_definition "
	 "text, check_option text, is_updatable text, is_insertable_into text, "
	 "is_trigger_updatable text, is_trigger_deletable text, "
	 "is_trigger_insertable_into text"},
	{"pg_catalog", "pg_keywords", "word text, catcode text"},
	{NULL, NULL, NULL},
};
