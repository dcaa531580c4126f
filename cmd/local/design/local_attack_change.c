/* Comparing two reports of a device: does a difference show that its value changed? */
#include "local/design/local_attack.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"

/* Two reports of one device; the value changes between them or not. */
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
count(struct stage *s, enum memory memory, bool change, double *percent)
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

static const char *verdict(double kept, double changed)
{
	if (changed <= kept + 5)
		return "a difference says next to nothing";
	return kept == 0 ? "a difference proved that the value changed"
			 : "a difference hinted at a change, but was no proof";
}

enum sotto_status attack_change(struct stage *s)
{
	static const char *const names[] = {"answers drawn anew", "answers memoized"};
	double percent[2][2] = {{0}};
	enum sotto_status st = SOTTO_OK;

	for (unsigned m = FORGETS; m <= REMEMBERS; m++)
		for (unsigned change = 0; change < 2 && st == SOTTO_OK; change++) {
			st = count(s, (enum memory)m, change, &percent[m][change]);
			stage_add(s, percent[m][change], "%s, value %s", names[m],
				  change ? "changed" : "kept");
		}
	stage_say(s,
		  "Devices whose two reports differ, in percent.  With memoized answers %s;\n"
		  "with answers drawn anew %s.",
		  verdict(percent[REMEMBERS][0], percent[REMEMBERS][1]),
		  verdict(percent[FORGETS][0], percent[FORGETS][1]));
	return st;
}
