/*
 * law_rare.h - many laws of few outcomes, of which one is the usual, as one law (rare.md)
 *
 * The loss is counted from the sum of the usual ones.
 */
#ifndef SOTTO_LAW_RARE_H
#define SOTTO_LAW_RARE_H

#include "core/account/law/rare/rare_list.h"

/* Makes law one that borrows the list. */
void sotto_law_rare_of(struct sotto_law *law, const struct sotto_rare *list);

/* How many laws of the list have outcomes that are not rare at this order. */
size_t sotto_rare_count_common(const struct sotto_rare *list, double order);

#endif
