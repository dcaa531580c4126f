/*
 * What one report costs a device: client_cost calls | stack
 *
 * calls: linked with --wrap, counts the hashes, HMACs and cipher blocks of one
 * RAPPOR report of up to 32 bits.  stack: encodes each protocol on a painted
 * stack and looks how far down the paint is gone.
 */
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "sotto/client.h"

struct sotto_sha256;
struct sotto_hmac;

static unsigned hashes, macs, blocks;

void __real_sotto_sha256_end(struct sotto_sha256 *s, uint8_t out[32]);
void __wrap_sotto_sha256_end(struct sotto_sha256 *s, uint8_t out[32]);
void __real_sotto_hmac_init(struct sotto_hmac *m, const void *key, size_t n);
void __wrap_sotto_hmac_init(struct sotto_hmac *m, const void *key, size_t n);
void __real_sotto_chacha_block(const uint8_t key[32], uint32_t counter, uint8_t out[64]);
void __wrap_sotto_chacha_block(const uint8_t key[32], uint32_t counter, uint8_t out[64]);

void __wrap_sotto_sha256_end(struct sotto_sha256 *s, uint8_t out[32])
{
	hashes++;
	__real_sotto_sha256_end(s, out);
}

void __wrap_sotto_hmac_init(struct sotto_hmac *m, const void *key, size_t n)
{
	macs++;
	__real_sotto_hmac_init(m, key, n);
}

void __wrap_sotto_chacha_block(const uint8_t key[32], uint32_t counter, uint8_t out[64])
{
	blocks++;
	__real_sotto_chacha_block(key, counter, out);
}

static int fill(void *context, uint8_t *out, size_t n)
{
	(void)context;
	memset(out, 0x5a, n);
	return 0;
}

static const struct sotto_client_chance quarter = {1ull << 62, false},
					half = {1ull << 63, false};

/* Small and sound: enough to run every encoder. */
static struct sotto_client_params sample(uint32_t protocol)
{
	struct sotto_client_params p = {.protocol = protocol,
					.size = 16,
					.hashes = 2,
					.groups = 4,
					.memoize = 1,
					.keep = half,
					.flip = quarter,
					.zero = quarter,
					.one = half};

	switch (protocol) {
	case SOTTO_CLIENT_RR:
		p.size = 2;
		break;
	case SOTTO_CLIENT_HR:
		p.groups = 1;
		p.width = 32;
		break;
	case SOTTO_CLIENT_RAPPOR:
		p.size = p.memoize = 0;
		p.width = 32;
		break;
	case SOTTO_CLIENT_CMS:
	case SOTTO_CLIENT_HCMS:
		p.size = 0;
		p.width = 1024;
		break;
	case SOTTO_CLIENT_SFP:
		p.size = 10;
		p.width = 64;
		p.grain = 8;
		p.flip2 = quarter;
		break;
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		p.grain = 4;
		break;
	case SOTTO_CLIENT_PEM:
		p.size = 64;
		p.grain = 6;
		break;
	case SOTTO_CLIENT_TREEHIST:
		p.size = 64;
		p.grain = 8;
		p.width = 256;
		p.flip2 = quarter;
		break;
	default:
		break;
	}
	return p;
}

static struct sotto_client client;
static struct sotto_client_params params;
static uint8_t key[32] = {1}, report[4096];
static enum sotto_status result;
static uint8_t *entry; /* the stack where encoding begins */

static void encode(void)
{
	size_t used;

	entry = __builtin_frame_address(0);
	result = sotto_client_encode_number(&client, 1, report, sizeof report, &used);
	if (result == SOTTO_EINVAL)
		result = sotto_client_encode(&client, "value", 5, report, sizeof report, &used);
}

static int open_client(uint32_t protocol)
{
	struct sotto_client_secrets s = {.key = key, .id = "m", .id_length = 1, .fill = fill};

	params = sample(protocol);
	if (sotto_client_init(&client, &params, &s) == SOTTO_OK)
		return 0;
	printf("protocol %u does not open\n", protocol);
	return 1;
}

static int calls(void)
{
	for (uint32_t bits = 1; bits <= 32; bits++) {
		params = sample(SOTTO_CLIENT_RAPPOR);
		if (open_client(SOTTO_CLIENT_RAPPOR))
			return 1;
		params.width = bits;
		params.hashes = 1;
		params.flip.numerator = (1ull << 62) + (1ull << 32); /* all 32 digits of f/2 */
		hashes = macs = blocks = 0;
		encode();
		if (result != SOTTO_OK || hashes != 1 || macs != 1 || blocks > 2 ||
		    blocks < 1) {
			printf("%u bits: %u hashes, %u HMACs, %u blocks\n", bits, hashes, macs,
			       blocks);
			return 1;
		}
	}
	return 0;
}

#define STACK 65536
static uint8_t stack[STACK];
static ucontext_t here, there;

static int depth(uint32_t protocol, size_t *used)
{
	memset(stack, 0xa5, sizeof stack);
	if (open_client(protocol) || getcontext(&there) != 0)
		return 1;
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	there.uc_link = &here;
	makecontext(&there, encode, 0);
	if (swapcontext(&here, &there) != 0 || result != SOTTO_OK)
		return 1;
	for (const uint8_t *lowest = stack; lowest < entry; lowest++)
		if (*lowest != 0xa5) {
			*used = (size_t)(entry - lowest);
			break;
		}
	return 0;
}

static int stacks(void)
{
	int bad = 0;

	for (uint32_t protocol = SOTTO_CLIENT_RR; protocol <= SOTTO_CLIENT_TREEHIST;
	     protocol++) {
		size_t used = 0;

		if (depth(protocol, &used) || used > 1024) {
			printf("protocol %u: %zu bytes of stack\n", protocol, used);
			bad = 1;
		}
	}
	return bad;
}

int main(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "stack") == 0 ? stacks() : calls();
}
