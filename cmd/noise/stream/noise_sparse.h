/*
 * noise_sparse.h - answers a stream of "sotto noise above-threshold" and its variants
 */
#ifndef SOTTO_NOISE_SPARSE_H
#define SOTTO_NOISE_SPARSE_H

#include "frame/command.h"
#include "frame/option.h"
#include "sotto/noise.h"
#include "sotto/stream.h"

struct sparse_settings {
	struct option_rational epsilon;
	struct option_rational delta;
	struct option_rational threshold;
	struct option_rational sensitivity;
	struct option_rational step;
	struct option_rational confidence;
	struct option_count positives;
	struct option_count queries;
	const char *csv;
	const char *column;
	bool monotone;
	bool optimized;
	bool quiet;
};

/* A stream that is being answered. */
struct sparse_stream {
	const char *name;
	bool numeric;
	struct sotto_grid grid;
	struct sotto_sparse_vector *sparse;
	struct sotto_rng *rng;
	struct sotto_rational value; /* being read or printed */
	uint64_t asked;
};

/*
 * States cost, noise and accuracy before any answer, and opens the list of answers if the format
 * has one (the caller closes it).
 */
enum outcome sparse_statement(const struct sparse_stream *s, const struct invocation *call,
			      struct sotto_error *err);

#endif
