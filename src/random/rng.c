/*
 * The generator of the product.
 *
 * (1) Bytes that were handed out cannot be recomputed from this process's
 *     memory: they are wiped, and the key they came from is gone.
 * (2) No byte is handed out twice: not after fork or clone (the pages with the
 *     key are wiped in the child), not from a resumed snapshot after a reseed.
 * (3) If the system gives no randomness, nothing is handed out.
 *
 * Why, and what it rests on: rng.md.
 */
#include "random/source.h"

#include <openssl/sha.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/failure.h"
#include "random/entropy.h"
#include "random/keystream.h"

enum { RESEED_SECONDS = 60 };
static const uint64_t reseed_bytes = UINT64_C(1) << 30;

/* What must not outlive a fork: one private mapping that the kernel wipes in a child. */
struct secret {
	uint64_t alive;
	pid_t pid; /* for kernels that have no MADV_WIPEONFORK */
	uint8_t gap[20];
	uint8_t stretch[SOTTO_STRETCH_BYTES]; /* next key, then the window */
	_Alignas(64) uint8_t scratch[SOTTO_SCRATCH_BYTES];
};
_Static_assert(offsetof(struct secret, stretch) % 64 + SOTTO_KEY_BYTES == 64,
	       "bulk samplers read the window in aligned 64-byte pieces");

struct csprng {
	struct sotto_rng source; /* first: the public pointer points here */
	struct sotto_keystream keystream;
	struct secret *secret;
	bool wiped_on_fork; /* the kernel promises a child zeros in place of the secret */
	uint64_t bytes_since_seed;
	time_t seeded_at;
};

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec;
}

static struct csprng *csprng_of(struct sotto_rng *rng)
{
	return (struct csprng *)(void *)rng;
}

static void drop_window(struct csprng *g)
{
	uint8_t *window = g->secret->stretch + SOTTO_KEY_BYTES;

	sotto_wipe(window, SOTTO_STREAM_BYTES);
	g->source.next = g->source.end = window + SOTTO_STREAM_BYTES;
}

static enum sotto_status refill(struct csprng *g)
{
	struct secret *s = g->secret;

	SOTTO_TRY(sotto_keystream_next(&g->keystream, s->stretch));
	g->source.next = s->stretch + SOTTO_KEY_BYTES;
	g->bytes_since_seed += SOTTO_STREAM_BYTES;
	return SOTTO_OK;
}

/* key <- SHA-256("sotto reseed 1" || key || 32 fresh bytes) */
static enum sotto_status mix_in_entropy(uint8_t key[SOTTO_KEY_BYTES])
{
	enum { LABEL = 14 };
	uint8_t text[LABEL + 2 * SOTTO_KEY_BYTES] = "sotto reseed 1";

	SOTTO_TRY(sotto_entropy_read(text + LABEL + SOTTO_KEY_BYTES, SOTTO_KEY_BYTES));
	memcpy(text + LABEL, key, SOTTO_KEY_BYTES);
	SHA256(text, sizeof text, key);
	sotto_wipe(text, sizeof text);
	return SOTTO_OK;
}

static enum sotto_status reseed(struct csprng *g)
{
	struct secret *s = g->secret;

	s->alive = 0;
	drop_window(g);
	SOTTO_TRY(mix_in_entropy(s->stretch));
	SOTTO_TRY(sotto_keystream_rekey(&g->keystream, s->stretch));
	g->bytes_since_seed = 0;
	g->seeded_at = now();
	s->pid = getpid();
	s->alive = 1;
	return SOTTO_OK;
}

static bool seed_is_stale(const struct csprng *g)
{
	return !g->secret->alive || g->bytes_since_seed >= reseed_bytes ||
	       now() - g->seeded_at >= RESEED_SECONDS ||
	       (!g->wiped_on_fork && g->secret->pid != getpid());
}

static enum sotto_status renew(struct sotto_rng *rng)
{
	struct csprng *g = csprng_of(rng);

	if (seed_is_stale(g))
		SOTTO_TRY(reseed(g));
	if (rng->next == rng->end && refill(g) != SOTTO_OK) {
		g->secret->alive = 0;
		return SOTTO_EENTROPY;
	}
	return SOTTO_OK;
}

static struct secret *map_secret(bool *wiped_on_fork)
{
	struct secret *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		return NULL;
	*wiped_on_fork = madvise(s, sizeof *s, MADV_WIPEONFORK) == 0;
	/* Both as best effort: the wipes stand without them. */
	(void)madvise(s, sizeof *s, MADV_DONTDUMP);
	(void)mlock(s, sizeof *s);
	return s;
}

static enum sotto_status open_parts(struct csprng *g)
{
	/* Without the kernel's promise each call looks at the process id first. */
	static const volatile uint64_t never_sure = 0;

	SOTTO_TRY(sotto_keystream_init(&g->keystream));
	g->secret = map_secret(&g->wiped_on_fork);
	if (!g->secret)
		return SOTTO_ENOMEM;
	g->source.alive = g->wiped_on_fork ? &g->secret->alive : &never_sure;
	g->source.renew = renew;
	g->source.scratch = g->secret->scratch;
	return reseed(g);
}

enum sotto_status sotto_rng_open(struct sotto_rng **out)
{
	if (!out)
		return SOTTO_EINVAL;

	struct csprng *g = calloc(1, sizeof *g);
	enum sotto_status st;

	if (!g)
		return SOTTO_ENOMEM;
	st = open_parts(g);
	if (st == SOTTO_OK)
		*out = &g->source;
	else
		sotto_rng_close(&g->source);
	return st;
}

void sotto_rng_close(struct sotto_rng *rng)
{
	struct csprng *g;

	if (!rng)
		return;
	g = csprng_of(rng);
	sotto_keystream_release(&g->keystream);
	if (g->secret) {
		sotto_wipe(g->secret, sizeof *g->secret);
		(void)munmap(g->secret, sizeof *g->secret);
	}
	free(g);
}

enum sotto_status sotto_rng_reseed(struct sotto_rng *rng)
{
	if (!rng)
		return SOTTO_EINVAL;
	return reseed(csprng_of(rng));
}

enum sotto_status sotto_rng_fill(struct sotto_rng *rng, void *buf, size_t n)
{
	if (!rng)
		return SOTTO_EINVAL;

	enum sotto_status st = sotto_source_ready(rng);

	if (st == SOTTO_OK)
		st = sotto_source_copy(rng, buf, n);
	if (st != SOTTO_OK)
		sotto_wipe(buf, n);
	return st;
}
