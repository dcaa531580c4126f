/*
 * (1) On any failure the report is all zeros and says so by its status.
 * (2) The ledger counts a report before the caller has it, and nothing else: no report,
 *     no change of the ledger.
 * (3) Nothing is drawn anew that the collection memoizes.
 */
#include "local/client/encode.h"
#include "local/client/params_digest.h"
#include "local/client/primitive/bytes.h"

/*
 * A device that speaks one protocol compiles this file with SOTTO_CLIENT_ONLY
 * set to it; the linker then leaves the other encoders out.
 */
#ifdef SOTTO_CLIENT_ONLY
#define SPOKEN(protocol) ((protocol) == SOTTO_CLIENT_ONLY)
#else
#define SPOKEN(protocol) true
#endif

static const struct sotto_encoding *const encodings[] = {
#define ENCODING(id, number, text) [number] = SPOKEN(number) ? &sotto_encoding_##id : NULL,
	SOTTO_CLIENT_PROTOCOLS(ENCODING)
#undef ENCODING
};

const struct sotto_encoding *sotto_encoding_of(uint32_t protocol)
{
	return protocol < sizeof encodings / sizeof encodings[0] ? encodings[protocol] : NULL;
}

static uint32_t drawn_once(const struct sotto_client *c, enum sotto_purpose purpose, uint32_t n)
{
	struct sotto_stream s;
	uint32_t x;

	if (!c->secrets.key || n <= 1)
		return 0;
	sotto_stream_derived(&s, c, purpose, NULL, 0);
	x = sotto_stream_below(&s, n);
	(void)sotto_stream_end(&s); /* a derived stream cannot fail */
	return x;
}

enum sotto_status sotto_client_init(struct sotto_client *client,
				    const struct sotto_client_params *params,
				    const struct sotto_client_secrets *secrets)
{
	if (!client || !params)
		return SOTTO_EINVAL;

	const struct sotto_drawn_once *once;
	bool needs_key;
	enum sotto_status status = sotto_client_params_check(params);

	if (status != SOTTO_OK)
		return status;
	once = sotto_encoding_of(params->protocol)->once;
	needs_key = once && once->needs_key ? once->needs_key(params) : params->memoize == 1;
	if (!secrets->key && (needs_key || secrets->ledger))
		return SOTTO_EMISSING;
	client->params = params;
	client->secrets = *secrets;
	sotto_client_params_digest(params, client->digest);
	sotto_client_renew(client);
	return SOTTO_OK;
}

void sotto_client_renew(struct sotto_client *client)
{
	const struct sotto_client_params *p = client ? client->params : NULL;
	const struct sotto_drawn_once *once = p ? sotto_encoding_of(p->protocol)->once : NULL;

	if (!p)
		return;
	client->group = client->alpha = 0;
	if (once && once->is_rounding)
		client->alpha = drawn_once(client, SOTTO_PURPOSE_ALPHA, once->points(p));
	else if (once)
		client->group = drawn_once(client, SOTTO_PURPOSE_GROUP, once->points(p));
}

static void derive_from_value(struct sotto_stream *s, const struct sotto_client *c,
			      enum sotto_purpose purpose, const struct sotto_client_value *v)
{
	uint8_t number[8];

	if (v->bytes) {
		sotto_stream_derived(s, c, purpose, v->bytes, v->length);
		return;
	}
	store_le(number, v->number, 8);
	sotto_stream_derived(s, c, purpose, number, 8);
	wipe_bytes(number, sizeof number);
}

void sotto_answer_stream(struct sotto_stream *s, const struct sotto_client *c,
			 const struct sotto_client_value *v)
{
	if (c->params->memoize)
		derive_from_value(s, c, SOTTO_PURPOSE_ANSWER, v);
	else
		sotto_stream_fresh(s, c);
}

static bool known_tag(const struct sotto_client_ledger *l, uint32_t tag)
{
	bool known = false;

	for (uint32_t i = 0; i < l->distinct && i < 16; i++)
		known |= l->tags[i] == tag;
	return known;
}

/* What a report will change in the ledger. */
struct charge {
	uint32_t tag;
	bool new_value;
	bool new_day;
};

/*
 * Whether the ledger has room for a report; it is not changed.  Apart, so that its stream
 * leaves the stack before the encoder's comes.
 */
__attribute__((noinline)) static enum sotto_status
admit_report(const struct sotto_client *c, const struct sotto_client_value *v,
	     struct charge *charge)
{
	const struct sotto_client_ledger *l = c->secrets.ledger;
	struct sotto_stream s;

	if (!l)
		return SOTTO_OK;
	derive_from_value(&s, c, SOTTO_PURPOSE_TAG, v);
	charge->tag = sotto_stream_word32(&s);
	(void)sotto_stream_end(&s); /* a derived stream cannot fail */
	charge->new_day = c->secrets.today > l->day;
	charge->new_value = !known_tag(l, charge->tag);
	if ((charge->new_day ? 0 : l->reports) >= l->daily_limit)
		return SOTTO_EBUDGET;
	if (charge->new_value && (l->distinct >= l->distinct_limit || l->distinct >= 16))
		return SOTTO_EBUDGET;
	return SOTTO_OK;
}

static void count_report(struct sotto_client *c, const struct charge *charge)
{
	struct sotto_client_ledger *l = c->secrets.ledger;

	if (!l)
		return;
	if (charge->new_day) {
		l->day = c->secrets.today;
		l->reports = 0;
	}
	if (charge->new_value)
		l->tags[l->distinct++] = charge->tag;
	l->reports++;
}

static enum sotto_status encode(struct sotto_client *c, const struct sotto_client_value *v,
				uint8_t *out, size_t capacity, size_t *used)
{
	const struct sotto_encoding *encoding = sotto_encoding_of(c->params->protocol);
	size_t need = encoding->bytes(c->params);
	struct charge charge = {0};
	enum sotto_status status;

	zero_bytes(out, capacity);
	if (capacity < need)
		return SOTTO_ERANGE;
	status = admit_report(c, v, &charge);
	if (status != SOTTO_OK)
		return status;
	if (!encoding->encode(c, v, out)) {
		zero_bytes(out, capacity);
		return SOTTO_EENTROPY;
	}
	count_report(c, &charge);
	*used = need;
	return SOTTO_OK;
}

enum sotto_status sotto_client_encode_number(struct sotto_client *client, uint64_t value,
					     uint8_t *out, size_t capacity, size_t *used)
{
	if (!client || !client->params || !out || !used)
		return SOTTO_EINVAL;

	const struct sotto_client_params *p = client->params;
	struct sotto_client_value v = {.number = value};
	bool number = sotto_client_takes_number(p);
	uint64_t values = (uint64_t)p->size + sotto_encoding_of(p->protocol)->includes_size;

	if (!number || value >= values) {
		zero_bytes(out, capacity);
		return number ? SOTTO_ERANGE : SOTTO_EINVAL;
	}
	return encode(client, &v, out, capacity, used);
}

enum sotto_status sotto_client_encode(struct sotto_client *client, const void *value,
				      size_t length, uint8_t *out, size_t capacity,
				      size_t *used)
{
	if (!client || !client->params || !out || !used)
		return SOTTO_EINVAL;

	struct sotto_client_value v = {.bytes = value, .length = length};

	if (sotto_client_takes_number(client->params) || !value) {
		zero_bytes(out, capacity);
		return SOTTO_EINVAL;
	}
	return encode(client, &v, out, capacity, used);
}
