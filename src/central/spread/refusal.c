/*
 * Expands the list of reasons into a table; a message is the number of the reason and a detail,
 * and an unknown number is refused.
 */
#include "central/spread/refusal.h"

#include "core/base/failure.h"

static const struct {
	bool is_final;
	const char *text;
} refusals[] = {
#define REFUSAL(name, is_final, text) {is_final, text},
	SOTTO_REFUSAL_LIST(REFUSAL)
#undef REFUSAL
};

bool sotto_refusal_is_final(enum sotto_refusal r)
{
	return refusals[r].is_final;
}

const char *sotto_refusal_text(enum sotto_refusal r)
{
	return refusals[r].text;
}

enum sotto_status
sotto_refusal_put(struct sotto_buffer *b, enum sotto_refusal r, const char *detail)
{
	SOTTO_TRY(sotto_worker_put_u32(b, (uint32_t)r));
	return sotto_worker_put_text(b, detail);
}

bool sotto_refusal_take(const void *message, size_t size, enum sotto_refusal *r,
			const char **detail)
{
	const uint8_t *bytes = message;
	struct sotto_worker_fields f = {bytes, bytes + size};
	uint32_t code;

	if (!sotto_worker_take_u32(&f, &code) || code >= sizeof refusals / sizeof refusals[0] ||
	    !sotto_worker_take_text(&f, detail) || f.next != f.end)
		return false;
	*r = (enum sotto_refusal)code;
	return true;
}
