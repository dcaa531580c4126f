/*
 * channel_clp.h - the functions of COIN-OR Clp that are used, found at run time
 *
 * This is Clp's C interface as of version 1.17; a model and its options are opaque pointers.
 */
#ifndef SOTTO_INSIDE_CHANNEL_CLP_H
#define SOTTO_INSIDE_CHANNEL_CLP_H

#include "sotto/status.h"

#define SOTTO_CLP_INFINITY 1e300

/* X(result, name, parameters) */
#define SOTTO_CLP_LIST(X)                                                                      \
	X(void *, Clp_newModel, (void))                                                        \
	X(void, Clp_deleteModel, (void *model))                                                \
	X(void, Clp_setLogLevel, (void *model, int level))                                     \
	X(void, Clp_loadProblem,                                                               \
	  (void *model, int columns, int rows, const int *start, const int *index,             \
	   const double *value, const double *column_low, const double *column_high,           \
	   const double *objective, const double *row_low, const double *row_high))            \
	X(void, Clp_setPrimalTolerance, (void *model, double tolerance))                       \
	X(void, Clp_setDualTolerance, (void *model, double tolerance))                         \
	X(void *, ClpSolve_new, (void))                                                        \
	X(void, ClpSolve_delete, (void *options))                                              \
	X(void, ClpSolve_setSolveType, (void *options, int method, int extra))                 \
	X(int, Clp_initialSolveWithOptions, (void *model, void *options))                      \
	X(int, Clp_status, (void *model))                                                      \
	X(double *, Clp_getColSolution, (void *model))                                         \
	X(double *, Clp_getRowPrice, (void *model))                                            \
	X(int, Clp_getColumnStatus, (void *model, int column))                                 \
	X(int, Clp_getRowStatus, (void *model, int row))

struct sotto_clp {
	void *handle;
#define SOTTO_CLP_FIELD(result, name, parameters) result(*name) parameters;
	SOTTO_CLP_LIST(SOTTO_CLP_FIELD)
#undef SOTTO_CLP_FIELD
};

/* Loads the library, which stays loaded.  Fails: SOTTO_EMISSING; err says what to install. */
SOTTO_MUST_CHECK enum sotto_status
sotto_clp_load(struct sotto_clp *clp, struct sotto_error *err);

#endif
