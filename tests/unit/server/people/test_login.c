/* Browsers that are logged in, links, and guesses: whom they belong to, and when they end. */
#include "server/people/login.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "testlib/folder.h"
#include "testlib/tap.h"

/* Seconds by which the clock of time that passes is ahead: it takes the place of the C library's. */
static time_t ahead;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int failed = (int)syscall(SYS_clock_gettime, clock, t);

	if (clock == CLOCK_MONOTONIC)
		t->tv_sec += ahead;
	return failed;
}

/* A register with alice and bob, and a second one over the same file, as another process has it. */
struct world {
	struct folder folder;
	struct sotto_people *people, *elsewhere;
	struct sotto_login *login;
	struct sotto_person alice, bob;
};

static void add(struct world *w, const char *name, struct sotto_person *out)
{
	struct sotto_person person = {.role = SOTTO_ROLE_ANALYST};
	char key[SOTTO_KEY_TEXT_SIZE];

	(void)snprintf(person.name, sizeof person.name, "%s", name);
	REQUIRE(sotto_people_add(w->people, &person, key, NULL) == SOTTO_OK);
	REQUIRE(sotto_people_recognise(w->people, key, out, NULL) == SOTTO_OK);
}

static void world_open(struct world *w)
{
	char path[FOLDER_PATH_MAX];

	folder_open(&w->folder);
	folder_file(&w->folder, "people", path);
	REQUIRE(sotto_people_open(path, &w->people, NULL) == SOTTO_OK);
	REQUIRE(sotto_people_open(path, &w->elsewhere, NULL) == SOTTO_OK);
	REQUIRE(sotto_login_new(&w->login) == SOTTO_OK);
	add(w, "alice", &w->alice);
	add(w, "bob", &w->bob);
}

static void world_close(struct world *w)
{
	sotto_login_free(w->login);
	sotto_people_close(w->elsewhere);
	sotto_people_close(w->people);
	folder_close(&w->folder);
}

/* What a browser has: the token of its page, and a cookie. */
struct browser {
	char token[SOTTO_TOKEN_SIZE], cookie[SOTTO_TOKEN_SIZE];
};

static void log_in(struct world *w, const struct sotto_person *person, struct browser *b)
{
	REQUIRE(sotto_login_begin(w->login, person, b->token, b->cookie) == SOTTO_OK);
}

static bool takes(struct world *w, const char *token, const char *cookie, const char *name)
{
	struct sotto_person who;

	return sotto_login_find(w->login, w->people, token, cookie, &who) == SOTTO_OK &&
	       strcmp(who.name, name) == 0;
}

static bool knows(struct world *w, const struct browser *b, const char *name)
{
	return takes(w, b->token, b->cookie, name);
}

/* Another port of the host is sent the cookie; a script in the page could read the token. */
static void a_token_or_a_cookie_alone_is_worth_nothing(void)
{
	struct browser first, second;
	struct world w;

	world_open(&w);
	log_in(&w, &w.alice, &first);
	log_in(&w, &w.alice, &second);
	CHECK(strcmp(first.token, first.cookie) != 0);
	CHECK(knows(&w, &first, "alice") && knows(&w, &second, "alice"));
	CHECK(!takes(&w, first.token, "", "alice") && !takes(&w, "", first.cookie, "alice"));
	CHECK(!takes(&w, first.token, first.token, "alice"));
	CHECK(!takes(&w, first.cookie, first.cookie, "alice"));
	CHECK(!takes(&w, first.cookie, first.token, "alice"));
	CHECK(!takes(&w, first.token, second.cookie, "alice"));
	sotto_login_end(w.login, first.token, second.cookie);
	CHECK(knows(&w, &first, "alice") && knows(&w, &second, "alice"));
	sotto_login_end(w.login, first.token, first.cookie);
	CHECK(!knows(&w, &first, "alice") && knows(&w, &second, "alice"));
	world_close(&w);
}

static void a_session_ends_with_the_key_that_it_was_made_with(void)
{
	struct browser alice, bob;
	char key[SOTTO_KEY_TEXT_SIZE];
	struct world w;

	world_open(&w);
	log_in(&w, &w.alice, &alice);
	log_in(&w, &w.bob, &bob);
	CHECK(knows(&w, &alice, "alice") && knows(&w, &bob, "bob"));
	CHECK(sotto_people_rotate(w.elsewhere, "alice", key, NULL) == SOTTO_OK);
	CHECK(!knows(&w, &alice, "alice"));
	CHECK(sotto_people_recognise(w.people, key, &w.alice, NULL) == SOTTO_OK);
	CHECK(!knows(&w, &alice, "alice"));
	log_in(&w, &w.alice, &alice);
	CHECK(knows(&w, &alice, "alice"));
	CHECK(sotto_people_revoke(w.elsewhere, "bob", NULL) == SOTTO_OK);
	CHECK(!knows(&w, &bob, "bob"));
	world_close(&w);
}

