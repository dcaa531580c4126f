/*
 * utility_draw.h - draws utility against epsilon, and against leakage, as SVG
 */
#ifndef SOTTO_CMD_UTILITY_DRAW_H
#define SOTTO_CMD_UTILITY_DRAW_H

#include "frame/option.h"
#include "sotto/utility.h"

struct utility_picture {
	const char *curve; /* a file for utility against epsilon, or NULL */
	const char *pareto; /* a file for utility against min-entropy leakage, or NULL */
	const char *range; /* A:B:N */
	bool log; /* logarithmic axis of epsilon */
};

/* Draws one line for each mechanism; against epsilon solid with a remap, dashed without. */
enum outcome utility_draw(const struct sotto_user_case *problem,
			  const struct utility_picture *picture, struct sotto_error *err);

#endif
