/*
 * local_audit.h - trying to prove that reports leak more than is stated
 *
 * Every report gets a score: how much more it speaks for one input than for another.  An
 * event is "the score is at least so much".  The event is chosen on some reports and tried
 * on others, so that the bound holds however it was chosen.
 */
#ifndef SOTTO_LOCAL_AUDIT_H
#define SOTTO_LOCAL_AUDIT_H

#include "local/local_command.h"

/* Scores of reports of two inputs, as many of each. */
struct audit_scores {
	double *of[2];
	size_t count; /* of each */
};

void audit_scores_init(struct audit_scores *s, size_t count);
void audit_scores_release(struct audit_scores *s);

/* The score is at least so much, in favour of one of the two inputs. */
struct audit_event {
	unsigned favours;
	double least; /* of the score, or of its negative if the second is favoured */
};

/*
 * The event that will prove most in the given number of trials if they are like these;
 * *epsilon gets how much.
 */
struct audit_event
audit_choose(const struct audit_scores *s, size_t trials, double alpha, double *epsilon);

/*
 * What scores that the event was not chosen on prove.
 * Law: with probability 1 - alpha, at most the epsilon of the mechanism.
 */
double audit_try(const struct audit_scores *s, struct audit_event event, double alpha);

/* What an audit found. */
struct audit_found {
	char *inputs[2];
	double proved;
	size_t trials; /* on each input */
};

void audit_found_release(struct audit_found *f);

/*
 * Reports of any encoder from a file with a line "value,report" for each.  With parameters
 * the reports are of that collection, in hexadecimal, and scored by their likelihood;
 * otherwise the score is learned from a third of them.
 */
enum outcome audit_reports(const char *path, const struct sotto_client_params *params,
			   double alpha, struct audit_found *out, struct sotto_error *err);

#endif
