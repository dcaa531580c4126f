/*
 * local_emit.h - prints the parameters of a collection in the forms that devices read
 */
#ifndef SOTTO_LOCAL_EMIT_H
#define SOTTO_LOCAL_EMIT_H

#include <stdio.h>

#include "sotto/client.h"

enum local_emission {
	LOCAL_EMIT_C, /* a header for sotto/client.h */
	LOCAL_EMIT_JS, /* a module for sotto-client */
	LOCAL_EMIT_BYTES /* the canonical bytes */
};

void local_emit(const struct sotto_client_params *params, enum local_emission as, FILE *out);

#endif
