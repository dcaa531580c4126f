/*
 * answer_part.h - makes a table of the noisy answer of a finished query
 */
#ifndef SOTTO_ANSWER_PART_H
#define SOTTO_ANSWER_PART_H

#include "central/engine/engine.h"
#include "central/plan/plan.h"
#include "sotto/query.h"

/* The statements that made such tables, for other engines. */
struct sotto_part_texts {
	struct sotto_arena arena;
	const char **list;
	size_t count;
};

void sotto_part_texts_release(struct sotto_part_texts *t);

/*
 * Makes the table "sotto part <index>" from the answer; adds the statements to kept, unless it is
 * NULL.  Fails: SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_part_write(struct sotto_engine *e, const struct sotto_plan *part, size_t index,
		 const struct sotto_answer *answer, struct sotto_part_texts *kept);

/* Makes the same table without rows. */
SOTTO_MUST_CHECK enum sotto_status
sotto_part_create(struct sotto_engine *e, const struct sotto_plan *part, size_t index);
void sotto_part_drop(struct sotto_engine *e, size_t index);

#endif
