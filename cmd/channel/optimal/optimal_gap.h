/*
 * optimal_gap.h - whether one release can serve several users as well as a separate one for
 * each
 */
#ifndef SOTTO_CMD_OPTIMAL_GAP_H
#define SOTTO_CMD_OPTIMAL_GAP_H

#include "frame/command.h"
#include "sotto/utility.h"

/* Compares the user of the problem with that of another problem file. */
enum outcome optimal_gap_pair(const struct sotto_user_case *p, const char *path,
			      const struct invocation *call, struct sotto_error *err);

/*
 * Runs the experiment: all pairs of users whose priors are uniform on 2, 3 or all answers, on the
 * graph or, if it is NULL, on path, cycle and complete side by side.
 */
enum outcome optimal_gap_experiment(const struct sotto_user_case *p, const char *graph,
				    const char *gain, const struct invocation *call,
				    struct sotto_error *err);

#endif
