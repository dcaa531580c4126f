/*
 * The likelihoods of every protocol are those of its encoder: over reports of one value the
 * mean of P(report | another) / P(report | value) is 1, because the other's probabilities add
 * up to 1.  No ratio exceeds the stated epsilon, and the largest comes close to it.
 */
#include <math.h>
#include <stdlib.h>

#include "sotto/local.h"
#include "testlib/fixture/local.h"
#include "testlib/tap.h"

enum { DEVICES = 20000 };

static double fit(const struct sotto_client_params *p, unsigned value, const uint8_t *report)
{
	char text[16];
	int n = snprintf(text, sizeof text, "v%u", value);

	return sotto_local_likelihood(p, value, text, (size_t)n, report);
}

struct ratios {
	double sum, squares, largest, mean_log;
};

/* Of devices that hold `own`, each with a key of its own. */
static struct ratios weigh(const struct sotto_client_params *p, unsigned own, unsigned other)
{
	struct ratios r = {.largest = -INFINITY};
	uint64_t seed = 77;
	uint8_t report[512], key[32];

	for (unsigned i = 0; i < DEVICES; i++) {
		struct sotto_client_secrets secrets = {
			.key = key, .id = "", .fill = local_fill, .context = &seed};
		struct sotto_client c;
		double log_ratio;
		size_t used;

		(void)local_fill(&seed, key, sizeof key);
		if (sotto_client_init(&c, p, &secrets) != SOTTO_OK ||
		    local_encode(&c, own, report, sizeof report, &used) != SOTTO_OK)
			abort();
		log_ratio = fit(p, other, report) - fit(p, own, report);
		r.sum += exp(log_ratio);
		r.squares += exp(2 * log_ratio);
		r.mean_log -= log_ratio / DEVICES;
		r.largest = fmax(r.largest, fabs(log_ratio));
	}
	return r;
}

static double stated(const struct sotto_client_params *p)
{
	struct sotto_local_privacy privacy;
	double epsilon;

	sotto_local_privacy_init(&privacy);
	epsilon = sotto_local_privacy_state(p, 1, &privacy) == SOTTO_OK ? privacy.report : NAN;
	sotto_local_privacy_release(&privacy);
	return epsilon;
}

static struct sotto_client_params sample(uint32_t protocol)
{
	struct sotto_client_params p = local_sample(protocol);

	if (protocol == SOTTO_CLIENT_ONE_BIT_MEAN) {
		p.size = 4; /* so that 0 and 1 are not nearly the same */
		p.grain = 0;
	}
	return p;
}

static void ratios_of_likelihoods_average_to_one(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = sample(protocol);
		struct ratios r = weigh(&p, 1, 0);
		double mean = r.sum / DEVICES, variance = r.squares / DEVICES - mean * mean;

		(void)tap_check(fabs(mean - 1) < 6 * sqrt(variance / DEVICES), __FILE__,
				__LINE__, "protocol %u: mean ratio %.4f, sd %.4f", protocol,
				mean, sqrt(variance / DEVICES));
		(void)tap_check(r.mean_log > 1e-4, __FILE__, __LINE__,
				"protocol %u: reports favour their own value by %.5f only",
				protocol, r.mean_log);
	}
}

static void no_ratio_exceeds_epsilon(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = sample(protocol);
		double epsilon, largest;

		epsilon = stated(&p);
		largest = weigh(&p, 1, 0).largest;
		(void)tap_check(largest <= epsilon * (1 + 1e-9), __FILE__, __LINE__,
				"protocol %u: a ratio of %.4f, epsilon %.4f", protocol, largest,
				epsilon);
		if (protocol != SOTTO_CLIENT_ONE_BIT_MEAN)
			(void)tap_check(largest >= .45 * epsilon, __FILE__, __LINE__,
					"protocol %u: at most %.4f of epsilon %.4f", protocol,
					largest, epsilon);
	}
}

static void what_has_no_likelihood_is_told(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_CMS), broken = {0};
	uint8_t report[512] = {0};

	CHECK(isnan(sotto_local_likelihood(&broken, 0, "a", 1, report)));
	CHECK(isnan(sotto_local_likelihood(NULL, 0, "a", 1, report)));
	CHECK(isnan(sotto_local_likelihood(&p, 0, NULL, 0, report)));
	CHECK(isnan(sotto_local_likelihood(&p, 0, "a", 1, NULL)));
	p = local_sample(SOTTO_CLIENT_OUE);
	CHECK(!isnan(sotto_local_likelihood(&p, p.size - 1, NULL, 0, report)));
	CHECK(isnan(sotto_local_likelihood(&p, p.size, NULL, 0, report)));
	p = local_sample(SOTTO_CLIENT_ONE_BIT_MEAN); /* whose domain has both ends */
	CHECK(!isnan(sotto_local_likelihood(&p, p.size, NULL, 0, report)));
	CHECK(isnan(sotto_local_likelihood(&p, p.size + 1, NULL, 0, report)));
}

int main(void)
{
	RUN(ratios_of_likelihoods_average_to_one);
	RUN(no_ratio_exceeds_epsilon);
	RUN(what_has_no_likelihood_is_told);
	return tap_done();
}
