/*
 * sotto/client.h - local differential privacy on the device
 *
 * The encoder randomizes one value before anything leaves the device.  It is
 * freestanding: it uses no allocation, no files, no floating point and no globals; the
 * caller provides the buffers, the key and the entropy.  libsotto-client.a contains
 * only the encoder, and the same source runs as WebAssembly.
 *
 *	struct sotto_client_params params = { ... };      from sotto local params
 *	struct sotto_client client;
 *	if (sotto_client_init(&client, &params, &secrets) == SOTTO_OK &&
 *	    sotto_client_encode(&client, text, length, report, sizeof report, &used) == SOTTO_OK)
 *		upload(report, used);
 *
 * Laws and arguments: src/local/client/client.md.
 */
#ifndef SOTTO_CLIENT_H
#define SOTTO_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/* X(name, text): every protocol; the numbers are part of the file formats. */
#define SOTTO_CLIENT_PROTOCOLS(X)                                                              \
	X(RR, 1, "rr") /* coin-toss randomized response on one bit */                          \
	X(GRR, 2, "grr") /* k-ary randomized response */                                       \
	X(SUE, 3, "sue") /* symmetric unary encoding */                                        \
	X(OUE, 4, "oue") /* optimized unary encoding */                                        \
	X(OLH, 5, "olh") /* optimized local hashing */                                         \
	X(FLH, 6, "flh") /* local hashing with few public seeds */                             \
	X(HR, 7, "hr") /* Hadamard response */                                                 \
	X(SUBSET, 8, "ss") /* subset selection */                                              \
	X(RAPPOR, 9, "rappor") /* Bloom filter, permanent and instantaneous response */        \
	X(CMS, 10, "cms") /* count mean sketch */                                              \
	X(HCMS, 11, "hcms") /* Hadamard count mean sketch */                                   \
	X(SFP, 12, "sfp") /* sequence fragment puzzle */                                       \
	X(ONE_BIT_MEAN, 13, "1bitmean")                                                        \
	X(DBITFLIP, 14, "dbitflip")                                                            \
	X(PEM, 15, "pem") /* prefix extending method, over OLH */                              \
	X(TREEHIST, 16, "treehist") /* one tree level and the whole value, over HCMS */

enum sotto_client_protocol {
#define SOTTO_CLIENT_ENUM(name, number, text) SOTTO_CLIENT_##name = number,
	SOTTO_CLIENT_PROTOCOLS(SOTTO_CLIENT_ENUM)
#undef SOTTO_CLIENT_ENUM
};

/* A probability: numerator / 2^64, or 1 if certain. */
struct sotto_client_chance {
	uint64_t numerator;
	bool certain;
};

/*
 * The parameters of a collection.  Fields that a protocol does not use are zero.
 *
 *   protocol  size                  hashes   groups        chances
 *   RR        2                                            one = P(yes|yes), zero = P(yes|no)
 *   GRR       d symbols                                    keep
 *   SUE, OUE  d symbols                                    one = P(1|its own), zero = P(1|other)
 *   OLH       d, or 0 for bytes     range g                keep
 *   FLH       d, or 0 for bytes     range g  public seeds  keep
 *   HR        d symbols                      blocks B      keep = P(report in the value's set)
 *   SUBSET    d symbols             w                      keep = P(value in the subset)
 *   RAPPOR    d one-hot, or 0       h        cohorts       flip = f/2, zero = p, one = q
 *   CMS,HCMS                                 rows          flip (sign)
 *   SFP       string length L       piece    rows          flip (fragment), flip2 (word)
 *   1BITMEAN  greatest value M                             flip = 1/(e^eps+1), flip2 = gamma
 *   DBITFLIP  k buckets             d sent                 flip, flip2 = gamma
 *   PEM       value bits            range g  groups        keep
 *   TREEHIST  value bits                     rows          flip (level), flip2 (value)
 *
 * width: the bits k of RAPPOR, columns m of a sketch, columns b of one Hadamard
 * block.  grain: 1BITMEAN the grid step (0: none), SFP the bits of the puzzle
 * hash, PEM the bits of the first prefix, TREEHIST the bits per level.
 */
struct sotto_client_params {
	uint32_t protocol; /* enum sotto_client_protocol */
	uint32_t size;
	uint32_t width;
	uint32_t hashes;
	uint32_t groups;
	uint32_t grain;
	uint32_t memoize; /* 1: the answer to one value is drawn once and always repeated */
	uint64_t salt; /* public: selects the hash functions */
	struct sotto_client_chance keep, flip, flip2, zero, one;
};

#define SOTTO_CLIENT_PARAMS_BYTES 84
#define SOTTO_CLIENT_DIGEST_BYTES 16

