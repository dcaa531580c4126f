/*
 * sotto/client_compat.h - RAPPOR reports bit for bit as deployed clients make them
 *
 * For collections that are already running.  The quirks are part of the format:
 * each mode rounds f to 128ths its own way, one of them weakens it, and the
 * byte modes cannot send q = 1.  New collections use sotto/client.h.
 *
 * Bit vectors here have bit i in bit i%8 of byte i/8; sotto_compat_wire puts
 * them into the order in which the client sends them.
 */
#ifndef SOTTO_CLIENT_COMPAT_H
#define SOTTO_CLIENT_COMPAT_H

#include "sotto/client.h"

/* X(name, number, text) */
#define SOTTO_COMPAT_MODES(X)                                                                  \
	X(GOOGLE_PY, 1, "google-py") /* at most 32 bits, 16 hashes */                          \
	X(GOOGLE_CPP, 2, "google-cpp") /* at most 32 bits, 16 hashes */                        \
	X(GOOGLE_CPP_VECTOR, 3, "google-cpp-vector") /* a multiple of 8 bits */                \
	X(GOOGLE_JAVA, 4, "google-java") /* at most 4096 bits, 8 hashes */                     \
	X(CHROMIUM, 5, "chromium") /* a multiple of 8 bits */

enum sotto_compat_mode {
#define SOTTO_COMPAT_ENUM(name, number, text) SOTTO_COMPAT_##name = number,
	SOTTO_COMPAT_MODES(SOTTO_COMPAT_ENUM)
#undef SOTTO_COMPAT_ENUM
};

#define SOTTO_COMPAT_BITS_MAX 4096
#define SOTTO_COMPAT_BYTES_MAX (SOTTO_COMPAT_BITS_MAX / 8)

/* Everything is borrowed. */
struct sotto_compat {
	enum sotto_compat_mode mode;
	uint32_t bits, hashes, cohorts;
	struct sotto_client_chance f, p, q;
	const void *secret;
	size_t secret_length;
	const void *id; /* encoder id, or the metric's name in Chromium */
	size_t id_length;
	sotto_client_fill fill; /* for the instantaneous response */
	void *context;
};

/* Fails: SOTTO_EINVAL if the mode cannot do these sizes or probabilities. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_compat_check(const struct sotto_compat *c);

/*
 * The cohort that the client derives from its secret.  Fails: SOTTO_EINVAL for
 * GOOGLE_PY and CHROMIUM, whose callers bring the cohort.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_cohort(const struct sotto_compat *c, uint32_t *out);

/* The positions that the hashes set, hashes of them. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_positions(const struct sotto_compat *c, uint32_t cohort, const void *value,
		       size_t length, uint32_t *out);

/* Bloom filter; permanent response of one; one report of a permanent response. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_bloom(const struct sotto_compat *c, uint32_t cohort, const void *value,
		   size_t length, uint8_t *out);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_permanent(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_report(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out);

/* The probabilities really used. */
SOTTO_API void
sotto_compat_realised(const struct sotto_compat *c, struct sotto_client_chance *f,
		      struct sotto_client_chance *p, struct sotto_client_chance *q);

/* The bytes as sent; as many as there were. */
SOTTO_API void
sotto_compat_wire(const struct sotto_compat *c, const uint8_t *bits, uint8_t *out);

/*
 * Chromium's upload of one metric as a protocol buffer: the stored seed (which
 * the collector reduces to the cohort) and one vector.  Fails: SOTTO_ERANGE if
 * out is too short.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_chromium_upload(const struct sotto_compat *c, uint32_t seed, const uint8_t *bits,
			     uint8_t *out, size_t capacity, size_t *used);

#endif
