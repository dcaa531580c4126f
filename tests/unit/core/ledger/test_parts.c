/* A release of several parts is one charge; copies and older ledgers keep what they hold. */
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ledger/ledger_inside.h"
#include "core/ledger/ledger_chain.h"
#include "sotto/ledger.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/tap.h"

static enum sotto_status collect(void *context, const struct sotto_ledger_entry *e)
{
	char *text = context;
	size_t used = strlen(text);

	used += (size_t)snprintf(text + used, 512 - used, "%d:%d:%d", (int)e->number,
				 (int)e->part_count, e->answered);
	for (size_t i = 0; i < e->part_count; i++)
		used += (size_t)snprintf(text + used, 512 - used, ",%s %g", e->parts[i].what,
					 mpq_get_d(e->parts[i].cost->epsilon.q));
	snprintf(text + used, 512 - used, " ");
	return SOTTO_OK;
}

static void history(struct sotto_ledger *l, char text[512])
{
	text[0] = '\0';
	CHECK_INT(sotto_ledger_each(l, collect, text, NULL), SOTTO_OK);
}

static void several_parts_are_one_entry_and_one_answer(void)
{
	struct sotto_ledger *l;
	struct ledgers b;
	uint64_t entry = 0;
	char text[512];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge_parts(l, "0.25", 3, "cube", &entry, NULL), SOTTO_OK);
	CHECK_INT(entry, 2);
	CHECK_INT(sotto_ledger_answer(l, entry, "all three", NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	history(l, text);
	CHECK_STR(text, "1:0:0 2:3:1,part 0.25,part 0.25,part 0.25 3:0:0 ");
	ledgers_spent(l, text);
	CHECK_STR(text, "1");
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void parts_that_do_not_all_fit_charge_nothing(void)
{
	struct sotto_ledger *l;
	struct ledgers b;
	uint64_t entry = 77;
	char text[512];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge_parts(l, "0.3", 4, "cube", &entry, &b.err), SOTTO_EBUDGET);
	CHECK_INT(entry, 77);
	history(l, text);
	CHECK_STR(text, "1:0:0 ");
	CHECK_INT(ledgers_charge_parts(l, "0.25", 4, "cube", &entry, &b.err), SOTTO_OK);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void parts_must_add_up_to_the_whole(void)
{
	struct sotto_cost whole, part;
	struct sotto_ledger_part parts[2] = {{"a", &part}, {"b", &part}};
	struct sotto_ledger_release release = {.analyst = "ada",
					       .query = "q",
					       .key = "k",
					       .cost = &whole,
					       .parts = parts,
					       .part_count = 2};
	struct sotto_rational e = {0};
	struct sotto_ledger *l;
	struct ledgers b;
	uint64_t entry;

	ledgers_begin(&b, "1", "0");
	sotto_cost_init(&whole);
	sotto_cost_init(&part);
	CHECK_INT(sotto_rational_set_ratio(&e, 1, 4), SOTTO_OK);
	CHECK_INT(sotto_cost_set_pure(&whole, &e), SOTTO_OK);
	CHECK_INT(sotto_cost_set_pure(&part, &e), SOTTO_OK);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, &b.err), SOTTO_EINVAL);
	sotto_cost_add(&whole, &part);
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, &b.err), SOTTO_OK);
	parts[1].cost = NULL;
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, &b.err), SOTTO_EINVAL);
	release.parts = NULL;
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, &b.err), SOTTO_EINVAL);
	sotto_ledger_close(l);
	sotto_rational_release(&e);
	sotto_cost_release(&whole);
	sotto_cost_release(&part);
	ledgers_end(&b);
}

