/*
 * Units that are found by a key: the map says what a join says, however keys lie and in whatever
 * order they come, in pieces that are put together too, and out of a file; a key that is there
 * twice is refused, and so is a file in which any byte is another.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/engine/duckdb_embedded.h"
#include "central/engine/engine_result.h"
#include "central/engine/sum/owner_file.h"
#include "central/engine/sum/owner_map.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

enum { KEYS = 6000 };

static uint64_t next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 16;
}

/* Key i of a kind: one after the other, every fourth, pairs far apart, blocks far apart, anywhere. */
static int64_t key_of(int kind, uint64_t i)
{
	uint64_t state = i;

	switch (kind) {
	case 0:
		return (int64_t)i - KEYS / 2;
	case 1:
		return (int64_t)i * 4;
	case 2:
		return (int64_t)(i / 2 * 1000 + i % 2);
	case 3:
		return (int64_t)(i * 4096);
	default:
		return (int64_t)(next(&state) << 20 | i);
	}
}

static void shuffle(int64_t *keys, uint64_t *state)
{
	for (size_t i = KEYS - 1; i > 0; i--) {
		size_t j = next(state) % (i + 1);
		int64_t x = keys[i];

		keys[i] = keys[j];
		keys[j] = x;
	}
}

static bool finds(const struct sotto_owner_map *m, const int64_t *keys, const int64_t *units)
{
	const struct sotto_owner_block *hint = NULL;

	for (size_t i = 0; i < KEYS; i++) {
		int64_t unit;

		if (!sotto_owner_map_find(m, keys[i], &hint, &unit) || unit != units[i])
			return false;
	}
	return true;
}

/* Numbers beside the keys, among them those of empty blocks. */
static bool finds_no_others(const struct sotto_owner_map *m, int kind)
{
	const struct sotto_owner_block *hint = NULL;

	for (uint64_t i = 0; i < KEYS; i++) {
		int64_t missing = kind == 0   ? key_of(0, KEYS + i)
				  : kind == 1 ? key_of(1, i) + 2
				  : kind == 2 ? key_of(2, i) + 500
				  : kind == 3 ? key_of(3, i) + 64
					      : key_of(4, i) ^ 1 << 13;
		int64_t unit;

		if (sotto_owner_map_find(m, missing, &hint, &unit))
			return false;
	}
	return true;
}

/* Some number for each key: of 32 bits, of 64, or here and there of 64, at the ends too. */
static int64_t unit_of(int64_t key, int width)
{
	uint64_t state = (uint64_t)key;
	int64_t small = (int32_t)next(&state),
		ends[] = {INT32_MIN, INT32_MAX, (int64_t)INT32_MAX + 1, (int64_t)INT32_MIN - 1,
			  INT64_MAX};

	if (width == 1 || (width == 2 && (uint64_t)key % 997 == 0))
		return (int64_t)((uint64_t)key * 3 - 1);
	return (uint64_t)key % 331 == 5 ? ends[(uint64_t)key / 331 % (width == 2 ? 5 : 2)]
					: small;
}

/* ---- as a file ------------------------------------------------------------------------------ */

static bool write_map(const struct sotto_owner_map *m, const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	bool done = file >= 0 && sotto_owner_file_write(m, file) == SOTTO_OK;

	return file >= 0 && close(file) == 0 && done;
}

static void
check_file(const struct sotto_owner_map *m, int kind, const int64_t *keys, const int64_t *units)
{
	struct sotto_owner_file f = {0};
	char path[FOLDER_PATH_MAX];
	struct folder folder;

	folder_open(&folder);
	folder_file(&folder, "map", path);
	CHECK(write_map(m, path));
	REQUIRE(sotto_owner_file_open(path, &f) == SOTTO_OK);
	CHECK(finds(f.map, keys, units));
	CHECK(finds_no_others(f.map, kind));
	sotto_owner_file_close(&f);
	folder_close(&folder);
}

