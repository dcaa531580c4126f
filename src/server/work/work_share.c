/* A small table of addresses or names; one that holds nothing is not in it. */
#include "server/work/work_share.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sotto_share {
	struct sotto_share *next;
	size_t held;
	char who[];
};

void sotto_shares_init(struct sotto_shares *s, size_t all_max, size_t each_max)
{
	*s = (struct sotto_shares){.all_max = all_max, .each_max = each_max};
	pthread_mutex_init(&s->lock, NULL);
}

void sotto_shares_release(struct sotto_shares *s)
{
	for (size_t i = 0; i < SOTTO_SHARE_BUCKETS; i++)
		while (s->buckets[i]) {
			struct sotto_share *gone = s->buckets[i];

			s->buckets[i] = gone->next;
			free(gone);
		}
	pthread_mutex_destroy(&s->lock);
}

/* Lock held: where that one is, or where the chain ends. */
static struct sotto_share **find(struct sotto_shares *s, const char *who)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	struct sotto_share **at;

	for (const char *c = who; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	at = &s->buckets[hash % SOTTO_SHARE_BUCKETS];
	while (*at && strcmp((*at)->who, who) != 0)
		at = &(*at)->next;
	return at;
}

/* Lock held: whether n more bytes stay within a limit. */
static bool fits(size_t held, size_t n, size_t max)
{
	return held <= max && n <= max - held;
}

/* Lock held; the first of the n bytes, up to `asked`, have to fit. */
static bool hold(struct sotto_shares *s, const char *who, size_t asked, size_t n)
{
	struct sotto_share **at = find(s, who);
	size_t held = *at ? (*at)->held : 0;

	if (!fits(s->all, asked, s->all_max) || !fits(held, asked, s->each_max))
		return false;
	if (!*at) {
		*at = calloc(1, sizeof **at + strlen(who) + 1);
		if (!*at)
			return false;
		memcpy((*at)->who, who, strlen(who) + 1);
	}
	(*at)->held += n;
	s->all += n;
	return true;
}

static bool hold_locked(struct sotto_shares *s, const char *who, size_t asked, size_t n)
{
	bool held;

	pthread_mutex_lock(&s->lock);
	held = hold(s, who, asked, n);
	pthread_mutex_unlock(&s->lock);
	return held;
}

bool sotto_share_hold(struct sotto_shares *s, const char *who, size_t n)
{
	return hold_locked(s, who, n, n);
}

bool sotto_share_hold_made(struct sotto_shares *s, const char *who, size_t n)
{
	return hold_locked(s, who, 1, n);
}

/* Lock held. */
static void drop(struct sotto_shares *s, const char *who, size_t n)
{
	struct sotto_share **at = find(s, who), *gone = *at;

	if (!gone || n == 0)
		return;
	gone->held -= n;
	s->all -= n;
	if (gone->held == 0) {
		*at = gone->next;
		free(gone);
	}
}

void sotto_share_drop(struct sotto_shares *s, const char *who, size_t n)
{
	pthread_mutex_lock(&s->lock);
	drop(s, who, n);
	pthread_mutex_unlock(&s->lock);
}
