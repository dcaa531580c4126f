/*
 * law_gathered.h - a law of very many outcomes beside others, by M(s)
 *
 * Near the real line M(s) is a sum over a gathered list (gathered_list.h), which is tilted and made a few Chebyshev nodes for each line.  Far
 * out only its size is bounded: many laws together are nothing there (gathered.md).
 */
#ifndef SOTTO_LAW_GATHERED_H
#define SOTTO_LAW_GATHERED_H

#include <stdbool.h>

#include "core/account/integral/work.h"
#include "core/account/law/clones/clone_pair.h"
#include "core/account/law/gathered/gathered_list.h"
#include "core/account/law/gathered/heavy.h"
#include "core/account/law/gathered/law_rise.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* All outcomes, good for every order and every t; n is 0 where they are too many. */
struct sotto_all_outcomes {
	double *loss, *mass; /* one allocation: free loss */
	size_t n;
	double error; /* relative to M(c), besides what rounding of the losses does */
};

struct sotto_gathered {
	struct sotto_gathered_list list;
	double order, far; /* for Re s up to the one, |Im s| up to the other */
	double error; /* of the outcomes that were gathered, relative to M(c) */
	struct sotto_heavy heavy;
	struct sotto_all_outcomes all;
	struct sotto_clone_pair *
		clones; /* shuffled reports, which have a bound far out of their own; or NULL */
	/* The law is only known to lie between this and as much above it: as others do, of which it is the largest. */
	struct sotto_rise rise;
	struct sotto_clone_pair *others;
	size_t n_others;
	/* The same for orders up to c; NULL if that is not known.  Fails: SOTTO_EREFUSED; SOTTO_ENOMEM. */
	enum sotto_status (*remake)(const struct sotto_gathered *g, double c,
				    struct sotto_gathered **out);
	const struct sotto_event
		*event; /* of which the outcomes were (outcomes.h); borrowed, or NULL */
	enum sotto_direction direction;
	/* Of the event: a bound of K at any order, and how M falls on a line, its loss being spread about so far; or NULL. */
	double (*k_up)(const struct sotto_event *e, enum sotto_direction direction, double s);
	void (*fall)(const struct sotto_event *e, enum sotto_direction direction, double c,
		     double spread, struct sotto_ladder *out);
	/* The outcomes for a line, each weight over exp(log_m); NULL if that is not known.  Fails as the member of a class (law.h). */
	enum sotto_status (*outcomes)(const struct sotto_gathered *g, double c, double last,
				      double digits, double log_m,
				      struct sotto_law_outcomes *out);
	struct sotto_work *work; /* borrowed, or NULL */
};

/* What a law of one of many, and of a few, is gathered in. */
enum { SOTTO_GATHERED_OF_MANY = 256, SOTTO_GATHERED_OF_FEW = SOTTO_GATHERED_MAX };

/* Sets far, and lowers the order if need be, to what the list is good for and the outcomes are. */
void sotto_gathered_limit(struct sotto_gathered *g, double order, double far);

/* Makes law, whose top is set, the law of g, which it takes. */
void sotto_law_gathered_of(struct sotto_law *law, struct sotto_gathered *g);
void sotto_gathered_free(struct sotto_gathered *g);

#endif
