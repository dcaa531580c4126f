/* Logins of browsers, one-time links, and the slowing down of guesses. */
#include "server/people/login.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest_text.h"
#include "core/base/failure.h"
#include "core/base/steady.h"
#include "core/random/generator/entropy.h"

enum {
	TICKETS = 4096, /* links and sessions together; the oldest gives way */
	TICKETS_PER_NAME = 64, /* so that nobody logs others out by logging in */
	GUESSERS = 4096, /* remembered; two that share a place share their failures */
	LINK_SECONDS = 3600,
	SESSION_SECONDS = 12 * 3600,
	FREE_FAILURES = 5,
	WAIT_MAX = 60,
};

enum ticket_kind { TICKET_NONE, TICKET_LINK, TICKET_SESSION };

struct ticket {
	enum ticket_kind kind;
	uint8_t hash[SHA256_DIGEST_LENGTH]; /* of its tokens */
	char name[SOTTO_PERSON_NAME_MAX + 1];
	uint64_t key_mark; /* of the key that the name had */
	int64_t ends;
};

struct guesser {
	uint8_t hash[8];
	unsigned failures;
	int64_t next; /* moment at which it may try again */
};

struct sotto_login {
	pthread_mutex_t lock;
	uint8_t secret
		[SHA256_DIGEST_LENGTH]; /* nobody can choose a name with another's place */
	struct ticket tickets[TICKETS];
	struct guesser guessers[GUESSERS];
};

enum sotto_status sotto_login_new(struct sotto_login **out)
{
	struct sotto_login *l = calloc(1, sizeof *l);
	enum sotto_status st;

	if (!l)
		return SOTTO_ENOMEM;
	st = sotto_entropy_read(l->secret, sizeof l->secret);
	if (st != SOTTO_OK) {
		free(l);
		return st;
	}
	pthread_mutex_init(&l->lock, NULL);
	*out = l;
	return SOTTO_OK;
}

void sotto_login_free(struct sotto_login *l)
{
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	OPENSSL_cleanse(l, sizeof *l);
	free(l);
}

/* No change of the calendar clock shortens or lengthens anything. */
static int64_t now(void)
{
	return (int64_t)(sotto_steady_now() / SOTTO_STEADY_SECOND);
}

/* ---- tickets -------------------------------------------------------------------------------- */

/* Of one token, or of two that are needed together; either may be of any length. */
static void
hash_tokens(const char *token, const char *cookie, uint8_t out[SHA256_DIGEST_LENGTH])
{
	uint8_t both[2 * SHA256_DIGEST_LENGTH];

	(void)SHA256((const uint8_t *)token, strlen(token), both);
	(void)SHA256((const uint8_t *)cookie, strlen(cookie), both + SHA256_DIGEST_LENGTH);
	(void)SHA256(both, sizeof both, out);
}

static enum sotto_status draw(char token[SOTTO_TOKEN_SIZE])
{
	uint8_t bytes[(SOTTO_TOKEN_SIZE - 1) / 2];

	SOTTO_TRY(sotto_entropy_read(bytes, sizeof bytes));
	sotto_hex(bytes, sizeof bytes, token);
	OPENSSL_cleanse(bytes, sizeof bytes);
	return SOTTO_OK;
}

/* Lock held: the ticket that ends first, of that name or (NULL) of all; *count of them are valid. */
static struct ticket *first_to_end(struct sotto_login *l, const char *name, size_t *count)
{
	struct ticket *first = NULL;
	int64_t at = now();

	*count = 0;
	for (size_t i = 0; i < TICKETS; i++) {
		struct ticket *t = &l->tickets[i];

		if (t->kind == TICKET_NONE || t->ends <= at ||
		    (name && strcmp(t->name, name) != 0))
			continue;
		++*count;
		if (!first || t->ends < first->ends)
			first = t;
	}
	return first;
}

/* Lock held: a free place, or that of the oldest of the name, if it has many, or of all. */
static struct ticket *place(struct sotto_login *l, const char *name)
{
	struct ticket *first;
	size_t count;

	first = first_to_end(l, name, &count);
	if (count >= TICKETS_PER_NAME)
		return first;
	first = first_to_end(l, NULL, &count);
	if (count == TICKETS)
		return first;
	for (first = l->tickets; first->kind != TICKET_NONE && first->ends > now();)
		first++;
	return first;
}

static void issue(struct sotto_login *l, enum ticket_kind kind,
		  const struct sotto_person *person, const char *token, const char *cookie)
{
	struct ticket *t;

	pthread_mutex_lock(&l->lock);
	t = place(l, person->name);
	*t = (struct ticket){.kind = kind,
			     .key_mark = person->key_mark,
			     .ends = now() +
				     (kind == TICKET_LINK ? LINK_SECONDS : SESSION_SECONDS)};
	hash_tokens(token, cookie, t->hash);
	(void)snprintf(t->name, sizeof t->name, "%s", person->name);
	pthread_mutex_unlock(&l->lock);
}

