/*
 * The key is the digest of the limits' name behind a prefix of its own, so that it cannot be
 * equal to the key of an answer.
 */
#include "central/session/release/limits_key.h"

#include "core/base/buffer.h"
#include "core/base/digest_text.h"

enum { NAME_MAX_BYTES = 32 << 20 };

static enum sotto_status
name_key(const char *what, const char *name, char key[SOTTO_RELEASE_KEY_SIZE])
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, NAME_MAX_BYTES);
	st = sotto_buffer_appendf(&b, "%s%s", what, name);
	if (st == SOTTO_OK)
		st = sotto_digest_text(sotto_buffer_text(&b), b.length, key);
	sotto_buffer_release(&b);
	return st;
}

enum sotto_status sotto_spread_key(const char *name, char key[SOTTO_RELEASE_KEY_SIZE])
{
	return name_key("limits\n", name, key);
}

enum sotto_status sotto_spread_key_for_all(const char *name, char key[SOTTO_RELEASE_KEY_SIZE])
{
	return name_key("limits for all\n", name, key);
}
