/*
 * schema_field.h - fields of structures as columns
 *
 * A column `visit` of the type STRUCT(ward VARCHAR, stay STRUCT(days INTEGER)) gives the
 * columns visit.ward and visit.stay.days; policies and questions use these names.
 */
#ifndef SOTTO_SCHEMA_FIELD_H
#define SOTTO_SCHEMA_FIELD_H

#include <stddef.h>

#include "core/base/arena.h"
#include "sotto/status.h"

struct sotto_schema_field {
	const char *name; /* with dots, from the column on */
	const char *type; /* the engine's name for it */
	const char *sql; /* SQL that reads it; its value is NULL where the structure is NULL */
};

/*
 * Lists the fields of a column, down to those that are not structures themselves; none if the column
 * is not a structure.  Lists and maps have no fields; deeply nested fields are left out.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_schema_fields(struct sotto_arena *a, const char *column, const char *type,
		    struct sotto_schema_field **out, size_t *count);

#endif
