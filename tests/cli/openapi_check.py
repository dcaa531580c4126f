"""Compares docs/openapi.json with the table of routes and with what the server replies.

    openapi_check.py OPENAPI ROUTES.C URL OWNER_KEY ANALYST_KEY
"""
import json
import re
import sys
import urllib.error
import urllib.request

document, source, url, owner, analyst = sys.argv[1:]
api = json.load(open(document))
faults = []

# ---- the same routes, roles and sentences ------------------------------------------------------------
roles_of = {"0": [], "SOTTO_FOR_PEOPLE": ["owner", "analyst"], "SOTTO_FOR_OWNER": ["owner"],
            "SOTTO_FOR_DEVICE | SOTTO_FOR_OWNER": ["owner", "device"]}
text = re.sub(r'"[\s\\]*\n\s*"', "", open(source).read())
question = re.search(r'#define QUESTION[\s\\]*("[^"]*")', text).group(1)
text = text.replace('QUESTION "', question[:-1]).replace("QUESTION}", question + "}")
rows = re.findall(r'\{"([A-Z]+)",\s*"(/v1/[^"]*)",\s*([A-Z_ |0]+?),\s*SOTTO_\w+,\s*\w+,\s*\w+,\s*"([^"]*)",\s*(true|false),\s*(NULL|"[^"]*")\}', text)
if len(rows) != len(re.findall(r'\{"[A-Z]+",\s*"/v1/', text)):
    faults.append("a route of %s cannot be read" % source)
in_code = {(m, p): (roles_of[r], s, e == "true", dict(x.split(":") for x in ("" if b == "NULL" else b.strip('"')).split())) for m, p, r, s, e, b in rows}


def members(operation):
    """The members of a body and their kinds; numbers, and what may be of several kinds, are looked at by the route itself."""
    kinds = {"string": "text", "boolean": "flag", "integer": "number", "object": "object"}
    schema = operation.get("requestBody", {"content": {}})["content"].get("application/json", {"schema": {}})["schema"]
    schema = api["components"]["schemas"][schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
    return {name: "text" if "enum" in x else "events" if name == "events" else "number" if "oneOf" in x else kinds[x["type"]]
            for name, x in schema.get("properties", {}).items()}


in_file = {(m.upper(), p): (o["x-roles"], o["summary"], any("text/event-stream" in a.get("content", {}) for a in o["responses"].values()), members(o))
           for p, ops in api["paths"].items() for m, o in ops.items()}
for route in sorted(set(in_code) | set(in_file)):
    if in_code.get(route) != in_file.get(route):
        faults.append("%s %s: the code has %s, the file %s" % (*route, in_code.get(route), in_file.get(route)))


# ---- replies have the members that the file says --------------------------------------------------------
def fits(value, schema, where):
    if "$ref" in schema:
        return fits(value, api["components"]["schemas"][schema["$ref"].split("/")[-1]], where)
    if "oneOf" in schema:
        before = len(faults)
        for one in schema["oneOf"]:
            kept = faults[:]
            fits(value, one, where)
            if len(faults) == before:
                return None
            faults[:] = kept
        faults.append("%s: %r fits nothing" % (where, value))
        return None
    if "enum" in schema and value not in schema["enum"]:
        faults.append("%s: %r is none of %s" % (where, value, schema["enum"]))
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    python = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None), "array": list,
              "object": dict}
    if kinds and not any(isinstance(value, python[k]) for k in kinds):
        faults.append("%s: %r is no %s" % (where, value, kinds))
    if isinstance(value, dict) and "properties" in schema:
        for key in schema.get("required", schema["properties"]):
            if key not in value:
                faults.append("%s: %s is not there" % (where, key))
        for key in value:
            if key not in schema["properties"]:
                faults.append("%s: %s is not in the file" % (where, key))
            else:
                fits(value[key], schema["properties"][key], where + "." + key)
    if isinstance(value, list) and "items" in schema:
        for item in value:
            fits(item, schema["items"], where + "[]")
    return None


