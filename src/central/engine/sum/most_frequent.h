/*
 * most_frequent.h - how often the number occurs that occurs most often
 *
 *	sotto_most(x)      of doubles; 0 without any.  NULL is not counted; NaN is a number like others
 *
 * It is for public tables: how many of their rows a private row can meet in a join.  The engine's
 * own way, a group for each number, takes ten times as long where they are keys.
 */
#ifndef SOTTO_MOST_FREQUENT_H
#define SOTTO_MOST_FREQUENT_H

#include "central/engine/sum/sum_function.h"

/* Gives it to the engine.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_most_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
