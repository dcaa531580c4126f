/*
 * A name for the state of the data that plans read: a digest of each source's size
 * and time of change.  Only the digest is kept, since the size of a file tells how
 * many rows it has.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "query/releases.h"

static bool
reads(const struct sotto_plan *const *plans, size_t count, const struct sotto_schema_table *t)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(plans[i]->engine_sql, t->scan))
			return true;
	return false;
}

/* False if a table is read whose state cannot be known: it is on a server. */
static enum sotto_status
describe(const struct sotto_policy_table *t, struct sotto_buffer *b, bool *known)
{
	struct stat about;

	if (t->in_postgres || stat(t->source, &about) != 0) {
		*known = false;
		return SOTTO_OK;
	}
	return sotto_buffer_appendf(b, "%s %lld %lld %ld\n", t->name, (long long)about.st_size,
				    (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

enum sotto_status sotto_session_data_name(struct sotto_session *s,
					  const struct sotto_plan *const *plans, size_t count,
					  char out[SOTTO_DATA_NAME_SIZE])
{
	unsigned char digest[32];
	enum sotto_status st = SOTTO_OK;
	struct sotto_buffer b;
	bool known = true;

	out[0] = '\0';
	sotto_buffer_init(&b, 1 << 20);
	for (size_t i = 0; st == SOTTO_OK && known && i < s->policy.table_count; i++)
		if (s->schemas[i] && reads(plans, count, s->schemas[i]))
			st = describe(&s->policy.tables[i], &b, &known);
	if (st == SOTTO_OK && known &&
	    EVP_Digest(sotto_buffer_text(&b), b.length, digest, NULL, EVP_sha256(), NULL) != 1)
		st = SOTTO_ENOMEM;
	sotto_buffer_release(&b);
	for (size_t i = 0; st == SOTTO_OK && known && i < sizeof digest; i++)
		(void)snprintf(out + 2 * i, 3, "%02x", digest[i]);
	return st;
}
