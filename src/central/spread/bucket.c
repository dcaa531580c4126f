/*
 * Writes the SQL of the hash for each kind of unit; a table of known values, for each type, is
 * compared with what the engine computes.
 */
#include "central/spread/bucket.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/failure.h"

/* ---- kinds ------------------------------------------------------------------------- */

static const char *const whole_types[] = {"TINYINT",  "SMALLINT",  "INTEGER", "BIGINT",
					  "UTINYINT", "USMALLINT", "UINTEGER"};

enum sotto_bucket_kind sotto_bucket_kind_of(const char *engine_type)
{
	if (!engine_type || strcmp(engine_type, "VARCHAR") == 0 ||
	    strcmp(engine_type, "UUID") == 0 || strcmp(engine_type, "TIME") == 0)
		return SOTTO_BUCKET_TEXT;
	if (strncmp(engine_type, "ENUM(", 5) == 0 && !strchr(engine_type, '['))
		return SOTTO_BUCKET_TEXT;
	for (size_t i = 0; i < sizeof whole_types / sizeof whole_types[0]; i++)
		if (strcmp(engine_type, whole_types[i]) == 0)
			return SOTTO_BUCKET_WHOLE;
	return SOTTO_BUCKET_NATIVE;
}

/* ---- SQL --------------------------------------------------------------------------- */

static enum sotto_status
add_hash(struct sotto_buffer *b, enum sotto_bucket_kind kind, const char *unit)
{
	switch (kind) {
	case SOTTO_BUCKET_WHOLE:
		return sotto_buffer_appendf(b, "hash(CAST(%s AS BIGINT))", unit);
	case SOTTO_BUCKET_TEXT:
		return sotto_buffer_appendf(b, "hash(CAST(%s AS VARCHAR))", unit);
	case SOTTO_BUCKET_NATIVE:
	case SOTTO_BUCKET_ROW:
		return sotto_buffer_appendf(b, "hash(%s)", unit);
	}
	return SOTTO_EINVAL;
}

enum sotto_status sotto_bucket_compose(struct sotto_buffer *b, enum sotto_bucket_kind kind,
				       const char *unit, uint32_t buckets)
{
	if (buckets == 0 || buckets > SOTTO_BUCKETS_MAX)
		return SOTTO_ERANGE;
	SOTTO_TRY(sotto_buffer_append_text(b, "CAST("));
	SOTTO_TRY(add_hash(b, kind, unit));
	return sotto_buffer_appendf(b, " %% %" PRIu32 " AS INTEGER)", buckets);
}

/* ---- known values ------------------------------------------------------------------ */

