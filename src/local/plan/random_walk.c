/* Numbers of made-up people that change over time. */
#include <math.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/plan/simulation_rng.h"
#include "sotto/local.h"

/* Each round a tenth of the way back to the user's own level; noise of a twentieth of the range. */
#define BACK 0.1
#define NOISE 0.05
#define ANEW 0.05

static uint32_t bounded(double x, uint32_t most)
{
	return (uint32_t)lround(fmin(fmax(x, 0), most));
}

static double uniform(struct sotto_simulation_rng *dice, uint32_t most)
{
	return floor(sotto_simulation_unit(dice) * ((double)most + 1));
}

static double
step_back(struct sotto_simulation_rng *dice, double x, double level, uint32_t most)
{
	return x + BACK * (level - x) + NOISE * most * sotto_simulation_normal(dice);
}

static double step_sticky(struct sotto_simulation_rng *dice, double x, uint32_t most)
{
	return sotto_simulation_unit(dice) < ANEW ? uniform(dice, most) : x;
}

enum sotto_status sotto_local_walk(const char *name, size_t users, size_t rounds, uint32_t most,
				   uint64_t seed, uint32_t *values, struct sotto_error *err)
{
	if (!name || !values)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	bool back = strcmp(name, "ar1") == 0;
	struct sotto_simulation_rng dice = {seed};

	if (!back && strcmp(name, "sticky") != 0)
		return sotto_fail(err, SOTTO_EPARSE, "a walk is ar1 or sticky");
	for (size_t u = 0; u < users; u++) {
		double level = uniform(&dice, most), x = level;

		for (size_t r = 0; r < rounds; r++) {
			if (r > 0)
				x = back ? step_back(&dice, x, level, most)
					 : step_sticky(&dice, x, most);
			values[r * users + u] = bounded(x, most);
		}
	}
	return SOTTO_OK;
}
