/*
 * local.h - collections and reports for tests of local privacy
 */
#ifndef SOTTO_TESTS_LOCAL_H
#define SOTTO_TESTS_LOCAL_H

#include "sotto/client.h"

#define LOCAL_EACH_PROTOCOL(x)                                                                 \
	for (uint32_t x = SOTTO_CLIENT_RR; x <= SOTTO_CLIENT_TREEHIST; x++)

/* A repeatable entropy source; context is a uint64_t seed. */
int local_fill(void *context, uint8_t *out, size_t n);

/* One sound set of parameters per protocol. */
struct sotto_client_params local_sample(uint32_t protocol);

/* A number, or the string "v<number>" where the protocol takes bytes. */
enum sotto_status local_encode(struct sotto_client *c, unsigned value, uint8_t *out,
			       size_t capacity, size_t *used);

/* n reports of n devices; the caller frees them. */
uint8_t *local_reports(const struct sotto_client_params *p, size_t n, uint64_t seed);

#endif
