/*
 * sensitivity_finding.h - what "sotto sensitivity" found, and how it is printed
 */
#ifndef SOTTO_CMD_SENSITIVITY_FINDING_H
#define SOTTO_CMD_SENSITIVITY_FINDING_H

#include "frame/command.h"
#include "frame/option.h"
#include "sotto/accuracy.h"

struct sensitivity_settings {
	struct option_interval range;
	struct option_count min;
	struct option_rational empty;
	struct option_count counts;
	struct option_count contributions;
	struct option_rational factor;
	struct option_rational step;
	struct option_rational epsilon;
	size_t neighbours;
	bool brute, explain;
};

/* The answer under one relation. */
struct sensitivity_finding {
	const char *neighbours;
	bool replace;
	struct sotto_sensitivity s;
	bool has_steps;
	int64_t steps;
	bool tried; /* all small datasets were tried */
	struct sotto_rational largest; /* the largest change among them */
};

/* Prints n findings about the query of that name, in the requested format. */
void sensitivity_print(const char *name, const struct sensitivity_finding *list, size_t n,
		       const struct invocation *call);

#endif
