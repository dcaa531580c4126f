/*
 * odds.h - e^epsilon of the parts that reports are made of, exactly
 *
 * Each writes the greatest likelihood ratio to out; one without a bound sets *unbounded.
 */
#ifndef SOTTO_ODDS_H
#define SOTTO_ODDS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "sotto/client.h"

/* One bit, which is 1 with these chances for one value and for another. */
void sotto_odds_of_bit(struct sotto_client_chance one, struct sotto_client_chance zero,
		       mpq_t out, bool *unbounded);

/* Two bits that differ in opposite directions, as in a one-hot vector; so many times. */
void sotto_odds_of_swap(const mpq_t one, const mpq_t zero, unsigned long times, mpq_t out,
			bool *unbounded);

/* A bit that is flipped, and then perhaps again; so many times. */
void sotto_odds_of_flip(struct sotto_client_chance flip, struct sotto_client_chance again,
			unsigned long times, mpq_t out, bool *unbounded);

/* A chance shared by `in` outputs, against the rest of it shared by `rest` others. */
void sotto_odds_of_keep(struct sotto_client_chance chance, uint64_t in, uint64_t rest,
			mpq_t out, bool *unbounded);

#endif
