/* The linkage attack: recognising a device by what its reports have in common. */
#include "local/design/local_attack.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"

static unsigned distance(const uint8_t *a, const uint8_t *b, size_t n)
{
	unsigned bits = 0;

	for (size_t i = 0; i < n; i++)
		bits += (unsigned)__builtin_popcount(a[i] ^ b[i]);
	return bits;
}

/* The chance that the nearest first report is the device's own; ties are guessed. */
static double link_chance(const struct stage *s, const uint8_t *firsts, uint64_t n,
			  uint64_t own, const uint8_t *second)
{
	unsigned best = distance(firsts + own * s->stride, second, s->stride);
	uint64_t alike = 0;

	for (uint64_t i = 0; i < n; i++) {
		unsigned d = distance(firsts + i * s->stride, second, s->stride);

		if (d < best)
			return 0;
		alike += d == best;
	}
	return 1.0 / (double)alike;
}

/* All devices hold one value, so that only what else a report carries tells them apart. */
static enum sotto_status link_all(struct stage *s, enum memory memory, double *percent)
{
	uint64_t n = s->devices;
	struct device *devices = memory_new(n, sizeof *devices);
	uint8_t *firsts = memory_new(n, s->stride);
	enum sotto_status st = SOTTO_OK;
	double right = 0;

	for (uint64_t i = 0; i < n && st == SOTTO_OK; i++) {
		st = device_init(s, &devices[i], memory);
		if (st == SOTTO_OK)
			st = device_speak(s, &devices[i], 0);
		memcpy(firsts + i * s->stride, s->report, s->stride);
	}
	for (uint64_t i = 0; i < n && st == SOTTO_OK; i++) {
		st = device_speak(s, &devices[i], 0);
		right += link_chance(s, firsts, n, i, s->report);
	}
	*percent = 100 * right / (double)n;
	free(firsts);
	free(devices);
	return st;
}

enum sotto_status attack_linkage(struct stage *s)
{
	uint64_t n = s->devices;
	double forgets = 0, remembers = 0;
	enum sotto_status st = link_all(s, FORGETS, &forgets);

	if (st == SOTTO_OK)
		st = link_all(s, REMEMBERS, &remembers);
	stage_add(s, 100 / (double)n, "links guessed blindly, percent");
	stage_add(s, forgets, "links right, devices that forget, percent");
	stage_add(s, remembers, "links right, devices with a lasting key, percent");
	stage_say(
		s,
		"%llu devices hold the same value and send two reports each.  Which two belong "
		"together was\n"
		"guessed right for %.4g %% of the devices that keep a memoized answer or a "
		"cohort, and for\n%.4g %% of the devices that keep nothing.",
		(unsigned long long)n, remembers, forgets);
	return st;
}
