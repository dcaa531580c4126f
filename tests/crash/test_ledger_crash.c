/*
 * The ledger's invariants (1) to (4) and (6) when the process or the power dies at
 * any operation on any file, when the disk is full, and when one operation fails.
 */
#include "core/ledger/ledger_inside.h"
#include "sotto/ledger.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testlib/crashfs.h"
#include "testlib/effort.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

enum { CHARGES = 4 };

static struct folder folder;
static char path[FOLDER_PATH_MAX];

static enum sotto_status open_ledger(struct sotto_ledger **l)
{
	const struct sotto_ledger_terms terms = {.policy = "unit: row\n"};
	struct sotto_ledger_budget budget;
	enum sotto_status st;

	sotto_ledger_budget_init(&budget);
	if (sotto_rational_parse(&budget.epsilon, "1", NULL) != SOTTO_OK)
		abort();
	st = access(path, F_OK) == 0 ? SOTTO_OK : sotto_ledger_create(path, &terms, NULL);
	if (st == SOTTO_OK)
		st = sotto_ledger_open(path, NULL, &budget, l, NULL);
	sotto_ledger_budget_release(&budget);
	return st;
}

/* A tenth, as one release or as one of two parts: then half a tenth must never be seen. */
static enum sotto_status charge_tenth(struct sotto_ledger *l, bool in_parts, uint64_t *entry)
{
	struct sotto_rational half;
	struct sotto_cost part, cost;
	const struct sotto_ledger_part parts[] = {{"first", &part}, {"second", &part}};
	struct sotto_ledger_release release = {.analyst = "ada",
					       .query = "SELECT 1",
					       .key = "key",
					       .cost = &cost,
					       .parts = in_parts ? parts : NULL,
					       .part_count = in_parts ? 2 : 0};
	enum sotto_status st;

	sotto_rational_init(&half);
	sotto_cost_init(&part);
	sotto_cost_init(&cost);
	if (sotto_rational_parse(&half, "0.05", NULL) != SOTTO_OK ||
	    sotto_cost_set_pure(&part, &half) != SOTTO_OK)
		abort();
	sotto_cost_add(&cost, &part);
	sotto_cost_add(&cost, &part);
	st = sotto_ledger_charge(l, &release, entry, NULL);
	sotto_cost_release(&cost);
	sotto_cost_release(&part);
	sotto_rational_release(&half);
	return st;
}

static enum sotto_status check_parts(void *context, const struct sotto_ledger_entry *e)
{
	(void)context;
	CHECK(e->part_count == 0 || e->part_count == 2);
	return SOTTO_OK;
}

/* How many tenths are spent; -1 if the ledger does not open. */
static int tenths_spent(void)
{
	struct sotto_ledger_totals t;
	struct sotto_ledger *l;
	int n = -1;

	if (open_ledger(&l) != SOTTO_OK)
		return -1;
	sotto_ledger_totals_init(&t);
	if (sotto_ledger_totals(l, NULL, &t, NULL) == SOTTO_OK) {
		mpz_mul_ui(mpq_numref(t.spent.epsilon.q), mpq_numref(t.spent.epsilon.q), 10);
		mpq_canonicalize(t.spent.epsilon.q);
		n = (int)mpz_get_si(mpq_numref(t.spent.epsilon.q));
		CHECK(mpz_cmp_ui(mpq_denref(t.spent.epsilon.q), 1) == 0);
		CHECK_INT(sotto_ledger_each(l, check_parts, NULL, NULL), SOTTO_OK);
	}
	sotto_ledger_totals_release(&t);
	sotto_ledger_close(l);
	return n;
}

/* Opens, charges, answers, and says one byte for each charge that was acknowledged. */
static void work(int out)
{
	struct sotto_ledger *l;

	if (open_ledger(&l) != SOTTO_OK)
		_exit(3);
	for (int i = 0; i < CHARGES; i++) {
		uint64_t entry;

		if (charge_tenth(l, i % 2 == 0, &entry) != SOTTO_OK ||
		    write(out, "x", 1) != 1 ||
		    sotto_ledger_answer(l, entry, "noisy", NULL) != SOTTO_OK)
			_exit(4);
	}
	sotto_ledger_close(l);
	_exit(0);
}

/* Runs work() in a child that dies at operation n; true if it came to its end instead. */
static bool run_until_death(enum crashfs_mode mode, long n, int *acknowledged)
{
	int ends[2], status = 0;
	pid_t child;
	char c;

	*acknowledged = 0;
	if (pipe(ends) != 0)
		abort();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		crashfs_install(mode, n, (uint64_t)n);
		work(ends[1]);
	}
	close(ends[1]);
	while (read(ends[0], &c, 1) == 1)
		++*acknowledged;
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void spend_tenths(int n)
{
	struct sotto_ledger *l;
	uint64_t entry;

	if (open_ledger(&l) != SOTTO_OK)
		abort();
	while (n--)
		CHECK_INT(charge_tenth(l, n % 2 == 0, &entry), SOTTO_OK);
	sotto_ledger_close(l);
}

