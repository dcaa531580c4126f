/*
 * Any number of threads, on one ledger and on several of one file, and processes
 * beside them: nobody overspends, nothing is lost, the chain holds.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ledger/ledger_inside.h"
#include "sotto/ledger.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/tap.h"

enum { THREADS = 8, HUNDREDTHS = 100 };

struct crew {
	struct ledgers bench;
	struct sotto_ledger *shared; /* NULL: each opens its own */
	atomic_int charged, wrong, looks;
};

static enum sotto_status look_at(void *context, const struct sotto_ledger_entry *e)
{
	struct crew *c = context;

	atomic_fetch_add(&c->looks, e->number > 0);
	return SOTTO_OK;
}

/* Everything that a ledger can do, besides charging. */
static void use(struct crew *c, struct sotto_ledger *l, uint64_t entry)
{
	struct sotto_ledger_found found = {0};
	struct sotto_ledger_totals t;
	uint64_t entries, answers;
	struct sotto_cost nothing = {0};

	sotto_ledger_totals_init(&t);
	if (sotto_ledger_totals(l, NULL, &t, NULL) != SOTTO_OK ||
	    sotto_ledger_find(l, "ada", "k", &found, NULL) != SOTTO_OK ||
	    sotto_ledger_check(l, "ada", &nothing, NULL) != SOTTO_OK ||
	    sotto_ledger_answer(l, entry, "noisy", NULL) != SOTTO_OK ||
	    (entry % 25 == 0 && sotto_ledger_each(l, look_at, c, NULL) != SOTTO_OK) ||
	    (entry % 40 == 0 && sotto_ledger_verify(l, &entries, &answers, NULL) != SOTTO_OK))
		atomic_fetch_add(&c->wrong, 1);
	sotto_ledger_found_release(&found);
	sotto_ledger_totals_release(&t);
}

static void *spend(void *context)
{
	struct crew *c = context;
	struct sotto_ledger *l = c->shared;
	struct sotto_error err;
	enum sotto_status st;
	uint64_t entry;

	if (!l &&
	    sotto_ledger_open(c->bench.path, NULL, &c->bench.budget, &l, &err) != SOTTO_OK) {
		atomic_fetch_add(&c->wrong, 1);
		return NULL;
	}
	while ((st = ledgers_charge_parts(l, "0.005", 2, "k", &entry, &err)) == SOTTO_OK) {
		atomic_fetch_add(&c->charged, 1);
		use(c, l, entry);
	}
	atomic_fetch_add(&c->wrong, st != SOTTO_EBUDGET);
	if (!c->shared)
		sotto_ledger_close(l);
	return NULL;
}

static void let_them_spend(struct crew *c)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, spend, c) != 0)
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void check_whole(struct crew *c)
{
	uint64_t entries = 0, answers = 0;
	struct sotto_ledger *l;

	CHECK_INT(c->wrong, 0);
	REQUIRE(ledgers_open(&c->bench, &l) == SOTTO_OK);
	CHECK_INT(sotto_ledger_verify(l, &entries, &answers, NULL), SOTTO_OK);
	CHECK_INT(entries, HUNDREDTHS + 1); /* the first is its making */
	CHECK_INT(answers, HUNDREDTHS);
	sotto_ledger_close(l);
}

static void many_threads_share_one_ledger(void)
{
	struct crew c = {0};

	ledgers_begin(&c.bench, "1", "0");
	REQUIRE(ledgers_open(&c.bench, &c.shared) == SOTTO_OK);
	let_them_spend(&c);
	sotto_ledger_close(c.shared);
	CHECK_INT(c.charged, HUNDREDTHS);
	CHECK(c.looks > 0);
	check_whole(&c);
	ledgers_end(&c.bench);
}

static void many_threads_open_the_same_file(void)
{
	struct crew c = {0};

	ledgers_begin(&c.bench, "1", "0");
	REQUIRE(ledgers_make(&c.bench) == SOTTO_OK);
	let_them_spend(&c);
	CHECK_INT(c.charged, HUNDREDTHS);
	check_whole(&c);
	ledgers_end(&c.bench);
}

static void threads_of_several_processes_never_overspend(void)
{
	enum { PROCESSES = 3 };
	struct crew c = {0};
	int charged = 0, status = 0, ends[2];
	char byte;

	ledgers_begin(&c.bench, "1", "0");
	REQUIRE(ledgers_make(&c.bench) == SOTTO_OK);
	REQUIRE(pipe(ends) == 0);
	fflush(stdout);
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0) {
			let_them_spend(&c);
			for (int k = 0; k < c.charged; k++)
				if (write(ends[1], "x", 1) != 1)
					_exit(2);
			_exit(c.wrong ? 1 : 0);
		}
	close(ends[1]);
	while (read(ends[0], &byte, 1) == 1)
		charged++;
	close(ends[0]);
	for (int i = 0; i < PROCESSES; i++) {
		wait(&status);
		CHECK_INT(status, 0);
	}
	CHECK_INT(charged, HUNDREDTHS);
	check_whole(&c);
	ledgers_end(&c.bench);
}

/* A connection of SQLite's is damaged by use in a child: it is refused there. */
static void a_child_must_open_its_own(void)
{
	struct sotto_ledger *l, *own = NULL;
	struct ledgers b;
	int status = 0;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	fflush(stdout);
	if (fork() == 0) {
		bool right = ledgers_charge(l, "0.1", &b.err) == SOTTO_ESTATE &&
			     strstr(b.err.text, "fork()") != NULL;

		sotto_ledger_close(l);
		right = right && ledgers_open(&b, &own) == SOTTO_OK &&
			ledgers_charge(own, "0.1", NULL) == SOTTO_OK;
		sotto_ledger_close(own);
		_exit(right ? 0 : 1);
	}
	wait(&status);
	CHECK_INT(status, 0);
	CHECK_INT(ledgers_charge(l, "0.9", NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_EBUDGET);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static enum sotto_status meddle(void *context, const struct sotto_ledger_entry *e)
{
	(void)e;
	CHECK_INT(ledgers_charge(context, "0.1", NULL), SOTTO_ESTATE);
	return SOTTO_OK;
}

static void a_visitor_that_uses_the_ledger_is_refused(void)
{
	struct sotto_ledger *l;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.1", NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_each(l, meddle, l, NULL), SOTTO_OK);
	CHECK_INT(ledgers_charge(l, "0.9", NULL), SOTTO_OK);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

int main(void)
{
	RUN(many_threads_share_one_ledger);
	RUN(many_threads_open_the_same_file);
	RUN(threads_of_several_processes_never_overspend);
	RUN(a_child_must_open_its_own);
	RUN(a_visitor_that_uses_the_ledger_is_refused);
	return tap_done();
}
