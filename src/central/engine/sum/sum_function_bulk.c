/*
 * Functions of one row: sotto_task, sotto_steps, sotto_number, sotto_one_zero, sotto_each and
 * sotto_row; and what the aggregates have in common.
 */
#include "central/engine/sum/sum_function.h"

#include <math.h>
#include <string.h>

#include "central/engine/duckdb_callback.h"
#include "core/base/failure.h"

__extension__ typedef __int128 wide;

duckdb_aggregate_function sotto_aggregate_new(const struct sotto_duckdb *api, const char *name,
					      struct sotto_sum_function *f)
{
	duckdb_aggregate_function a = api->duckdb_create_aggregate_function();

	api->duckdb_aggregate_function_set_name(a, name);
	api->duckdb_aggregate_function_set_extra_info(a, f, NULL);
	return a;
}

void sotto_aggregate_parameter(const struct sotto_duckdb *api, duckdb_aggregate_function a,
			       duckdb_type type)
{
	duckdb_logical_type t = api->duckdb_create_logical_type(type);

	api->duckdb_aggregate_function_add_parameter(a, t);
	api->duckdb_destroy_logical_type(&t);
}

/* ---- sotto_task ----------------------------------------------------------------------------- */

/* The text is a literal: this runs once, when the query is planned. */
static void task(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_string_t *texts =
		api->duckdb_vector_get_data(api->duckdb_data_chunk_get_vector(input, 0));
	uint16_t *numbers = api->duckdb_vector_get_data(output);

	for (size_t i = 0; i < api->duckdb_data_chunk_get_size(input); i++) {

		if (sotto_sum_tasks_add(f->tasks, api->duckdb_string_t_data(&texts[i]),
					api->duckdb_string_t_length(texts[i]),
					&numbers[i]) != SOTTO_OK) {
			api->duckdb_scalar_function_set_error(info, "this is not a task");
			return;
		}
	}
}

/* ---- sotto_steps ---------------------------------------------------------------------------- */

/*
 * The nearest whole number, half away from zero, as the engine's round() has it; the
 * difference of a double and its whole part is exact.
 */
static int64_t nearest(double q)
{
	double whole, rest;

	if (!(q < 0x1p62 && q > -0x1p62))
		return q > 0 ? INT64_C(1) << 62 : -(INT64_C(1) << 62);
	whole = (double)(int64_t)q;
	rest = q - whole;
	return (int64_t)q + (rest >= 0.5) - (rest <= -0.5);
}

/*
 * The same for all of them at once, without a branch, below 2^51.  Between 2^52 and 2^53 doubles
 * are the whole numbers: a sum there is the nearest one, and of two the even one.  Where that went
 * down, a half is left.  False if one is NaN or larger; then nothing can be said of out.
 */
#define TAKE_SMALL_STEPS(quotient)                                                             \
	do {                                                                                   \
		const double far = 0x1p52, limit = 0x1p51;                                     \
		int64_t origin, most, any = 0;                                                 \
                                                                                               \
		memcpy(&origin, &far, sizeof origin);                                          \
		memcpy(&most, &limit, sizeof most);                                            \
		for (size_t i = 0; i < count; i++) {                                           \
			double q = (quotient), size = __builtin_fabs(q), moved = size + far;   \
			int64_t bits, size_bits, whole, sign;                                  \
                                                                                               \
			moved += size - (moved - far) == 0.5 ? 1.0 : 0.0;                      \
			memcpy(&bits, &q, sizeof bits);                                        \
			memcpy(&size_bits, &size, sizeof size_bits);                           \
			memcpy(&whole, &moved, sizeof whole);                                  \
			any |= most - size_bits;                                               \
			sign = bits >> 63;                                                     \
			out[i] = ((whole - origin) ^ sign) - sign;                             \
		}                                                                              \
		return any >= 0;                                                               \
	} while (0)

static bool take_small_steps(const double *restrict x, const double *restrict step,
			     int64_t *restrict out, size_t count)
{
	TAKE_SMALL_STEPS(x[i] / step[i]);
}

/* A product with a power of two is the quotient by its inverse, to the last bit. */
static bool take_small_halvings(const double *restrict x, double per_step,
				int64_t *restrict out, size_t count)
{
	TAKE_SMALL_STEPS(x[i] * per_step);
}

/* Are all steps one power of two whose inverse is a number?  That is usual: sotto chooses it so. */
static bool is_one_halving(const double *step, size_t count)
{
	int exponent;

	return count > 0 && memcmp(step, step + 1, (count - 1) * sizeof *step) == 0 &&
	       frexp(step[0], &exponent) == 0.5 && exponent > -1000 && exponent < 1000;
}

void sotto_validity_copy(const struct sotto_duckdb *api, const uint64_t *validity,
			 duckdb_vector output, size_t count)
{
	api->duckdb_vector_ensure_validity_writable(output);
	memcpy(api->duckdb_vector_get_validity(output), validity,
	       (count + 63) / 64 * sizeof *validity);
}

