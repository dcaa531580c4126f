/* What people are told of a failure, and in which words. */
#include "server/work/work_admit.h"

#include <stdlib.h>

#include "central/session/session.h"
#include "testlib/tap.h"

static const struct sotto_person owner = {.name = "owner", .role = SOTTO_ROLE_OWNER},
				 alice = {.name = "alice", .role = SOTTO_ROLE_ANALYST};
static const char closed[] = "the server cannot answer now; ask its owner to look at it";

static void words_are(enum sotto_door door, const char *text, const char *want)
{
	char *words = sotto_work_words(door, text);

	REQUIRE(words);
	if (strcmp(words, want) != 0)
		tap_note("%s", words);
	CHECK(strcmp(words, want) == 0);
	free(words);
}

static void options_become_what_the_door_takes(void)
{
	words_are(SOTTO_DOOR_HTTP, "give --epsilon, like 0.1, or --error",
		  "give epsilon, like 0.1, or error");
	words_are(SOTTO_DOOR_WIRE, "give --epsilon or --delta",
		  "give sotto.epsilon or sotto.delta");
	words_are(SOTTO_DOOR_WIRE, "--diagnostics 0, --mechanism gaussian",
		  "sotto.diagnostics 0, sotto.mechanism gaussian");
	words_are(SOTTO_DOOR_HTTP, "--diagnostics 0", "diagnostics 0");
	words_are(SOTTO_DOOR_HTTP, "(--fresh)", "(\"fresh\": true)");
	words_are(SOTTO_DOOR_WIRE, "with --fresh", "with SET sotto.fresh = on");
	words_are(SOTTO_DOOR_HTTP, "--no-header", "no-header");
	words_are(SOTTO_DOOR_HTTP, "a - b -- c a--b --1", "a - b -- c a--b --1");
	words_are(SOTTO_DOOR_HTTP, "or find bounds with sotto bounds (line 1)",
		  "or ask the owner to find bounds (line 1)");
	words_are(SOTTO_DOOR_HTTP,
		  "or find bounds with sotto bounds 't.x' --policy /secret/p.yaml (line 1)",
		  "or ask the owner to find bounds (line 1)");
	words_are(SOTTO_DOOR_HTTP, "or find bounds with sotto bounds 't.x'",
		  "or ask the owner to find bounds");
}

static void
tell(const struct sotto_person *who, enum sotto_status st, const char *text, const char *want)
{
	const struct sotto_asker asker = {.person = who, .policy = "dir/sotto.yaml"};
	struct sotto_error err = {""}, told;

	(void)snprintf(err.text, sizeof err.text, "%s", text);
	sotto_work_tell(&asker, st, &err, &told);
	CHECK(strcmp(told.text, want) == 0);
}

/* Of every status: the question's are told, the server's are the owner's. */
static void only_the_owner_hears_of_the_server(void)
{
	for (int st = SOTTO_EINVAL; st <= SOTTO_EINFEASIBLE; st++) {
		bool is_of_question = st == SOTTO_EINVAL || st == SOTTO_ERANGE ||
				      st == SOTTO_EOVERFLOW || st == SOTTO_EPARSE ||
				      st == SOTTO_EREFUSED || st == SOTTO_EBUDGET;

		tell(&owner, (enum sotto_status)st, "x at /data/l.db", "x at /data/l.db");
		tell(&alice, (enum sotto_status)st, "x at /data/l.db",
		     is_of_question ? "x at /data/l.db" : closed);
		tell(&alice, (enum sotto_status)st, "dir/sotto.yaml:3: no", closed);
	}
	tell(&alice, SOTTO_EIO, SOTTO_CHARGED_SENTENCE, SOTTO_CHARGED_SENTENCE);
}

int main(void)
{
	RUN(options_become_what_the_door_takes);
	RUN(only_the_owner_hears_of_the_server);
	return tap_done();
}
