/*
 * parquet_statistics.h - whether a Parquet file tells the truth about the values in its parts
 *
 * For each part of its rows a footer may say between which values those of a column lie, how many are
 * NULL, and by a Bloom filter which values do not occur.  The engine skips parts by that.  Where it is
 * wrong, one record can hide all others of its part: writers before 2018 compared bytes as signed
 * numbers, so that a text with an accent became the least of all.
 */
#ifndef SOTTO_PARQUET_STATISTICS_H
#define SOTTO_PARQUET_STATISTICS_H

#include "central/seal/sealer.h"

/*
 * Reads every value of the sealer's files again, part by part.  *hold: everything that is said about
 * columns which queries can use is so, and Bloom filters are the engine's own.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_parquet_statistics_check(struct sotto_sealer *s, struct sotto_database *d, bool *hold);

#endif
