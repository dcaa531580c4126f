/*
 * work_queue.h - questions wait in line; each of a few threads answers one at a time
 *
 * Two lanes: quick work that reads no private row (explain, budget, repeated answers),
 * and questions, which may take as long as the policy's limit.  Every thread has a session
 * of its own, so that a long question delays no quick one.
 *
 * (1) A line is as long as it was made: past that, work is refused, not stored.
 * (2) Nobody has more than a few pieces of work in line at once, so that one analyst
 *     cannot keep the others out.
 * (3) Stopping refuses new work and finishes what is in line.
 */
#ifndef SOTTO_WORK_QUEUE_H
#define SOTTO_WORK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/work/work_durations.h"
#include "sotto/query.h"
#include "sotto/status.h"

enum sotto_lane { SOTTO_LANE_QUICK, SOTTO_LANE_QUESTION, SOTTO_LANES };

/* Where a question comes in. */
enum sotto_door { SOTTO_DOOR_HTTP, SOTTO_DOOR_WIRE, SOTTO_DOORS };

struct sotto_work_queue;

struct sotto_work_options {
	const char *policy; /* its file */
	unsigned threads[SOTTO_LANES];
	size_t length; /* of each line */
	size_t per_name; /* pieces of one name in both lines together */
	uint64_t pad; /* nanoseconds, where the policy has none of its own */
};

/* Runs in a thread of the lane; session is NULL if the policy could not be opened (why says). */
typedef void (*sotto_work_fn)(struct sotto_session *session, void *context,
			      const struct sotto_error *why);

/*
 * One piece of work.  done runs after it in the same thread, once the piece no longer
 * counts for its name: a caller that learns there that it is done may put the next one in
 * line at once.
 */
struct sotto_work_job {
	const char *name; /* whose; copied */
	sotto_work_fn work;
	void (*done)(void *context);
	void *context;
};

SOTTO_MUST_CHECK enum sotto_status sotto_work_start(const struct sotto_work_options *options,
						    struct sotto_work_queue **out,
						    struct sotto_error *err);

/*
 * Puts a piece of work in line.
 *
 * Fails:    SOTTO_EBUDGET if that name has too much in line; SOTTO_ESTATE if the line is
 *           full, or the queue stops; SOTTO_ENOMEM.  Nothing of the job is then called.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_work_add(struct sotto_work_queue *q,
						  enum sotto_lane lane,
						  const struct sotto_work_job *job);

/* Sessions open the policy anew before their next piece of work, as when its file changes. */
void sotto_work_reload(struct sotto_work_queue *q);

/* Pieces in line or being done. */
size_t sotto_work_length(struct sotto_work_queue *q, enum sotto_lane lane);

/* Counts an answer that was charged; how many there were since the start. */
void sotto_work_count_charge(struct sotto_work_queue *q);
uint64_t sotto_work_charges(struct sotto_work_queue *q);

/* Counts how long a reply took; all of a door so far. */
void sotto_work_count_reply(struct sotto_work_queue *q, enum sotto_door door,
			    uint64_t nanoseconds);
struct sotto_durations *sotto_work_durations(struct sotto_work_queue *q, enum sotto_door door);

/* Refuses new work, finishes what is in line, and ends the threads.  NULL is allowed. */
void sotto_work_stop(struct sotto_work_queue *q);

/* After it was stopped. */
void sotto_work_free(struct sotto_work_queue *q);

#endif