static void edit(const char *path, const char *sql)
{
	sqlite3 *db;

	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void edited_parts_break_the_chain(void)
{
	static const char *const edits[] = {
		"UPDATE part SET epsilon = '0.1' WHERE place = 2",
		"UPDATE part SET what = 'other' WHERE place = 1",
		"DELETE FROM part WHERE place = 3",
		"UPDATE part SET place = 4 WHERE place = 3",
		"INSERT INTO part VALUES(2, 4, 'x', 1, '0', '0', '0')",
		"UPDATE entry SET parts = 2",
		"UPDATE entry SET parts = 0",
	};

	for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
		struct sotto_ledger *l;
		struct ledgers b;
		uint64_t entry;

		ledgers_begin(&b, "1", "0");
		REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
		CHECK_INT(ledgers_charge_parts(l, "0.25", 3, "k", &entry, NULL), SOTTO_OK);
		sotto_ledger_close(l);
		edit(b.path, edits[i]);
		CHECK_INT(ledgers_open(&b, &l), SOTTO_ECORRUPT);
		ledgers_end(&b);
	}
}

static void a_part_without_its_entry_is_found_by_verifying(void)
{
	uint64_t entries, answers;
	struct sotto_ledger *l;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_verify(l, &entries, &answers, NULL), SOTTO_OK);
	edit(b.path, "INSERT INTO part VALUES(9, 1, 'x', 1, '0', '0', '0')");
	CHECK_INT(sotto_ledger_verify(l, &entries, &answers, NULL), SOTTO_ECORRUPT);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* A cost that could not be read back would make the ledger useless for ever. */
