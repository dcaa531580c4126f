/*
 * One loop for each type of the engine turns a block into 64-bit integers held within 2^62;
 * NULL and NaN are marked absent.
 */
#include "central/engine/sum/column_block.h"

#include <string.h>

static const int64_t most = (int64_t)1 << 62;

bool sotto_column_open(const struct sotto_duckdb *api, duckdb_vector vector,
		       struct sotto_column_reader *out)
{
	duckdb_logical_type type = api->duckdb_vector_get_column_type(vector);

	out->type = api->duckdb_get_type_id(type);
	api->duckdb_destroy_logical_type(&type);
	out->data = api->duckdb_vector_get_data(vector);
	out->validity = api->duckdb_vector_get_validity(vector);
	switch (out->type) {
	case DUCKDB_TYPE_BOOLEAN:
	case DUCKDB_TYPE_TINYINT:
	case DUCKDB_TYPE_SMALLINT:
	case DUCKDB_TYPE_INTEGER:
	case DUCKDB_TYPE_BIGINT:
	case DUCKDB_TYPE_HUGEINT:
	case DUCKDB_TYPE_UTINYINT:
	case DUCKDB_TYPE_USMALLINT:
	case DUCKDB_TYPE_UINTEGER:
	case DUCKDB_TYPE_UBIGINT:
	case DUCKDB_TYPE_UHUGEINT:
	case DUCKDB_TYPE_FLOAT:
	case DUCKDB_TYPE_DOUBLE:
		return true;
	default:
		return false;
	}
}

static int64_t held(int64_t x)
{
	return x < -most ? -most : x > most ? most : x;
}

/* 2^62 is a double, so that what is below it in size fits. */
static int64_t of_double(double x)
{
	return x >= 0x1p62 ? most : x <= -0x1p62 ? -most : (int64_t)x;
}

static int64_t of_huge(duckdb_hugeint x)
{
	if (x.upper > 0 || (x.upper == 0 && x.lower > (uint64_t)most))
		return most;
	if (x.upper < -1 || (x.upper == -1 && x.lower < (uint64_t)-most))
		return -most;
	return (int64_t)x.lower;
}

#define READ(type, convert)                                                                    \
	do {                                                                                   \
		const type *data = (const type *)c->data + from;                               \
		for (size_t i = 0; i < count; i++)                                             \
			values[i] = convert(data[i]);                                          \
	} while (0)
#define AS_IS(x) (int64_t)(x)
#define OF_UNSIGNED(x) ((x) > (uint64_t)most ? most : (int64_t)(x))
#define OF_UHUGE(x) ((x).upper > 0 ? most : OF_UNSIGNED((x).lower))

/* NaN is not a number: it counts as NULL. */
#define READ_FLOAT(type)                                                                       \
	do {                                                                                   \
		const type *data = (const type *)c->data + from;                               \
		for (size_t i = 0; i < count; i++) {                                           \
			bool number = data[i] == data[i];                                      \
			present[i] &= number;                                                  \
			values[i] = of_double(number ? (double)data[i] : 0);                   \
		}                                                                              \
	} while (0)

static void read_values(const struct sotto_column_reader *c, size_t from, size_t count,
			int64_t *values, uint8_t *present)
{
	switch (c->type) {
	case DUCKDB_TYPE_BOOLEAN:
	case DUCKDB_TYPE_UTINYINT:
		READ(uint8_t, AS_IS);
		break;
	case DUCKDB_TYPE_TINYINT:
		READ(int8_t, AS_IS);
		break;
	case DUCKDB_TYPE_SMALLINT:
		READ(int16_t, AS_IS);
		break;
	case DUCKDB_TYPE_USMALLINT:
		READ(uint16_t, AS_IS);
		break;
	case DUCKDB_TYPE_INTEGER:
		READ(int32_t, AS_IS);
		break;
	case DUCKDB_TYPE_UINTEGER:
		READ(uint32_t, AS_IS);
		break;
	case DUCKDB_TYPE_BIGINT:
		READ(int64_t, held);
		break;
	case DUCKDB_TYPE_UBIGINT:
		READ(uint64_t, OF_UNSIGNED);
		break;
	case DUCKDB_TYPE_HUGEINT:
		READ(duckdb_hugeint, of_huge);
		break;
	case DUCKDB_TYPE_UHUGEINT:
		READ(duckdb_uhugeint, OF_UHUGE);
		break;
	case DUCKDB_TYPE_FLOAT:
		READ_FLOAT(float);
		break;
	case DUCKDB_TYPE_DOUBLE:
		READ_FLOAT(double);
		break;
	default:
		memset(values, 0, count * sizeof *values);
		break;
	}
}

/* What stands in the place of a NULL is nobody's value, and may be anything. */
static void read_present(const uint64_t *validity, size_t from, size_t count, uint8_t *present)
{
	for (size_t i = 0; i < count; i++)
		present[i] = validity[(from + i) / 64] >> (from + i) % 64 & 1;
}

static bool all_present(const uint8_t *present, size_t count)
{
	uint8_t all = 1;

	for (size_t i = 0; i < count; i++)
		all &= present[i];
	return all;
}

bool sotto_column_read(const struct sotto_column_reader *c, size_t from, size_t count,
		       int64_t *values, uint8_t *present)
{
	bool is_float = c->type == DUCKDB_TYPE_FLOAT || c->type == DUCKDB_TYPE_DOUBLE;

	memset(present, 1, count);
	if (c->validity)
		read_present(c->validity, from, count, present);
	read_values(c, from, count, values, present);
	if ((!c->validity && !is_float) || all_present(present, count))
		return true;
	for (size_t i = 0; i < count; i++)
		values[i] = present[i] ? values[i] : 0;
	return false;
}

bool sotto_column_is_whole(const struct sotto_column_reader *c)
{
	switch (c->type) {
	case DUCKDB_TYPE_TINYINT:
	case DUCKDB_TYPE_SMALLINT:
	case DUCKDB_TYPE_INTEGER:
	case DUCKDB_TYPE_BIGINT:
	case DUCKDB_TYPE_UTINYINT:
	case DUCKDB_TYPE_USMALLINT:
	case DUCKDB_TYPE_UINTEGER:
		return true;
	default:
		return false;
	}
}

void sotto_column_read_exact(const struct sotto_column_reader *c, size_t from, size_t count,
			     int64_t *values, uint8_t *present)
{
	memset(present, 1, count);
	if (c->validity)
		read_present(c->validity, from, count, present);
	if (c->type == DUCKDB_TYPE_BIGINT)
		READ(int64_t, AS_IS);
	else
		read_values(c, from, count, values, present);
}
