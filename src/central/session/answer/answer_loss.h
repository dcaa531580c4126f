/*
 * answer_loss.h - turns noisy values of what the limits lost into sentences
 *
 * Everything here is a function of the plan and of the noisy vector (loss_vector.md).
 */
#ifndef SOTTO_ANSWER_LOSS_H
#define SOTTO_ANSWER_LOSS_H

#include "central/plan/plan.h"
#include "central/session/answer/answer_inside.h"
#include "central/session/release/release.h"
#include "sotto/answer.h"

/* Fills limits->loss from the release.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_answer_add_loss(struct sotto_answer_owned *o, const struct sotto_plan *plan,
		      const struct sotto_release *release, struct sotto_limits *limits);

/* Does the same for each release of a question, and adds the signs of its columns. */
struct sotto_releases;
SOTTO_MUST_CHECK enum sotto_status
sotto_answer_add_losses(struct sotto_answer_owned *o, const struct sotto_releases *r);

#endif
