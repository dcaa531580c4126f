/*
 * The averaging attack: watching one device for a long time, because fresh noise averages
 * out.
 */
#include "local/design/local_attack.h"

/* Whether the value that fits the reports best is the device's. */
static enum sotto_status
listen_to(struct stage *s, enum memory memory, unsigned value, uint64_t reports, bool *right)
{
	double fit[ATTACK_VALUES] = {0};
	struct device d;
	unsigned best = 0;
	enum sotto_status st = device_init(s, &d, memory);

	for (uint64_t i = 0; i < reports && st == SOTTO_OK; i++) {
		st = device_speak(s, &d, value);
		for (unsigned v = 0; v < s->values && st == SOTTO_OK; v++)
			fit[v] += stage_fit(s, v, s->report);
	}
	for (unsigned v = 1; v < s->values; v++)
		if (fit[v] > fit[best])
			best = v;
	*right = best == value;
	return st;
}

static enum sotto_status
guess(struct stage *s, enum memory memory, uint64_t reports, double *percent)
{
	uint64_t n = s->devices, right = 0;
	enum sotto_status st = SOTTO_OK;

	for (uint64_t i = 0; i < n && st == SOTTO_OK; i++) {
		bool hit = false;

		st = listen_to(s, memory, (unsigned)(i % s->values), reports, &hit);
		right += hit;
	}
	*percent = 100 * (double)right / (double)n;
	return st;
}

enum sotto_status attack_averaging(struct stage *s)
{
	static const char *const names[] = {"answers drawn anew", "answers memoized"};
	uint64_t most = s->reports, t = 1;
	double percent[2] = {0, 0};
	enum sotto_status st = SOTTO_OK;

	for (bool last = false; st == SOTTO_OK && !last; t = t * 10 < most ? t * 10 : most) {
		last = t == most;
		for (unsigned m = FORGETS; m <= REMEMBERS && st == SOTTO_OK; m++) {
			st = guess(s, (enum memory)m, t, &percent[m]);
			stage_add(s, percent[m], "%s, %llu report%s", names[m],
				  (unsigned long long)t, t == 1 ? "" : "s");
		}
	}
	stage_say(
		s,
		"Devices whose value is guessed right, in percent; a blind guess is right for "
		"%.4g %%.\n"
		"After %llu reports the guess is right for %.4g %% of the devices if answers "
		"are "
		"drawn anew,\nand for %.4g %% if answers are memoized.",
		100.0 / s->values, (unsigned long long)most, percent[FORGETS],
		percent[REMEMBERS]);
	return st;
}
