/* The ledger: exact to the last unit, remembers, refuses what is damaged or foreign. */
#include "core/ledger/ledger_inside.h"
#include "sotto/ledger.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/ledger/store/ledger_store.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

static time_t fake_time = 1000000;

/* Takes the place of the C library's for the code under test. */
time_t time(time_t *out)
{
	if (out)
		*out = fake_time;
	return fake_time;
}

struct bench {
	struct folder folder;
	char path[FOLDER_PATH_MAX];
	struct sotto_ledger_budget budget;
	struct sotto_error err;
};

static void bench_open(struct bench *b, const char *epsilon, const char *delta)
{
	folder_open(&b->folder);
	folder_file(&b->folder, "ledger.db", b->path);
	sotto_ledger_budget_init(&b->budget);
	CHECK_INT(sotto_rational_parse(&b->budget.epsilon, epsilon, NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_parse(&b->budget.delta, delta, NULL), SOTTO_OK);
	b->err.text[0] = '\0';
}

static void bench_close(struct bench *b)
{
	sotto_ledger_budget_release(&b->budget);
	folder_close(&b->folder);
}

static enum sotto_status open_it(struct bench *b, struct sotto_ledger **l)
{
	const struct sotto_ledger_terms terms = {.policy = "unit: patient\n"};

	*l = NULL;
	if (access(b->path, F_OK) != 0 &&
	    sotto_ledger_create(b->path, &terms, &b->err) != SOTTO_OK &&
	    access(b->path, F_OK) != 0) /* another process may be quicker */
		return SOTTO_EIO;
	return sotto_ledger_open(b->path, NULL, &b->budget, l, &b->err);
}

static enum sotto_status charge_as(struct sotto_ledger *l, const char *analyst,
				   const char *epsilon, const char *key, uint64_t *entry,
				   struct sotto_error *err)
{
	struct sotto_rational e;
	struct sotto_cost cost;
	struct sotto_ledger_release release = {.analyst = analyst,
					       .query = "SELECT COUNT(*) FROM t",
					       .key = key,
					       .cost = &cost};
	uint64_t ignored;
	enum sotto_status st;

	sotto_rational_init(&e);
	sotto_cost_init(&cost);
	CHECK_INT(sotto_rational_parse(&e, epsilon, NULL), SOTTO_OK);
	CHECK_INT(sotto_cost_set_pure(&cost, &e), SOTTO_OK);
	st = sotto_ledger_charge(l, &release, entry ? entry : &ignored, err);
	sotto_cost_release(&cost);
	sotto_rational_release(&e);
	return st;
}

static enum sotto_status charge(struct sotto_ledger *l, const char *epsilon)
{
	return charge_as(l, "ada", epsilon, "k", NULL, NULL);
}

static void text_of(const struct sotto_rational *x, char out[64])
{
	char *text = NULL;

	CHECK_INT(sotto_rational_format(x, &text), SOTTO_OK);
	snprintf(out, 64, "%s", text);
	free(text);
}

/* Epsilon spent, as text. */
static void spent(struct sotto_ledger *l, const char *analyst, char out[64])
{
	struct sotto_ledger_totals t;

	sotto_ledger_totals_init(&t);
	CHECK_INT(sotto_ledger_totals(l, analyst, &t, NULL), SOTTO_OK);
	text_of(&t.spent.epsilon, out);
	sotto_ledger_totals_release(&t);
}

static void equal_shares_spend_the_budget_to_the_last_unit(void)
{
	struct sotto_ledger *l;
	struct bench b;
	char text[64];

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	for (int i = 0; i < 10; i++)
		CHECK_INT(charge(l, "0.1"), SOTTO_OK);
	CHECK_INT(charge_as(l, "ada", "1e-30", "k", NULL, &b.err), SOTTO_EBUDGET);
	CHECK(strstr(b.err.text, "epsilon") != NULL);
	spent(l, NULL, text);
	CHECK_STR(text, "1");
	sotto_ledger_close(l);
	bench_close(&b);
}

static void a_refusal_costs_nothing_and_the_rest_can_still_be_spent(void)
{
	struct sotto_ledger *l;
	struct bench b;

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge(l, "0.75"), SOTTO_OK);
	CHECK_INT(charge(l, "0.5"), SOTTO_EBUDGET);
	CHECK_INT(charge(l, "0.25"), SOTTO_OK);
	CHECK_INT(charge(l, "0.25"), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	bench_close(&b);
}

static void what_was_spent_is_remembered(void)
{
	struct sotto_ledger *l;
	struct bench b;
	char text[64];

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge(l, "1/3"), SOTTO_OK);
	sotto_ledger_close(l);
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	spent(l, NULL, text);
	CHECK_STR(text, "1/3");
	CHECK_INT(charge(l, "2/3"), SOTTO_OK);
	CHECK_INT(charge(l, "1/1000000"), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	bench_close(&b);
}

/* The stored answer of an analyst under a key, or "" if there is none. */
static void find(struct sotto_ledger *l, const char *analyst, const char *key, char out[64])
{
	struct sotto_ledger_found found = {0};

	CHECK_INT(sotto_ledger_find(l, analyst, key, &found, NULL), SOTTO_OK);
	snprintf(out, 64, "%s", found.answer ? found.answer : "");
	sotto_ledger_found_release(&found);
}

static void the_same_question_finds_the_same_answer(void)
{
	struct sotto_ledger *l;
	uint64_t entry, second;
	struct bench b;
	char text[64];

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge_as(l, "ada", "0.1", "question", &entry, NULL), SOTTO_OK);
	find(l, "ada", "question", text);
	CHECK_STR(text, "");
	CHECK_INT(sotto_ledger_answer(l, entry, "{\"rows\":[[42]]}", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, entry, "other", NULL), SOTTO_ESTATE);
	CHECK_INT(sotto_ledger_answer(l, entry + 1, "other", NULL), SOTTO_ESTATE);
	CHECK_INT(charge_as(l, "eve", "0.1", "question", &second, NULL), SOTTO_OK);
	find(l, "ada", "question", text);
	CHECK_STR(text, "{\"rows\":[[42]]}");
	find(l, "eve", "question", text);
	CHECK_STR(text, "");
	CHECK_INT(sotto_ledger_answer(l, second, "newer", NULL), SOTTO_OK);
	find(l, "eve", "question", text);
	CHECK_STR(text, "newer");
	find(l, "ada", "question ", text);
	CHECK_STR(text, "");
	sotto_ledger_close(l);
	bench_close(&b);
}

