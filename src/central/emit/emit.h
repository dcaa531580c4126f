/*
 * emit.h - trees as SQL of the engine
 *
 * The only place where engine SQL is written.  Names stand in double quotes unless they are
 * a letter and digits, texts in single quotes, each quote inside doubled.
 */
#ifndef SOTTO_EMIT_H
#define SOTTO_EMIT_H

#include "central/tree/engine_tree.h"
#include "core/base/buffer.h"
#include "sotto/status.h"

struct sotto_sum_layout;

/* What was written so far, and which tables it names. */
struct sotto_emitter {
	struct sotto_arena *arena;
	struct sotto_buffer buffer;
	const char **scans; /* each once */
	size_t scan_count;
	bool reads_private; /* one of them is private */
	bool reads_parts; /* answers of finished queries are read too */
	bool is_one_table; /* the rows are those of one table: no join carries a text along */
	bool sets; /* numbers of different values come with the values, for one bucket */
	bool unit_is_whole; /* of at most 64 bits */
	bool is_alone; /* one aggregate goes over all units, by their numbers */
	bool is_here; /* for an engine that has what sealing stored */
	bool finds_stored; /* something of that could be read */
	bool is_heavy; /* what is written now takes long for each row (expression_weight.h) */
	bool has_each; /* and has its values row by row */
	bool finds_heavy; /* there is something like that, or much that is not */
	bool is_row_by_row; /* private tables are read so, because of that */
	bool is_grouped; /* outputs must be written as GROUP BY has them */
	const struct sotto_sum_layout *sums; /* which call adds up what */
	const struct sotto_rowset **held; /* computed first, apart from joins (after_join.h) */
	size_t held_count;
	double early; /* what conditions that are left before joins take (after_join.c) */
	double tied; /* and columns that two tables are joined along */
};

void sotto_emitter_init(struct sotto_emitter *e, struct sotto_arena *a);
void sotto_emitter_release(struct sotto_emitter *e);

/* A query as it was written; it lives in the emitter's arena. */
struct sotto_emitted {
	const char *sql;
	const char **scans; /* tables that it names */
	size_t scan_count;
	bool reads_private; /* one of them is private */
	bool reads_parts; /* and answers of finished queries */
};
SOTTO_MUST_CHECK enum sotto_status
sotto_emitter_finish(struct sotto_emitter *e, struct sotto_emitted *out);

/* Each fails with SOTTO_ENOMEM, also where the text would be too long. */
SOTTO_MUST_CHECK enum sotto_status
sotto_emit_expression(struct sotto_emitter *e, const struct sotto_expression *x);

/* A relation as it stands in FROM, and as a query of its own. */
SOTTO_MUST_CHECK enum sotto_status
sotto_emit_from(struct sotto_emitter *e, const struct sotto_rowset *r);
SOTTO_MUST_CHECK enum sotto_status
sotto_emit_query(struct sotto_emitter *e, const struct sotto_rowset *r);

/* A query by itself. */
SOTTO_MUST_CHECK enum sotto_status
sotto_emit(struct sotto_arena *a, const struct sotto_rowset *query, struct sotto_emitted *out);

#endif
