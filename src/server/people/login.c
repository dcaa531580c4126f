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
	TICKETS = 4096, /* links and cookies together; the oldest gives way */
	GUESSERS = 4096, /* remembered; two that share a place share their failures */
	LINK_SECONDS = 3600,
	COOKIE_SECONDS = 12 * 3600,
	FREE_FAILURES = 5,
	WAIT_MAX = 60,
};

enum ticket_kind { TICKET_NONE, TICKET_LINK, TICKET_COOKIE };

struct ticket {
	enum ticket_kind kind;
	uint8_t hash[SHA256_DIGEST_LENGTH]; /* of its token */
	char name[SOTTO_PERSON_NAME_MAX + 1];
	int64_t ends;
};

struct guesser {
	uint8_t hash[8];
	unsigned failures;
	int64_t next; /* moment at which it may try again */
};

struct sotto_login {
	pthread_mutex_t lock;
	struct ticket tickets[TICKETS];
	struct guesser guessers[GUESSERS];
};

enum sotto_status sotto_login_new(struct sotto_login **out)
{
	struct sotto_login *l = calloc(1, sizeof *l);

	if (!l)
		return SOTTO_ENOMEM;
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

static void hash_text(const char *text, uint8_t out[SHA256_DIGEST_LENGTH])
{
	(void)SHA256((const uint8_t *)text, strlen(text), out);
}

/* Lock held: a free place, one that has ended, or the one that ends first. */
static struct ticket *place(struct sotto_login *l)
{
	struct ticket *best = &l->tickets[0];
	int64_t at = now();

	for (size_t i = 0; i < TICKETS; i++) {
		struct ticket *t = &l->tickets[i];

		if (t->kind == TICKET_NONE || t->ends <= at)
			return t;
		if (t->ends < best->ends)
			best = t;
	}
	return best;
}

static enum sotto_status issue(struct sotto_login *l, enum ticket_kind kind, const char *name,
			       char token[SOTTO_TOKEN_SIZE])
{
	uint8_t bytes[(SOTTO_TOKEN_SIZE - 1) / 2];
	struct ticket *t;

	SOTTO_TRY(sotto_entropy_read(bytes, sizeof bytes));
	sotto_hex(bytes, sizeof bytes, token);
	OPENSSL_cleanse(bytes, sizeof bytes);
	pthread_mutex_lock(&l->lock);
	t = place(l);
	*t = (struct ticket){.kind = kind,
			     .ends = now() +
				     (kind == TICKET_LINK ? LINK_SECONDS : COOKIE_SECONDS)};
	hash_text(token, t->hash);
	(void)snprintf(t->name, sizeof t->name, "%s", name);
	pthread_mutex_unlock(&l->lock);
	return SOTTO_OK;
}

/* Lock held; hashes are compared, so that time tells nothing of a token. */
static struct ticket *find(struct sotto_login *l, enum ticket_kind kind, const char *token)
{
	uint8_t hash[SHA256_DIGEST_LENGTH];
	int64_t at = now();

	hash_text(token, hash);
	for (size_t i = 0; i < TICKETS; i++) {
		struct ticket *t = &l->tickets[i];

		if (t->kind == kind && t->ends > at &&
		    CRYPTO_memcmp(t->hash, hash, sizeof hash) == 0)
			return t;
	}
	return NULL;
}

enum sotto_status
sotto_login_link(struct sotto_login *l, const char *name, char token[SOTTO_TOKEN_SIZE])
{
	return issue(l, TICKET_LINK, name, token);
}

enum sotto_status
sotto_login_begin(struct sotto_login *l, const char *name, char cookie[SOTTO_TOKEN_SIZE])
{
	return issue(l, TICKET_COOKIE, name, cookie);
}

static enum sotto_status look_up(struct sotto_login *l, enum ticket_kind kind,
				 const char *token, bool once,
				 char name[SOTTO_PERSON_NAME_MAX + 1])
{
	struct ticket *t;

	pthread_mutex_lock(&l->lock);
	t = find(l, kind, token);
	if (t) {
		memcpy(name, t->name, sizeof t->name);
		if (once)
			t->kind = TICKET_NONE;
	}
	pthread_mutex_unlock(&l->lock);
	return t ? SOTTO_OK : SOTTO_EREFUSED;
}

enum sotto_status sotto_login_redeem(struct sotto_login *l, const char *token,
				     char name[SOTTO_PERSON_NAME_MAX + 1])
{
	return look_up(l, TICKET_LINK, token, true, name);
}

enum sotto_status sotto_login_find(struct sotto_login *l, const char *cookie,
				   char name[SOTTO_PERSON_NAME_MAX + 1])
{
	return look_up(l, TICKET_COOKIE, cookie, false, name);
}

void sotto_login_end(struct sotto_login *l, const char *cookie)
{
	struct ticket *t;

	pthread_mutex_lock(&l->lock);
	t = find(l, TICKET_COOKIE, cookie);
	if (t)
		t->kind = TICKET_NONE;
	pthread_mutex_unlock(&l->lock);
}

void sotto_login_end_all(struct sotto_login *l, const char *name)
{
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < TICKETS; i++)
		if (strcmp(l->tickets[i].name, name) == 0)
			l->tickets[i].kind = TICKET_NONE;
	pthread_mutex_unlock(&l->lock);
}

/* ---- guesses -------------------------------------------------------------------------------- */

/* Lock held: the place of `who`; taken over from another if take is set. */
static struct guesser *guesser_of(struct sotto_login *l, const char *who, bool take)
{
	uint8_t hash[SHA256_DIGEST_LENGTH];
	struct guesser *g;

	hash_text(who, hash);
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

unsigned sotto_login_wait(struct sotto_login *l, const char *who)
{
	struct guesser *g;
	int64_t left = 0;

	pthread_mutex_lock(&l->lock);
	g = guesser_of(l, who, false);
	if (g)
		left = g->next - now();
	pthread_mutex_unlock(&l->lock);
	return left > 0 ? (unsigned)left : 0;
}

void sotto_login_failed(struct sotto_login *l, const char *who)
{
	struct guesser *g;
	unsigned beyond;

	pthread_mutex_lock(&l->lock);
	g = guesser_of(l, who, true);
	if (g->failures < 1000)
		g->failures++;
	beyond = g->failures > FREE_FAILURES ? g->failures - FREE_FAILURES : 0;
	if (beyond > 0)
		g->next = now() + (beyond > 6 ? WAIT_MAX : 1 << beyond);
	pthread_mutex_unlock(&l->lock);
}

void sotto_login_succeeded(struct sotto_login *l, const char *who)
{
	struct guesser *g;

	pthread_mutex_lock(&l->lock);
	g = guesser_of(l, who, false);
	if (g)
		*g = (struct guesser){0};
	pthread_mutex_unlock(&l->lock);
}