/*
 * Fails:    SOTTO_EINVAL for an unknown protocol or sizes that make no sense,
 *           SOTTO_ERANGE for sizes past what a report can hold.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_params_check(const struct sotto_client_params *params);

/* The canonical bytes, and back (which checks). */
SOTTO_API void sotto_client_params_store(const struct sotto_client_params *params,
					 uint8_t out[SOTTO_CLIENT_PARAMS_BYTES]);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_params_load(struct sotto_client_params *params,
			 const uint8_t in[SOTTO_CLIENT_PARAMS_BYTES]);

/* Whether a value of these checked parameters is a number; otherwise it is bytes. */
SOTTO_API bool sotto_client_takes_number(const struct sotto_client_params *params);

/* The length of every report of checked parameters. */
SOTTO_API size_t sotto_client_report_bytes(const struct sotto_client_params *params);

/* Fills out[0..n) with n uniform bytes from a cryptographic source; 0 on success. */
typedef int (*sotto_client_fill)(void *context, uint8_t *out, size_t n);

/* What the caller must keep between reports; see sotto_client_ledger_load. */
struct sotto_client_ledger {
	uint32_t day; /* the day of the count below */
	uint32_t reports; /* reports sent on that day */
	uint32_t daily_limit; /* reports allowed a day */
	uint32_t distinct; /* different values reported so far, saturating */
	uint32_t distinct_limit; /* different values allowed over the lifetime, at most 16 */
	uint32_t tags[16]; /* keyed tags of those values */
};

/*
 * Borrowed until the client is no longer used.  key is 32 secret bytes that
 * never change (NULL if nothing is memoized and there are no cohorts); id names
 * the metric, so that two metrics never share an answer; ledger may be NULL.
 */
struct sotto_client_secrets {
	const uint8_t *key;
	const void *id;
	size_t id_length;
	sotto_client_fill fill;
	void *context;
	struct sotto_client_ledger *ledger;
	uint32_t today; /* any day number, for the ledger */
};

struct sotto_client {
	const struct sotto_client_params *params;
	struct sotto_client_secrets secrets;
	uint8_t digest[SOTTO_CLIENT_DIGEST_BYTES];
	uint32_t group; /* cohort, PEM group or tree level: drawn once from the key */
	uint32_t alpha; /* rounding point of 1BITMEAN */
};

/*
 * Switches to another device of the same collection, after the bytes at secrets.key were
 * changed.  For programs that simulate many devices: it skips the checks and computations on
 * the parameters that sotto_client_init makes.
 */
SOTTO_API void sotto_client_renew(struct sotto_client *client);

/*
 * Fails:    as sotto_client_params_check; SOTTO_EMISSING if the protocol needs a
 *           key and there is none.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_init(struct sotto_client *client, const struct sotto_client_params *params,
		  const struct sotto_client_secrets *secrets);

/*
 * Encodes a number (RR, GRR, SUE, OUE, HR, SUBSET, 1BITMEAN, DBITFLIP, and OLH,
 * FLH, RAPPOR with a size) or bytes (the others).
 *
 * Law:      that of the protocol, with exactly the probabilities in the parameters.
 * Privacy:  stated by sotto_local_privacy (sotto/local.h) for the same parameters.
 * Time:     depends on the parameters and the length of the value only.
 * Fails:    SOTTO_EINVAL for a value of the wrong kind, SOTTO_ERANGE for one
 *           outside the domain or a short buffer, SOTTO_EENTROPY when fill fails,
 *           SOTTO_EBUDGET if a limit of the ledger is reached.  out is then zeroed, and
 *           the ledger is unchanged: only finished reports are counted.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_encode_number(struct sotto_client *client, uint64_t value, uint8_t *out,
			   size_t capacity, size_t *used);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_encode(struct sotto_client *client, const void *value, size_t length, uint8_t *out,
		    size_t capacity, size_t *used);

/*
 * A device without a persistent key stores this state instead: a key that is drawn
 * once and bound to the parameters and the metric.  The state must be stored durably
 * before the first report is sent.
 *
 * Fails:    SOTTO_EENTROPY when fill fails; out is then untouched.
 */
#define SOTTO_CLIENT_STATE_BYTES 60

SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_state_make(const struct sotto_client_params *params, const void *id,
			size_t id_length, sotto_client_fill fill, void *context,
			uint8_t out[SOTTO_CLIENT_STATE_BYTES]);

