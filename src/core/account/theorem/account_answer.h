/*
 * account_answer.h - an answer of the accountant: its start, the reason if it is infinite, the
 * last check of its two sides
 */
#ifndef SOTTO_ACCOUNT_ANSWER_H
#define SOTTO_ACCOUNT_ANSWER_H

#include <gmp.h>
#include <stdbool.h>

#include "core/account/integral/work.h"
#include "core/account/loss/loss_curve.h"
#include "sotto/account.h"

/*
 * Theorems whose bounds replace those of the loss distribution if it gives none; they hold for
 * the same pairs.
 */
enum { SOTTO_ANSWER_OTHERS = 4 };
extern const enum sotto_method sotto_answer_others[SOTTO_ANSWER_OTHERS];

/* Returns how many steps a method may take. */
struct sotto_work sotto_answer_work(enum sotto_method method);

/* True if an event of this kind is among the terms or inside one of them. */
bool sotto_terms_have_kind(const struct sotto_terms *t, enum sotto_event_kind kind);

void sotto_answer_start(struct sotto_account_answer *a, const struct sotto_terms *t,
			enum sotto_method method);

/* Makes the answer infinite.  The reason is borrowed. */
void sotto_answer_set_infinite(struct sotto_account_answer *a, const char *reason);
void sotto_answer_set_epsilon(struct sotto_account_answer *a, const struct sotto_terms *t,
			      mpq_srcptr delta, double lower, double upper);
void sotto_answer_set_delta(struct sotto_account_answer *a, double log_lower, double log_upper);

/*
 * Turns a bound that would take too many steps into an infinite answer; passes other failures on.
 */
enum sotto_status sotto_answer_forgive(enum sotto_status st, struct sotto_account_answer *a);

/* Returns the lower side, but at most a bound that another theorem gives. */
double sotto_answer_lower_below(double lower, double bound);

/* Ends every answer: a lower side above the upper one is not claimed. */
void sotto_answer_settle(struct sotto_account_answer *a);

#endif