/* NaN is not a number: it becomes NULL. */
static void
drop_nan(const struct sotto_duckdb *api, const double *x, duckdb_vector output, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (x[i] != x[i]) {
			api->duckdb_vector_ensure_validity_writable(output);
			api->duckdb_validity_set_row_invalid(
				api->duckdb_vector_get_validity(output), i);
		}
}

static void steps(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_vector of = api->duckdb_data_chunk_get_vector(input, 0);
	const double *x = api->duckdb_vector_get_data(of);
	const double *step =
		api->duckdb_vector_get_data(api->duckdb_data_chunk_get_vector(input, 1));
	const uint64_t *validity = api->duckdb_vector_get_validity(of);
	size_t count = api->duckdb_data_chunk_get_size(input);
	int64_t *out = api->duckdb_vector_get_data(output);

	if (validity)
		sotto_validity_copy(api, validity, output, count);
	if (is_one_halving(step, count) ? take_small_halvings(x, 1 / step[0], out, count)
					: take_small_steps(x, step, out, count))
		return;
	for (size_t i = 0; i < count; i++)
		out[i] = nearest(x[i] / step[i]);
	drop_nan(api, x, output, count);
}

/* ---- sotto_number --------------------------------------------------------------------------- */

/* Digits that a double holds are divided at once, others in whole and rest as the engine does. */
static void
divide_digits(const int64_t *restrict x, int64_t power, double *restrict out, size_t count)
{
	const int64_t most = (int64_t)1 << 53;
	int64_t any = 0;

	for (size_t i = 0; i < count; i++) {
		any |= (x[i] < -most) | (x[i] > most);
		out[i] = (double)x[i] / (double)power;
	}
	for (size_t i = 0; any && i < count; i++)
		if (x[i] < -most || x[i] > most)
			out[i] =
				(double)(x[i] / power) + (double)(x[i] % power) / (double)power;
}

#define DIVIDE(type, convert)                                                                  \
	do {                                                                                   \
		const type *x = data;                                                          \
		for (size_t i = 0; i < count; i++)                                             \
			out[i] = convert(x[i]) / power;                                        \
	} while (0)
#define AS_DOUBLE(x) (double)(x)
#define OF_HUGE(x) (double)((wide)(x).upper * ((wide)1 << 64) + (x).lower)

/* What is not a DECIMAL is divided by 1; false: it is not a number. */
static bool
divide(const void *data, duckdb_type type, uint8_t scale, double *restrict out, size_t count)
{
	double power = 1;

	for (uint8_t i = 0; i < scale; i++) /* exact up to 1e22 */
		power *= 10;
	switch (type) {
	case DUCKDB_TYPE_SMALLINT:
		DIVIDE(int16_t, AS_DOUBLE);
		return true;
	case DUCKDB_TYPE_INTEGER:
		DIVIDE(int32_t, AS_DOUBLE);
		return true;
	case DUCKDB_TYPE_BIGINT:
		divide_digits(data, (int64_t)power, out, count);
		return true;
	case DUCKDB_TYPE_HUGEINT:
		DIVIDE(duckdb_hugeint, OF_HUGE);
		return true;
	case DUCKDB_TYPE_DOUBLE:
		DIVIDE(double, AS_DOUBLE);
		return true;
	default:
		return false;
	}
}

/* A DECIMAL as a DOUBLE, in a fifth of the time that the engine's cast takes. */
static void number(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_vector of = api->duckdb_data_chunk_get_vector(input, 0);
	const uint64_t *validity = api->duckdb_vector_get_validity(of);
	size_t count = api->duckdb_data_chunk_get_size(input);
	duckdb_logical_type logical = api->duckdb_vector_get_column_type(of);
	duckdb_type type = api->duckdb_get_type_id(logical);
	uint8_t scale = 0;

	if (type == DUCKDB_TYPE_DECIMAL) {
		scale = api->duckdb_decimal_scale(logical);
		type = api->duckdb_decimal_internal_type(logical);
	}
	api->duckdb_destroy_logical_type(&logical);
	if (!divide(api->duckdb_vector_get_data(of), type, scale,
		    api->duckdb_vector_get_data(output), count)) {
		api->duckdb_scalar_function_set_error(info, "this is not a number");
		return;
	}
	if (validity)
		sotto_validity_copy(api, validity, output, count);
}

/* ---- sotto_one_zero ------------------------------------------------------------------------- */

/* x + 0 for all of them; the engine's own addition calls a function for each. */
#define ADD_ZERO(type)                                                                         \
	do {                                                                                   \
		const type *restrict x = data;                                                 \
		type *restrict sum = out;                                                      \
		for (size_t i = 0; i < count; i++)                                             \
			sum[i] = x[i] + 0;                                                     \
	} while (0)

