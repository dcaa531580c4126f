/* The ledger: exact to the last unit, it remembers, and each share binds its analyst. */
#include "core/ledger/ledger_inside.h"
#include "sotto/ledger.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testlib/fake_time.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/tap.h"

static void text_of(const struct sotto_rational *x, char out[64])
{
	char *text = NULL;

	CHECK_INT(sotto_rational_format(x, &text), SOTTO_OK);
	snprintf(out, 64, "%s", text);
	free(text);
}

static void equal_shares_spend_the_budget_to_the_last_unit(void)
{
	struct sotto_ledger *l;
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	for (int i = 0; i < 10; i++)
		CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge_as(l, "ada", "1e-30", "k", NULL, &b.err), SOTTO_EBUDGET);
	CHECK(strstr(b.err.text, "epsilon") != NULL);
	ledgers_spent(l, text);
	CHECK_STR(text, "1");
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void a_refusal_costs_nothing_and_the_rest_can_still_be_spent(void)
{
	struct sotto_ledger *l;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.75", NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.5", NULL), SOTTO_EBUDGET);
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void what_was_spent_is_remembered(void)
{
	struct sotto_ledger *l;
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "1/3", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	ledgers_spent(l, text);
	CHECK_STR(text, "1/3");
	CHECK_INT(ledgers_charge(l, "2/3", NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "1/1000000", NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void a_share_binds_its_analyst_and_nobody_else(void)
{
	struct sotto_ledger_budget share;
	struct sotto_ledger *l;
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "0");
	sotto_ledger_budget_init(&share);
	CHECK_INT(sotto_rational_parse(&share.epsilon, "0.3", NULL), SOTTO_OK);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge_as(l, "eve", "0.2", "k", NULL, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_share(l, "eve", &share, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_share(l, "eve", &share, NULL), SOTTO_EINVAL);
	ledgers_spent_by(l, "eve", text);
	CHECK_STR(text, "0.2");
	CHECK_INT(ledgers_charge_as(l, "eve", "0.2", "k", NULL, &b.err), SOTTO_EBUDGET);
	CHECK(strstr(b.err.text, "eve") != NULL);
	CHECK_INT(ledgers_charge_as(l, "eve", "0.1", "k", NULL, NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge_as(l, "ada", "0.7", "k", NULL, NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge_as(l, "ada", "0.1", "k", NULL, NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	sotto_ledger_budget_release(&share);
	ledgers_end(&b);
}

static void totals_say_the_budget_the_spent_and_the_left(void)
{
	struct sotto_ledger_totals t;
	struct sotto_ledger *l;
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "1e-5");
	b.budget.window = 3600;
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.3", NULL), SOTTO_OK);
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
	ledgers_end(&b);
}

static void a_lowered_budget_counts_what_was_spent_before(void)
{
	struct sotto_ledger *l;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.8", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(sotto_rational_parse(&b.budget.epsilon, "0.5", NULL), SOTTO_OK);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.01", NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	CHECK_INT(sotto_rational_parse(&b.budget.epsilon, "0.9", NULL), SOTTO_OK);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.01", NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void a_window_renews_the_budget_and_a_clock_going_back_does_not(void)
{
	struct sotto_ledger *l;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	b.budget.window = 1000;
	fake_time = 5000500;
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_OK);
	fake_time = 4000000;
	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_EBUDGET);
	fake_time = 5000999;
	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_EBUDGET);
	fake_time = 5001000;
	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_OK);
	fake_time = 5000600; /* in the window before, which was renewed once */
	CHECK_INT(ledgers_charge(l, "0.5", NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.5", NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	ledgers_end(&b);
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
	struct ledgers b;
	char text[64];

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(sotto_ledger_open(b.path, NULL, &nothing, &l, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, NULL), SOTTO_EINVAL);
	release.cost = &free_of_cost;
	CHECK_INT(sotto_ledger_charge(l, &release, &entry, NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_EBUDGET);
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
	ledgers_end(&b);
}

static void greedy_child(struct ledgers *b, int out)
{
	struct sotto_ledger *l;

	if (ledgers_open(b, &l) != SOTTO_OK)
		_exit(1);
	for (;;) {
		enum sotto_status st = ledgers_charge(l, "0.01", NULL);

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
	struct ledgers b;
	char c;

	ledgers_begin(&b, "1", "0"); /* the file does not exist: they also race to make it */
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
	ledgers_end(&b);
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
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge_as(l, "ada", "0.1", "a", &entry, NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge_as(l, "eve", "0.1", "b", NULL, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, entry, "1", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_each(l, collect, text, NULL), SOTTO_OK);
	CHECK_STR(text, "1:owner:0 2:ada:1 3:eve:0 ");
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static void bad_budgets_are_refused(void)
{
	struct sotto_ledger *l;
	struct ledgers b;

	ledgers_begin(&b, "-1", "0");
	CHECK_INT(ledgers_open(&b, &l), SOTTO_EINVAL);
	ledgers_end(&b);
	ledgers_begin(&b, "1", "1");
	CHECK_INT(ledgers_open(&b, &l), SOTTO_EINVAL);
	ledgers_end(&b);
}

static void the_file_is_its_owners_alone(void)
{
	struct sotto_ledger *l;
	struct stat about;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	REQUIRE(stat(b.path, &about) == 0);
	CHECK_INT(about.st_mode & 0777, 0600);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

int main(void)
{
	RUN(equal_shares_spend_the_budget_to_the_last_unit);
	RUN(a_refusal_costs_nothing_and_the_rest_can_still_be_spent);
	RUN(what_was_spent_is_remembered);
	RUN(a_share_binds_its_analyst_and_nobody_else);
	RUN(totals_say_the_budget_the_spent_and_the_left);
	RUN(a_lowered_budget_counts_what_was_spent_before);
	RUN(a_window_renews_the_budget_and_a_clock_going_back_does_not);
	RUN(many_processes_never_overspend);
	RUN(the_history_is_complete_and_in_order);
	RUN(bad_budgets_are_refused);
	RUN(zeroed_structs_are_empty_values);
	RUN(the_file_is_its_owners_alone);
	return tap_done();
}
