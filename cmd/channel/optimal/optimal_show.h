/*
 * optimal_show.h - prints what sotto optimal found, for people and for programs
 */
#ifndef SOTTO_CMD_OPTIMAL_SHOW_H
#define SOTTO_CMD_OPTIMAL_SHOW_H

#include "frame/command.h"
#include "sotto/utility.h"

/* Prints the result; the verdict is that of the mechanism. */
void optimal_show(const struct sotto_optimal *o, const struct sotto_verdict *v,
		  const struct invocation *call);
void optimal_show_minimax(const struct sotto_minimax *m, const struct sotto_verdict *v,
			  const struct invocation *call);

#endif
