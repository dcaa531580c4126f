/*
 * record.h - everything the server knows of a protocol, in one record
 *
 * A protocol is a file in this folder with its record, its encoder in local/client, and one
 * line in SOTTO_CLIENT_PROTOCOLS (sotto/client.h), from which the enum and the table are
 * made: without a record the library does not link.  docs/adding-a-protocol.md shows one.
 */
#ifndef SOTTO_RECORD_H
#define SOTTO_RECORD_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "local/client/encode.h"
#include "local/decode/collide.h"
#include "local/decode/estimate.h"
#include "local/plan/simulation_rng.h"
#include "local/protocol/report_shape.h"
#include "sotto/client.h"
#include "sotto/decode.h"
#include "sotto/discover.h"

/* What a collection is designed from. */
enum sotto_given { SOTTO_GIVEN_EPSILON, SOTTO_GIVEN_TWO_EPSILONS, SOTTO_GIVEN_CHANCES };

/* How reports become counters (aggregate/intake_bulk.c). */
enum sotto_counting {
	SOTTO_COUNT_BITS, /* one bit a report */
	SOTTO_COUNT_SYMBOLS, /* one cell a report */
	SOTTO_COUNT_VECTORS, /* a bit vector */
	SOTTO_COUNT_ROWS, /* a row number and a bit vector */
	SOTTO_COUNT_SUBSETS, /* several cells */
	SOTTO_COUNT_HASHES, /* a seed's number and a symbol */
	SOTTO_COUNT_SIGNED, /* a cell that goes up or down */
	SOTTO_COUNT_TREE, /* two of these, one in the table of a level */
	SOTTO_COUNT_FRAGMENTS, /* two rows, one in the table of a place */
	SOTTO_COUNT_BUCKETS, /* cells with a bit each */
	SOTTO_COUNT_NOTHING, /* reports are kept as they are */
};

/* What iterated Bayesian updates take for the outputs of a protocol (decode/ibu.c). */
enum sotto_outputs {
	SOTTO_OUTPUTS_UNKNOWN, /* they are too many, or of several parts */
	SOTTO_OUTPUTS_ANSWERS,
	SOTTO_OUTPUTS_SYMBOLS,
	SOTTO_OUTPUTS_COLUMNS,
	SOTTO_OUTPUTS_HASH_CELLS,
	SOTTO_OUTPUTS_HASH_REPORTS,
};

/* The step that is drawn once for a value, before the one that is drawn for each report. */
struct sotto_permanent {
	unsigned long flips; /* permanent bits in which two values differ */
	struct sotto_client_chance zero, one; /* P(1 in a report | permanent bit) */
	bool both_ways; /* bits differ in both directions */
	uint32_t times; /* so often */
};

struct sotto_protocol {
	/* ---- design: from epsilon to integers (design.c) */
	enum sotto_given given;
	bool has_gamma; /* takes an output perturbation */
	bool needs_size;
	const char *sizes; /* which sizes it takes, for a message */
	void (*choose_sizes)(struct sotto_client_params *p,
			     double e); /* those left 0, or NULL */
	void (*set_chances)(struct sotto_client_params *p, const mpq_t eps, const mpq_t second);

	/* ---- privacy (privacy.c) */
	void (*odds)(const struct sotto_client_params *p, mpq_t out, bool *unbounded);
	bool (*permanent)(const struct sotto_client_params *p, struct sotto_permanent *out);
	uint64_t (*answers)(const struct sotto_client_params *p); /* ever; NULL: size */

	/* ---- counters (report_shape.c, aggregate/) */
	enum sotto_counting counting;
	bool (*shape)(const struct sotto_client_params *p, struct sotto_report_shape *out);
	/* Why no client can have sent this; NONE if one can. */
	enum sotto_local_reason (*report_flaw)(const struct sotto_client_params *p,
					       const uint8_t *report);

	/* ---- attacks (likelihood.h) */
	double (*likelihood)(const struct sotto_client_params *p,
			     const struct sotto_client_value *v, const uint8_t *report);

	/* ---- estimates (decode/, discover/); NULL where another decoder is used */
	bool salted; /* errors are stated over the hash functions that the salt chooses */
	bool strings_by_regression; /* reports of strings are RAPPOR's (rappor/) */
	enum sotto_outputs outputs;
	struct sotto_rates (*rates)(const struct sotto_client_params *p);
	void (*supports)(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
			 uint64_t *mixed, uint64_t *out); /* NULL: the cell of each key */
	struct sotto_collisions (*collisions)(const struct sotto_local_counts *c);
	enum sotto_status (*estimate)(const struct sotto_local_counts *c, const uint64_t *keys,
				      size_t count, double alpha,
				      enum sotto_local_target target,
				      struct sotto_local_estimate *out);
	enum sotto_status (*discover)(const struct sotto_local_counts *c,
				      const struct sotto_local_search *search,
				      struct sotto_local_findings *out);

	/* ---- plans (plan/): offered if the variance of the count of a rare value is known */
	uint32_t sketch_columns, sketch_rows; /* of a sketch; 0: its size is that of the list */
	double (*null_variance)(const struct sotto_client_params *p, double n, double d);
	double (*decode_steps)(const struct sotto_client_params *p, double n, double d,
			       double cells); /* NULL: one for each value */

	/* Draws the counters from their law; NULL: users are simulated one by one. */
	enum sotto_status (*simulate)(struct sotto_simulation_rng *dice,
				      const struct sotto_client_params *p,
				      const uint64_t *holders, size_t values, uint64_t *groups,
				      uint64_t *cells);
};

#define SOTTO_RECORD(id, number, text) extern const struct sotto_protocol sotto_protocol_##id;
SOTTO_CLIENT_PROTOCOLS(SOTTO_RECORD)
#undef SOTTO_RECORD

/* NULL for an unknown protocol. */
const struct sotto_protocol *sotto_protocol_of(uint32_t protocol);

/* The counters of a collection.  Fails: SOTTO_ERANGE past 2^32 cells. */
SOTTO_MUST_CHECK enum sotto_status
sotto_shape_of(const struct sotto_client_params *params, struct sotto_report_shape *out);

#endif
