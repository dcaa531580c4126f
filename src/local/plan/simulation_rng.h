/*
 * simulation_rng.h - repeatable randomness for simulations
 *
 * Nothing private may ever depend on it: simulated people have no secrets.
 * Protection is drawn from sotto_rng, which cannot be seeded.
 */
#ifndef SOTTO_SIMULATION_RNG_H
#define SOTTO_SIMULATION_RNG_H

#include <stddef.h>
#include <stdint.h>

struct sotto_simulation_rng {
	uint64_t state;
};

uint64_t sotto_simulation_word(struct sotto_simulation_rng *d);
double sotto_simulation_unit(struct sotto_simulation_rng *d); /* in (0, 1) */
double sotto_simulation_normal(struct sotto_simulation_rng *d);

/* Law: Binomial(n, p), by inversion or by transformed rejection (Hormann 1993). */
uint64_t sotto_simulation_binomial(struct sotto_simulation_rng *d, uint64_t n, double p);

/* Law: n items over count cells with these shares (which sum to 1). */
void sotto_simulation_multinomial(struct sotto_simulation_rng *d, uint64_t n,
				  const double *share, size_t count, uint64_t *out);

#endif
