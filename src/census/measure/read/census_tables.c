/*
 * Opens an engine with a limit of memory and no cache of files; Parquet is written by its COPY
 * from the finished CSV.
 */
#include "census/measure/read/census_tables.h"

#include "census/measure/read/census_sql.h"
#include "central/engine/engine.h"
#include "core/base/failure.h"

/* Files that were read are not kept in memory: most are read once. */
static const char settings[] = "SET enable_external_file_cache=false";

enum sotto_status
sotto_census_tables_open(uint64_t memory, struct sotto_engine **out, struct sotto_error *err)
{
	const struct sotto_engine_limits limits = {.memory = memory};
	struct sotto_engine *e = NULL;

	SOTTO_TRY(sotto_engine_open_within(&limits, &e, err));
	if (sotto_engine_execute(e, settings) != SOTTO_OK) {
		sotto_engine_close(e);
		return sotto_fail(err, SOTTO_EIO, "the engine could not be started");
	}
	*out = e;
	return SOTTO_OK;
}

void sotto_census_tables_close(struct sotto_engine *e)
{
	sotto_engine_close(e);
}

/* Labels stay texts: 01 is not 1. */
enum sotto_status sotto_census_convert_parquet(struct sotto_engine *e, const char *csv,
					       const char *parquet, size_t numbers,
					       struct sotto_error *err)
{
	static const char *const names[] = {"value", "estimate", "sd", "lo", "hi"};
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "COPY (SELECT *");
	for (size_t i = 0; i < numbers && i < 5; i++) {
		sotto_census_sql_put(&q, i ? ", CAST(" : " REPLACE (CAST(");
		sotto_census_sql_name(&q, names[i]);
		sotto_census_sql_put(&q, i ? " AS DOUBLE) AS " : " AS BIGINT) AS ");
		sotto_census_sql_name(&q, names[i]);
	}
	sotto_census_sql_put(&q, numbers ? ") FROM read_csv(" : " FROM read_csv(");
	sotto_census_sql_literal(&q, csv);
	sotto_census_sql_put(&q, ", header=true, all_varchar=true, delim=',', quote='\"', "
				 "escape='\"')) TO ");
	sotto_census_sql_literal(&q, parquet);
	sotto_census_sql_put(&q, " (FORMAT parquet)");
	st = q.status;
	if (st == SOTTO_OK && sotto_engine_execute(e, sotto_buffer_text(&q.text)) != SOTTO_OK)
		st = sotto_fail(err, SOTTO_EIO, "%.200s could not be written", parquet);
	sotto_census_sql_release(&q);
	return st;
}
