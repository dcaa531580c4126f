/*
 * A character begins at each byte that is not 10xxxxxx.  Those bytes are counted a block at a time,
 * and only the block in which the last character begins is looked through.
 */
#include "central/engine/sum/text_cut.h"

#include "central/engine/duckdb_callback.h"

enum { BLOCK = 64 };

static bool begins(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

static size_t count_block(const char *text)
{
	unsigned char count = 0;

	for (size_t i = 0; i < BLOCK; i++)
		count = (unsigned char)(count + begins(text[i]));
	return count;
}

size_t sotto_text_cut(const char *text, size_t bytes, size_t n)
{
	size_t at = 0, in_block;

	if (bytes <= n)
		return bytes;
	for (; bytes - at >= BLOCK; at += BLOCK) {
		in_block = count_block(text + at);
		if (in_block > n)
			break;
		n -= in_block;
	}
	for (; at < bytes; at++)
		if (begins(text[at]) && n-- == 0)
			return at;
	return bytes;
}

static void cut(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_vector of = api->duckdb_data_chunk_get_vector(input, 0);
	duckdb_string_t *texts = api->duckdb_vector_get_data(of);
	const int64_t *most =
		api->duckdb_vector_get_data(api->duckdb_data_chunk_get_vector(input, 1));
	const uint64_t *validity = api->duckdb_vector_get_validity(of);
	size_t count = api->duckdb_data_chunk_get_size(input);

	if (validity)
		sotto_validity_copy(api, validity, output, count);
	for (size_t i = 0; i < count; i++) {
		const char *text;
		size_t bytes;

		if (validity && !(validity[i / 64] >> i % 64 & 1))
			continue;
		text = api->duckdb_string_t_data(&texts[i]);
		bytes = api->duckdb_string_t_length(texts[i]);
		api->duckdb_vector_assign_string_element_len(
			output, i, text, sotto_text_cut(text, bytes, (size_t)most[i]));
	}
}

enum sotto_status sotto_cut_register(struct sotto_sum_function *f, duckdb_connection connection)
{
	static const struct sotto_scalar scalar = {
		.name = "sotto_cut",
		.parameters = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_BIGINT},
		.result = DUCKDB_TYPE_VARCHAR,
		.count = 2,
		.function = cut,
		.takes_null = true};

	return sotto_scalar_register(&scalar, f, connection);
}
