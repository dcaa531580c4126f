/*
 * clone_heavy.h - the likeliest outcomes of a clone pair, one by one
 */
#ifndef SOTTO_CLONE_HEAVY_H
#define SOTTO_CLONE_HEAVY_H

#include "core/account/law/clones/clone_pair.h"
#include "core/account/law/gathered/law_gathered.h"

/* Fills the list; leaves it empty where so few outcomes are next to nothing among all.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_clone_heavy(const struct sotto_clone_pair *p, struct sotto_heavy *out);

#endif
