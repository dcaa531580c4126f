/*
 * work_queue.h - the queue of questions, answered by a few threads
 *
 * There are two lanes: one for quick work that reads no private row (explain, budget, repeated
 * answers), and one for questions, which may take as long as the policy allows.  Each thread has
 * its own session, so that a long question does not delay quick work.
 *
 * (1) A queue has a fixed length; when it is full, work is refused.
 * (2) Each user may have only a few jobs in the queue, so that one analyst cannot keep the others
 *     out.
 * (3) The next job is one of whoever has the fewest threads at work, and quick work of one user
 *     leaves a thread for the others.
 * (4) After a stop, new work is refused and queued work is finished.
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

/* The protocol over which a question arrives. */
enum sotto_door { SOTTO_DOOR_HTTP, SOTTO_DOOR_WIRE, SOTTO_DOORS };

struct sotto_work_queue;

struct sotto_work_options {
	const char *policy; /* path of the file */
	unsigned threads[SOTTO_LANES];
	size_t length; /* of each lane's queue */
	size_t per_name; /* jobs of one user in both lanes together */
	uint64_t pad; /* nanoseconds, if the policy does not set it */
};

/* Runs in a thread of the lane; session is NULL if the policy could not be opened, see why. */
typedef void (*sotto_work_fn)(struct sotto_session *session, void *context,
			      const struct sotto_error *why);

/*
 * One job.  done runs after it in the same thread, when the job no longer counts against its
 * user: a caller may queue the next job from there.
 */
struct sotto_work_job {
	const char *name; /* of the user; copied */
	sotto_work_fn work;
	void (*done)(void *context);
	void *context;
};

SOTTO_MUST_CHECK enum sotto_status sotto_work_start(const struct sotto_work_options *options,
						    struct sotto_work_queue **out,
						    struct sotto_error *err);

/*
 * Queues a job.
 *
 * Fails:    SOTTO_EBUDGET if the user has too many jobs in the queue; SOTTO_ESTATE if the queue is
 *           full or stopping; SOTTO_ENOMEM.  No function of the job is then called.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_work_add(struct sotto_work_queue *q,
						  enum sotto_lane lane,
						  const struct sotto_work_job *job);

/* Makes sessions open the policy again before their next job, as they do when its file changes. */
void sotto_work_reload(struct sotto_work_queue *q);

/* How many jobs are queued or running. */
size_t sotto_work_length(struct sotto_work_queue *q, enum sotto_lane lane);

/* Count an answer that was charged; how many there were since the start. */
void sotto_work_count_charge(struct sotto_work_queue *q);
uint64_t sotto_work_charges(struct sotto_work_queue *q);

/* Record how long a reply took; all durations of one protocol so far. */
void sotto_work_count_reply(struct sotto_work_queue *q, enum sotto_door door,
			    uint64_t nanoseconds);
struct sotto_durations *sotto_work_durations(struct sotto_work_queue *q, enum sotto_door door);

/* Refuses new work, finishes what is queued, and ends the threads.  NULL is allowed. */
void sotto_work_stop(struct sotto_work_queue *q);

/* Call it after sotto_work_stop. */
void sotto_work_free(struct sotto_work_queue *q);

#endif
