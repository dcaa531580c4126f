/*
 * Writes events from a grammar with a depth of at most four; numbers have their exponents
 * spread evenly, so that the ends of every range occur often.
 */
#include "testlib/accountant/extreme_workload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "testlib/accountant/random_workload.h"

enum { DEPTH_MAX = 4 };

static const uint64_t sizes[] = {UINT64_C(1) << 53,
				 (UINT64_C(1) << 53) - 1,
				 (UINT64_C(1) << 52) + 1,
				 UINT64_C(1000000000000000),
				 UINT64_C(1000000000000),
				 1000000000,
				 10000000,
				 100000,
				 4096,
				 512,
				 100,
				 31,
				 7,
				 2,
				 1};

static uint64_t size_of(uint64_t *state)
{
	return sizes[random_below(state, sizeof sizes / sizeof sizes[0])];
}

/* Three digits, the exponent evenly from low to high. */
static void number(uint64_t *state, char *out, size_t size, int low, int high)
{
	int exponent = low + (int)random_below(state, (unsigned)(high - low + 1));

	(void)snprintf(out, size, "%u.%02ue%d", 1 + random_below(state, 9),
		       random_below(state, 100), exponent);
}

void extreme_number(uint64_t *state, char out[32])
{
	static const int from[] = {-300, -20, -3, -3, 1, 6}, to[] = {-20, -3, 1, 1, 6, 300};
	unsigned i = random_below(state, 6);

	number(state, out, 32, from[i], to[i]);
}

void extreme_chance(uint64_t *state, char out[64])
{
	unsigned shape = random_below(state, 10);

	if (shape < 3)
		number(state, out, 32, -300, -20);
	else if (shape < 5)
		number(state, out, 32, -20, -3);
	else if (shape < 6)
		(void)snprintf(out, 64, "0.%.*s", 1 + (int)random_below(state, 40),
			       "9999999999999999999999999999999999999999");
	else
		(void)snprintf(out, 64, "0.%04u", 1 + random_below(state, 9999));
}

__attribute__((format(printf, 2, 3))) static void
say(struct extreme_workload *w, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	w->length += (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format,
				       list);
	va_end(list);
}

static void say_count(struct extreme_workload *w)
{
	unsigned shape = random_below(&w->state, 5);

	if (shape < 2)
		return;
	say(w, "*%" PRIu64, shape == 2 ? 2 + random_below(&w->state, 40) : size_of(&w->state));
}

static void leaf(struct extreme_workload *w)
{
	static const char *const plain[] = {"pure", "laplace", "exponential",
					    "permute-and-flip"};
	uint64_t *r = &w->state;
	char x[32], p[64];

	extreme_number(r, x);
	extreme_chance(r, p);
	switch (random_below(r, 11)) {
	case 0:
		say(w, "approx(epsilon=%s, delta=%s)", x, p);
		break;
	case 1:
	case 2:
		say(w, "geometric(%s=%s, sensitivity=%" PRIu64 ")",
		    random_below(r, 3) ? "epsilon" : "scale", x, size_of(r));
		break;
	case 3:
		say(w, "gaussian(sigma=%s)", x);
		break;
	case 4:
		say(w, "discrete-gaussian(sigma=%s, sensitivity=%" PRIu64 ")", x,
		    random_below(r, 2) ? 1 : size_of(r));
		break;
	case 5:
		say(w, "randomized-response(epsilon=%s, k=%" PRIu64 ")", x, size_of(r) | 2);
		break;
	case 6:
		say(w, "randomized-response(p=%s, k=%u)", p, 2 + random_below(r, 20));
		break;
	case 7:
		if (w->neighbours == SOTTO_REPLACE) {
			number(r, x, sizeof x, -3, 1);
			say(w, "shuffle(n=%" PRIu64 ", epsilon0=%s)", size_of(r), x);
		} else {
			say(w, "zcdp(rho=%s)", x);
		}
		break;
	default:
		say(w, "%s(epsilon=%s)", plain[random_below(r, 4)], x);
		break;
	}
}

static void event(struct extreme_workload *w, unsigned depth)
{
	static const uint64_t groups[] = {2, 3, 7, 100, 1 << 20, UINT64_C(1) << 53};
	unsigned shape = random_below(&w->state, 7), cells;
	char p[64];

	if (depth >= DEPTH_MAX || shape > 2) {
		leaf(w);
	} else if (shape == 0 && w->neighbours != SOTTO_REPLACE) {
		extreme_chance(&w->state, p);
		say(w, "sampled(rate=%s, ", p);
		event(w, depth + 1);
		say(w, ")");
	} else if (shape == 1) {
		say(w, "group(k=%" PRIu64 ", ", groups[random_below(&w->state, 6)]);
		event(w, depth + 1);
		say(w, ")");
	} else {
		cells = 1 + random_below(&w->state, 5);
		say(w, "parallel(");
		for (unsigned i = 0; i < cells; i++) {
			say(w, i ? ", " : "");
			event(w, depth + 2);
		}
		say(w, ")");
	}
	say_count(w);
}

void extreme_workload(struct extreme_workload *w, uint64_t seed)
{
	unsigned events;

	memset(w, 0, sizeof *w);
	w->state = seed * UINT64_C(0x9e3779b97f4a7c15) + 7;
	for (int i = 0; i < 4; i++)
		(void)random_below(&w->state, 2);
	w->neighbours = random_below(&w->state, 4) ? SOTTO_ADD_REMOVE : SOTTO_REPLACE;
	events = 1 + random_below(&w->state, random_below(&w->state, 4) ? 3 : 12);
	for (unsigned i = 0; i < events; i++) {
		say(w, i ? ";" : "");
		event(w, 0);
	}
}
