// Error answers of one shape in both directions: `{ schema: "ErrorDetail", message, detail }`. Neither text ever
// repeats an account number or a name.

export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 411 | 413 | 415 | 422 | 429 | 431 | 500 | 503;

export function problemResponse(
  status: ProblemStatus,
  message: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(problemBody(message, detail), { status, headers: { "content-type": "application/json", ...headers } });
}

export function problemBody(message: string, detail: string): string {
  return JSON.stringify({ schema: "ErrorDetail", message, detail });
}
