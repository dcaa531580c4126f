/*
 * partial_values.h - lists of counts and sets of values, added to each other
 */
#ifndef SOTTO_PARTIAL_VALUES_H
#define SOTTO_PARTIAL_VALUES_H

#include "central/engine/engine.h"

/* Different values in their order: whole numbers, or texts as partials have them. */
struct sotto_value_set {
	int64_t *values;
	char **texts; /* each malloc'd */
	size_t n;
};

void sotto_value_set_release(struct sotto_value_set *s);

/*
 * Takes in the values of a list.
 *
 * Fails:    SOTTO_ECORRUPT for a list with texts where others are whole numbers, or with
 *           keys that are not texts; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_value_set_add(struct sotto_value_set *s, const struct sotto_engine_list *list);

/*
 * Adds the counts of a list of whole numbers to those of another.
 *
 * Fails:    SOTTO_ECORRUPT for a list of keys; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_count_list_add(struct sotto_engine_list *sum, const struct sotto_engine_list *list);

#endif
