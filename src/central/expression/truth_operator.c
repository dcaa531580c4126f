/* A table from the operators of a question to the operations of the engine's tree. */
#include "central/expression/truth_operator.h"

static const struct {
	enum sotto_sql_op op;
	enum sotto_operation_name operation;
} truths[] = {
	{SOTTO_SQL_EQ, SOTTO_OP_EQ},
	{SOTTO_SQL_NE, SOTTO_OP_NE},
	{SOTTO_SQL_LT, SOTTO_OP_LT},
	{SOTTO_SQL_LE, SOTTO_OP_LE},
	{SOTTO_SQL_GT, SOTTO_OP_GT},
	{SOTTO_SQL_GE, SOTTO_OP_GE},
	{SOTTO_SQL_DISTINCT_FROM, SOTTO_OP_DISTINCT_FROM},
	{SOTTO_SQL_AND, SOTTO_OP_AND},
	{SOTTO_SQL_OR, SOTTO_OP_OR},
	{SOTTO_SQL_NOT, SOTTO_OP_NOT},
	{SOTTO_SQL_IS_NULL, SOTTO_OP_IS_NULL},
	{SOTTO_SQL_IS_TRUE, SOTTO_OP_IS_TRUE},
	{SOTTO_SQL_IS_FALSE, SOTTO_OP_IS_FALSE},
};

const struct sotto_expression *sotto_truth_operator(struct sotto_arena *a, enum sotto_sql_op op,
						    const struct sotto_expression *const *args,
						    size_t count)
{
	for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++)
		if (truths[i].op == op)
			return sotto_expression_make(a, sotto_operation(truths[i].operation),
						     args, count);
	return NULL;
}
