/*
 * The wire format is frozen: tests/vectors/client.txt holds a report of every
 * protocol for a fixed key and a counting entropy source.  The same file is run
 * through the WebAssembly module (tests/cli/client.t) and through a second encoder
 * (tests/vectors/encoder.py), which also makes other files to be given here as an
 * argument.  A change here breaks collections that are running.
 *
 * line: parameters key metric (n number | b bytes) report, all in hex
 */
#include "sotto/client.h"

#include <stdlib.h>

#include "testlib/tap.h"

static int counting_fill(void *context, uint8_t *out, size_t n)
{
	unsigned *i = context;

	for (size_t j = 0; j < n; j++, (*i)++)
		out[j] = (uint8_t)(*i * 17 + *i / 256 * 91);
	return 0;
}

static size_t unhex(const char *text, uint8_t *out, size_t capacity)
{
	size_t n = 0;
	unsigned byte;

	if (text[0] == '-')
		return 0;
	for (; text[2 * n] && n < capacity && sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
		out[n] = (uint8_t)byte;
	return n;
}

static bool line_holds(const char *line)
{
	char params_hex[256], key_hex[128], id_hex[256], kind[4], value_hex[256],
		want_hex[2048];
	uint8_t bytes[SOTTO_CLIENT_PARAMS_BYTES], key[32], id[64], value[64], want[1024],
		out[1024];
	struct sotto_client_params p;
	unsigned counter = 0;
	struct sotto_client_secrets s = {
		.key = key, .id = id, .fill = counting_fill, .context = &counter};
	struct sotto_client c;
	size_t used = 0, length;
	enum sotto_status st;

	if (sscanf(line, "%255s %127s %255s %3s %255s %2047s", params_hex, key_hex, id_hex,
		   kind, value_hex, want_hex) != 6)
		return false;
	if (unhex(params_hex, bytes, sizeof bytes) != sizeof bytes ||
	    unhex(key_hex, key, 32) != 32)
		return false;
	s.id_length = unhex(id_hex, id, sizeof id);
	if (sotto_client_params_load(&p, bytes) != SOTTO_OK ||
	    sotto_client_init(&c, &p, &s) != SOTTO_OK)
		return false;
	length = unhex(value_hex, value, sizeof value);
	st = kind[0] == 'n' ? sotto_client_encode_number(&c, strtoull(value_hex, NULL, 16), out,
							 sizeof out, &used)
			    : sotto_client_encode(&c, value, length, out, sizeof out, &used);
	return st == SOTTO_OK && unhex(want_hex, want, sizeof want) == used &&
	       memcmp(out, want, used) == 0;
}

static const char *vectors = "tests/vectors/client.txt";

static void reports_are_the_recorded_ones(void)
{
	FILE *f = fopen(vectors, "r");
	char line[8192];
	int lines = 0;

	REQUIRE(f != NULL);
	while (fgets(line, sizeof line, f)) {
		if (line[0] == '#')
			continue;
		CHECK(line_holds(line));
		lines++;
	}
	fclose(f);
	CHECK(lines >= 32);
}

int main(int count, char **arguments)
{
	if (count > 1)
		vectors = arguments[1];
	RUN(reports_are_the_recorded_ones);
	return tap_done();
}
