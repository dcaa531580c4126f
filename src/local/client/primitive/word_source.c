/*
 * A buffer of one ChaCha20 block or of fresh bytes; 32 coins at once are decided by comparing
 * random words with the bits of the thresholds, in a number of steps that hides the outcome.
 */
#include "local/client/primitive/word_source.h"

#include "local/client/primitive/bytes.h"
#include "local/client/primitive/chacha.h"
#include "local/client/primitive/sha256.h"

void sotto_stream_fresh(struct sotto_stream *s, const struct sotto_client *client)
{
	s->fill = client->secrets.fill;
	s->context = client->secrets.context;
	s->used = sizeof s->buffer;
	s->failed = !s->fill;
	s->counter = 0;
}

static void add_counted(struct sotto_hmac *m, const void *bytes, size_t n)
{
	uint8_t length[4];

	store_le(length, n, 4);
	sotto_hmac_add(m, length, 4);
	sotto_hmac_add(m, bytes, n);
}

void sotto_stream_derived(struct sotto_stream *s, const struct sotto_client *client,
			  enum sotto_purpose purpose, const void *input, size_t length)
{
	static const uint8_t label[11] = {'s', 'o', 't', 't', 'o', '-',
					  'l', 'd', 'p', '-', '1'};
	struct sotto_hmac m;
	uint8_t tag = (uint8_t)purpose;

	sotto_hmac_init(&m, client->secrets.key, 32);
	sotto_hmac_add(&m, label, sizeof label);
	sotto_hmac_add(&m, &tag, 1);
	add_counted(&m, client->secrets.id, client->secrets.id_length);
	sotto_hmac_add(&m, client->digest, sizeof client->digest);
	add_counted(&m, input, length);
	sotto_hmac_end(&m, s->key);
	s->fill = NULL;
	s->used = sizeof s->buffer;
	s->failed = false;
	s->counter = 0;
}

static void refill(struct sotto_stream *s)
{
	s->used = 0;
	if (!s->fill) {
		sotto_chacha_block(s->key, s->counter++, s->buffer);
	} else if (s->failed || s->fill(s->context, s->buffer, sizeof s->buffer) != 0) {
		s->failed = true;
		zero_bytes(s->buffer, sizeof s->buffer);
	}
}

uint32_t sotto_stream_word32(struct sotto_stream *s)
{
	if (s->failed)
		return 0;
	if (s->used == sizeof s->buffer)
		refill(s);
	s->used += 4;
	return load32_le(s->buffer + s->used - 4);
}

uint64_t sotto_stream_word64(struct sotto_stream *s)
{
	uint64_t low = sotto_stream_word32(s);

	return low | (uint64_t)sotto_stream_word32(s) << 32;
}

uint32_t sotto_stream_below(struct sotto_stream *s, uint32_t n)
{
	uint32_t reject = (0u - n) % n; /* 2^32 mod n words too many */
	uint64_t product;

	do {
		product = (uint64_t)sotto_stream_word32(s) * n;
	} while ((uint32_t)product < reject && !s->failed);
	return (uint32_t)(product >> 32);
}

bool sotto_stream_chance(struct sotto_stream *s, struct sotto_client_chance p)
{
	return (sotto_stream_word64(s) < p.numerator) | p.certain;
}

/* A lane is open after so many words with probability 2^-32, whatever it selects. */
#define SURE_WORDS 32u

static unsigned trailing_zeros(uint64_t x)
{
	unsigned n = 0;

	while (n < 64 && !(x >> n & 1))
		n++;
	return n;
}

/*
 * Uniform words are compared with the thresholds from the most significant bit down: a lane
 * is decided at the first bit in which the two differ, and for 1 if the threshold has it.
 *
 * The loop may end when every lane is decided, but not before SURE_WORDS words: when a lane was
 * decided says something about the bit that it sent, so an early end must be rare (client.md).
 */
uint32_t sotto_stream_mask(struct sotto_stream *s, uint32_t select,
			   struct sotto_client_chance zero, struct sotto_client_chance one)
{
	unsigned last = trailing_zeros(zero.numerator | one.numerator);
	uint32_t r = 0, open = UINT32_MAX;

	for (unsigned i = 64; i-- > last && (open || i >= 64 - SURE_WORDS);) {
		uint32_t u = sotto_stream_word32(s);
		uint32_t t = (0u - (uint32_t)(one.numerator >> i & 1)) & select;

		t |= (0u - (uint32_t)(zero.numerator >> i & 1)) & ~select;
		r |= open & t & ~u;
		open &= ~(u ^ t);
	}
	r |= (0u - (uint32_t)one.certain) & select;
	return r | ((0u - (uint32_t)zero.certain) & ~select);
}

bool sotto_stream_end(struct sotto_stream *s)
{
	bool ok = !s->failed;

	wipe_bytes(s, sizeof *s);
	return ok;
}
