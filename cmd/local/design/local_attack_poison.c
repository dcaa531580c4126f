/* The poisoning attack: made-up reports, each the one that counts most for a value. */
#include "local/design/local_attack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"

enum { CALIBRATION = 4000, CANDIDATES = 256 };

/* Whether a report speaks for value 0 rather than for the last one. */
static bool speaks_for(const struct stage *s, const uint8_t *report)
{
	return stage_fit(s, 0, report) > stage_fit(s, s->values - 1, report);
}

/* How many of n devices with this value speak for value 0. */
static enum sotto_status count_for(struct stage *s, unsigned value, uint64_t n, uint64_t *out)
{
	enum sotto_status st = SOTTO_OK;

	*out = 0;
	for (uint64_t i = 0; i < n && st == SOTTO_OK; i++) {
		struct device d;

		st = device_init(s, &d, REMEMBERS);
		if (st == SOTTO_OK)
			st = device_speak(s, &d, value);
		*out += st == SOTTO_OK && speaks_for(s, s->report);
	}
	return st;
}

/* The report that fits value 0 best against the last one, out of many. */
static enum sotto_status loudest(struct stage *s, uint8_t *out)
{
	double best = -INFINITY;
	enum sotto_status st = SOTTO_OK;

	for (unsigned i = 0; i < CANDIDATES && st == SOTTO_OK; i++) {
		struct device d;
		double fit;

		st = device_init(s, &d, REMEMBERS);
		if (st == SOTTO_OK)
			st = device_speak(s, &d, 0);
		fit = stage_fit(s, 0, s->report) - stage_fit(s, s->values - 1, s->report);
		if (st == SOTTO_OK && fit > best) {
			best = fit;
			memcpy(out, s->report, s->stride);
		}
	}
	return st;
}

enum sotto_status attack_poison(struct stage *s)
{
	uint64_t n = s->devices, fakes = s->fakes;
	uint64_t own = 0, other = 0, honest = 0;
	uint8_t *fake = memory_new(s->stride, 1);
	enum sotto_status st = loudest(s, fake);
	double p, q, before, after;

	if (st == SOTTO_OK)
		st = count_for(s, 0, CALIBRATION, &own);
	if (st == SOTTO_OK)
		st = count_for(s, s->values - 1, CALIBRATION, &other);
	if (st == SOTTO_OK)
		st = count_for(s, s->values - 1, n, &honest); /* nobody holds 0 */
	p = (double)own / CALIBRATION;
	q = (double)other / CALIBRATION;
	before = ((double)honest - (double)n * q) / (p - q);
	after = ((double)honest + (speaks_for(s, fake) ? (double)fakes : 0) -
		 (double)(n + fakes) * q) /
		(p - q);
	stage_add(s, before, "estimate of a value nobody holds");
	stage_add(s, after, "the same with %llu made-up users", (unsigned long long)fakes);
	stage_add(s, fakes > 0 ? (after - before) / (double)fakes : 0, "gain per made-up user");
	stage_say(s,
		  "The first two results are estimated numbers of users.  A report counts for "
		  "the value if the value\n"
		  "explains it better than another one does: %.4g %% of the reports of its "
		  "holders do, and %.4g %% of\nthe others' reports.  A made-up user sends the "
		  "report that counts most, and weighs as much as %.4g honest users.",
		  100 * p, 100 * q, fakes > 0 ? (after - before) / (double)fakes : 0);
	free(fake);
	return st;
}