def ask(method, path, key, data=None, accept="*/*"):
    request = urllib.request.Request(url + path, method=method, data=json.dumps(data).encode() if data is not None else None,
                                     headers={"Accept": accept} | ({"Authorization": "Bearer " + key} if key else {}))
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()


sql = {"sql": "SELECT smoker, COUNT(*) AS n FROM patients GROUP BY smoker", "epsilon": "1/3"}
for method, path, key, data in (
        ("GET", "/v1/healthz", "", None), ("GET", "/v1/me", analyst, None), ("POST", "/v1/query", analyst, sql),
        ("POST", "/v1/explain", analyst, sql), ("POST", "/v1/explain", analyst, dict(sql, preview=True)), ("GET", "/v1/tables", analyst, None), ("GET", "/v1/budget", analyst, None),
        ("GET", "/v1/history", owner, None), ("POST", "/v1/account", analyst, {"events": "laplace(1)", "delta": 1e-6}),
        ("GET", "/v1/policy", owner, None), ("GET", "/v1/collections", analyst, None), ("GET", "/v1/users", owner, None),
        ("POST", "/v1/users", owner, {"name": "newcomer"}), ("POST", "/v1/users/newcomer/rotate", owner, {}),
        ("POST", "/v1/users/newcomer/revoke", owner, {}), ("GET", "/v1/collections/colours/estimates", analyst, None),
        ("POST", "/v1/bounds", owner, {"column": "patients.age", "epsilon": 1}),
        ("POST", "/v1/plan", analyst, {"users": 10000, "values": 100, "epsilon": 2}),
        ("POST", "/v1/limits", owner, {"table": "visits", "by": "ward", "epsilon": 1})):
    status, text = ask(method, path, key, data)
    pattern = re.sub(r"/(users|collections)/\w+/", r"/\1/{name}/", path)
    schema = api["paths"][pattern][method.lower()]["responses"].get(str(status))
    if not schema:
        faults.append("%s %s: the file has no status %s (%s)" % (method, path, status, text[:200]))
        continue
    fits(json.loads(text), schema["content"]["application/json"]["schema"], method + " " + path)
# What tells progress tells nothing else of a question in work, and ends with the reply.
schemas = api["components"]["schemas"]
for method, path, key, data, last, schema in (
        ("POST", "/v1/query", analyst, sql | {"epsilon": "1/7"}, "answer", schemas["Answer"]),
        ("POST", "/v1/query", analyst, {"sql": "SELECT age FROM patients"}, "problem", schemas["Problem"]),
        ("POST", "/v1/bounds", owner, {"column": "patients.age", "epsilon": 1}, "answer", schemas["Bounds"])):
    status, text = ask(method, path, key, data, "text/event-stream")
    events = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text.decode())
    if "".join("event: %s\ndata: %s\n\n" % e for e in events) != text.decode() or status != 200:
        faults.append("%s %s: %s is not a stream of events" % (method, path, text[:200]))
        continue
    if [name for name, _ in events[:-1]] != ["progress"] * (len(events) - 1) or not events or events[-1][0] != last:
        faults.append("%s %s: the events are %s" % (method, path, [name for name, _ in events]))
    for name, body in events:
        fits(json.loads(body), schemas["Progress"] if name == "progress" else schema, "%s %s as events" % (method, path))
# Every route that has roles refuses the others, with a problem document.
for (method, path), (roles, *_) in sorted(in_file.items()):
    for key, role in (("", None), (analyst, "analyst")):
        if not roles or role in roles:
            continue
        status, text = ask(method, path.replace("{name}", "colours"), key, {} if method != "GET" else None)
        if status != (401 if role is None else 403):
            faults.append("%s %s as %s: status %s" % (method, path, role or "nobody", status))
        fits(json.loads(text), api["components"]["schemas"]["Problem"] | {"required": ["type", "title", "status", "code"]}, path)
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