static void check_map(int kind, int width, bool shuffled, size_t parts)
{
	int64_t *keys = malloc(KEYS * sizeof *keys), *units = malloc(KEYS * sizeof *units);
	struct sotto_owner_map *m = sotto_owner_map_new(7);
	uint64_t state = 1;
	bool done = true;

	for (size_t i = 0; i < KEYS; i++)
		keys[i] = key_of(kind, i);
	if (shuffled)
		shuffle(keys, &state);
	for (size_t i = 0; i < KEYS; i++)
		units[i] = unit_of(keys[i], width);
	for (size_t p = 0; p < parts; p++) {
		struct sotto_owner_map *part = sotto_owner_map_new(7);
		size_t from = KEYS * p / parts, to = KEYS * (p + 1) / parts;

		done = done && sotto_owner_map_add(part, keys + from, units + from, to - from);
		done = done && sotto_owner_map_merge(m, part);
		sotto_owner_map_free(part);
	}
	tap_note("kind %d, width %d, %s, %zu parts", kind, width,
		 shuffled ? "shuffled" : "in order", parts);
	CHECK(done && !sotto_owner_map_is_broken(m));
	CHECK(finds(m, keys, units));
	CHECK(finds_no_others(m, kind));
	check_file(m, kind, keys, units);
	CHECK(sotto_owner_map_add(m, keys + KEYS / 2, units, 1) &&
	      sotto_owner_map_is_broken(m));
	sotto_owner_map_free(m);
	free(units);
	free(keys);
}

enum { FEW = 300 };

/* Some keys in whole blocks, some in small ones, wide units among them. */
static struct sotto_owner_map *some_map(void)
{
	struct sotto_owner_map *m = sotto_owner_map_new(7);

	for (int64_t i = 0; m && i < FEW; i++) {
		int64_t key = i < FEW / 2 ? i : i * 1000,
			unit = i % 90 == 7 ? INT64_MAX - i : i * 5;

		if (!sotto_owner_map_add(m, &key, &unit, 1))
			abort();
	}
	return m;
}

static size_t read_bytes(const char *path, char *bytes, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(bytes, 1, size, f) : 0;

	if (f)
		(void)fclose(f);
	return n;
}

/* What opening says of these bytes. */
static enum sotto_status open_bytes(const char *path, const char *bytes, size_t size)
{
	struct sotto_owner_file f = {0};
	FILE *out = fopen(path, "w");
	enum sotto_status st;

	if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0)
		abort();
	st = sotto_owner_file_open(path, &f);
	if (st == SOTTO_OK)
		sotto_owner_file_close(&f);
	return st;
}

static void no_byte_of_a_file_can_change(void)
{
	static char bytes[1 << 17];
	char path[FOLDER_PATH_MAX];
	struct sotto_owner_map *m = some_map();
	struct folder folder;
	size_t size, taken = 0;

	folder_open(&folder);
	folder_file(&folder, "map", path);
	CHECK(m && write_map(m, path));
	size = read_bytes(path, bytes, sizeof bytes);
	CHECK(size > 5000 && size < sizeof bytes);
	CHECK(open_bytes(path, bytes, size) == SOTTO_OK);
	for (size_t i = 0; i < size; i++) {
		bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
		taken += open_bytes(path, bytes, size) != SOTTO_ECORRUPT;
		bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
	}
	CHECK_INT(taken, 0);
	for (size_t i = 0; i < size; i += i < 100 ? 1 : 97)
		taken += open_bytes(path, bytes, i) != SOTTO_ECORRUPT;
	memset(bytes + size, 0, 64);
	taken += open_bytes(path, bytes, size + 8) != SOTTO_ECORRUPT;
	taken += open_bytes(path, bytes, size + 64) != SOTTO_ECORRUPT;
	CHECK_INT(taken, 0);
	(void)unlink(path);
	CHECK(sotto_owner_file_open(path, &(struct sotto_owner_file){0}) == SOTTO_EIO);
	sotto_owner_map_free(m);
	folder_close(&folder);
}

static void an_empty_map_is_a_file_too(void)
{
	struct sotto_owner_map *m = sotto_owner_map_new(7);
	const struct sotto_owner_block *hint = NULL;
	struct sotto_owner_file f = {0};
	char path[FOLDER_PATH_MAX];
	struct folder folder;
	int64_t unit;

	folder_open(&folder);
	folder_file(&folder, "map", path);
	CHECK(m && write_map(m, path));
	REQUIRE(sotto_owner_file_open(path, &f) == SOTTO_OK);
	CHECK(!sotto_owner_map_find(f.map, 0, &hint, &unit));
	sotto_owner_file_close(&f);
	sotto_owner_map_free(m);
	folder_close(&folder);
}

/* ---- in the engine -------------------------------------------------------------------------- */

static long number_of(struct sotto_embedded *e, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	long number = -1;

	if (sotto_embedded_run(e, sql, &r) == SOTTO_OK)
		number = (long)sotto_engine_cell(r, 0, 0).integer;
	sotto_engine_result_free(r);
	return number;
}

