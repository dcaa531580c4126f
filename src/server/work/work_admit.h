/*
 * work_admit.h - admits a user to a session, and decides what that user is told about a failure
 *
 * (1) A failure of the question itself is told to whoever asked.  A failure of the server
 *     (policy, ledger, sources, engine) is told to the owner; everybody else gets one fixed
 *     sentence, which names no file and no state.
 * (2) Nobody who asks over the network is told to give an option of the command line.
 */
#ifndef SOTTO_WORK_ADMIT_H
#define SOTTO_WORK_ADMIT_H

#include "server/people/people.h"
#include "server/work/work_queue.h"
#include "sotto/query.h"

/* Who is told, where, and the file of the policy, whose path is the owner's to know. */
struct sotto_asker {
	const struct sotto_person *person;
	const char *policy;
	enum sotto_door door;
};

/* The person's share holds in the session from now on. */
SOTTO_MUST_CHECK enum sotto_status sotto_work_admit(struct sotto_session *s,
						    const struct sotto_person *person,
						    struct sotto_error *err);

/* Is a failure one of the server, not of the question? */
bool sotto_work_is_ours(const struct sotto_asker *a, enum sotto_status status,
			const struct sotto_error *err);

/* The sentence for the asker. */
void sotto_work_tell(const struct sotto_asker *a, enum sotto_status status,
		     const struct sotto_error *err, struct sotto_error *out);

/* The same when no session could be opened: why says what the policy failed with. */
void sotto_work_tell_closed(const struct sotto_asker *a, const struct sotto_error *why,
			    struct sotto_error *out);

/* The text with "--epsilon" and the like as the door names them; malloc'd, or NULL. */
char *sotto_work_words(enum sotto_door door, const char *text);

#endif
