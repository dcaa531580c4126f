/*
 * noise_law.h - what each mechanism that adds noise does its own way
 */
#ifndef SOTTO_PYTHON_NOISE_LAW_H
#define SOTTO_PYTHON_NOISE_LAW_H

#include "native.h"

/* One prepared mechanism, whichever it is. */
struct noise_mechanism {
	const struct noise_law *law;
	void *of;
	int64_t sensitivity;
	struct sotto_randomized_response coins; /* of the law that has no object of its own */
};

struct noise_law {
	void (*free)(struct noise_mechanism *m);
	enum sotto_status (*publish)(const struct noise_mechanism *m, struct sotto_rng *rng,
				     const struct sotto_exact *x, struct sotto_noisy *out,
				     size_t n);
	enum sotto_status (*cost)(const struct noise_mechanism *m, struct sotto_cost *cost);
	/* NULL: there is no such bound */
	enum sotto_status (*error)(const struct noise_mechanism *m, size_t n,
				   const struct sotto_rational *beta, int64_t *error);
};

extern const struct noise_law noise_laplace_law, noise_gaussian_law, noise_staircase_law,
	noise_truncated_law, noise_coins_law, noise_kary_law;

#endif
