/*
 * A thread that ends leaves nothing of MPFR's caches behind, also one that only opened a ledger or asked the
 * accountant: a server whose threads did no more leaked them.
 *
 * Seen to fail: without sotto_thread_cache_care in sotto_ledger_open, or in sotto_terms_init.
 */
#include <gmp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sotto/account.h"
#include "sotto/ledger.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/tap.h"

static atomic_long held;

static void *allocate(size_t n)
{
	atomic_fetch_add(&held, 1);
	return malloc(n);
}

static void *change(void *p, size_t before, size_t n)
{
	(void)before;
	return realloc(p, n);
}

static void let_go(void *p, size_t n)
{
	(void)n;
	atomic_fetch_sub(&held, p != NULL);
	free(p);
}

static void *open_a_ledger(void *context)
{
	struct ledgers *b = context;
	struct sotto_ledger *l = NULL;

	if (sotto_ledger_open(b->path, NULL, &b->budget, &l, NULL) != SOTTO_OK)
		return NULL;
	sotto_ledger_close(l);
	return context;
}

static void *ask_the_accountant(void *context)
{
	static const char *const texts[] = {"gaussian(sigma=3)*7", "pure(epsilon=0.3)*40"};
	struct sotto_account_answer answer;
	struct sotto_rational delta;
	struct sotto_workload *w;
	enum sotto_status st = sotto_workload_new(&w);

	if (st != SOTTO_OK)
		return NULL;
	for (size_t i = 0; i < 2 && st == SOTTO_OK; i++)
		st = sotto_workload_add_text(w, texts[i], NULL);
	sotto_rational_init(&delta);
	if (st == SOTTO_OK)
		st = sotto_rational_parse(&delta, "1/1000000", NULL);
	for (int method = 0; method < 2 && st == SOTTO_OK; method++)
		st = sotto_account_epsilon(w, &delta, method ? SOTTO_KOV : SOTTO_ZCDP, &answer);
	sotto_rational_release(&delta);
	sotto_workload_free(w);
	return st == SOTTO_OK ? context : NULL;
}

/* Of the first thread, what is kept for the process is not counted. */
static void check_ends_clean(void *(*work)(void *), void *context)
{
	long before = 0;

	for (int i = 0; i < 3; i++) {
		pthread_t thread;
		void *done = NULL;

		before = atomic_load(&held);
		REQUIRE(pthread_create(&thread, NULL, work, context) == 0);
		REQUIRE(pthread_join(thread, &done) == 0);
		CHECK(done == context);
	}
	CHECK_INT(atomic_load(&held), before);
}

static void a_thread_that_opened_a_ledger_keeps_nothing(void)
{
	struct ledgers b;
	struct sotto_ledger *l = NULL;

	ledgers_begin(&b, "1", "1/1000000");
	REQUIRE(ledgers_open(&b, &l) == SOTTO_OK);
	sotto_ledger_close(l);
	check_ends_clean(open_a_ledger, &b);
	ledgers_end(&b);
}

static void a_thread_that_asked_the_accountant_keeps_nothing(void)
{
	int any = 0;

	check_ends_clean(ask_the_accountant, &any);
}

int main(void)
{
	mp_set_memory_functions(allocate, change, let_go);
	RUN(a_thread_that_opened_a_ledger_keeps_nothing);
	RUN(a_thread_that_asked_the_accountant_keeps_nothing);
	return tap_done();
}
