/*
 * Does a change of the value show?  Twice: comparing one report before with one after, where any
 * difference is an alarm; and comparing what many reports before and after are on average.
 */
#include "local/design/local_attack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"

static const char *const names[] = {"answers drawn anew", "answers memoized"};

/* ---- one report before, one after ------------------------------------------------------------- */

static enum sotto_status differs(struct stage *s, enum memory memory, bool change, bool *out)
{
	uint8_t *first = memory_new(s->stride, 1);
	struct device d;
	enum sotto_status st = device_init(s, &d, memory);

	if (st == SOTTO_OK)
		st = device_speak(s, &d, 0);
	if (st == SOTTO_OK) {
		memcpy(first, s->report, s->stride);
		st = device_speak(s, &d, change ? s->values - 1 : 0);
	}
	*out = st == SOTTO_OK && memcmp(first, s->report, s->stride) != 0;
	free(first);
	return st;
}

static enum sotto_status
count_differences(struct stage *s, enum memory memory, bool change, double *percent)
{
	uint64_t n = s->devices, seen = 0;
	enum sotto_status st = SOTTO_OK;

	for (uint64_t i = 0; i < n && st == SOTTO_OK; i++) {
		bool hit = false;

		st = differs(s, memory, change, &hit);
		seen += hit;
	}
	*percent = 100 * (double)seen / (double)n;
	return st;
}

/* ---- many reports before, many after ----------------------------------------------------------- */

/* What sums of fractions that cancel leave over. */
#define TINY 1e-12

/* How far two periods of a device are apart: in the rates of its bits, in what fits it. */
struct gap {
	double bits, fit;
};

/* A report that a value cannot make is very unlikely, not infinitely so. */
static double bounded(double fit)
{
	return fmax(fit, -100);
}

/* Adds what some reports are on average: each bit's rate, each value's fit. */
static enum sotto_status
listen_to(struct stage *s, struct device *d, unsigned value, double sign, double *profile)
{
	double share = sign / (double)s->reports;
	size_t bits = 8 * s->stride;
	enum sotto_status st = SOTTO_OK;

	for (uint64_t t = 0; t < s->reports && st == SOTTO_OK; t++) {
		st = device_speak(s, d, value);
		for (size_t i = 0; i < bits && st == SOTTO_OK; i++)
			profile[i] += share * (s->report[i / 8] >> i % 8 & 1);
		for (unsigned v = 0; v < s->values && st == SOTTO_OK; v++)
			profile[bits + v] += share * bounded(stage_fit(s, v, s->report));
	}
	return st;
}

static enum sotto_status
measure(struct stage *s, enum memory memory, bool change, struct gap *out)
{
	size_t bits = 8 * s->stride;
	double *profile = memory_new(bits + s->values, sizeof *profile);
	struct device d;
	enum sotto_status st = device_init(s, &d, memory);

	*out = (struct gap){0, 0};
	if (st == SOTTO_OK)
		st = listen_to(s, &d, 0, 1, profile);
	if (st == SOTTO_OK)
		st = listen_to(s, &d, change ? s->values - 1 : 0, -1, profile);
	for (size_t i = 0; i < bits; i++)
		out->bits += profile[i] * profile[i];
	for (unsigned v = 0; v < s->values; v++)
		out->fit += profile[bits + v] * profile[bits + v];
	free(profile);
	return st;
}

/* The greatest gap of devices that keep their value: what is greater is an alarm. */
static enum sotto_status calibrate(struct stage *s, enum memory memory, struct gap *limit)
{
	enum sotto_status st = SOTTO_OK;

	*limit = (struct gap){0, 0};
	for (uint64_t i = 0; i < s->devices && st == SOTTO_OK; i++) {
		struct gap g;

		st = measure(s, memory, false, &g);
		limit->bits = fmax(limit->bits, g.bits);
		limit->fit = fmax(limit->fit, g.fit);
	}
	return st;
}

static enum sotto_status count_alarms(struct stage *s, enum memory memory, bool change,
				      const struct gap *limit, double *percent)
{
	uint64_t n = s->devices, seen = 0;
	enum sotto_status st = SOTTO_OK;

	for (uint64_t i = 0; i < n && st == SOTTO_OK; i++) {
		struct gap g;

		st = measure(s, memory, change, &g);
		seen += g.bits > limit->bits + TINY || g.fit > limit->fit + TINY;
	}
	*percent = 100 * (double)seen / (double)n;
	return st;
}

/* ---- the attack ---------------------------------------------------------------------------------- */

/* In percent of the devices. */
struct found {
	double differ[2], alarms[2]; /* [0]: the value was kept, [1]: it changed */
};

static enum sotto_status try(struct stage *s, enum memory memory, struct found *f)
{
	struct gap limit;
	enum sotto_status st = calibrate(s, memory, &limit);

	for (unsigned change = 0; change < 2 && st == SOTTO_OK; change++) {
		st = count_differences(s, memory, change, &f->differ[change]);
		stage_add(s, f->differ[change], "%s, value %s, 1 report before and after",
			  names[memory], change ? "changed" : "kept");
	}
	for (unsigned change = 0; change < 2 && st == SOTTO_OK; change++) {
		st = count_alarms(s, memory, change, &limit, &f->alarms[change]);
		stage_add(s, f->alarms[change], "%s, value %s, %llu before and after",
			  names[memory], change ? "changed" : "kept",
			  (unsigned long long)s->reports);
	}
	return st;
}

static const char *verdict(const double differ[2])
{
	if (differ[1] <= differ[0] + 5)
		return "says next to nothing";
	return differ[0] == 0 ? "proved that the value changed"
			      : "hinted at a change, but was no proof";
}

enum sotto_status attack_change(struct stage *s)
{
	struct found found[2] = {{{0}, {0}}, {{0}, {0}}};
	const struct found *fresh = &found[FORGETS], *kept = &found[REMEMBERS];
	enum sotto_status st = try(s, FORGETS, &found[FORGETS]);

	if (st == SOTTO_OK)
		st = try(s, REMEMBERS, &found[REMEMBERS]);
	stage_say(s,
		  "Devices with an alarm, in percent.  With 1 report before and after, any "
		  "difference is an alarm:\n"
		  "if answers are memoized it %s; if they are drawn anew it %s.\n"
		  "With %llu reports before and after, averages are compared, and what is "
		  "farther "
		  "apart than for\n"
		  "any of %llu devices that kept their value is an alarm: it found %.4g %% of "
		  "the "
		  "changes of devices\n"
		  "with memoized answers and %.4g %% of the others; %.4g %% and %.4g %% were "
		  "false "
		  "alarms.",
		  verdict(kept->differ), verdict(fresh->differ), (unsigned long long)s->reports,
		  (unsigned long long)s->devices, kept->alarms[1], fresh->alarms[1],
		  kept->alarms[0], fresh->alarms[0]);
	return st;
}
