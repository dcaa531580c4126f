/*
 * local_joint.h - prints a joint distribution, for people and for programs
 */
#ifndef SOTTO_LOCAL_JOINT_H
#define SOTTO_LOCAL_JOINT_H

#include "local/decode/local_decoding.h"

/* The names of the cells; categories after the named ones are "Other". */
struct joint_names {
	const char *variables[SOTTO_LOCAL_VARIABLES_MAX];
	const struct sotto_local_names *categories[SOTTO_LOCAL_VARIABLES_MAX];
	size_t sizes[SOTTO_LOCAL_VARIABLES_MAX]; /* categories, including Other */
	size_t count, reports;
};

/* Prints shares with intervals of z standard errors. */
void local_joint_print(const struct joint_names *n, const struct sotto_local_joint *j, double z,
		       const struct invocation *call);

#endif
