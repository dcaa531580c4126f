/*
 * A private count from C.
 *
 *	cc noisy_count.c $(pkg-config --cflags --libs sotto) -o noisy_count
 *
 * A count moves by at most 1 when one person joins or leaves, so its
 * sensitivity is 1.  The exact count has a type that cannot be printed by
 * mistake; the noisy one is free to show.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sotto/sotto.h>

static void check(enum sotto_status status)
{
	if (status == SOTTO_OK)
		return;
	fprintf(stderr, "noisy_count: %s\n", sotto_status_text(status));
	exit(1);
}

int main(void)
{
	struct sotto_exact patients = sotto_exact_of(1204); /* from the private data */
	struct sotto_rational epsilon, beta;
	struct sotto_laplace *laplace;
	struct sotto_noisy answer;
	struct sotto_rng *rng;
	int64_t error;

	sotto_rational_init(&epsilon);
	sotto_rational_init(&beta);
	check(sotto_rational_parse(&epsilon, "0.5", NULL));
	check(sotto_rational_parse(&beta, "0.05", NULL));
	check(sotto_laplace_new(&epsilon, 1, &laplace));
	check(sotto_rng_open(&rng));
	check(sotto_laplace_publish(laplace, rng, patients, &answer));
	check(sotto_laplace_error_up(laplace, 1, &beta, &error));
	printf("about %" PRId64 " patients (within %" PRId64 ", 19 times out of 20)\n",
	       answer.value, error);
	sotto_rng_close(rng);
	sotto_laplace_free(laplace);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&beta);
	return 0;
}
