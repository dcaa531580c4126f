/*
 * local.h - what encoding and decoding reports share
 */
#ifndef SOTTO_PYTHON_LOCAL_H
#define SOTTO_PYTHON_LOCAL_H

#include "native.h"

/* The name of the capsules that hold a struct sotto_local_aggregate. */
extern const char native_aggregate_name[];

/* Parameters from their bytes; false with an exception. */
bool native_params_read(const char *bytes, Py_ssize_t n, struct sotto_client_params *out);

#endif
