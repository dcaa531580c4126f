/*
 * filter.h - what the ledger needs of filters besides sotto/cost.h
 */
#ifndef SOTTO_FILTER_H
#define SOTTO_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/cost.h"

/* Has the limits of another filter, and nothing spent: they take a search to compute. */
void sotto_filter_init_same(struct sotto_filter *f, const struct sotto_filter *budget);

/* Forgets what was spent; the limits stay.  For a budget that is renewed. */
void sotto_filter_reset(struct sotto_filter *f);

#endif
