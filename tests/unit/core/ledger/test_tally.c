/* What a ledger remembers between charges is what it would count anew. */
#include "sotto/ledger.h"

#include <stdlib.h>

#include "core/ledger/ledger_inside.h"
#include "testlib/fake_time.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

enum { STEPS = 120, HANDLES = 2, PEOPLE = 3 };

static const char *const people[PEOPLE] = {"ada", "bob", "eve"}; /* ada has a share */
static unsigned partly_shared; /* entries of that kind */
static int64_t window = 1000; /* 0: the budget is never renewed */

static unsigned next(void)
{
	static uint64_t state = 16;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 40);
}

static int64_t window_of(int64_t t)
{
	return window ? t / window : 0;
}

static void open_one(const char *path, struct sotto_ledger **out)
{
	struct sotto_ledger_budget b;
	struct sotto_ledger *l = NULL;

	sotto_ledger_budget_init(&b);
	b.window = (uint64_t)window;
	REQUIRE(sotto_rational_parse(&b.epsilon, "3", NULL) == SOTTO_OK);
	REQUIRE(sotto_rational_parse(&b.delta, "1e-6", NULL) == SOTTO_OK);
	REQUIRE(sotto_ledger_open(path, NULL, &b, &l, NULL) == SOTTO_OK);
	REQUIRE(sotto_rational_parse(&b.epsilon, "1", NULL) == SOTTO_OK);
	REQUIRE(sotto_ledger_share(l, people[0], &b, NULL) == SOTTO_OK);
	sotto_ledger_budget_release(&b);
	*out = l;
}

static void set_cost(struct sotto_cost *cost, unsigned parts_of_64)
{
	struct sotto_rational e;
	char text[16];

	(void)snprintf(text, sizeof text, "%u/64", parts_of_64);
	sotto_rational_init(&e);
	sotto_cost_init(cost);
	REQUIRE(sotto_rational_parse(&e, text, NULL) == SOTTO_OK);
	REQUIRE(sotto_cost_set_pure(cost, &e) == SOTTO_OK);
	sotto_rational_release(&e);
}

/* A question of a few, by anybody: charged, in part or not, repeated, shared or refused. */
static void ask(struct sotto_ledger *l)
{
	unsigned first = 1 + next() % 12, last = next() % 2 * (1 + next() % 4);
	char key[40], limits[40];
	const char *const found[] = {limits};
	struct sotto_cost cost, costs[2];
	const struct sotto_ledger_part parts[] = {{"question", &costs[0]},
						  {"limits", &costs[1]}};
	struct sotto_ledger_ticket t = {0};
	struct sotto_ledger_release r = {.analyst = people[next() % PEOPLE],
					 .query = "q",
					 .key = key,
					 .cost = &cost,
					 .data = "monday"};
	enum sotto_status st;

	(void)snprintf(key, sizeof key, "%ld %u", (long)window_of(fake_time), next() % 40);
	(void)snprintf(limits, sizeof limits, "limits %u", next() % 3);
	set_cost(&cost, first);
	set_cost(&costs[0], first);
	set_cost(&costs[1], last);
	sotto_cost_add(&cost, &costs[1]);
	if (last > 0) {
		r.parts = parts;
		r.part_count = 2;
		r.found = found;
		r.found_count = 1;
	}
	st = sotto_ledger_ask(l, &r, &t, NULL);
	CHECK(st == SOTTO_OK || st == SOTTO_EBUDGET);
	if (st == SOTTO_OK && t.deed == SOTTO_LEDGER_CHARGED) {
		partly_shared += t.is_found;
		CHECK_INT(sotto_ledger_answer(l, t.entry, "7", NULL), SOTTO_OK);
		if (last > 0)
			CHECK_INT(sotto_ledger_mark(l, t.entry, limits, NULL), SOTTO_OK);
	}
	sotto_ledger_ticket_release(&t);
	sotto_cost_release(&cost);
	sotto_cost_release(&costs[0]);
	sotto_cost_release(&costs[1]);
}

/* ---- what it would count anew ------------------------------------------------------------------ */

