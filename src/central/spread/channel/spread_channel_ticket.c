/* Tickets: one line of text, which a pipe, ssh and a scheduler can all carry. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/spread/bucket.h"
#include "central/spread/channel/spread_channel.h"
#include "core/base/digest_text.h"
#include "core/base/failure.h"

static const char first[] = "sotto-ticket-1 ";

void sotto_ticket_write(const struct sotto_ticket *t, char *out, size_t size)
{
	char token[2 * SOTTO_CHANNEL_KEY + 1], key[2 * SOTTO_CHANNEL_KEY + 1];

	sotto_hex(t->token, sizeof t->token, token);
	sotto_hex(t->coordinator, sizeof t->coordinator, key);
	(void)snprintf(out, size, "%s%s %s %" PRIu32 " %s\n", first, token, key, t->bucket,
		       t->address);
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* 64 digits and a space. */
static bool read_hex(const char **at, uint8_t out[SOTTO_CHANNEL_KEY])
{
	const char *c = *at;

	for (size_t i = 0; i < SOTTO_CHANNEL_KEY; i++) {
		int high = digit(c[2 * i]), low = high < 0 ? -1 : digit(c[2 * i + 1]);

		if (low < 0)
			return false;
		out[i] = (uint8_t)(16 * high + low);
	}
	*at = c + 2 * SOTTO_CHANNEL_KEY + 1;
	return c[2 * SOTTO_CHANNEL_KEY] == ' ';
}

enum sotto_status sotto_ticket_read(struct sotto_ticket *t, const char *line)
{
	struct sotto_ticket read = {0};
	size_t digits, n;

	if (strncmp(line, first, strlen(first)) != 0)
		return SOTTO_EPARSE;
	line += strlen(first);
	if (!read_hex(&line, read.token) || !read_hex(&line, read.coordinator))
		return SOTTO_EPARSE;
	digits = strspn(line, "0123456789");
	if (digits == 0 || digits > 6 || line[digits] != ' ')
		return SOTTO_EPARSE;
	read.bucket = (uint32_t)strtoul(line, NULL, 10);
	line += digits + 1;
	n = strcspn(line, "\n");
	if (read.bucket >= SOTTO_BUCKETS_MAX || n == 0 || n >= sizeof read.address ||
	    line[n] != '\n' || line[n + 1] != '\0' || strcspn(line, " \t\r") < n)
		return SOTTO_EPARSE;
	memcpy(read.address, line, n);
	*t = read;
	return SOTTO_OK;
}