/* Lock held; hashes are compared, so that time tells nothing of a token. */
static struct ticket *
find(struct sotto_login *l, enum ticket_kind kind, const char *token, const char *cookie)
{
	uint8_t hash[SHA256_DIGEST_LENGTH];
	int64_t at = now();

	hash_tokens(token, cookie, hash);
	for (size_t i = 0; i < TICKETS; i++) {
		struct ticket *t = &l->tickets[i];

		if (t->kind == kind && t->ends > at &&
		    CRYPTO_memcmp(t->hash, hash, sizeof hash) == 0)
			return t;
	}
	return NULL;
}

enum sotto_status sotto_login_link(struct sotto_login *l, const struct sotto_person *person,
				   char token[SOTTO_TOKEN_SIZE])
{
	SOTTO_TRY(draw(token));
	issue(l, TICKET_LINK, person, token, "");
	return SOTTO_OK;
}

enum sotto_status sotto_login_begin(struct sotto_login *l, const struct sotto_person *person,
				    char token[SOTTO_TOKEN_SIZE], char cookie[SOTTO_TOKEN_SIZE])
{
	SOTTO_TRY(draw(token));
	SOTTO_TRY(draw(cookie));
	issue(l, TICKET_SESSION, person, token, cookie);
	return SOTTO_OK;
}

/* A link is used up, also if its user has another key by now. */
static enum sotto_status look_up(struct sotto_login *l, struct sotto_people *people,
				 enum ticket_kind kind, const char *token, const char *cookie,
				 struct sotto_person *out)
{
	struct sotto_person person;
	struct ticket *t, known;

	pthread_mutex_lock(&l->lock);
	t = find(l, kind, token, cookie);
	if (t) {
		known = *t;
		if (kind == TICKET_LINK)
			t->kind = TICKET_NONE;
	}
	pthread_mutex_unlock(&l->lock);
	if (!t)
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_people_find(people, known.name, &person, NULL));
	if (person.key_mark != known.key_mark)
		return SOTTO_EREFUSED;
	*out = person;
	return SOTTO_OK;
}

enum sotto_status sotto_login_redeem(struct sotto_login *l, struct sotto_people *people,
				     const char *token, struct sotto_person *out)
{
	return look_up(l, people, TICKET_LINK, token, "", out);
}

enum sotto_status sotto_login_find(struct sotto_login *l, struct sotto_people *people,
				   const char *token, const char *cookie,
				   struct sotto_person *out)
{
	return look_up(l, people, TICKET_SESSION, token, cookie, out);
}

void sotto_login_end(struct sotto_login *l, const char *token, const char *cookie)
{
	struct ticket *t;

	pthread_mutex_lock(&l->lock);
	t = find(l, TICKET_SESSION, token, cookie);
	if (t)
		t->kind = TICKET_NONE;
	pthread_mutex_unlock(&l->lock);
}

/* ---- guesses -------------------------------------------------------------------------------- */

/* Of the secret, the kind and the name; a longer name counts by its beginning. */
static void hash_guesser(const struct sotto_login *l, enum sotto_guesser kind, const char *who,
			 uint8_t out[SHA256_DIGEST_LENGTH])
{
	uint8_t text[sizeof l->secret + 1 + SOTTO_PERSON_NAME_MAX];
	size_t n = strnlen(who, SOTTO_PERSON_NAME_MAX);

	memcpy(text, l->secret, sizeof l->secret);
	text[sizeof l->secret] = (uint8_t)kind;
	memcpy(text + sizeof l->secret + 1, who, n);
	(void)SHA256(text, sizeof l->secret + 1 + n, out);
}

/* Lock held: the place of `who`; taken over from another if take is set. */
static struct guesser *
guesser_of(struct sotto_login *l, enum sotto_guesser kind, const char *who, bool take)
{
	uint8_t hash[SHA256_DIGEST_LENGTH];
	struct guesser *g;

	hash_guesser(l, kind, who, hash);
	g = &l->guessers[(hash[8] << 8 | hash[9]) % GUESSERS];
	if (memcmp(g->hash, hash, sizeof g->hash) != 0) {
		if (!take)
			return NULL;
		memcpy(g->hash, hash, sizeof g->hash);
		if (g->next <= now())
			g->failures = 0;
	}
	return g;
}

unsigned sotto_login_wait(struct sotto_login *l, enum sotto_guesser kind, const char *who)
{
	struct guesser *g;
	int64_t left = 0;

	pthread_mutex_lock(&l->lock);
	g = guesser_of(l, kind, who, false);
	if (g)
		left = g->next - now();
	pthread_mutex_unlock(&l->lock);
	return left > 0 ? (unsigned)left : 0;
}

void sotto_login_failed(struct sotto_login *l, enum sotto_guesser kind, const char *who)
{
	struct guesser *g;
	unsigned beyond;

	pthread_mutex_lock(&l->lock);
	g = guesser_of(l, kind, who, true);
	if (g->failures < 1000)
		g->failures++;
	beyond = g->failures > FREE_FAILURES ? g->failures - FREE_FAILURES : 0;
	if (beyond > 0)
		g->next = now() + (beyond > 6 ? WAIT_MAX : 1 << beyond);
	pthread_mutex_unlock(&l->lock);
}

void sotto_login_succeeded(struct sotto_login *l, enum sotto_guesser kind, const char *who)
{
	struct guesser *g;

	pthread_mutex_lock(&l->lock);
	g = guesser_of(l, kind, who, false);
	if (g)
		*g = (struct guesser){0};
	pthread_mutex_unlock(&l->lock);
}