/* Both calls name one map, and the next statement opens the file again. */
static void check_stored(struct sotto_embedded *e)
{
	char path[FOLDER_PATH_MAX], sql[100 + FOLDER_PATH_MAX];
	struct sotto_owner_map *m = some_map();
	struct folder folder;

	folder_open(&folder);
	folder_file(&folder, "map", path);
	CHECK(m && write_map(m, path));
	(void)snprintf(sql, sizeof sql,
		       "CREATE OR REPLACE MACRO stored() AS sotto_stored('%s')", path);
	CHECK(sotto_embedded_execute(e, sql) == SOTTO_OK);
	CHECK(number_of(e, "SELECT sum(sotto_owner_8(j, stored()) - sotto_owner_4(j, stored()))"
			   "::BIGINT FROM range(6) AS r(j)") == 0);
	for (int i = 0; i < 2; i++)
		CHECK(number_of(e, "SELECT sum(sotto_owner_4(j, stored()))::BIGINT FROM "
				   "range(-5, 200) AS r(j) WHERE j % 90 <> 7") ==
		      5L * (FEW / 2 * (FEW / 2 - 1) / 2) - 5L * (7 + 97));
	(void)unlink(path);
	CHECK(number_of(e, "SELECT sum(sotto_owner_4(j, stored()))::BIGINT FROM range(9) AS "
			   "r(j)") == -1);
	sotto_owner_map_free(m);
	folder_close(&folder);
}

static void check_engine(const char *key, const char *unit, int bytes)
{
	const struct sotto_engine_limits limits = {.threads = 2};
	struct sotto_embedded *e = NULL;
	struct sotto_error err = {""};
	char sql[2000];

	REQUIRE(sotto_embedded_open(&limits, &e, &err) == SOTTO_OK);
	(void)snprintf(
		sql, sizeof sql,
		"CREATE TABLE keys AS SELECT CAST(CASE WHEN i %% 50 = 7 THEN NULL WHEN i "
		"%% 3 = 0 THEN i ELSE -i * 1000 - 1 END AS %s) AS k, CAST(CASE WHEN i "
		"%% 11 = 5 THEN NULL ELSE 350 - i %% 700 END AS %s) AS u FROM "
		"range(300000) AS r(i); CREATE TABLE own AS SELECT CAST(CASE WHEN i %% "
		"13 = 4 THEN NULL ELSE i * 2 END AS %s) AS j FROM range(200000) AS r(i)",
		key, unit, key);
	CHECK(sotto_embedded_execute(e, sql) == SOTTO_OK);
	(void)snprintf(
		sql, sizeof sql,
		"WITH o AS (SELECT j, sotto_owner_%d(j, m) AS u FROM own CROSS JOIN (SELECT "
		"sotto_owners(k, u) AS m FROM keys) AS v), x AS (SELECT j, u FROM o WHERE u IS "
		"NOT NULL), y AS (SELECT j, u FROM own JOIN keys ON j = k WHERE u IS NOT NULL) "
		"SELECT count(*) FROM ((FROM x EXCEPT ALL FROM y) UNION ALL (FROM y EXCEPT ALL "
		"FROM x))",
		bytes);
	CHECK(number_of(e, sql) == 0);
	CHECK(number_of(e, "SELECT count(*) FROM (SELECT sotto_owner_8(j, m) AS u FROM own "
			   "CROSS JOIN (SELECT sotto_owners(k, u) AS m FROM keys WHERE FALSE) "
			   "AS v) WHERE u IS NOT NULL") == 0);
	CHECK(number_of(e, "SELECT sotto_owners(k, u)::BIGINT FROM (SELECT 5 AS k, 1 AS u "
			   "UNION ALL SELECT 5, 2)") == -1);
	CHECK(number_of(e, "SELECT sotto_owners(k::VARCHAR, u)::BIGINT FROM keys") == -1);
	CHECK(number_of(e, "SELECT count(sotto_owner_8(j, 9999)) FROM own") == -1);
	CHECK(number_of(e, "SELECT count(sotto_owner_8(j, sotto_stored('/dev/null'))) FROM "
			   "own") == -1);
	check_stored(e);
	sotto_embedded_close(e);
}

static void a_map_finds_each_key(void)
{
	for (int kind = 0; kind < 5; kind++)
		for (int width = 0; width < 3; width++)
			for (size_t parts = 1; parts <= 7; parts += 3) {
				check_map(kind, width, false, parts);
				check_map(kind, width, true, parts);
			}
}

static void a_map_finds_what_a_join_finds(void)
{
	check_engine("INTEGER", "BIGINT", 8);
	check_engine("BIGINT", "INTEGER", 4);
}

int main(void)
{
	RUN(a_map_finds_each_key);
	RUN(no_byte_of_a_file_can_change);
	RUN(an_empty_map_is_a_file_too);
	RUN(a_map_finds_what_a_join_finds);
	return tap_done();
}
