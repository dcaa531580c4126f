/*
 * answer_table.h - the noisy answer of a finished query as a table
 */
#ifndef SOTTO_ANSWER_TABLE_H
#define SOTTO_ANSWER_TABLE_H

#include "central/engine/engine.h"
#include "central/plan/plan.h"
#include "sotto/query.h"

/* The statements that made such tables, for other engines. */
struct sotto_answer_table_texts {
	struct sotto_arena arena;
	const char **list;
	size_t count;
};

void sotto_answer_table_texts_init(struct sotto_answer_table_texts *t);
void sotto_answer_table_texts_release(struct sotto_answer_table_texts *t);

/*
 * Makes the table "sotto part <index>" from the answer; the statements go to kept, unless it is
 * NULL.  Beside the rows stands how many noisy numbers there are in so many groups, and by how much
 * their intervals are stretched to hold together: groups that are not shown count too, and so do
 * those of other parts.  Fails: SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_answer_table_write(struct sotto_engine *e, const struct sotto_plan *part, size_t index,
			 size_t groups, const struct sotto_answer *answer,
			 struct sotto_answer_table_texts *kept);

/* The same table, empty. */
SOTTO_MUST_CHECK enum sotto_status
sotto_answer_table_create(struct sotto_engine *e, const struct sotto_plan *part, size_t index);
void sotto_answer_table_drop(struct sotto_engine *e, size_t index);

#endif
