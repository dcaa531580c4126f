/*
 * Published values go out; the noise in them must not stay behind, since both together
 * are the exact values.  Four noises in a row are looked for on the stack.
 */
#include "sotto/noise.h"

#include "testlib/number.h"
#include "testlib/statistics/residue.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { VALUES = 100 };

static struct release {
	struct sotto_laplace *laplace;
	struct sotto_gaussian *gaussian;
	struct sotto_exact x[VALUES];
	struct sotto_noisy out[VALUES];
	enum sotto_status status;
	bool careless; /* leaves a copy, to show that one would be found */
} release;

static void publish(void *context)
{
	struct release *r = context;
	struct sotto_rng *rng = stream_open(1);

	if (r->laplace)
		r->status = sotto_laplace_publish_all(r->laplace, rng, r->x, r->out, VALUES);
	else
		r->status = sotto_gaussian_publish_all(r->gaussian, rng, r->x, r->out, VALUES);
	stream_close(rng);
	if (r->careless) {
		volatile int64_t copy[VALUES];

		for (int i = 0; i < VALUES; i++)
			copy[i] = r->out[i].value - r->x[i].secret;
		(void)copy[0];
	}
}

static bool leaves_noise(void)
{
	struct residue *left;
	bool found = false;

	for (int i = 0; i < VALUES; i++)
		release.x[i] = sotto_exact_of(1000 + i);
	left = residue_of(publish, &release);
	CHECK_INT(release.status, SOTTO_OK);
	for (int i = 0; i + 4 <= VALUES; i++) {
		int64_t noise[4];

		for (int j = 0; j < 4; j++)
			noise[j] = release.out[i + j].value - release.x[i + j].secret;
		found = found || residue_has(left, noise, sizeof noise);
	}
	residue_free(left);
	return found;
}

static void no_noise_stays_on_the_stack(void)
{
	struct sotto_rational scale = rational_of("1000000");

	REQUIRE(sotto_laplace_new_scale(&scale, &release.laplace) == SOTTO_OK);
	REQUIRE(sotto_gaussian_new(&scale, &release.gaussian) == SOTTO_OK);
	CHECK(!leaves_noise());
	release.careless = true;
	CHECK(leaves_noise());
	release.careless = false;
	sotto_laplace_free(release.laplace);
	release.laplace = NULL;
	CHECK(!leaves_noise());
	sotto_gaussian_free(release.gaussian);
	sotto_rational_release(&scale);
}

int main(void)
{
	RUN(no_noise_stays_on_the_stack);
	return tap_done();
}