/*
 * Reads the key from a stored state.
 *
 * Fails:    SOTTO_ECORRUPT for damaged bytes, SOTTO_ESTATE if the state belongs to
 *           other parameters or another metric.  Drawing a new key instead would
 *           spend a full epsilon more: never do that silently.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_state_key(const uint8_t state[SOTTO_CLIENT_STATE_BYTES],
		       const struct sotto_client_params *params, const void *id,
		       size_t id_length, uint8_t key[32]);

#define SOTTO_CLIENT_LEDGER_BYTES 92

/* The ledger as bytes with a checksum, and back.  Fails: SOTTO_ECORRUPT. */
SOTTO_API void sotto_client_ledger_store(const struct sotto_client_ledger *ledger,
					 uint8_t out[SOTTO_CLIENT_LEDGER_BYTES]);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_ledger_load(struct sotto_client_ledger *ledger,
			 const uint8_t in[SOTTO_CLIENT_LEDGER_BYTES]);

/*
 * ---- Batches: what a device uploads
 *
 * A batch is made in the caller's buffer, and a collector takes its bytes as they are
 * (sotto local collect).  Its id is random, so that a batch sent twice counts once and
 * the id does not identify the device.  To send again after a failure, send the same bytes.
 *
 *	uint8_t bytes[4096];
 *	struct sotto_client_batch batch;
 *	sotto_client_batch_start(&batch, &params, fill, context, bytes, sizeof bytes);
 *	sotto_client_batch_add(&batch, report, used);        for each report
 *	sotto_client_batch_finish(&batch, today, today, &length);
 *	post(bytes, length);
 */
#define SOTTO_CLIENT_BATCH_HEADER 172
#define SOTTO_CLIENT_BATCH_ID_BYTES 16
#define SOTTO_CLIENT_BATCH_REPORTS_MAX (1u << 24)

/* Filled in by the functions below; params and bytes are borrowed. */
struct sotto_client_batch {
	const struct sotto_client_params *params;
	uint8_t *bytes;
	size_t capacity, used, stride, in_block;
	uint32_t reports;
	uint8_t id[SOTTO_CLIENT_BATCH_ID_BYTES];
};

/* The size of a buffer for a batch of that many reports; 0 if the parameters are invalid. */
SOTTO_API size_t sotto_client_batch_bytes(const struct sotto_client_params *params,
					  uint32_t reports);

/*
 * Starts a batch in the caller's buffer, which must stay valid until the batch is finished.
 *
 * Fails:    as sotto_client_params_check; SOTTO_ERANGE if the buffer has no room for
 *           the header, SOTTO_EENTROPY when fill fails.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_batch_start(struct sotto_client_batch *batch,
			 const struct sotto_client_params *params, sotto_client_fill fill,
			 void *context, uint8_t *buffer, size_t capacity);

/*
 * Adds one report of the batch's parameters.  Fails: SOTTO_ERANGE when the buffer is
 * full (finish this batch and start another), SOTTO_EINVAL for another length; nothing
 * was added then.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_batch_add(struct sotto_client_batch *batch, const uint8_t *report, size_t length);

/*
 * Writes header and checksums; the batch is then *length bytes at the start of the buffer
 * and accepts no more reports.  from and until say when the reports were made, in any
 * unit (for example days).  Fails: SOTTO_EMISSING if the batch has no reports.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_batch_finish(struct sotto_client_batch *batch, uint64_t from, uint64_t until,
			  size_t *length);

/*
 * Chooses one value from a stream of unknown length.  Call it for each value with its
 * number, counted from 1, and keep the value if *keep is set.  Law: each of the values seen
 * so far is the kept one with equal probability.  Fails: SOTTO_EINVAL for seen = 0,
 * SOTTO_EENTROPY.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_client_reservoir_offer(uint32_t seen, sotto_client_fill fill, void *context, bool *keep);

/*
 * ---- RAPPOR reports bit for bit as deployed clients make them
 *
 * For collections that are already running.  The quirks are part of the format:
 * each mode rounds f to 128ths in its own way, one of them weakens f, and the
 * byte modes cannot send q = 1.  For new collections use the encoder above.
 *
 * Bit vectors here have bit i in bit i%8 of byte i/8.
 */

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
#define SOTTO_COMPAT_SECRET_BYTES 48 /* of Chromium; GOOGLE_JAVA takes no fewer */

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

/* Fails: SOTTO_EINVAL if the mode cannot do these sizes, probabilities or this secret. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_compat_check(const struct sotto_compat *c);

/*
 * The cohort that the client derives from its secret.  Fails: SOTTO_EINVAL for
 * GOOGLE_PY and CHROMIUM, whose callers bring the cohort.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_cohort(const struct sotto_compat *c, uint32_t *out);

/* Bloom filter, which needs mode and sizes alone; permanent response of one; one report of a
 * permanent response. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_bloom(const struct sotto_compat *c, uint32_t cohort, const void *value,
		   size_t length, uint8_t *out);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_permanent(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_compat_report(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out);

/* The probabilities that are really used, after rounding. */
SOTTO_API void
sotto_compat_realised(const struct sotto_compat *c, struct sotto_client_chance *f,
		      struct sotto_client_chance *p, struct sotto_client_chance *q);

#endif
