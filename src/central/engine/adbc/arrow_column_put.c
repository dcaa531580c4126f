/* The engine's side of a column: its type there, and a value in one of its vectors. */
#include "central/engine/adbc/arrow_column.h"

#include "central/engine/engine.h"

static duckdb_type integer_type(const struct sotto_arrow_plain *p)
{
	static const duckdb_type with_sign[] = {DUCKDB_TYPE_TINYINT, DUCKDB_TYPE_SMALLINT,
						DUCKDB_TYPE_INTEGER, DUCKDB_TYPE_BIGINT};
	static const duckdb_type without[] = {DUCKDB_TYPE_UTINYINT, DUCKDB_TYPE_USMALLINT,
					      DUCKDB_TYPE_UINTEGER, DUCKDB_TYPE_UBIGINT};
	size_t i = p->width == 1 ? 0 : p->width == 2 ? 1 : p->width == 4 ? 2 : 3;

	return p->meaning == SOTTO_ARROW_SIGNED ? with_sign[i] : without[i];
}

duckdb_logical_type
sotto_arrow_logical(const struct sotto_duckdb *api, const struct sotto_arrow_column *c)
{
	const struct sotto_arrow_plain *p = &c->values;
	duckdb_logical_type text;

	switch (p->meaning) {
	case SOTTO_ARROW_BOOL:
		return api->duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN);
	case SOTTO_ARROW_SIGNED:
	case SOTTO_ARROW_UNSIGNED:
		return api->duckdb_create_logical_type(integer_type(p));
	case SOTTO_ARROW_HALF:
	case SOTTO_ARROW_FLOAT:
		return api->duckdb_create_logical_type(DUCKDB_TYPE_FLOAT);
	case SOTTO_ARROW_DOUBLE:
	case SOTTO_ARROW_WIDE_DECIMAL:
		return api->duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
	case SOTTO_ARROW_DECIMAL:
		return api->duckdb_create_decimal_type((uint8_t)p->digits, (uint8_t)p->scale);
	case SOTTO_ARROW_DATE:
		return api->duckdb_create_logical_type(DUCKDB_TYPE_DATE);
	case SOTTO_ARROW_TIMESTAMP:
		return api->duckdb_create_logical_type(DUCKDB_TYPE_TIMESTAMP);
	case SOTTO_ARROW_TIME:
	case SOTTO_ARROW_TEXT:
	case SOTTO_ARROW_BYTES:
		break;
	}
	text = api->duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
	if (c->folds)
		api->duckdb_logical_type_set_alias(text, SOTTO_FOLDED_TEXT);
	return text;
}

/* The engine keeps a decimal in the smallest integer that has its digits. */
static void put_decimal(int digits, sotto_i128 x, void *data, size_t row)
{
	if (digits <= 4)
		((int16_t *)data)[row] = (int16_t)x;
	else if (digits <= 9)
		((int32_t *)data)[row] = (int32_t)x;
	else if (digits <= 18)
		((int64_t *)data)[row] = (int64_t)x;
	else
		((duckdb_hugeint *)data)[row] = (duckdb_hugeint){
			.lower = (uint64_t)(sotto_u128)x, .upper = (int64_t)(x >> 64)};
}

static void put_integer(unsigned width, int64_t x, void *data, size_t row)
{
	if (width == 1)
		((int8_t *)data)[row] = (int8_t)x;
	else if (width == 2)
		((int16_t *)data)[row] = (int16_t)x;
	else if (width == 4)
		((int32_t *)data)[row] = (int32_t)x;
	else
		((int64_t *)data)[row] = x;
}

void sotto_arrow_put(const struct sotto_duckdb *api, const struct sotto_arrow_column *c,
		     duckdb_vector vector, void *data, size_t row,
		     const struct sotto_arrow_value *value)
{
	const struct sotto_arrow_plain *p = &c->values;

	switch (p->meaning) {
	case SOTTO_ARROW_BOOL:
		((bool *)data)[row] = value->integer != 0;
		break;
	case SOTTO_ARROW_SIGNED:
	case SOTTO_ARROW_UNSIGNED:
		put_integer(p->width, value->integer, data, row);
		break;
	case SOTTO_ARROW_HALF:
	case SOTTO_ARROW_FLOAT:
		((float *)data)[row] = (float)value->number;
		break;
	case SOTTO_ARROW_DOUBLE:
	case SOTTO_ARROW_WIDE_DECIMAL:
		((double *)data)[row] = value->number;
		break;
	case SOTTO_ARROW_DECIMAL:
		put_decimal(p->digits, value->digits, data, row);
		break;
	case SOTTO_ARROW_DATE:
		((int32_t *)data)[row] = (int32_t)value->integer;
		break;
	case SOTTO_ARROW_TIMESTAMP:
		((int64_t *)data)[row] = value->integer;
		break;
	case SOTTO_ARROW_TIME:
	case SOTTO_ARROW_TEXT:
	case SOTTO_ARROW_BYTES:
		api->duckdb_vector_assign_string_element_len(vector, row, value->text,
							     value->length);
		break;
	}
}
