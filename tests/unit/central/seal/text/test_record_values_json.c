/*
 * The values of one JSON object: fields of objects are columns with dots, the last field of a name
 * counts, and a text is not an object, whatever it says.
 */
#include <string.h>

#include "central/seal/text/record_values.h"
#include "testlib/tap.h"

static const char *const names[] = {"id", "user.id", "user.home.city", "user.home"};

enum { COLUMNS = sizeof names / sizeof names[0] };

static const struct {
	const char *object;
	const char *cells[COLUMNS]; /* NULL: no value */
} cases[] = {
	{"{\"id\": 1, \"user\": {\"id\": 2, \"home\": {\"city\": \"K\\u00f6ln\", \"x\": [1]}}}",
	 {"1", "2", "Köln", "{\"city\": \"K\\u00f6ln\", \"x\": [1]}"}},
	{"{\"user\": {\"home\": {}, \"id\": {\"id\": 3}}, \"id\": {\"id\": 4}}",
	 {"{\"id\": 4}", "{\"id\": 3}", NULL, "{}"}},
	{"{\"user.id\": 5, \"user\": {\"home.city\": \"a\"}}", {NULL, NULL, "a", NULL}},
	{"{\"user\": {\"home.city\": \"a\"}, \"user.id\": 5}", {NULL, "5", "a", NULL}},
	{"{\"user\": {\"id\": 6, \"home\": {\"city\": \"b\"}}, \"user\": 7}",
	 {NULL, NULL, NULL, NULL}},
	{"{\"user\": {\"id\": 6}, \"user\": {\"home\": 8}}", {NULL, NULL, NULL, "8"}},
	{"{\"user\": \"{\\\"id\\\": 9}\", \"id\": \"x\"}", {"x", NULL, NULL, NULL}},
	{"{\"user\": \"{\", \"id\": \"x\"}", {"x", NULL, NULL, NULL}},
	{"{\"user\": [{\"id\": 9}], \"id\": null}", {NULL, NULL, NULL, NULL}},
	{"{\"use\": {\"r.id\": 1}, \"user\": {}, \"userx\": {\"id\": 2}}",
	 {NULL, NULL, NULL, NULL}},
	{"{\"us\\u0065r\": {\"\\u0069d\": \"\\\"q\\\"\"}}", {NULL, "\"q\"", NULL, NULL}},
	{"{\"user\\u0000\": {\"id\": 1}, \"user\": {\"id\\u0000\": 2}}",
	 {NULL, NULL, NULL, NULL}},
};

static bool is(const struct sotto_record_cell *c, const char *text)
{
	if (!text || !c->bytes)
		return !text && !c->bytes;
	return c->length == strlen(text) && memcmp(c->bytes, text, c->length) == 0;
}

static void fields_of_objects_are_columns_with_dots(void)
{
	const struct sotto_dialect json = {.kind = SOTTO_TEXT_JSON_LINES};
	struct sotto_values v;

	REQUIRE(sotto_values_init(&v, names, COLUMNS) == SOTTO_OK);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *object = cases[i].object;
		const struct sotto_raw_record record = {.bytes = object,
							.length = strlen(object)};
		bool found = false;

		(void)tap_check(sotto_values_read(&v, &json, &record, &found) == SOTTO_OK &&
					found,
				__FILE__, __LINE__, "%s", object);
		for (size_t j = 0; j < COLUMNS; j++)
			(void)tap_check(is(&v.cells[j], cases[i].cells[j]), __FILE__, __LINE__,
					"%s: %s is %.*s", object, names[j],
					(int)v.cells[j].length,
					v.cells[j].bytes ? v.cells[j].bytes : "");
	}
	sotto_values_release(&v);
}

int main(void)
{
	RUN(fields_of_objects_are_columns_with_dots);
	return tap_done();
}
