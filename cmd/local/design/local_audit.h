/*
 * local_audit.h - tries to prove that reports leak more than is stated
 *
 * Every report gets a score: how much more it speaks for one input than for another.  An event is
 * "the score is at least this".  The event is chosen on some reports and tested on others, so the
 * bound holds however it was chosen.
 */
#ifndef SOTTO_LOCAL_AUDIT_H
#define SOTTO_LOCAL_AUDIT_H

#include "local/local_command.h"
#include "sotto/audit.h"
#include "sotto/rng.h"

/* A smaller probability of a false alarm is refused: shares of it would not be doubles. */
#define AUDIT_ALPHA_MIN 1e-300

/* Scores of reports of two inputs, equally many of each. */
struct audit_scores {
	double *of[2];
	size_t count; /* of each */
};

void audit_scores_init(struct audit_scores *s, size_t count);
void audit_scores_release(struct audit_scores *s);

/* See sotto/audit.h; ends the program if there is no memory left. */
struct sotto_audit_event
audit_choose(const struct audit_scores *s, size_t trials, double alpha, double *epsilon);
double audit_try(const struct audit_scores *s, struct sotto_audit_event event, double alpha);

/* An input: a number, or its letters if the collection takes strings. */
struct audit_input {
	const char *text;
	uint64_t number;
};

/*
 * Chooses inputs that reports distinguish best: both ends of a mean, two of one Hadamard block,
 * strings that differ in every part that a protocol may look at.
 */
void audit_inputs_choose(const struct sotto_client_params *p, struct audit_input inputs[2]);

/*
 * Computes what `trials` reports of each input prove, after a tenth as many chose the event.
 * Law:      as sotto_audit_epsilon_down.
 */
enum sotto_status audit_encoder(const struct sotto_client_params *p,
				const struct audit_input inputs[2], size_t trials, double alpha,
				struct sotto_rng *rng, double *proved);

/* Computes what a report of the collection costs. */
enum sotto_status audit_stated(const struct sotto_client_params *p, double *epsilon);

/* What an audit found. */
struct audit_found {
	char *inputs[2];
	double proved;
	size_t trials; /* on each input */
};

void audit_found_release(struct audit_found *f);

/*
 * Audits reports of any encoder from a file with a line "value,report" for each.  With parameters
 * the reports are those of that collection, in hexadecimal, and scored by their likelihood;
 * otherwise the score is learned from a third of them.
 */
enum outcome audit_reports(const char *path, const struct sotto_client_params *params,
			   double alpha, struct audit_found *out, struct sotto_error *err);

#endif
