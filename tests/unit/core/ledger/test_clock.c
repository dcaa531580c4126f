/* Time in the ledger: renewed at most once a window, whatever clock and repairs do. */
#include <stdlib.h>
#include <unistd.h>

#include "sotto/ledger.h"
#include "testlib/fake_time.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/tap.h"

enum { WINDOW = 1000, TODAY = 5000500, FAR = 90000000 };

static struct sotto_ledger *begin(struct ledgers *b)
{
	struct sotto_ledger *l;

	ledgers_begin(b, "1", "0");
	b->budget.window = WINDOW;
	fake_time = TODAY;
	if (ledgers_open(b, &l) != SOTTO_OK)
		abort();
	return l;
}

static void end(struct ledgers *b, struct sotto_ledger *l)
{
	sotto_ledger_close(l);
	ledgers_end(b);
}

static enum sotto_status repair(struct sotto_ledger *l, struct sotto_error *err)
{
	int64_t from = 0, to = 0;
	enum sotto_status st = sotto_ledger_repair_clock(l, "owner", &from, &to, err);

	CHECK(st != SOTTO_OK || (to == fake_time && from > to));
	return st;
}

static struct sotto_ledger_totals totals_of(struct sotto_ledger *l)
{
	struct sotto_ledger_totals t;

	sotto_ledger_totals_init(&t);
	CHECK_INT(sotto_ledger_totals(l, NULL, &t, NULL), SOTTO_OK);
	sotto_ledger_totals_release(&t); /* the numbers stay */
	return t;
}

static void a_ledger_ahead_of_the_clock_says_so_and_when_it_is_renewed(void)
{
	struct ledgers b;
	struct sotto_ledger *l = begin(&b);

	CHECK_INT(totals_of(l).ahead, 0);
	CHECK_INT(totals_of(l).renews, 5001000);
	fake_time = FAR;
	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_OK);
	fake_time = TODAY;
	CHECK_INT(totals_of(l).ahead, FAR - TODAY);
	CHECK_INT(totals_of(l).renews, FAR + WINDOW);
	CHECK_INT(ledgers_charge(l, "0.5", &b.err), SOTTO_EBUDGET);
	CHECK(strstr(b.err.text, "renewed only at 1972-11-07T16:16:40Z") != NULL);
	CHECK(strstr(b.err.text, "sotto ledger repair-clock") != NULL);
	fake_time = FAR + 200; /* as a clock is corrected in ordinary life */
	CHECK_INT(ledgers_charge(l, "0.5", &b.err), SOTTO_EBUDGET);
	CHECK_STR(b.err.text, "the epsilon left does not cover this release; it is renewed at "
			      "1972-11-07T16:16:40Z");
	end(&b, l);
}

static void a_repair_lets_the_next_window_come(void)
{
	struct ledgers b;
	struct sotto_ledger *l = begin(&b);
	char text[64];

	fake_time = FAR;
	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_OK);
	fake_time = TODAY;
	CHECK_INT(repair(l, &b.err), SOTTO_OK);
	CHECK_INT(totals_of(l).ahead, 0);
	CHECK_INT(totals_of(l).renews, 5001000);
	ledgers_spent(l, text);
	CHECK_STR(text, "1"); /* nothing is given back */
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_EBUDGET);
	fake_time = 5001000;
	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_EBUDGET);
	end(&b, l);
}

/* What was charged before the jump and during it both count in the window of the repair. */
static void a_repair_counts_what_was_spent_before_and_after_the_jump(void)
{
	struct ledgers b;
	struct sotto_ledger *l = begin(&b);
	char text[64];

	CHECK_INT(ledgers_charge(l, "0.5", NULL), SOTTO_OK);
	fake_time = FAR;
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	fake_time = TODAY + 1;
	CHECK_INT(repair(l, &b.err), SOTTO_OK);
	ledgers_spent(l, text);
	CHECK_STR(text, "0.75");
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.01", NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	ledgers_spent(l, text);
	CHECK_STR(text, "1");
	end(&b, l);
}

/* A battery that is dead: repaired to 1970, then the clock comes back. */
static void a_repair_under_a_clock_that_is_itself_wrong_renews_nothing(void)
{
	struct ledgers b;
	struct sotto_ledger *l = begin(&b);

	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_OK);
	fake_time = 7;
	CHECK_INT(repair(l, &b.err), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_EBUDGET);
	fake_time = TODAY;
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_EBUDGET);
	fake_time = TODAY + WINDOW;
	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_OK);
	end(&b, l);
}

static void a_future_that_was_charged_is_not_renewed_when_it_comes(void)
{
	struct ledgers b;
	struct sotto_ledger *l = begin(&b);

	fake_time = FAR;
	CHECK_INT(ledgers_charge(l, "0.75", NULL), SOTTO_OK);
	fake_time = TODAY;
	CHECK_INT(repair(l, &b.err), SOTTO_OK);
	fake_time = FAR + 1;
	CHECK_INT(ledgers_charge(l, "0.5", NULL), SOTTO_EBUDGET);
	CHECK_INT(ledgers_charge(l, "0.25", NULL), SOTTO_OK);
	end(&b, l);
}

/* A clock that jumps while somebody only looks leaves no trace. */
static void looking_under_a_wrong_clock_renews_nothing(void)
{
	struct ledgers b;
	struct sotto_ledger *l = begin(&b);
	char text[64];

	CHECK_INT(ledgers_charge(l, "1", NULL), SOTTO_OK);
	fake_time = FAR;
	ledgers_left(l, text);
	CHECK_STR(text, "1");
	fake_time = TODAY;
	ledgers_left(l, text);
	CHECK_STR(text, "0");
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_EBUDGET);
	end(&b, l);
}

