/*
 * noise_release.h - what the additive mechanisms of "sotto noise" share
 *
 * It reads exact values, puts them on the grid, publishes them and states the cost and the error.
 * A mechanism brings its own options, its calibration and a function that publishes.
 */
#ifndef SOTTO_NOISE_RELEASE_H
#define SOTTO_NOISE_RELEASE_H

#include <stdbool.h>

#include "frame/command.h"
#include "frame/option.h"
#include "read/numbers.h"
#include "sotto/noise.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/* The options of every additive mechanism; the first member of its settings. */
struct noise_settings {
	struct option_rational epsilon;
	struct option_rational sensitivity;
	struct option_rational scale;
	struct option_rational step;
	struct option_rational confidence;
	struct option_count count;
	const char *csv;
	const char *column;
	bool quiet;
};

#define NOISE_OPTION(option_name, letter_, argument_, kind_, help_)                            \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct noise_settings, option_name)

/* The rows for these options; scale_help and sensitivity_help differ between mechanisms. */
#define NOISE_OPTIONS(sensitivity_help, scale_help)                                            \
	{NOISE_OPTION(epsilon, 'e', "E", OPTION_RATIONAL,                                      \
		      "privacy parameter of one release of all values"),                       \
	 .range = RANGE_POSITIVE},                                                             \
		{NOISE_OPTION(sensitivity, 's', "S", OPTION_RATIONAL, sensitivity_help),       \
		 .range = RANGE_POSITIVE, .fallback = "1"},                                    \
		{NOISE_OPTION(scale, 'b', "B", OPTION_RATIONAL, scale_help),                   \
		 .range = RANGE_POSITIVE},                                                     \
		{NOISE_OPTION(step, 'g', "G", OPTION_RATIONAL,                                 \
			      "work on multiples of G instead of whole numbers"),              \
		 .range = RANGE_POSITIVE},                                                     \
		{NOISE_OPTION(count, 'n', "N", OPTION_COUNT,                                   \
			      "publish each value N times, at N times the cost"),              \
		 .range = RANGE_POSITIVE, .fallback = "1"},                                    \
		{NOISE_OPTION(confidence, 0, "C", OPTION_RATIONAL,                             \
			      "confidence of the accuracy statement"),                         \
		 .range = RANGE_INSIDE_UNIT, .fallback = "0.95"},                              \
		NUMBERS_OPTIONS(struct noise_settings),                                        \
	{                                                                                      \
		NOISE_OPTION(quiet, 'q', NULL, OPTION_FLAG,                                    \
			     "do not print cost and accuracy on standard error")               \
	}

/* Exact values on their grid. */
struct noise_input {
	struct sotto_grid grid;
	struct numbers exact;
	uint64_t draws; /* values times --count */
	bool on_integers; /* no --step */
};

/* Reads the values that the call names.  Pair with _release, also on failure. */
enum outcome noise_input_read(struct noise_input *in, const struct invocation *call,
			      const struct noise_settings *settings, struct sotto_error *err);
void noise_input_release(struct noise_input *in);

/*
 * Computes the sensitivity of the values on their grid, in steps: --sensitivity itself on the
 * integers, otherwise with the effect of rounding (sotto/noise.h).
 */
enum outcome noise_input_sensitivity(const struct noise_input *in,
				     const struct noise_settings *settings, bool euclidean,
				     int64_t *steps, struct sotto_error *err);

/*
 * Computes how far an answer is from the given value if noise moves it by at most `steps`: with
 * --step, rounding has moved it by up to half a step before.
 */
void noise_input_error(const struct noise_input *in, int64_t steps,
		       struct sotto_rational *error);

typedef enum sotto_status (*noise_function)(const void *mechanism, struct sotto_rng *rng,
					    const struct sotto_exact *x,
					    struct sotto_noisy *out, size_t n);

/* A calibrated mechanism and what is stated about it. */
struct noise_release {
	const char *name;
	noise_function publish;
	const void *mechanism;
	int64_t sensitivity; /* in steps */
	struct sotto_rational scale; /* in steps: b for Laplace, sigma^2 for Gauss */
	struct sotto_rational epsilon; /* of one release of all values */
	struct sotto_rational delta;
	struct sotto_rational rho; /* 0 if it is not a zCDP mechanism */
	bool has_epsilon; /* false: only rho is known */
	int64_t error; /* of the noise alone, in steps, at the requested confidence */
	double deviation; /* standard deviation of the noise, in steps, rounded up */
};

/* Calibrates a mechanism to the values, fills the release and publishes them. */
typedef enum outcome (*noise_mechanism)(const struct noise_input *in,
					const struct invocation *call,
					struct noise_release *release, struct sotto_error *err);

/*
 * Reads the values of a call and has the mechanism of that name release them.  The settings of
 * the call begin with a struct noise_settings.
 */
enum outcome noise_release_run(const struct invocation *call, const char *name,
			       noise_mechanism mechanism, struct sotto_error *err);

/* Draws, prints the noisy values, and states cost and accuracy. */
enum outcome noise_release_publish(const struct noise_release *release,
				   const struct noise_input *in, const struct invocation *call,
				   const struct noise_settings *settings,
				   struct sotto_error *err);

#endif