/* As DuckDB 1.4 has them: of each type, short and long texts, what is equal in two types. */
static const struct sotto_bucket_vector vectors[] = {
	{SOTTO_BUCKET_WHOLE, "CAST(0 AS BIGINT)", UINT64_C(0)},
	{SOTTO_BUCKET_WHOLE, "CAST(1 AS TINYINT)", UINT64_C(4717996019076358352)},
	{SOTTO_BUCKET_WHOLE, "CAST(1 AS UINTEGER)", UINT64_C(4717996019076358352)},
	{SOTTO_BUCKET_WHOLE, "CAST(-1 AS INTEGER)", UINT64_C(4939931809569846361)},
	{SOTTO_BUCKET_WHOLE, "CAST(-1 AS BIGINT)", UINT64_C(4939931809569846361)},
	{SOTTO_BUCKET_WHOLE, "CAST(NULL AS BIGINT)", UINT64_C(13787848793156543929)},
	{SOTTO_BUCKET_TEXT, "''", UINT64_C(5104928228550385088)},
	{SOTTO_BUCKET_TEXT, "'a'", UINT64_C(12561829011207016135)},
	{SOTTO_BUCKET_TEXT, "CAST('a' AS ENUM('b', 'a'))", UINT64_C(12561829011207016135)},
	{SOTTO_BUCKET_TEXT, "'hospital'", UINT64_C(6442746254896829297)},
	{SOTTO_BUCKET_TEXT, "'twelve bytes'", UINT64_C(11808475979625715823)},
	{SOTTO_BUCKET_TEXT, "'thirteen byte'", UINT64_C(13670929799911331740)},
	{SOTTO_BUCKET_TEXT, "UUID '00000000-0000-0000-0000-000000000001'",
	 UINT64_C(10681539281846986095)},
	{SOTTO_BUCKET_TEXT, "TIME '12:34:56'", UINT64_C(14183396346639239408)},
	{SOTTO_BUCKET_TEXT, "'a' || chr(0) || 'b'", UINT64_C(1030507226126589358)},
	{SOTTO_BUCKET_TEXT, "CAST(NULL AS VARCHAR)", UINT64_C(13787848793156543929)},
	{SOTTO_BUCKET_NATIVE, "CAST('-0.0' AS DOUBLE)", UINT64_C(0)},
	{SOTTO_BUCKET_NATIVE, "CAST(0.5 AS DOUBLE)", UINT64_C(14878752034231939099)},
	{SOTTO_BUCKET_NATIVE, "CAST('nan' AS DOUBLE)", UINT64_C(9170934016072976158)},
	{SOTTO_BUCKET_NATIVE, "-CAST('nan' AS DOUBLE)", UINT64_C(9170934016072976158)},
	{SOTTO_BUCKET_NATIVE, "CAST('-0.0' AS FLOAT)", UINT64_C(0)},
	{SOTTO_BUCKET_NATIVE, "CAST(0.5 AS FLOAT)", UINT64_C(1436736552584287597)},
	{SOTTO_BUCKET_NATIVE, "-CAST('nan' AS FLOAT)", UINT64_C(9347582828546182512)},
	{SOTTO_BUCKET_NATIVE, "CAST(1 AS UBIGINT)", UINT64_C(4717996019076358352)},
	{SOTTO_BUCKET_NATIVE, "CAST(-2 AS HUGEINT)", UINT64_C(4755249054719995591)},
	{SOTTO_BUCKET_NATIVE, "CAST(2 AS UHUGEINT)", UINT64_C(2060787363917578834)},
	{SOTTO_BUCKET_NATIVE, "CAST(1.5 AS DECIMAL(4,1))", UINT64_C(920453014978087379)},
	{SOTTO_BUCKET_NATIVE, "CAST(1.5 AS DECIMAL(9,2))", UINT64_C(11259946367786091803)},
	{SOTTO_BUCKET_NATIVE, "CAST(1.5 AS DECIMAL(18,3))", UINT64_C(13055447531776758341)},
	{SOTTO_BUCKET_NATIVE, "CAST(1.5 AS DECIMAL(38,4))", UINT64_C(3311522632771406645)},
	{SOTTO_BUCKET_NATIVE, "DATE '2020-02-29'", UINT64_C(9824165250514377867)},
	{SOTTO_BUCKET_NATIVE, "TIMESTAMP '2020-02-29 12:00:00'",
	 UINT64_C(10001274809683229570)},
	{SOTTO_BUCKET_NATIVE, "TIMESTAMPTZ '2020-02-29 12:00:00+00'",
	 UINT64_C(10001274809683229570)},
	{SOTTO_BUCKET_NATIVE, "TIMESTAMP_NS '2020-02-29 12:00:00'",
	 UINT64_C(5872929829220667237)},
	{SOTTO_BUCKET_NATIVE, "INTERVAL '2 months 3 days'", UINT64_C(7800405281646302356)},
	{SOTTO_BUCKET_NATIVE, "CAST('\\xAA\\x00' AS BLOB)", UINT64_C(17558689321115875668)},
	{SOTTO_BUCKET_NATIVE, "TRUE", UINT64_C(4717996019076358352)},
	{SOTTO_BUCKET_ROW, "'data/a.parquet', CAST(0 AS BIGINT)",
	 UINT64_C(15796826996934471904)},
	{SOTTO_BUCKET_ROW, "'data/a.parquet', CAST(1 AS BIGINT)",
	 UINT64_C(11114930147924676656)},
};

const struct sotto_bucket_vector *sotto_bucket_vector(size_t i)
{
	return i < sizeof vectors / sizeof vectors[0] ? &vectors[i] : NULL;
}

enum sotto_status sotto_bucket_compose_check(struct sotto_buffer *b)
{
	const struct sotto_bucket_vector *v;

	SOTTO_TRY(sotto_buffer_append_text(b, "SELECT TRUE"));
	for (size_t i = 0; (v = sotto_bucket_vector(i)) != NULL; i++) {
		SOTTO_TRY(sotto_buffer_append_text(b, " AND "));
		SOTTO_TRY(add_hash(b, v->kind, v->unit));
		SOTTO_TRY(sotto_buffer_appendf(b, " = %" PRIu64, v->hash));
	}
	return sotto_buffer_append_text(b, " AS same");
}
