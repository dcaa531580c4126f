/*
 * loss_level.h - a delta for which an epsilon is searched
 */
#ifndef SOTTO_LOSS_LEVEL_H
#define SOTTO_LOSS_LEVEL_H

#include <gmp.h>
#include <mpfr.h>

/* The delta to meet: in high precision, and its log rounded both ways. */
struct sotto_level {
	mpfr_t delta;
	double log_down, log_up;
};

void sotto_level_init(struct sotto_level *l, mpq_srcptr delta);
/* Makes the level with this log delta (for searches). */
void sotto_level_init_log(struct sotto_level *l, double log_delta);
void sotto_level_release(struct sotto_level *l);

#endif
