/* What is damaged, foreign or forged is refused, and nothing that was spent is given back. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ledger/ledger_inside.h"
#include "core/ledger/store/ledger_store.h"
#include "sotto/ledger.h"
#include "testlib/fake_time.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/tap.h"

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	CHECK(f && fwrite(bytes, 1, n, f) == n);
	if (f)
		fclose(f);
}

static void foreign_files_are_refused(void)
{
	struct sotto_ledger *l;
	sqlite3 *db;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	write_file(b.path, "", 0);
	CHECK_INT(ledgers_open(&b, &l), SOTTO_ECORRUPT);
	write_file(b.path, "name,age\nada,36\n", 16);
	CHECK_INT(ledgers_open(&b, &l), SOTTO_ECORRUPT);
	unlink(b.path);
	CHECK_INT(sqlite3_open(b.path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	CHECK_INT(ledgers_open(&b, &l), SOTTO_ECORRUPT);
	unlink(b.path);
	folder_file(&b.folder, "no/such/folder/ledger.db", b.path);
	CHECK_INT(ledgers_open(&b, &l), SOTTO_EIO);
	CHECK(strstr(b.err.text, "folder") != NULL);
	ledgers_end(&b);
}

static void a_newer_version_is_refused(void)
{
	struct sotto_ledger *l;
	sqlite3 *db;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(sqlite3_open(b.path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, "PRAGMA user_version = 6", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	CHECK_INT(ledgers_open(&b, &l), SOTTO_ESTATE);
	CHECK(strstr(b.err.text, "newer version") != NULL);
	ledgers_end(&b);
}

/* Edits that SQLite itself finds nothing wrong with. */
static void edited_rows_break_the_chain(void)
{
	static const char *const edits[] = {
		"UPDATE entry SET epsilon = '0.01' WHERE number = 3",
		"UPDATE entry SET rho = '0' WHERE number = 2",
		"UPDATE entry SET analyst = 'eve' WHERE number = 4",
		"UPDATE entry SET time = time - 1 WHERE number = 2",
		"DELETE FROM entry WHERE number = 4",
		"DELETE FROM entry WHERE number = 2",
		"DELETE FROM entry; UPDATE head SET number = 0",
		"DELETE FROM entry WHERE number = 4; UPDATE head SET number = 3",
		"UPDATE entry SET number = 5 WHERE number = 4",
		"DELETE FROM head",
		"UPDATE head SET hash = x'00'",
		"DROP TABLE entry",
		"UPDATE entry SET data = 'neighbours replace-one' WHERE number = 1",
		"DELETE FROM entry WHERE number = 1",
		"UPDATE entry SET kind = 3 WHERE number = 3",
		"UPDATE entry SET kind = 1 WHERE number = 4",
		"UPDATE entry SET kind = 7 WHERE number = 3",
		"UPDATE entry SET data = 'other' WHERE number = 3",
		"UPDATE entry SET format = 1 WHERE number = 3",
		"UPDATE entry SET parts = 1 WHERE number = 3",
		"DROP TABLE part",
	};

	for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
		struct sotto_ledger *l;
		struct ledgers b;
		sqlite3 *db;

		ledgers_begin(&b, "1", "0");
		REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
		for (int k = 0; k < 3; k++)
			CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_OK);
		sotto_ledger_close(l);
		CHECK_INT(sqlite3_open(b.path, &db), SQLITE_OK);
		CHECK_INT(sqlite3_exec(db, edits[i], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		CHECK_INT(ledgers_open(&b, &l), SOTTO_ECORRUPT);
		ledgers_end(&b);
	}
}

