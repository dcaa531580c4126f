/*
 * local_assoc.h - reports with several bit strings per user
 */
#ifndef SOTTO_LOCAL_ASSOC_H
#define SOTTO_LOCAL_ASSOC_H

#include "local/decode/local_decoding.h"
#include "read/csv.h"

/* Options of those who read them. */
#define LOCAL_ITERATIONS_OPTION(settings)                                                      \
	{                                                                                      \
		.name = "iterations", .argument = "N", .kind = OPTION_COUNT,                   \
		.range = RANGE_POSITIVE, .fallback = "1000",                                   \
		.help = "stop after N iterations of the expectation maximization",             \
		.offset = offsetof(settings, iterations)                                       \
	}
#define LOCAL_FOLD_OPTION(settings)                                                            \
	{                                                                                      \
		.name = "fold", .kind = OPTION_FLAG,                                           \
		.help = "accept cohort numbers that are too large: take them modulo the "      \
			"number of cohorts",                                                   \
		.offset = offsetof(settings, fold)                                             \
	}

/* The column of this name in a header that was read; SIZE_MAX if there is none. */
size_t assoc_column(const struct csv_reader *header, const char *name);

/* A bit string, bit k-1 first, as google/rappor writes them.  False if it is not one. */
bool assoc_bits(const char *text, uint32_t bits, uint64_t *out);

/* A cohort below cohorts, or folded into that. */
bool assoc_cohort(const char *text, uint32_t cohorts, bool fold, uint32_t *out);

#endif
