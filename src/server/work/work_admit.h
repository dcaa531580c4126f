/*
 * work_admit.h - admits a user to a session, and decides what that user is told about a failure
 *
 * (1) If the question itself is at fault, whoever asked is told why.  If the server failed
 *     (policy, ledger, sources, engine), the owner is told why; everybody else gets one fixed
 *     sentence that names no file and no state.
 * (2) Nobody who asks over the network is told to give an option of the command line.
 */
#ifndef SOTTO_WORK_ADMIT_H
#define SOTTO_WORK_ADMIT_H

#include "server/people/people.h"
#include "server/work/work_queue.h"
#include "sotto/query.h"

/* Who asks, over which protocol, and the path of the policy, which only the owner may see. */
struct sotto_asker {
	const struct sotto_person *person;
	const char *policy;
	enum sotto_door door;
};

/* Applies the person's share to the session. */
SOTTO_MUST_CHECK enum sotto_status sotto_work_admit(struct sotto_session *s,
						    const struct sotto_person *person,
						    struct sotto_error *err);

/* Chooses the sentence for this asker. */
void sotto_work_tell(const struct sotto_asker *a, enum sotto_status status,
		     const struct sotto_error *err, struct sotto_error *out);

/* The same if no session could be opened; why is the failure of the policy. */
void sotto_work_tell_closed(const struct sotto_asker *a, const struct sotto_error *why,
			    struct sotto_error *out);

/* Replaces "--epsilon" and other options by the words of this protocol; malloc'd, or NULL. */
char *sotto_work_words(enum sotto_door door, const char *text);

#endif