/* Charges a cost as it is. */
static enum sotto_status
charge_raw(struct sotto_ledger *l, const char *epsilon, const char *delta, const char *rho)
{
	struct sotto_cost cost;
	struct sotto_ledger_release release = {
		.analyst = "ada", .query = "q", .key = "k", .cost = &cost};
	enum sotto_status st;
	uint64_t entry;

	sotto_cost_init(&cost);
	CHECK_INT(sotto_rational_parse(&cost.epsilon, epsilon, NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_parse(&cost.delta, delta, NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_parse(&cost.rho, rho, NULL), SOTTO_OK);
	st = sotto_ledger_charge(l, &release, &entry, NULL);
	sotto_cost_release(&cost);
	return st;
}

static const char *const below_nothing[][3] = {
	{"-0.5", "0", "0"}, {"0", "-1e-6", "0"}, {"0", "0", "-0.1"}};

static void a_negative_cost_is_refused(void)
{
	struct sotto_ledger *l;
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "1e-5");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.6", NULL), SOTTO_OK);
	for (size_t i = 0; i < 3; i++)
		CHECK_INT(charge_raw(l, below_nothing[i][0], below_nothing[i][1],
				     below_nothing[i][2]),
			  SOTTO_EINVAL);
	ledgers_spent(l, text);
	CHECK_STR(text, "0.6");
	CHECK_INT(ledgers_charge(l, "0.4", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* Writes a row with the hash that belongs to it. */
static void forge(struct ledgers *b, const char *const cost[3])
{
	struct sotto_chain_row row = {
		.format = SOTTO_CHAIN_FORMAT,
		.analyst = "ada",
		.query = "q",
		.key = (const uint8_t[SOTTO_HASH_BYTES]){0},
		.data = "",
		.cost = {
			.bounded = true, .epsilon = cost[0], .delta = cost[1], .rho = cost[2]}};
	struct sotto_store_head head;
	struct sotto_store store;

	REQUIRE(sotto_store_open(&store, b->path, NULL) == SOTTO_OK);
	REQUIRE(sotto_store_begin(&store, true, NULL) == SOTTO_OK);
	REQUIRE(sotto_store_head(&store, &head, NULL) == SOTTO_OK);
	row.number = ++head.number;
	row.time = fake_time;
	sotto_chain_extend(head.hash, &row);
	REQUIRE(sotto_store_append(&store, &row, &head, NULL) == SOTTO_OK);
	REQUIRE(sotto_store_commit(&store, NULL) == SOTTO_OK);
	sotto_store_close(&store);
}

static void a_forged_negative_cost_is_damage(void)
{
	static const char *const sound[] = {"0.1", "0", "0.005"};

	for (size_t i = 0; i <= 3; i++) {
		struct sotto_ledger *l;
		struct ledgers b;

		ledgers_begin(&b, "1", "1e-5");
		REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
		CHECK_INT(ledgers_charge(l, "0.6", NULL), SOTTO_OK);
		forge(&b, i < 3 ? below_nothing[i] : sound);
		CHECK_INT(ledgers_charge(l, "0.1", NULL), i < 3 ? SOTTO_ECORRUPT : SOTTO_OK);
		sotto_ledger_close(l);
		CHECK_INT(ledgers_open(&b, &l), i < 3 ? SOTTO_ECORRUPT : SOTTO_OK);
		sotto_ledger_close(l);
		ledgers_end(&b);
	}
}

static void a_cost_of_nothing_is_an_entry_like_others(void)
{
	struct sotto_ledger *l;
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(charge_raw(l, "0", "0", "0"), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_OK);
	ledgers_spent(l, text);
	CHECK_STR(text, "1");
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* The whole file; the caller frees it. */
static uint8_t *read_file(const char *path, long *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes;

	if (!f || fseek(f, 0, SEEK_END) != 0)
		abort();
	*size = ftell(f);
	rewind(f);
	bytes = malloc((size_t)*size);
	if (!bytes || fread(bytes, 1, (size_t)*size, f) != (size_t)*size)
		abort();
	fclose(f);
	return bytes;
}

/* Flips one bit of the file at a time: refused, or nothing is lost. */
static void no_flipped_bit_gives_budget_back(void)
{
	struct sotto_ledger *l;
	long refused = 0, size;
	uint8_t *bytes;
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	for (int k = 0; k < 5; k++)
		CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	bytes = read_file(b.path, &size);
	for (long at = 0; at < size; at += bytes[at] ? 1 : 61) {
		bytes[at] ^= (uint8_t)(1u << at % 8);
		folder_empty(&b.folder);
		write_file(b.path, bytes, (size_t)size);
		bytes[at] ^= (uint8_t)(1u << at % 8);
		if (ledgers_open(&b, &l) != SOTTO_OK) {
			refused++;
			continue;
		}
		ledgers_spent(l, text);
		CHECK_STR(text, "0.5");
		sotto_ledger_close(l);
	}
	CHECK(refused > 100);
	free(bytes);
	ledgers_end(&b);
}

int main(void)
{
	RUN(foreign_files_are_refused);
	RUN(a_newer_version_is_refused);
	RUN(edited_rows_break_the_chain);
	RUN(a_negative_cost_is_refused);
	RUN(a_forged_negative_cost_is_damage);
	RUN(a_cost_of_nothing_is_an_entry_like_others);
	RUN(no_flipped_bit_gives_budget_back);
	return tap_done();
}
