/*
 * local_assoc.h - reads reports with several bit strings per user
 */
#ifndef SOTTO_LOCAL_ASSOC_H
#define SOTTO_LOCAL_ASSOC_H

#include "local/decode/local_decoding.h"
#include "read/csv.h"

/* Options of the commands that read them. */
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

/* Returns the column of this name in the header; SIZE_MAX if there is none. */
size_t assoc_column(const struct csv_reader *header, const char *name);

/* Reads a bit string, bit k-1 first, as google/rappor writes them.  False if it is not one. */
bool assoc_bits(const char *text, uint32_t bits, uint64_t *out);

/* Reads a cohort below cohorts; larger numbers are folded if `fold`. */
bool assoc_cohort(const char *text, uint32_t cohorts, bool fold, uint32_t *out);

#endif
