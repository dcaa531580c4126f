// A question as a command for other programs.

export interface Question { sql: string; epsilon: string }
export interface Server { origin: string; host: string; person: string; port?: number; database?: string }

const shell = (text: string): string => "'" + text.replace(/'/g, "'\\''") + "'";

export function asCurl(q: Question, s: Server): string {
  return `curl -H "Authorization: Bearer $SOTTO_KEY" ${s.origin}/v1/query -d ${shell(JSON.stringify(q))}`;
}

export function asPsql(q: Question, s: Server): string {
  return `PGPASSWORD=$SOTTO_KEY psql -h ${s.host} -p ${s.port ?? 7655} -U ${s.person} -d ${shell(s.database ?? "sotto")} -c ${shell(`SET sotto.epsilon = '${q.epsilon}'`)} -c ${shell(q.sql)}`;
}

/** A text of Python is one of JSON, but for characters beyond its plane: those JSON escapes alike. */
export function asPython(q: Question, s: Server): string {
  return [
    "import json, os, urllib.request",
    "",
    `question = {"sql": ${JSON.stringify(q.sql)}, "epsilon": ${JSON.stringify(q.epsilon)}}`,
    `request = urllib.request.Request(${JSON.stringify(s.origin + "/v1/query")}, json.dumps(question).encode(),`,
    `    {"Authorization": "Bearer " + os.environ["SOTTO_KEY"], "Content-Type": "application/json"})`,
    "answer = json.load(urllib.request.urlopen(request))",
    `print(answer["rows"], answer["intervals"], answer["cost"], answer["left"])`,
    "",
  ].join("\n");
}
