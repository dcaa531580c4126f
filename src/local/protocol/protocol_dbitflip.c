/* dBitFlip: the bits of a few buckets, drawn once for each device. */
#include <math.h>

#include "core/base/failure.h"
#include "local/decode/estimate.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/threshold.h"
#include "sotto/local.h"

static void set_chances(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	(void)second;
	p->flip = sotto_chance_flip_up(eps, 2, SOTTO_VECTOR_BITS);
}

/* With one bucket only one bit can differ. */
static unsigned long bits_that_differ(const struct sotto_client_params *p)
{
	return p->hashes > 1 ? 2 : 1;
}

static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	sotto_odds_of_flip(p->flip, p->flip2, bits_that_differ(p), out, unbounded);
}

static bool permanent(const struct sotto_client_params *p, struct sotto_permanent *out)
{
	*out = (struct sotto_permanent){.flips = bits_that_differ(p),
					.zero = p->flip2,
					.one = sotto_chance_complement(p->flip2),
					.both_ways = p->hashes > 1,
					.times = 1};
	return p->memoize && p->flip2.numerator > 0;
}

static uint64_t answers(const struct sotto_client_params *p)
{
	return p->hashes < p->size ? p->hashes + UINT64_C(1) : p->size;
}

static bool shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	out->cells = out->groups = p->size;
	return true;
}

static enum sotto_local_reason
report_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	unsigned bytes = bytes_below(p->size);

	return part_both(part_ascending(r, p->hashes, bytes, p->size),
			 part_padding(r + (size_t)p->hashes * bytes, p->hashes));
}

/*
 * Where few ones of a bucket are drawn, the interval is that of their exact law: a device sends
 * one w.p. d/k (1 - flip) if it holds the value and d/k flip if not, whatever else it sends.  It
 * leaves out how many devices drew the bucket, so that it is a little wide where flips are many.
 */
static enum sotto_status hold_where_ones_are_few(const struct sotto_local_counts *c,
						 uint64_t ones, double share, double flip,
						 double alpha, enum sotto_local_target target,
						 struct sotto_local_estimate *out)
{
	struct sotto_local_estimate exact;
	double gap = share * (1 - 2 * flip), noise = gap * gap * out->sd * out->sd;

	if (!sotto_local_leans(noise, alpha))
		return SOTTO_OK;
	SOTTO_TRY(sotto_local_estimate_pure(c->reports, ones, share * (1 - flip), share * flip,
					    alpha, target, &exact));
	out->low = exact.low;
	out->high = exact.high;
	return SOTTO_OK;
}

/* Horvitz-Thompson over the drawn buckets: each bucket is with a device w.p. d/k. */
static enum sotto_status
estimate_buckets(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
		 double alpha, enum sotto_local_target target, struct sotto_local_estimate *out)
{
	const struct sotto_client_params *p = c->params;
	double f = sotto_local_chance(p->flip), g = sotto_local_chance(p->flip2);
	double flip = f + g - 2 * f * g, gap = 1 - 2 * flip, n = (double)c->reports;
	double ratio = (double)p->size / p->hashes, noise = flip * (1 - flip) / gap / gap;

	for (size_t i = 0; i < count; i++) {
		double received = (double)c->groups[keys[i]], held;

		if (p->hashes == p->size) { /* every bucket: symmetric unary encoding */
			SOTTO_TRY(sotto_local_estimate_pure(c->reports, c->cells[keys[i]],
							    1 - flip, flip, alpha, target,
							    &out[i]));
			continue;
		}
		out[i].count = ratio * ((double)c->cells[keys[i]] - flip * received) / gap;
		held = fmin(fmax(out[i].count, 0), n);
		out[i].sd =
			sqrt(n * ratio * noise + held * (ratio - 1) +
			     (target == SOTTO_LOCAL_POPULATION && n > 0 ? held * (1 - held / n)
									: 0));
		sotto_local_estimate_normal(&out[i], sqrt(n * ratio * noise), alpha);
		out[i].p_value =
			sotto_local_chance_of_nobody((double)c->cells[keys[i]], received, flip);
		SOTTO_TRY(hold_where_ones_are_few(c, c->cells[keys[i]], 1 / ratio, flip, alpha,
						  target, &out[i]));
	}
	return SOTTO_OK;
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	double flip = flip_twice(sotto_local_chance(p->flip), sotto_local_chance(p->flip2));
	unsigned bytes = bytes_below(p->size);
	const uint8_t *bits = r + (size_t)p->hashes * bytes;

	for (uint32_t i = 0; i < p->hashes; i++)
		if (load_le(r + (size_t)i * bytes, bytes) == v->number)
			return like_bit(bit_at(bits, i), 1 - flip, flip);
	return 0; /* the value's bucket was not drawn */
}

const struct sotto_protocol sotto_protocol_DBITFLIP = {
	.sizes = "size is at least 2, and hashes, the buckets that a device sends, 1 to size",
	.has_gamma = true,
	.needs_size = true,
	.set_chances = set_chances,
	.odds = odds,
	.permanent = permanent,
	.answers = answers,
	.counting = SOTTO_COUNT_BUCKETS,
	.shape = shape,
	.report_flaw = report_flaw,
	.likelihood = likelihood,
	.estimate = estimate_buckets,
};
