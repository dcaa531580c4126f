/*
 * noise_response.h - the mechanism of "sotto noise randomized-response", and its two uses
 */
#ifndef SOTTO_NOISE_RESPONSE_H
#define SOTTO_NOISE_RESPONSE_H

#include "frame/command.h"
#include "frame/option.h"
#include "sotto/choose.h"

struct response_settings {
	struct option_rational p;
	struct option_rational coin;
	struct option_rational yes;
	struct option_rational
		r; /* option of older versions, in which --p was the first coin */
	struct option_rational epsilon;
	struct option_rational confidence;
	struct option_count k;
	const char *csv;
	const char *column;
	bool estimate;
	bool quiet;
};

/* One of the two mechanisms: two coins, or k answers. */
struct response {
	bool by_coins;
	struct sotto_randomized_response coins;
	struct sotto_kary_response *kary; /* NULL if by coins */
	uint64_t k;
	struct sotto_cost cost;
};

/* Randomizes the given answers and prints them. */
enum outcome response_publish(const struct response *m, const struct invocation *call,
			      struct sotto_error *err);

/* Estimates the truth from counts of randomized answers. */
enum outcome response_estimate(const struct response *m, const struct invocation *call,
			       struct sotto_error *err);

#endif
