/*
 * What needs no session, used by many threads at once, also for the first time: mechanisms that are shared,
 * each thread with a generator of its own, the accountant, ledgers, and devices of one collection.  All threads
 * find the same numbers where there is no noise.  The long set runs this under the thread sanitizer.
 *
 * Seen to fail there: without pthread_once in thread_cache.c or in ledger_chain.c.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sotto/account.h"
#include "sotto/choose.h"
#include "sotto/client.h"
#include "sotto/noise.h"
#include "testlib/fixture/ledgers.h"
#include "testlib/tap.h"

enum { THREADS = 6, ROUNDS = 20, VALUES = 200 };

/* Made once, and used by all. */
struct shared {
	struct sotto_rational epsilon, sigma2, delta;
	struct sotto_laplace *laplace;
	struct sotto_gaussian *gaussian;
	struct sotto_exponential *exponential;
	struct sotto_permute_and_flip *flip;
	struct sotto_noisy_max *max;
	struct sotto_kary_response *response;
	struct sotto_workload *workload;
	struct sotto_client_params params;
	struct sotto_account_answer told[THREADS];
	pthread_barrier_t start;
	atomic_int next, wrong;
};

static void wrong_unless(struct shared *s, bool right)
{
	atomic_fetch_add(&s->wrong, !right);
}

static void shared_open(struct shared *s)
{
	const struct sotto_selection selection = {.epsilon = &s->epsilon,
						  .sensitivity = &s->epsilon};

	*s = (struct shared){.params = {.protocol = SOTTO_CLIENT_GRR,
					.size = 16,
					.keep = {3ull << 62, false}}};
	sotto_rational_init(&s->epsilon);
	sotto_rational_init(&s->sigma2);
	sotto_rational_init(&s->delta);
	REQUIRE(sotto_rational_parse(&s->epsilon, "0.7", NULL) == SOTTO_OK &&
		sotto_rational_parse(&s->sigma2, "12.3", NULL) == SOTTO_OK &&
		sotto_rational_parse(&s->delta, "1/1000000", NULL) == SOTTO_OK);
	REQUIRE(sotto_laplace_new(&s->epsilon, 3, &s->laplace) == SOTTO_OK &&
		sotto_gaussian_new(&s->sigma2, &s->gaussian) == SOTTO_OK &&
		sotto_exponential_new(&selection, &s->exponential, NULL) == SOTTO_OK &&
		sotto_permute_and_flip_new(&selection, &s->flip, NULL) == SOTTO_OK &&
		sotto_noisy_max_new(&selection, 1, &s->max, NULL) == SOTTO_OK &&
		sotto_kary_response_new(&s->epsilon, 5, &s->response, NULL) == SOTTO_OK &&
		sotto_workload_new(&s->workload) == SOTTO_OK &&
		sotto_workload_add_text(s->workload, "gaussian(sigma=3)*7", NULL) == SOTTO_OK &&
		sotto_workload_add_text(s->workload, "laplace(epsilon=0.3)*4", NULL) ==
			SOTTO_OK);
	REQUIRE(pthread_barrier_init(&s->start, NULL, THREADS) == 0);
}

static void shared_close(struct shared *s)
{
	(void)pthread_barrier_destroy(&s->start);
	sotto_laplace_free(s->laplace);
	sotto_gaussian_free(s->gaussian);
	sotto_exponential_free(s->exponential);
	sotto_permute_and_flip_free(s->flip);
	sotto_noisy_max_free(s->max);
	sotto_kary_response_free(s->response);
	sotto_workload_free(s->workload);
	sotto_rational_release(&s->epsilon);
	sotto_rational_release(&s->sigma2);
	sotto_rational_release(&s->delta);
}

static void publish(struct shared *s, struct sotto_rng *rng)
{
	struct sotto_exact x[VALUES];
	struct sotto_noisy out[VALUES];
	size_t index;

	for (int i = 0; i < VALUES; i++)
		x[i] = sotto_exact_of(i);
	wrong_unless(s, sotto_laplace_publish_all(s->laplace, rng, x, out, VALUES) == SOTTO_OK);
	wrong_unless(s, sotto_gaussian_publish(s->gaussian, rng, x[1], out) == SOTTO_OK);
	wrong_unless(s,
		     sotto_exponential_select(s->exponential, rng, x, 9, &index) == SOTTO_OK);
	wrong_unless(s, sotto_permute_and_flip_select(s->flip, rng, x, 9, &index) == SOTTO_OK);
	wrong_unless(s, sotto_noisy_max_select(s->max, rng, x, 9, &index) == SOTTO_OK);
	wrong_unless(s, sotto_kary_response_publish(s->response, rng, x[2], out) == SOTTO_OK &&
				out[0].value >= 0 && out[0].value < 5);
}

static void account(struct shared *s, struct sotto_account_answer *told)
{
	wrong_unless(s, sotto_account_best_epsilon(s->workload, &s->delta, told) == SOTTO_OK);
}

static void keep_a_ledger(struct shared *s)
{
	struct sotto_ledger *l = NULL;
	struct ledgers b;

	ledgers_begin(&b, "1", "0");
	wrong_unless(s, ledgers_open(&b, &l) == SOTTO_OK &&
				ledgers_charge(l, "0.5", NULL) == SOTTO_OK &&
				ledgers_charge(l, "0.6", NULL) == SOTTO_EBUDGET);
	sotto_ledger_close(l);
	ledgers_end(&b);
}

static int fill(void *context, uint8_t *out, size_t n)
{
	uint32_t *next = context;

	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(*next = *next * 1103515245u + 12345u, *next >> 16);
	return 0;
}

static void encode(struct shared *s, uint32_t seed)
{
	struct sotto_client_secrets secrets = {.fill = fill, .context = &seed, .id = ""};
	struct sotto_client client;
	uint8_t report[64];
	size_t used;

	wrong_unless(s, sotto_client_init(&client, &s->params, &secrets) == SOTTO_OK &&
				sotto_client_encode_number(&client, 7, report, sizeof report,
							   &used) == SOTTO_OK);
}

static void *use_all(void *context)
{
	struct shared *s = context;
	int who = atomic_fetch_add(&s->next, 1);
	struct sotto_rng *rng = NULL;

	(void)pthread_barrier_wait(&s->start); /* what is done once is done by one of all */
	keep_a_ledger(s);
	account(s, &s->told[who]);
	if (sotto_rng_open(&rng) != SOTTO_OK) {
		wrong_unless(s, false);
		return NULL;
	}
	for (uint32_t round = 0; round < ROUNDS; round++) {
		publish(s, rng);
		encode(s, round);
	}
	sotto_rng_close(rng);
	return NULL;
}

static void threads_use_everything_that_needs_no_session(void)
{
	pthread_t threads[THREADS];
	struct shared s;

	shared_open(&s);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, use_all, &s) != 0)
			abort();
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	CHECK_INT(s.wrong, 0);
	CHECK(s.told[0].upper > 0);
	for (int i = 1; i < THREADS; i++)
		CHECK(s.told[i].lower == s.told[0].lower && s.told[i].upper == s.told[0].upper);
	shared_close(&s);
}

int main(void)
{
	RUN(threads_use_everything_that_needs_no_session);
	return tap_done();
}
