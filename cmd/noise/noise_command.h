/*
 * noise_command.h - the list of mechanisms below "sotto noise"
 *
 * To add one, add a line and define `const struct command noise_<name>` in
 * cmd/noise/noise_<name>.c, with NOISE_STATES (docs/adding-a-mechanism.md).
 */
#ifndef SOTTO_NOISE_COMMAND_H
#define SOTTO_NOISE_COMMAND_H

#include "frame/command.h"

/* clang-format off */
#define NOISE_MECHANISMS(X) \
	X(laplace) \
	X(geometric) \
	X(gaussian) \
	X(truncated_geometric) \
	X(truncated_laplace) \
	X(staircase) \
	X(exponential) \
	X(permute_and_flip) \
	X(noisy_max) \
	X(above_threshold) \
	X(sparse) \
	X(numeric_sparse) \
	X(randomized_response) \
	X(bounds) \
	X(accuracy)
/* clang-format on */

#define NOISE_DECLARE(name) extern const struct command noise_##name;
NOISE_MECHANISMS(NOISE_DECLARE)
#undef NOISE_DECLARE

/*
 * States what a mechanism guarantees, to whom and on which condition; and how large its errors
 * are.
 */
#define NOISE_STATES(privacy_, error_)                                                         \
	.statements = (const struct command_statement[])                                       \
	{                                                                                      \
		{"privacy", privacy_}, {"error", error_},                                      \
		{                                                                              \
			NULL, NULL                                                             \
		}                                                                              \
	}

#endif
