/*
 * wire_ask.h - takes one question of a connection through the work queue
 */
#ifndef SOTTO_WIRE_ASK_H
#define SOTTO_WIRE_ASK_H

#include <stdatomic.h>

#include "server/catalog/catalog.h"
#include "server/people/people.h"
#include "server/work/work_admit.h"
#include "server/work/work_queue.h"
#include "sotto/query.h"
#include "sotto/rational.h"

enum sotto_wire_want {
	SOTTO_WANT_ANSWER,
	SOTTO_WANT_EXPLANATION,
	SOTTO_WANT_BUDGET,
};

struct sotto_wire_question {
	const char *sql;
	const struct sotto_bound_value *parameters;
	size_t parameter_count;
	const char *database;
	int32_t number; /* of the connection */
	const struct sotto_person *person;
	const char *policy; /* path of the file */
	const struct sotto_rational *epsilon, *delta, *error, *diagnostics; /* or NULL */
	const char *mechanism; /* or NULL */
	const struct sotto_column_weight *weights;
	size_t weight_count;
	bool fresh;
	enum sotto_wire_want want;
	bool asks_catalog; /* the catalog may answer it, if it asks about nothing else */
	atomic_bool *cancelled; /* stops the question if it is set before the charge */
	bool (*is_gone)(void *client); /* has the client hung up? */
	void *client;
};

struct sotto_wire_reply {
	struct sotto_answer *answer;
	struct sotto_explanation *explanation;
	struct sotto_catalog_answer catalog; /* columns is NULL if the catalog did not answer */
	struct sotto_rational epsilon_left, delta_left;
	enum sotto_status status;
	bool cancelled;
	struct sotto_error error;
};

/* Waits for the reply, which the caller releases. */
void sotto_wire_ask(struct sotto_work_queue *work, const struct sotto_wire_question *q,
		    struct sotto_wire_reply *out);
void sotto_wire_reply_release(struct sotto_wire_reply *r);

#endif
