/*
 * sotto/sotto.h - all public headers at once
 */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include "sotto/account.h"
#include "sotto/accuracy.h"
#include "sotto/answer.h"
#include "sotto/audit.h"
#include "sotto/census.h"
#include "sotto/channel.h"
#include "sotto/choose.h"
#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/cost.h"
#include "sotto/decode.h"
#include "sotto/discover.h"
#include "sotto/ledger.h"
#include "sotto/local.h"
#include "sotto/noise.h"
#include "sotto/owner.h"
#include "sotto/query.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/server.h"
#include "sotto/status.h"
#include "sotto/stream.h"
#include "sotto/utility.h"

#endif
