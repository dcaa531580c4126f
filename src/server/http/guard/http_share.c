/* A small table of addresses; an address that holds nothing is not in it. */
#include "server/http/guard/http_share.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sotto_share {
	struct sotto_share *next;
	size_t held;
	char address[];
};

void sotto_shares_init(struct sotto_shares *s, size_t all_max, size_t each_max)
{
	*s = (struct sotto_shares){.all_max = all_max, .each_max = each_max};
}

void sotto_shares_release(struct sotto_shares *s)
{
	for (size_t i = 0; i < SOTTO_SHARE_BUCKETS; i++)
		while (s->buckets[i]) {
			struct sotto_share *gone = s->buckets[i];

			s->buckets[i] = gone->next;
			free(gone);
		}
}

/* Where the address is, or where the chain ends. */
static struct sotto_share **find(struct sotto_shares *s, const char *address)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	struct sotto_share **at;

	for (const char *c = address; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	at = &s->buckets[hash % SOTTO_SHARE_BUCKETS];
	while (*at && strcmp((*at)->address, address) != 0)
		at = &(*at)->next;
	return at;
}

bool sotto_share_hold(struct sotto_shares *s, const char *address, size_t n)
{
	struct sotto_share **at = find(s, address);
	size_t held = *at ? (*at)->held : 0;

	if (n > s->all_max - s->all || held > s->each_max || n > s->each_max - held)
		return false;
	if (!*at) {
		*at = calloc(1, sizeof **at + strlen(address) + 1);
		if (!*at)
			return false;
		memcpy((*at)->address, address, strlen(address) + 1);
	}
	(*at)->held += n;
	s->all += n;
	return true;
}

void sotto_share_drop(struct sotto_shares *s, const char *address, size_t n)
{
	struct sotto_share **at = find(s, address), *gone = *at;

	if (!gone || n == 0)
		return;
	gone->held -= n;
	s->all -= n;
	if (gone->held == 0) {
		*at = gone->next;
		free(gone);
	}
}