/*
 * Dies at every operation in turn, starting from a ledger that holds `before` tenths.  The
 * sanitizers see the same code at every fifth.
 */
static long die_everywhere(enum crashfs_mode mode, int before)
{
	long stride = effort() == EFFORT_SANITIZED ? 5 : 1;
	bool ended = false;
	long n = 1 - stride;

	while (!ended && n < 1000) {
		int acknowledged, spent;

		folder_empty(&folder);
		if (before)
			spend_tenths(before);
		n += stride;
		ended = run_until_death(mode, n, &acknowledged);
		spent = tenths_spent();
		CHECK(spent >= before + acknowledged);
		CHECK(spent <= before + acknowledged + 1);
	}
	CHECK(ended);
	return n;
}

static void killed_before_any_operation(void)
{
	tap_note("%ld operations on a new ledger", die_everywhere(CRASHFS_KILL_BEFORE, 0));
	tap_note("%ld on an old one", die_everywhere(CRASHFS_KILL_BEFORE, 3));
}

static void killed_in_the_middle_of_any_write(void)
{
	die_everywhere(CRASHFS_KILL_HALF, 0);
	die_everywhere(CRASHFS_KILL_HALF, 3);
}

static void killed_after_any_operation(void)
{
	die_everywhere(CRASHFS_KILL_AFTER, 0);
	die_everywhere(CRASHFS_KILL_AFTER, 3);
}

static void the_power_fails_at_any_operation(void)
{
	for (int repeat = 0; repeat < 3; repeat++)
		die_everywhere(CRASHFS_POWER, repeat);
}

/* Dies again and again on one ledger until the budget is gone: never more than ten tenths. */
static void crashes_in_a_row_never_give_budget_back(void)
{
	int total = 0, acknowledged, last = 0;

	folder_empty(&folder);
	for (long n = 1; n < 400 && last < 10; n++) {
		int spent;

		(void)run_until_death(n % 2 ? CRASHFS_KILL_HALF : CRASHFS_POWER, 1 + n % 97,
				      &acknowledged);
		total += acknowledged;
		spent = tenths_spent();
		CHECK(spent >= last && spent >= total && spent <= 10);
		last = spent;
	}
	CHECK_INT(last, 10);
	CHECK(total <= 10);
}

/* Opens and charges in this process under the layer; returns the charges that were made. */
static int charge_under(enum crashfs_mode mode, long n)
{
	struct sotto_ledger *l = NULL;
	int acknowledged = 0;
	uint64_t entry;

	folder_empty(&folder);
	crashfs_install(mode, n, 1);
	if (open_ledger(&l) == SOTTO_OK)
		for (int i = 0; i < CHARGES; i++)
			acknowledged += charge_tenth(l, i % 2 == 0, &entry) == SOTTO_OK;
	sotto_ledger_close(l);
	crashfs_remove();
	return acknowledged;
}

/* One operation fails, or all writes from it on: the caller is told, and can go on later. */
static void fail_everywhere(enum crashfs_mode mode)
{
	long operations;

	CHECK_INT(charge_under(CRASHFS_COUNT, 0), CHARGES);
	operations = crashfs_operations();
	CHECK(operations > 20);
	for (long n = 1; n <= operations; n++) {
		int acknowledged = charge_under(mode, n), spent = tenths_spent();

		CHECK(spent >= acknowledged);
		CHECK(spent <= CHARGES);
	}
}

static void a_full_disk_loses_nothing(void)
{
	fail_everywhere(CRASHFS_FULL);
}

static void a_failing_operation_loses_nothing(void)
{
	fail_everywhere(CRASHFS_IOERR);
}

static void a_read_only_disk_charges_nothing(void)
{
	struct sotto_ledger *l = NULL;
	uint64_t entry;

	folder_empty(&folder);
	spend_tenths(1);
	crashfs_install(CRASHFS_READONLY, 0, 1);
	if (open_ledger(&l) == SOTTO_OK) {
		CHECK_INT(charge_tenth(l, true, &entry), SOTTO_EIO);
		sotto_ledger_close(l);
	}
	crashfs_remove();
	CHECK_INT(tenths_spent(), 1);
}

int main(void)
{
	folder_open(&folder);
	folder_file(&folder, "ledger.db", path);
	RUN(killed_before_any_operation);
	RUN(killed_in_the_middle_of_any_write);
	RUN(killed_after_any_operation);
	RUN(the_power_fails_at_any_operation);
	RUN(crashes_in_a_row_never_give_budget_back);
	RUN(a_full_disk_loses_nothing);
	RUN(a_failing_operation_loses_nothing);
	RUN(a_read_only_disk_charges_nothing);
	folder_close(&folder);
	return tap_done();
}
