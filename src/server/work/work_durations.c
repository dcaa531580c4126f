/* A histogram in steps of milliseconds. */
#include "server/work/work_durations.h"

#include <inttypes.h>

#include "core/base/failure.h"

static const unsigned steps[SOTTO_DURATION_STEPS] = {5,    10,   50,   100,   500,
						     1000, 2000, 5000, 10000, 30000};

void sotto_durations_add(struct sotto_durations *d, uint64_t nanoseconds)
{
	size_t i = 0;

	while (i < SOTTO_DURATION_STEPS && nanoseconds > (uint64_t)steps[i] * 1000000)
		i++;
	(void)atomic_fetch_add(&d->count[i], 1);
	(void)atomic_fetch_add(&d->sum, nanoseconds);
}

enum sotto_status
sotto_durations_write(struct sotto_durations *d, const char *door, struct sotto_buffer *out)
{
	uint64_t all = 0;

	for (size_t i = 0; i < SOTTO_DURATION_STEPS; i++) {
		all += atomic_load(&d->count[i]);
		SOTTO_TRY(sotto_buffer_appendf(
			out, "sotto_reply_seconds_bucket{door=\"%s\",le=\"%g\"} %" PRIu64 "\n",
			door, steps[i] / 1e3, all));
	}
	all += atomic_load(&d->count[SOTTO_DURATION_STEPS]);
	return sotto_buffer_appendf(
		out,
		"sotto_reply_seconds_bucket{door=\"%s\",le=\"+Inf\"} %" PRIu64 "\n"
		"sotto_reply_seconds_sum{door=\"%s\"} %.3f\n"
		"sotto_reply_seconds_count{door=\"%s\"} %" PRIu64 "\n",
		door, all, door, (double)atomic_load(&d->sum) / 1e9, door, all);
}
