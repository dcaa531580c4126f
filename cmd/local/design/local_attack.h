/*
 * local_attack.h - attacks on a collection, for `attack` and for `simulate --attack`
 */
#ifndef SOTTO_LOCAL_ATTACK_H
#define SOTTO_LOCAL_ATTACK_H

#include "local/local_command.h"
#include "show/table.h"

enum attack { ATTACK_AVERAGING, ATTACK_CHANGE, ATTACK_COHORT, ATTACK_POISON };

/* Their names, in that order; ends with NULL. */
extern const char *const local_attacks[];

struct attack_settings {
	const char *params;
	struct option_count devices, reports, fakes;
};

/* Runs it and prints what it achieves. */
enum outcome local_attack_run(const struct attack_settings *settings, size_t attack,
			      const struct invocation *call, struct sotto_error *err);

/* Where an attack takes place. */
struct stage {
	const struct attack_settings *settings;
	struct sotto_client_params params;
	struct sotto_rng *rng;
	size_t stride;
	uint8_t *report;
	struct table table;
};

/* A device with a new key, which is written to key. */
enum sotto_status stage_device(struct stage *s, const struct sotto_client_params *p,
			       uint8_t key[32], struct sotto_client *c);

/* Linking by cohort (local_attack_cohort.c). */
enum sotto_status stage_cohort(struct stage *s);

#endif