static void an_answer_is_found_under_further_keys(void)
{
	struct sotto_ledger *l;
	uint64_t entry, other, entries, answers;
	struct bench b;
	char text[64];

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge_as(l, "ada", "0.1", "question", &entry, NULL), SOTTO_OK);
	CHECK_INT(charge_as(l, "eve", "0.1", "another", &other, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, entry, "42", NULL), SOTTO_OK);
	find(l, "ada", "part of it", text);
	CHECK_STR(text, "");
	CHECK_INT(sotto_ledger_mark(l, entry, "part of it", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_mark(l, entry, "part of it", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_mark(l, other + 1, "part of it", NULL), SOTTO_ESTATE);
	CHECK_INT(sotto_ledger_mark(l, entry, NULL, NULL), SOTTO_EINVAL);
	find(l, "ada", "part of it", text);
	CHECK_STR(text, "42");
	find(l, "eve", "part of it", text);
	CHECK_STR(text, "");
	find(l, NULL, "part of it", text);
	CHECK_STR(text, "42");
	CHECK_INT(sotto_ledger_verify(l, &entries, &answers, NULL), SOTTO_OK);
	sotto_ledger_close(l);
	bench_close(&b);
}

static void an_answer_keeps_the_name_of_its_data(void)
{
	struct sotto_ledger_found found = {0};
	struct sotto_ledger *l;
	struct sotto_cost cost;
	struct sotto_ledger_release release = {
		.analyst = "ada", .query = "q", .key = "k", .cost = &cost, .data = "monday"};
	struct bench b;
	uint64_t entry;

	bench_open(&b, "1", "0");
	sotto_cost_init(&cost);
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, entry, "42", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(sotto_ledger_find(l, "ada", "k", &found, NULL), SOTTO_OK);
	CHECK_STR(found.data, "monday");
	CHECK_INT(found.number, entry);
	CHECK_INT(found.time, fake_time);
	sotto_ledger_found_release(&found);
	sotto_cost_release(&cost);
	sotto_ledger_close(l);
	bench_close(&b);
}

static void a_share_binds_its_analyst_and_nobody_else(void)
{
	struct sotto_ledger_budget share;
	struct sotto_ledger *l;
	struct bench b;
	char text[64];

	bench_open(&b, "1", "0");
	sotto_ledger_budget_init(&share);
	CHECK_INT(sotto_rational_parse(&share.epsilon, "0.3", NULL), SOTTO_OK);
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge_as(l, "eve", "0.2", "k", NULL, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_share(l, "eve", &share, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_share(l, "eve", &share, NULL), SOTTO_EINVAL);
	spent(l, "eve", text);
	CHECK_STR(text, "0.2");
	CHECK_INT(charge_as(l, "eve", "0.2", "k", NULL, &b.err), SOTTO_EBUDGET);
	CHECK(strstr(b.err.text, "eve") != NULL);
	CHECK_INT(charge_as(l, "eve", "0.1", "k", NULL, NULL), SOTTO_OK);
	CHECK_INT(charge_as(l, "ada", "0.7", "k", NULL, NULL), SOTTO_OK);
	CHECK_INT(charge_as(l, "ada", "0.1", "k", NULL, NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	sotto_ledger_budget_release(&share);
	bench_close(&b);
}

static void totals_say_the_budget_the_spent_and_the_left(void)
{
	struct sotto_ledger_totals t;
	struct sotto_ledger *l;
	struct bench b;
	char text[64];

	bench_open(&b, "1", "1e-5");
	b.budget.window = 3600;
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge(l, "0.3"), SOTTO_OK);
	sotto_ledger_totals_init(&t);
	CHECK_INT(sotto_ledger_totals(l, NULL, &t, NULL), SOTTO_OK);
	text_of(&t.budget.epsilon, text);
	CHECK_STR(text, "1");
	text_of(&t.budget.delta, text);
	CHECK_STR(text, "0.00001");
	CHECK_INT(t.budget.window, 3600);
	text_of(&t.spent.epsilon, text);
	CHECK_STR(text, "0.3");
	text_of(&t.left.epsilon, text);
	CHECK_STR(text, "0.7");
	CHECK_INT(t.entries, 1);
	sotto_ledger_totals_release(&t);
	sotto_ledger_close(l);
	bench_close(&b);
}

static void a_lowered_budget_counts_what_was_spent_before(void)
{
	struct sotto_ledger *l;
	struct bench b;

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge(l, "0.8"), SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(sotto_rational_parse(&b.budget.epsilon, "0.5", NULL), SOTTO_OK);
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge(l, "0.01"), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	CHECK_INT(sotto_rational_parse(&b.budget.epsilon, "0.9", NULL), SOTTO_OK);
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge(l, "0.1"), SOTTO_OK);
	CHECK_INT(charge(l, "0.01"), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	bench_close(&b);
}

static void a_window_renews_the_budget_and_a_clock_going_back_does_not(void)
{
	struct sotto_ledger *l;
	struct bench b;

	bench_open(&b, "1", "0");
	b.budget.window = 1000;
	fake_time = 5000500;
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge(l, "1"), SOTTO_OK);
	fake_time = 4000000;
	CHECK_INT(charge(l, "1"), SOTTO_EBUDGET);
	fake_time = 5000999;
	CHECK_INT(charge(l, "1"), SOTTO_EBUDGET);
	fake_time = 5001000;
	CHECK_INT(charge(l, "1"), SOTTO_OK);
	fake_time = 5000600; /* in the window before, which was renewed once */
	CHECK_INT(charge(l, "0.5"), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge(l, "0.5"), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	bench_close(&b);
}

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
	struct bench b;

	bench_open(&b, "1", "0");
	write_file(b.path, "", 0);
	CHECK_INT(open_it(&b, &l), SOTTO_ECORRUPT);
	write_file(b.path, "name,age\nada,36\n", 16);
	CHECK_INT(open_it(&b, &l), SOTTO_ECORRUPT);
	unlink(b.path);
	CHECK_INT(sqlite3_open(b.path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	CHECK_INT(open_it(&b, &l), SOTTO_ECORRUPT);
	unlink(b.path);
	folder_file(&b.folder, "no/such/folder/ledger.db", b.path);
	CHECK_INT(open_it(&b, &l), SOTTO_EIO);
	CHECK(strstr(b.err.text, "folder") != NULL);
	bench_close(&b);
}

static void a_newer_version_is_refused(void)
{
	struct sotto_ledger *l;
	sqlite3 *db;
	struct bench b;

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(sqlite3_open(b.path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, "PRAGMA user_version = 6", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	CHECK_INT(open_it(&b, &l), SOTTO_ESTATE);
	CHECK(strstr(b.err.text, "newer version") != NULL);
	bench_close(&b);
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
		struct bench b;
		sqlite3 *db;

		bench_open(&b, "1", "0");
		REQUIRE(open_it(&b, &l) == SOTTO_OK);
		for (int k = 0; k < 3; k++)
			CHECK_INT(charge(l, "0.1"), SOTTO_OK);
		sotto_ledger_close(l);
		CHECK_INT(sqlite3_open(b.path, &db), SQLITE_OK);
		CHECK_INT(sqlite3_exec(db, edits[i], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		CHECK_INT(open_it(&b, &l), SOTTO_ECORRUPT);
		bench_close(&b);
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
	struct bench b;
	char text[64];

	bench_open(&b, "1", "1e-5");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge(l, "0.6"), SOTTO_OK);
	for (size_t i = 0; i < 3; i++)
		CHECK_INT(charge_raw(l, below_nothing[i][0], below_nothing[i][1],
				     below_nothing[i][2]),
			  SOTTO_EINVAL);
	spent(l, NULL, text);
	CHECK_STR(text, "0.6");
	CHECK_INT(charge(l, "0.4"), SOTTO_OK);
	sotto_ledger_close(l);
	bench_close(&b);
}

/* Writes a row with the hash that belongs to it. */
static void forge(struct bench *b, const char *const cost[3])
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
		struct bench b;

		bench_open(&b, "1", "1e-5");
		REQUIRE(open_it(&b, &l) == SOTTO_OK);
		CHECK_INT(charge(l, "0.6"), SOTTO_OK);
		forge(&b, i < 3 ? below_nothing[i] : sound);
		CHECK_INT(charge(l, "0.1"), i < 3 ? SOTTO_ECORRUPT : SOTTO_OK);
		sotto_ledger_close(l);
		CHECK_INT(open_it(&b, &l), i < 3 ? SOTTO_ECORRUPT : SOTTO_OK);
		sotto_ledger_close(l);
		bench_close(&b);
	}
}

static void a_cost_of_nothing_is_an_entry_like_others(void)
{
	struct sotto_ledger *l;
	struct bench b;
	char text[64];

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge_raw(l, "0", "0", "0"), SOTTO_OK);
	CHECK_INT(charge(l, "1"), SOTTO_OK);
	spent(l, NULL, text);
	CHECK_STR(text, "1");
	sotto_ledger_close(l);
	bench_close(&b);
}

/* Zeroed budgets, totals, costs and releases are empty, not crashes. */
static void zeroed_structs_are_empty_values(void)
{
	struct sotto_ledger_totals totals = {0};
	struct sotto_ledger_budget nothing = {0};
	struct sotto_cost free_of_cost = {0};
	struct sotto_ledger_release release = {.analyst = "ada", .query = "q", .key = "k"};
	struct sotto_ledger *l = NULL;
	uint64_t entry;
	struct bench b;
	char text[64];

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(sotto_ledger_open(b.path, NULL, &nothing, &l, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, NULL), SOTTO_EINVAL);
	release.cost = &free_of_cost;
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, NULL), SOTTO_OK);
	CHECK_INT(charge(l, "0.1"), SOTTO_EBUDGET);
	CHECK_INT(sotto_ledger_totals(l, NULL, &totals, NULL), SOTTO_OK);
	text_of(&totals.left.epsilon, text);
	CHECK_STR(text, "0");
	CHECK(totals.left.basic); /* a cost of nothing does not close the basic branch */
	sotto_ledger_totals_release(&totals);
	sotto_ledger_totals_release(&totals);
	sotto_ledger_totals_release(NULL);
	sotto_ledger_budget_release(&nothing);
	sotto_ledger_close(l);
	sotto_ledger_close(NULL);
	bench_close(&b);
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
	struct bench b;
	char text[64];

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	for (int k = 0; k < 5; k++)
		CHECK_INT(charge(l, "0.1"), SOTTO_OK);
	sotto_ledger_close(l);
	bytes = read_file(b.path, &size);
	for (long at = 0; at < size; at += bytes[at] ? 1 : 61) {
		bytes[at] ^= (uint8_t)(1u << at % 8);
		folder_empty(&b.folder);
		write_file(b.path, bytes, (size_t)size);
		bytes[at] ^= (uint8_t)(1u << at % 8);
		if (open_it(&b, &l) != SOTTO_OK) {
			refused++;
			continue;
		}
		spent(l, NULL, text);
		CHECK_STR(text, "0.5");
		sotto_ledger_close(l);
	}
	CHECK(refused > 100);
	free(bytes);
	bench_close(&b);
}

static void greedy_child(struct bench *b, int out)
{
	struct sotto_ledger *l;

	if (open_it(b, &l) != SOTTO_OK)
		_exit(1);
	for (;;) {
		enum sotto_status st = charge(l, "0.01");

		if (st == SOTTO_EBUDGET)
			_exit(0);
		if (st != SOTTO_OK || write(out, "x", 1) != 1)
			_exit(2);
	}
}

static void many_processes_never_overspend(void)
{
	enum { CHILDREN = 8 };
	int ends[2], got = 0, status;
	struct bench b;
	char c;

	bench_open(&b, "1", "0"); /* the file does not exist: they also race to make it */
	REQUIRE(pipe(ends) == 0);
	fflush(stdout);
	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			greedy_child(&b, ends[1]);
	close(ends[1]);
	while (read(ends[0], &c, 1) == 1)
		got++;
	close(ends[0]);
	for (int i = 0; i < CHILDREN; i++) {
		wait(&status);
		CHECK_INT(status, 0);
	}
	CHECK_INT(got, 100);
	bench_close(&b);
}

static enum sotto_status collect(void *context, const struct sotto_ledger_entry *e)
{
	char *text = context;
	size_t used = strlen(text);

	snprintf(text + used, 256 - used, "%d:%s:%d ", (int)e->number, e->analyst, e->answered);
	return SOTTO_OK;
}

static void the_history_is_complete_and_in_order(void)
{
	struct sotto_ledger *l;
	char text[256] = "";
	uint64_t entry;
	struct bench b;

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	CHECK_INT(charge_as(l, "ada", "0.1", "a", &entry, NULL), SOTTO_OK);
	CHECK_INT(charge_as(l, "eve", "0.1", "b", NULL, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, entry, "1", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_each(l, collect, text, NULL), SOTTO_OK);
	CHECK_STR(text, "1:owner:0 2:ada:1 3:eve:0 ");
	sotto_ledger_close(l);
	bench_close(&b);
}

static void bad_budgets_are_refused(void)
{
	struct sotto_ledger *l;
	struct bench b;

	bench_open(&b, "-1", "0");
	CHECK_INT(open_it(&b, &l), SOTTO_EINVAL);
	bench_close(&b);
	bench_open(&b, "1", "1");
	CHECK_INT(open_it(&b, &l), SOTTO_EINVAL);
	bench_close(&b);
}

static void the_file_is_its_owners_alone(void)
{
	struct sotto_ledger *l;
	struct stat about;
	struct bench b;

	bench_open(&b, "1", "0");
	REQUIRE(open_it(&b, &l) == SOTTO_OK);
	REQUIRE(stat(b.path, &about) == 0);
	CHECK_INT(about.st_mode & 0777, 0600);
	sotto_ledger_close(l);
	bench_close(&b);
}

int main(void)
{
	RUN(equal_shares_spend_the_budget_to_the_last_unit);
	RUN(a_refusal_costs_nothing_and_the_rest_can_still_be_spent);
	RUN(what_was_spent_is_remembered);
	RUN(the_same_question_finds_the_same_answer);
	RUN(an_answer_is_found_under_further_keys);
	RUN(an_answer_keeps_the_name_of_its_data);
	RUN(a_share_binds_its_analyst_and_nobody_else);
	RUN(totals_say_the_budget_the_spent_and_the_left);
	RUN(a_lowered_budget_counts_what_was_spent_before);
	RUN(a_window_renews_the_budget_and_a_clock_going_back_does_not);
	RUN(foreign_files_are_refused);
	RUN(a_newer_version_is_refused);
	RUN(edited_rows_break_the_chain);
	RUN(a_negative_cost_is_refused);
	RUN(a_forged_negative_cost_is_damage);
	RUN(a_cost_of_nothing_is_an_entry_like_others);
	RUN(no_flipped_bit_gives_budget_back);
	RUN(many_processes_never_overspend);
	RUN(the_history_is_complete_and_in_order);
	RUN(bad_budgets_are_refused);
	RUN(zeroed_structs_are_empty_values);
	RUN(the_file_is_its_owners_alone);
	return tap_done();
}
