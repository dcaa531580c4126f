/*
 * verify_show.h - prints the result of sotto verify, for people and for programs
 */
#ifndef SOTTO_CMD_VERIFY_SHOW_H
#define SOTTO_CMD_VERIFY_SHOW_H

#include <stdio.h>

#include "frame/option.h"
#include "sotto/utility.h"

struct verify_settings {
	const char *graph;
	const char *epsilon;
	struct option_rational delta;
	const char *derivable;
	const char *svg;
	const char *map;
	struct option_count bits;
};

/* What was read, and what was found out about it. */
struct finding {
	struct sotto_matrix *channel;
	struct sotto_matrix *normalized; /* NULL: the rows sum to one */
	size_t bad_row;
	struct sotto_rational defect; /* of that row */
	struct sotto_graph *graph;
	struct sotto_eps *eps, *source;
	struct sotto_verdict verdict, verdict_normalized;
	bool private;
	struct sotto_derivation derivation;
	struct sotto_matrix *other; /* a channel from which it may be made */
	struct sotto_refinement refinement;
};

void verify_print(const struct finding *f, const struct verify_settings *s, FILE *out);
void verify_print_csv(const struct finding *f, FILE *out);
void verify_write(const struct finding *f, FILE *out);

#endif
