/*
 * dice.h - repeatable randomness for simulations
 *
 * Nothing private may ever depend on it: simulated people have no secrets.
 * Protection is drawn from sotto_rng, which cannot be seeded.
 */
#ifndef SOTTO_DICE_H
#define SOTTO_DICE_H

#include <stddef.h>
#include <stdint.h>

struct sotto_dice {
	uint64_t state;
};

uint64_t sotto_dice_word(struct sotto_dice *d);
double sotto_dice_unit(struct sotto_dice *d); /* in (0, 1) */
double sotto_dice_normal(struct sotto_dice *d);

/* Law: Binomial(n, p), by inversion or by transformed rejection (Hormann 1993). */
uint64_t sotto_dice_binomial(struct sotto_dice *d, uint64_t n, double p);

/* Law: n items over count cells with these shares (which sum to 1). */
void sotto_dice_multinomial(struct sotto_dice *d, uint64_t n, const double *share, size_t count,
			    uint64_t *out);

#endif
