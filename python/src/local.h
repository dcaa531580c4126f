/*
 * local.h - what encoding and decoding reports share
 */
#ifndef SOTTO_PYTHON_LOCAL_H
#define SOTTO_PYTHON_LOCAL_H

#include "native.h"

/* The name of the capsules that hold a struct sotto_local_aggregate. */
extern const char native_aggregate_name[];

#endif
