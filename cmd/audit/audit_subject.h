/*
 * audit_subject.h - what `sotto audit` tries to break, one record for each
 *
 * A record opens a mechanism with the parameters of the command line and says what it claims;
 * then it runs it once on one of two neighbouring inputs, as different as neighbours may be, and
 * turns the output into a whole number.  To add a mechanism, add a record to the list of its
 * kind; tests/cli/audit.t compares the lists with those of `sotto noise` and of the local
 * protocols.
 */
#ifndef SOTTO_AUDIT_SUBJECT_H
#define SOTTO_AUDIT_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "show/progress.h"
#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/* What the command line asks for. */
struct audit_terms {
	const struct sotto_rational *epsilon;
	const struct sotto_rational *delta; /* for mechanisms that need one */
};

/* The claimed privacy, rounded up, so that a rounding error never looks like a breach. */
struct audit_claim {
	double epsilon;
	double delta;
};

/* A mechanism that can be run, and what it claims. */
struct audit_case {
	void *mechanism;
	struct audit_claim claim;
};

struct audit_subject {
	const char *name;
	const char *inputs; /* the two neighbours, in a few words */
	const char *outcome; /* what is observed */
	size_t slowness; /* makes one run in this many, if a run takes long; 0: all */
	/*
	 * A local protocol has, instead of the functions, the parameters of a collection, with
	 * their epsilon if it does not follow from the others.
	 */
	const char *params;
	bool has_epsilon;
	enum sotto_status (*open)(const struct audit_terms *terms, struct audit_case *out,
				  struct sotto_error *err);
	enum sotto_status (*run)(void *mechanism, unsigned side, struct sotto_rng *rng,
				 int64_t *outcome);
	void (*close)(void *mechanism);
};

/* The lists; each ends with a record without a name. */
extern const struct audit_subject audit_additive[], audit_choice[], audit_stream[],
	audit_response[], audit_protocols[], audit_twins[];

/* How a subject is audited. */
struct audit_effort {
	size_t trials; /* runs on each of the two inputs */
	double alpha;
	struct sotto_rng *rng;
	struct progress *bar;
	uint64_t done; /* runs so far, for the bar */
};

/*
 * Audits a local protocol with the function of `sotto local audit`: its claim, and what is
 * proved.
 */
enum sotto_status audit_protocol(const struct audit_subject *subject,
				 const struct audit_terms *terms,
				 const struct audit_effort *effort, struct audit_claim *claim,
				 double *proved, struct sotto_error *err);

/* Takes the claim from a cost if st is SOTTO_OK, releases the cost and returns st. */
enum sotto_status
audit_claim_take(struct audit_claim *claim, enum sotto_status st, struct sotto_cost *cost);

#endif