static void add_zero(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output,
		     bool is_double)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_vector of = api->duckdb_data_chunk_get_vector(input, 0);
	const void *data = api->duckdb_vector_get_data(of);
	const uint64_t *validity = api->duckdb_vector_get_validity(of);
	size_t count = api->duckdb_data_chunk_get_size(input);
	void *out = api->duckdb_vector_get_data(output);

	if (validity)
		sotto_validity_copy(api, validity, output, count);
	if (is_double)
		ADD_ZERO(double);
	else
		ADD_ZERO(float);
}

static void one_zero_4(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	add_zero(info, input, output, false);
}

static void one_zero_8(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	add_zero(info, input, output, true);
}

/* ---- sotto_each ----------------------------------------------------------------------------- */

/* The text itself.  Of a volatile function the engine has a result for each row. */
static void each(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_vector of = api->duckdb_data_chunk_get_vector(input, 0);
	duckdb_string_t *texts = api->duckdb_vector_get_data(of);
	const uint64_t *validity = api->duckdb_vector_get_validity(of);
	size_t count = api->duckdb_data_chunk_get_size(input);

	if (validity)
		sotto_validity_copy(api, validity, output, count);
	for (size_t i = 0; i < count; i++)
		if (!validity || validity[i / 64] >> i % 64 & 1)
			api->duckdb_vector_assign_string_element_len(
				output, i, api->duckdb_string_t_data(&texts[i]),
				api->duckdb_string_t_length(texts[i]));
}

/* ---- sotto_row ------------------------------------------------------------------------------ */

/* TRUE for each row.  What reads it is volatile as well. */
static void row(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;

	memset(api->duckdb_vector_get_data(output), 1, api->duckdb_data_chunk_get_size(input));
}

/* ---- registering ---------------------------------------------------------------------------- */

enum sotto_status sotto_scalar_register(const struct sotto_scalar *s,
					struct sotto_sum_function *f,
					duckdb_connection connection)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_scalar_function made = api->duckdb_create_scalar_function();
	duckdb_logical_type type = api->duckdb_create_logical_type(s->result);
	duckdb_state state;

	api->duckdb_scalar_function_set_name(made, s->name);
	api->duckdb_scalar_function_set_return_type(made, type);
	api->duckdb_destroy_logical_type(&type);
	for (size_t i = 0; i < s->count; i++) {
		type = api->duckdb_create_logical_type(s->parameters[i]);
		api->duckdb_scalar_function_add_parameter(made, type);
		api->duckdb_destroy_logical_type(&type);
	}
	if (s->takes_null)
		api->duckdb_scalar_function_set_special_handling(made);
	if (s->is_volatile)
		api->duckdb_scalar_function_set_volatile(made);
	api->duckdb_scalar_function_set_extra_info(made, f, NULL);
	api->duckdb_scalar_function_set_function(made, s->function);
	state = api->duckdb_register_scalar_function(connection, made);
	api->duckdb_destroy_scalar_function(&made);
	return state == DuckDBError ? SOTTO_EIO : SOTTO_OK;
}

enum sotto_status
sotto_scalars_register(struct sotto_sum_function *f, duckdb_connection connection)
{
	static const struct sotto_scalar scalars[] = {
		{.name = "sotto_task",
		 .parameters = {DUCKDB_TYPE_VARCHAR},
		 .result = DUCKDB_TYPE_USMALLINT,
		 .count = 1,
		 .function = task},
		{.name = "sotto_steps",
		 .parameters = {DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE},
		 .result = DUCKDB_TYPE_BIGINT,
		 .count = 2,
		 .function = steps,
		 .takes_null = true},
		{.name = "sotto_number",
		 .parameters = {DUCKDB_TYPE_ANY},
		 .result = DUCKDB_TYPE_DOUBLE,
		 .count = 1,
		 .function = number,
		 .takes_null = true},
		{.name = "sotto_one_zero_4",
		 .parameters = {DUCKDB_TYPE_FLOAT},
		 .result = DUCKDB_TYPE_FLOAT,
		 .count = 1,
		 .function = one_zero_4,
		 .takes_null = true},
		{.name = "sotto_one_zero_8",
		 .parameters = {DUCKDB_TYPE_DOUBLE},
		 .result = DUCKDB_TYPE_DOUBLE,
		 .count = 1,
		 .function = one_zero_8,
		 .takes_null = true},
		{.name = "sotto_each",
		 .parameters = {DUCKDB_TYPE_VARCHAR},
		 .result = DUCKDB_TYPE_VARCHAR,
		 .count = 1,
		 .function = each,
		 .takes_null = true,
		 .is_volatile = true},
		{.name = "sotto_row",
		 .result = DUCKDB_TYPE_BOOLEAN,
		 .function = row,
		 .is_volatile = true},
	};

	for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
		SOTTO_TRY(sotto_scalar_register(&scalars[i], f, connection));
	return SOTTO_OK;
}