static void a_cost_that_cannot_be_read_back_is_refused(void)
{
	static const char *const epsilons[] = {"1e-9999", "1/3e4200"};
	struct sotto_ledger *l;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	for (size_t i = 0; i < 2; i++)
		CHECK_INT(ledgers_charge(l, epsilons[i], &b.err), SOTTO_ERANGE);
	CHECK(strstr(b.err.text, "digits") != NULL);
	CHECK_INT(ledgers_charge(l, "1e-39", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(ledgers_open(&b, &l), SOTTO_OK);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void a_copy_holds_all_and_is_its_owners_alone(void)
{
	char copy[FOLDER_PATH_MAX], text[512];
	struct sotto_ledger *l, *other = NULL;
	struct stat about;
	struct ledgers b;
	uint64_t entry;

	ledgers_begin(&b, "1", "0");
	folder_file(&b.folder, "copy.db", copy);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge_parts(l, "0.25", 2, "k", &entry, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, entry, "noisy", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_backup(l, copy, &b.err), SOTTO_OK);
	CHECK_INT(stat(copy, &about), 0);
	CHECK_INT(about.st_mode & 0777, 0600);
	CHECK_INT(sotto_ledger_backup(l, copy, &b.err), SOTTO_ESTATE);
	CHECK(strstr(b.err.text, "already exists") != NULL);
	CHECK_INT(ledgers_charge(l, "0.5", NULL), SOTTO_OK); /* the ledger goes on */
	CHECK_INT(sotto_ledger_open(copy, NULL, &b.budget, &other, NULL), SOTTO_OK);
	history(other, text);
	CHECK_STR(text, "1:0:0 2:2:1,part 0.25,part 0.25 ");
	CHECK_INT(sotto_ledger_backup(l, "/no/such/folder/copy.db", &b.err), SOTTO_EIO);
	sotto_ledger_close(other);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

/* ---- older ledgers --------------------------------------------------------------------------- */

/* A ledger as the first version wrote it, with two entries of a quarter each. */
static void write_first_version(const char *path)
{
	uint8_t hash[SOTTO_HASH_BYTES] = {0}, key[SOTTO_HASH_BYTES], policy[SOTTO_HASH_BYTES];
	char hex[SOTTO_HASH_HEX], keys[SOTTO_HASH_HEX], sql[1000];

	edit(path, "PRAGMA application_id = 1936684148; PRAGMA user_version = 1;"
		   "CREATE TABLE policy(hash TEXT NOT NULL) STRICT;"
		   "CREATE TABLE head(number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;"
		   "CREATE TABLE entry(number INTEGER PRIMARY KEY, time INTEGER NOT NULL,"
		   " analyst TEXT NOT NULL, query TEXT NOT NULL, key BLOB NOT NULL,"
		   " bounded INTEGER NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
		   " rho TEXT NOT NULL, hash BLOB NOT NULL) STRICT;"
		   "CREATE INDEX entry_by_key ON entry(key);"
		   "CREATE TABLE answer(number INTEGER PRIMARY KEY REFERENCES entry(number),"
		   " text TEXT NOT NULL, hash BLOB NOT NULL) STRICT;"
		   "INSERT INTO head VALUES(0, zeroblob(32)); PRAGMA journal_mode = WAL");
	sotto_chain_fingerprint("sotto ledger policy 1", "unit: patient", policy);
	sotto_chain_hex(policy, hex);
	snprintf(sql, sizeof sql, "INSERT INTO policy VALUES('%s')", hex);
	edit(path, sql);
	sotto_chain_fingerprint("sotto ledger key 1", "k", key);
	sotto_chain_hex(key, keys);
	for (int i = 1; i <= 2; i++) {
		const struct sotto_chain_row row = {.format = SOTTO_CHAIN_FORMAT_OLD,
						    .number = (uint64_t)i,
						    .time = 1000,
						    .analyst = "ada",
						    .query = "q",
						    .key = key,
						    .cost = {.bounded = true,
							     .epsilon = "0.25",
							     .delta = "0",
							     .rho = "0.03"}};

		sotto_chain_extend(hash, &row);
		sotto_chain_hex(hash, hex);
		snprintf(
			sql, sizeof sql,
			"INSERT INTO entry VALUES(%d, 1000, 'ada', 'q', x'%s', 1, '0.25', '0', "
			"'0.03', x'%s'); UPDATE head SET number = %d, hash = x'%s'",
			i, keys, hex, i, hex);
		edit(path, sql);
	}
}

/* The hash of an old row as the first version computed it, so that the rule cannot drift. */
static void the_hash_of_an_old_row_is_as_it_was(void)
{
	const struct sotto_chain_row row = {
		.format = SOTTO_CHAIN_FORMAT_OLD,
		.number = 1,
		.time = 1000,
		.analyst = "ada",
		.query = "q",
		.key = (const uint8_t[SOTTO_HASH_BYTES]){0},
		.cost = {.bounded = true, .epsilon = "0.25", .delta = "0", .rho = "0.03"}};
	uint8_t hash[SOTTO_HASH_BYTES] = {0};
	char hex[SOTTO_HASH_HEX];

	sotto_chain_extend(hash, &row);
	sotto_chain_hex(hash, hex);
	CHECK_STR(hex, "6c5ad8cf5be9dd61b1bbde1ea6fa9b8b50173d3f6398c3a490f853d1a7d81971");
}

static void a_ledger_of_the_first_version_goes_on(void)
{
	struct sotto_ledger *l;
	struct ledgers b;
	uint64_t entry;
	char text[512];

	ledgers_begin(&b, "1", "0");
	write_first_version(b.path);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	ledgers_spent(l, text);
	CHECK_STR(text, "0.5");
	CHECK_INT(ledgers_charge_parts(l, "0.25", 2, "k", &entry, NULL), SOTTO_OK);
	CHECK_INT(entry, 3);
	CHECK_INT(ledgers_charge(l, "0.01", NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	history(l, text);
	CHECK_STR(text, "1:0:0 2:0:0 3:2:0,part 0.25,part 0.25 ");
	sotto_ledger_close(l);
	edit(b.path, "UPDATE entry SET kind = 1 WHERE number = 2");
	CHECK_INT(ledgers_open(&b, &l), SOTTO_ECORRUPT);
	ledgers_end(&b);
}

int main(void)
{
	RUN(several_parts_are_one_entry_and_one_answer);
	RUN(parts_that_do_not_all_fit_charge_nothing);
	RUN(parts_must_add_up_to_the_whole);
	RUN(edited_parts_break_the_chain);
	RUN(a_part_without_its_entry_is_found_by_verifying);
	RUN(a_cost_that_cannot_be_read_back_is_refused);
	RUN(a_copy_holds_all_and_is_its_owners_alone);
	RUN(the_hash_of_an_old_row_is_as_it_was);
	RUN(a_ledger_of_the_first_version_goes_on);
	return tap_done();
}
