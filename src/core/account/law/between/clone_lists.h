/*
 * clone_lists.h - shuffled reports as a list below them, and one above, of so many places (between.md)
 */
#ifndef SOTTO_CLONE_LISTS_H
#define SOTTO_CLONE_LISTS_H

#include "core/account/integral/work.h"
#include "core/account/law/between/mirrored.h"
#include "core/account/law/clones/clone_pair.h"
#include "sotto/status.h"

/*
 * What the cells are for: a group of so many people, and between which means of signs most of them are to lie; how many cells, and outcomes that are looked
 * at, about.
 */
struct sotto_clone_cutting {
	size_t people, cells;
	double from, to, outcomes;
};

/* Both lists; masses are wrong by a part error; left_out is what the curve of the group is too low by, besides. */
struct sotto_clone_lists {
	struct sotto_mirrored below, above;
	double error, left_out;
};

/* The largest mean of signs that counts, about. */
double sotto_clone_lists_reach(const struct sotto_clone_pair *p, size_t people);

/* Fails: SOTTO_EREFUSED if there are too many numbers of clones; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_clone_lists_of(const struct sotto_clone_pair *p,
		     const struct sotto_clone_cutting *cutting, struct sotto_work *work,
		     struct sotto_clone_lists *out);
void sotto_clone_lists_release(struct sotto_clone_lists *l);

#endif