struct sum {
	const char *who;
	struct sotto_rational epsilon;
	uint64_t entries;
};

static enum sotto_status add(void *context, const struct sotto_ledger_entry *e)
{
	struct sum *s = context;

	if (strcmp(e->analyst, s->who) != 0 || window_of(e->time) != window_of(fake_time))
		return SOTTO_OK;
	sotto_rational_add(&s->epsilon, &s->epsilon, &e->cost->epsilon);
	s->entries++;
	return SOTTO_OK;
}

static void left_is_the_forecast_of_nothing(struct sotto_ledger *l, const char *who,
					    const struct sotto_ledger_totals *t)
{
	struct sotto_ledger_forecast f;
	struct sotto_cost nothing;

	sotto_cost_init(&nothing);
	sotto_ledger_forecast_init(&f);
	CHECK_INT(sotto_ledger_forecast(l, who, &nothing, &f, NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_compare(&f.epsilon_left, &t->left.epsilon), 0);
	CHECK_INT(sotto_rational_compare(&f.delta_left, &t->left.delta), 0);
	sotto_ledger_forecast_release(&f);
	sotto_cost_release(&nothing);
}

static void tally_is_the_sum_of_entries(struct sotto_ledger *l, const char *who)
{
	struct sum s = {.who = who};
	struct sotto_ledger_totals t;

	sotto_rational_init(&s.epsilon);
	sotto_ledger_totals_init(&t);
	CHECK_INT(sotto_ledger_told(l, who, &t, NULL), SOTTO_OK);
	left_is_the_forecast_of_nothing(l, who, &t);
	CHECK_INT(sotto_ledger_each(l, add, &s, NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_compare(&s.epsilon, &t.spent.epsilon), 0);
	CHECK_INT(s.entries, t.entries);
	sotto_ledger_totals_release(&t);
	sotto_rational_release(&s.epsilon);
}

/* The whole pays for what nobody has paid for. */
static enum sotto_status add_whole(void *context, const struct sotto_ledger_entry *e)
{
	struct sum *s = context;

	if (window_of(e->time) != window_of(fake_time) || e->kind == SOTTO_LEDGER_SHARED)
		return SOTTO_OK;
	sotto_rational_add(&s->epsilon, &s->epsilon,
			   e->kind == SOTTO_LEDGER_PARTLY_SHARED ? &e->parts[0].cost->epsilon
								 : &e->cost->epsilon);
	return SOTTO_OK;
}

static void the_whole_pays_once(struct sotto_ledger *l)
{
	struct sum s = {.who = NULL};
	struct sotto_ledger_totals t;

	sotto_rational_init(&s.epsilon);
	sotto_ledger_totals_init(&t);
	CHECK_INT(sotto_ledger_totals(l, NULL, &t, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_each(l, add_whole, &s, NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_compare(&s.epsilon, &t.spent.epsilon), 0);
	sotto_ledger_totals_release(&t);
	sotto_rational_release(&s.epsilon);
}

static void left_is_that_of_a_ledger_just_opened(struct sotto_ledger *l, const char *path)
{
	static const char *const whose[] = {NULL, "ada"};
	struct sotto_ledger *fresh = NULL;

	open_one(path, &fresh);
	REQUIRE(fresh);
	for (size_t i = 0; i < 2; i++) {
		struct sotto_ledger_totals x, y;

		sotto_ledger_totals_init(&x);
		sotto_ledger_totals_init(&y);
		CHECK_INT(sotto_ledger_totals(l, whose[i], &x, NULL), SOTTO_OK);
		CHECK_INT(sotto_ledger_totals(fresh, whose[i], &y, NULL), SOTTO_OK);
		CHECK_INT(sotto_rational_compare(&x.left.epsilon, &y.left.epsilon), 0);
		CHECK_INT(sotto_rational_compare(&x.left.delta, &y.left.delta), 0);
		CHECK_INT(sotto_rational_compare(&x.left.rho, &y.left.rho), 0);
		sotto_ledger_totals_release(&x);
		sotto_ledger_totals_release(&y);
	}
	sotto_ledger_close(fresh);
}

static void what_is_remembered_is_what_would_be_counted_anew_in(int64_t seconds)
{
	const struct sotto_ledger_terms terms = {.policy = "unit: patient\n"};
	struct sotto_ledger *l[HANDLES];
	char path[FOLDER_PATH_MAX];
	struct folder folder;

	window = seconds;
	folder_open(&folder);
	folder_file(&folder, "ledger.db", path);
	REQUIRE(sotto_ledger_create(path, &terms, NULL) == SOTTO_OK);
	for (size_t i = 0; i < HANDLES; i++)
		open_one(path, &l[i]);
	for (unsigned i = 0; i < STEPS; i++) {
		struct sotto_ledger *other = l[next() % HANDLES];

		fake_time += next() % 8 == 0 ? next() % 2000 : 0;
		if (next() % 4 > 0) /* or time passes and nobody asks */
			ask(l[next() % HANDLES]);
		tally_is_the_sum_of_entries(other, people[next() % PEOPLE]);
		the_whole_pays_once(other);
		left_is_that_of_a_ledger_just_opened(other, path);
	}
	CHECK(partly_shared > 0);
	for (size_t i = 0; i < HANDLES; i++)
		sotto_ledger_close(l[i]);
	folder_close(&folder);
}

static void what_is_remembered_is_what_would_be_counted_anew(void)
{
	what_is_remembered_is_what_would_be_counted_anew_in(0);
	what_is_remembered_is_what_would_be_counted_anew_in(1000);
}

/* ---- a part of the history ---------------------------------------------------------------------- */

struct part {
	const char *who;
	uint64_t last, count;
	bool in_order, of_who;
};

static enum sotto_status visit(void *context, const struct sotto_ledger_entry *e)
{
	struct part *p = context;

	p->in_order = p->in_order && (p->who ? e->number == p->last + 1 : e->number > p->last);
	p->of_who = p->of_who && (!p->who || strcmp(e->analyst, p->who) == 0);
	p->last = e->number;
	p->count++;
	return SOTTO_OK;
}

static uint64_t count_after(struct sotto_ledger *l, uint64_t after, const char *who)
{
	struct part p = {.who = who, .last = after, .in_order = true, .of_who = true};

	CHECK_INT(sotto_ledger_each_after(l, after, who, visit, &p, NULL), SOTTO_OK);
	CHECK(p.in_order && p.of_who);
	return p.count;
}

static void parts_of_the_history_make_up_the_whole(void)
{
	const struct sotto_ledger_terms terms = {.policy = "unit: patient\n"};
	char path[FOLDER_PATH_MAX];
	struct sotto_ledger *l;
	struct folder folder;
	uint64_t all, sum = 0;

	folder_open(&folder);
	folder_file(&folder, "ledger.db", path);
	REQUIRE(sotto_ledger_create(path, &terms, NULL) == SOTTO_OK);
	open_one(path, &l);
	for (unsigned i = 0; i < 60; i++)
		ask(l);
	all = count_after(l, 0, NULL);
	CHECK(all > 10);
	for (uint64_t after = 0; after <= all + 1; after++)
		CHECK_INT(count_after(l, after, NULL), after < all ? all - after : 0);
	for (size_t i = 0; i < 5; i++) { /* numbers of their own, without a gap */
		const char *who = i < PEOPLE ? people[i] : i == PEOPLE ? "policy" : "owner";
		uint64_t own = count_after(l, 0, who);

		sum += own;
		for (uint64_t after = 0; after <= own + 1; after++)
			CHECK_INT(count_after(l, after, who), after < own ? own - after : 0);
		CHECK_INT(count_after(l, INT64_MAX, who), 0);
	}
	CHECK_INT(sum, all);
	CHECK_INT(count_after(l, INT64_MAX, NULL), 0);
	sotto_ledger_close(l);
	folder_close(&folder);
}

/* ---- shares that are given later ----------------------------------------------------------------- */

enum { NAMES = 60, CHARGES = 8 };

static enum sotto_status charge(struct sotto_ledger *l, unsigned name)
{
	char who[16];

	(void)snprintf(who, sizeof who, "n%u", name);
	return ledgers_charge_as(l, who, "1/64", "k", NULL, NULL);
}

/* A share of so many charges; names with odd numbers have the same, the others one more each. */
static unsigned share_of(unsigned name)
{
	return CHARGES + (name % 2 ? 0 : name);
}

static void give(struct sotto_ledger *l, unsigned name)
{
	struct sotto_ledger_budget b;
	char who[16], epsilon[32];

	(void)snprintf(who, sizeof who, "n%u", name);
	(void)snprintf(epsilon, sizeof epsilon, "%u/64", share_of(name));
	sotto_ledger_budget_init(&b);
	b.window = (uint64_t)window;
	REQUIRE(sotto_rational_parse(&b.epsilon, epsilon, NULL) == SOTTO_OK);
	CHECK_INT(sotto_ledger_share(l, who, &b, NULL), SOTTO_OK);
	sotto_ledger_budget_release(&b);
}

static struct sotto_ledger *open_whole(const char *path)
{
	struct sotto_ledger_budget b;
	struct sotto_ledger *l = NULL;

	sotto_ledger_budget_init(&b);
	b.window = (uint64_t)window;
	CHECK(sotto_rational_parse(&b.epsilon, "1000", NULL) == SOTTO_OK &&
	      sotto_ledger_open(path, NULL, &b, &l, NULL) == SOTTO_OK);
	sotto_ledger_budget_release(&b);
	return l;
}

/* One ledger has its shares from the beginning, one gets each at some time, one is opened last. */
static void shares_bind_whenever_they_are_given_in(int64_t seconds)
{
	const struct sotto_ledger_terms terms = {.policy = "unit: patient\n"};
	struct sotto_ledger *early, *late, *last;
	unsigned spent[NAMES] = {0}, refused = 0;
	char path[FOLDER_PATH_MAX];
	struct folder folder;

	window = seconds;
	folder_open(&folder);
	folder_file(&folder, "ledger.db", path);
	REQUIRE(sotto_ledger_create(path, &terms, NULL) == SOTTO_OK);
	early = open_whole(path);
	late = open_whole(path);
	REQUIRE(early && late);
	for (unsigned i = 0; i < NAMES; i++)
		give(early, i);
	for (unsigned i = 0; i < NAMES * CHARGES / 2; i++) {
		unsigned name = next() % NAMES;
		bool fits = spent[name] < share_of(name);

		CHECK_INT(charge(early, name), fits ? SOTTO_OK : SOTTO_EBUDGET);
		spent[name] += fits;
		if (i % CHARGES == 0 && i / CHARGES < NAMES / 2)
			give(late, i / CHARGES);
	}
	last = open_whole(path);
	for (unsigned i = NAMES; i-- > 0;) {
		if (i >= NAMES / 2)
			give(late, i);
		give(last, i);
	}
	for (unsigned i = 0; i < NAMES; i++) {
		struct sotto_ledger *l = i % 3 ? late : last;

		for (; spent[i] < share_of(i); spent[i]++)
			CHECK_INT(charge(l, i), SOTTO_OK);
		CHECK_INT(charge(late, i), SOTTO_EBUDGET);
		CHECK_INT(charge(last, i), SOTTO_EBUDGET);
		refused += charge(early, i) == SOTTO_EBUDGET;
	}
	CHECK_INT(refused, NAMES);
	sotto_ledger_close(early);
	sotto_ledger_close(late);
	sotto_ledger_close(last);
	folder_close(&folder);
}

static void shares_bind_whenever_they_are_given(void)
{
	shares_bind_whenever_they_are_given_in(0);
	shares_bind_whenever_they_are_given_in((int64_t)1 << 40);
}

int main(void)
{
	RUN(what_is_remembered_is_what_would_be_counted_anew);
	RUN(parts_of_the_history_make_up_the_whole);
	RUN(shares_bind_whenever_they_are_given);
	return tap_done();
}
