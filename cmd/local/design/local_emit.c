/* Writes parameters as a C header, a JavaScript module or the canonical bytes. */
#include "local/design/local_emit.h"

#include <inttypes.h>

#include "local/local_command.h"

static void emit_chance(const char *name, struct sotto_client_chance p, FILE *out)
{
	if (p.numerator || p.certain)
		fprintf(out, "\t.%s = {UINT64_C(0x%016" PRIx64 "), %s},\n", name, p.numerator,
			p.certain ? "true" : "false");
}

static void emit_size(const char *name, uint32_t x, FILE *out)
{
	if (x)
		fprintf(out, "\t.%s = %" PRIu32 ",\n", name, x);
}

static const char *protocol_constant(uint32_t protocol)
{
#define CONSTANT(name, number, text)                                                           \
	if (protocol == number)                                                                \
		return "SOTTO_CLIENT_" #name;
	SOTTO_CLIENT_PROTOCOLS(CONSTANT)
#undef CONSTANT
	return "0";
}

static void emit_c(const struct sotto_client_params *p, FILE *out)
{
	fprintf(out,
		"/* What this collection agrees on; made by sotto local. */\n"
		"#include <sotto/client.h>\n\n"
		"static const struct sotto_client_params params = {\n\t.protocol = %s,\n",
		protocol_constant(p->protocol));
	emit_size("size", p->size, out);
	emit_size("width", p->width, out);
	emit_size("hashes", p->hashes, out);
	emit_size("groups", p->groups, out);
	emit_size("grain", p->grain, out);
	emit_size("memoize", p->memoize, out);
	if (p->salt)
		fprintf(out, "\t.salt = UINT64_C(0x%016" PRIx64 "),\n", p->salt);
	emit_chance("keep", p->keep, out);
	emit_chance("flip", p->flip, out);
	emit_chance("flip2", p->flip2, out);
	emit_chance("zero", p->zero, out);
	emit_chance("one", p->one, out);
	fprintf(out, "};\n");
}

static void emit_js(const struct sotto_client_params *p, FILE *out)
{
	uint8_t bytes[SOTTO_CLIENT_PARAMS_BYTES];

	sotto_client_params_store(p, bytes);
	fprintf(out,
		"// What this collection agrees on (protocol %s); made by sotto local.\n"
		"export default {\n  takes: \"%s\",\n  reportBytes: %zu,\n"
		"  bytes: Uint8Array.from([",
		sotto_local_protocol_name(p->protocol),
		sotto_client_takes_number(p) ? "number" : "text", sotto_client_report_bytes(p));
	for (size_t i = 0; i < sizeof bytes; i++)
		fprintf(out, "%s%u", i == 0 ? "" : i % 21 == 0 ? ",\n    " : ", ", bytes[i]);
	fprintf(out, "]),\n};\n");
}

static void emit_bytes(const struct sotto_client_params *p, FILE *out)
{
	uint8_t bytes[SOTTO_CLIENT_PARAMS_BYTES];

	sotto_client_params_store(p, bytes);
	fwrite(bytes, 1, sizeof bytes, out);
}

void local_emit(const struct sotto_client_params *params, enum local_emission as, FILE *out)
{
	switch (as) {
	case LOCAL_EMIT_C:
		emit_c(params, out);
		break;
	case LOCAL_EMIT_JS:
		emit_js(params, out);
		break;
	case LOCAL_EMIT_BYTES:
		emit_bytes(params, out);
		break;
	}
}