static void a_link_works_once_and_only_with_the_same_key(void)
{
	char token[SOTTO_TOKEN_SIZE], key[SOTTO_KEY_TEXT_SIZE];
	struct sotto_person who;
	struct world w;

	world_open(&w);
	REQUIRE(sotto_login_link(w.login, &w.alice, token) == SOTTO_OK);
	CHECK(!takes(&w, token, "", "alice") && !takes(&w, token, token, "alice"));
	CHECK(sotto_login_redeem(w.login, w.people, token, &who) == SOTTO_OK);
	CHECK_STR(who.name, "alice");
	CHECK(sotto_login_redeem(w.login, w.people, token, &who) == SOTTO_EREFUSED);
	REQUIRE(sotto_login_link(w.login, &w.alice, token) == SOTTO_OK);
	CHECK(sotto_people_rotate(w.elsewhere, "alice", key, NULL) == SOTTO_OK);
	CHECK(sotto_login_redeem(w.login, w.people, token, &who) == SOTTO_EREFUSED);
	world_close(&w);
}

/* A link within an hour, a session within twelve, whatever the calendar says. */
static void links_and_sessions_end(void)
{
	char link[SOTTO_TOKEN_SIZE], late[SOTTO_TOKEN_SIZE];
	struct browser session;
	struct sotto_person who;
	struct world w;

	world_open(&w);
	REQUIRE(sotto_login_link(w.login, &w.alice, link) == SOTTO_OK);
	REQUIRE(sotto_login_link(w.login, &w.alice, late) == SOTTO_OK);
	log_in(&w, &w.alice, &session);
	ahead = 3600 - 60;
	CHECK(sotto_login_redeem(w.login, w.people, link, &who) == SOTTO_OK);
	ahead = 3600;
	CHECK(sotto_login_redeem(w.login, w.people, late, &who) == SOTTO_EREFUSED);
	ahead = 12 * 3600 - 60;
	CHECK(knows(&w, &session, "alice"));
	ahead = 12 * 3600;
	CHECK(!knows(&w, &session, "alice"));
	ahead = 0;
	world_close(&w);
}

static void nobody_logs_others_out_by_logging_in(void)
{
	struct browser bob, first, last;
	struct world w;

	world_open(&w);
	log_in(&w, &w.bob, &bob);
	log_in(&w, &w.alice, &first);
	for (int i = 0; i < 5000; i++)
		log_in(&w, &w.alice, &last);
	CHECK(knows(&w, &bob, "bob"));
	CHECK(!knows(&w, &first, "alice"));
	CHECK(knows(&w, &last, "alice"));
	world_close(&w);
}

static void a_name_is_not_taken_for_an_address(void)
{
	struct sotto_login *l = NULL;

	REQUIRE(sotto_login_new(&l) == SOTTO_OK);
	for (int i = 0; i < 20; i++)
		sotto_login_failed(l, SOTTO_GUESSER_NAME, "10.0.0.7");
	CHECK(sotto_login_wait(l, SOTTO_GUESSER_NAME, "10.0.0.7") > 0);
	CHECK_INT(sotto_login_wait(l, SOTTO_GUESSER_ADDRESS, "10.0.0.7"), 0);
	sotto_login_succeeded(l, SOTTO_GUESSER_ADDRESS, "10.0.0.7");
	CHECK(sotto_login_wait(l, SOTTO_GUESSER_NAME, "10.0.0.7") > 0);
	sotto_login_succeeded(l, SOTTO_GUESSER_NAME, "10.0.0.7");
	CHECK_INT(sotto_login_wait(l, SOTTO_GUESSER_NAME, "10.0.0.7"), 0);
	sotto_login_free(l);
}

int main(void)
{
	RUN(a_token_or_a_cookie_alone_is_worth_nothing);
	RUN(a_session_ends_with_the_key_that_it_was_made_with);
	RUN(a_link_works_once_and_only_with_the_same_key);
	RUN(links_and_sessions_end);
	RUN(nobody_logs_others_out_by_logging_in);
	RUN(a_name_is_not_taken_for_an_address);
	return tap_done();
}