static void there_is_nothing_to_repair_when_the_clock_goes_on(void)
{
	struct ledgers b;
	struct sotto_ledger *l = begin(&b);

	CHECK_INT(repair(l, &b.err), SOTTO_ESTATE);
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_OK);
	CHECK_INT(repair(l, &b.err), SOTTO_ESTATE);
	CHECK(strstr(b.err.text, "nothing to repair") != NULL);
	end(&b, l);
}

static enum sotto_status collect(void *context, const struct sotto_ledger_entry *e)
{
	char *text = context;
	size_t used = strlen(text);

	snprintf(text + used, 512 - used, "%d:%d:%s ", (int)e->number, (int)e->kind,
		 e->kind == SOTTO_LEDGER_CLOCK ? e->query : e->analyst);
	return SOTTO_OK;
}

static void a_repair_is_an_entry_of_the_history_and_of_the_chain(void)
{
	struct ledgers b;
	struct sotto_ledger *l = begin(&b);
	uint64_t entries = 0, answers = 0;
	char text[512] = "";

	fake_time = FAR;
	CHECK_INT(ledgers_charge(l, "0.5", NULL), SOTTO_OK);
	fake_time = TODAY;
	CHECK_INT(repair(l, &b.err), SOTTO_OK);
	CHECK_INT(sotto_ledger_answer(l, 3, "no", NULL), SOTTO_ESTATE);
	CHECK_INT(sotto_ledger_each(l, collect, text, NULL), SOTTO_OK);
	CHECK_STR(text,
		  "1:2:owner 2:0:ada 3:1:the clock was moved back from 1972-11-07T16:00:00Z to "
		  "1970-02-27T21:01:40Z ");
	CHECK_INT(sotto_ledger_verify(l, &entries, &answers, NULL), SOTTO_OK);
	CHECK_INT(entries, 3);
	end(&b, l);
}

/* ---- any history ---------------------------------------------------------------------------- */

enum { STEPS = 60, WINDOWS = 12 };

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* What the rule says, told forwards: each charge has the dates that it was ever given. */
struct model {
	int64_t dates[STEPS][STEPS];
	int date_count[STEPS], charges;
	int64_t time;
};

static void model_charge(struct model *m, int64_t when)
{
	m->dates[m->charges][0] = m->time = when;
	m->date_count[m->charges++] = 1;
}

static void model_repair(struct model *m, int64_t when)
{
	m->time = when;
	for (int i = 0; i < m->charges; i++)
		if (m->dates[i][m->date_count[i] - 1] > when)
			m->dates[i][m->date_count[i]++] = when;
}

static int model_left(const struct model *m)
{
	int64_t now = fake_time > m->time ? fake_time : m->time;
	int left = 4;

	for (int i = 0; i < m->charges; i++) {
		bool counts = false;

		for (int k = 0; k < m->date_count[i]; k++)
			counts = counts || m->dates[i][k] / WINDOW == now / WINDOW;
		left -= counts;
	}
	return left > 0 ? left : 0;
}

static bool agrees(struct sotto_ledger *l, const struct model *m)
{
	char text[64];

	ledgers_left(l, text);
	return strtod(text, NULL) * 4 == model_left(m);
}

/* Random clocks, charges of a quarter of the budget, repairs, looks and reopenings. */
static bool one_history(uint64_t seed)
{
	struct model *m = calloc(1, sizeof *m);
	struct ledgers b;
	struct sotto_ledger *l = begin(&b);
	bool good = m != NULL;

	if (good)
		m->time = fake_time; /* it was made then */

	for (int i = 0; i < STEPS && good; i++) {
		uint64_t what = next(&seed) % 10;

		if (what < 3)
			fake_time = (time_t)(next(&seed) % (WINDOWS * WINDOW));
		else if (what < 4)
			fake_time += (time_t)(next(&seed) % WINDOW);
		else if (what < 8 && ledgers_charge(l, "0.25", NULL) == SOTTO_OK)
			model_charge(m, fake_time > m->time ? fake_time : m->time);
		else if (what == 8 && repair(l, NULL) == SOTTO_OK)
			model_repair(m, fake_time);
		if (what == 9) {
			sotto_ledger_close(l);
			good = ledgers_open(&b, &l) == SOTTO_OK;
		}
		good = good && agrees(l, m);
	}
	end(&b, l);
	free(m);
	return good;
}

static void every_history_of_charges_and_repairs_counts_by_the_rule(void)
{
	int histories = getenv("SOTTO_LONG") ? 2000 : 40;

	for (int i = 0; i < histories; i++)
		if (!one_history((uint64_t)i * 7919 + 1))
			tap_check(false, __FILE__, __LINE__, "history %d", i);
	CHECK(histories > 0);
}

int main(void)
{
	RUN(a_ledger_ahead_of_the_clock_says_so_and_when_it_is_renewed);
	RUN(a_repair_lets_the_next_window_come);
	RUN(a_repair_counts_what_was_spent_before_and_after_the_jump);
	RUN(a_repair_under_a_clock_that_is_itself_wrong_renews_nothing);
	RUN(a_future_that_was_charged_is_not_renewed_when_it_comes);
	RUN(looking_under_a_wrong_clock_renews_nothing);
	RUN(there_is_nothing_to_repair_when_the_clock_goes_on);
	RUN(a_repair_is_an_entry_of_the_history_and_of_the_chain);
	RUN(every_history_of_charges_and_repairs_counts_by_the_rule);
	return tap_done();
}
