/** Asking the server: one way to ask, one kind of failure. */
import { currentKey, requireKey } from "./key";
import { personHeader } from "./person";
import type { Error as ErrorShape } from "./schema";

type Plain = string | number | boolean | undefined;
/** What is asked with a path; a list is a parameter for each of its items. */
export type Parameters = Record<string, Plain | string[]>;

/** What the server refused, or that it did not answer (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly near: string[] = [],
  ) {
    super(message);
    this.name = "ApiError";
  }

  get isGone(): boolean {
    return this.status === 404;
  }

  /** Whether the same question may well be answered a little later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export async function read<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  return parse<T>(await ask(urlOf(path, parameters), { signal }));
}

/** A question that is too long for an address, or must not be in one. */
export async function post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  return send<T>("POST", path, body, signal);
}

export async function put<T>(path: string, body: object): Promise<T> {
  return send<T>("PUT", path, body);
}

async function send<T>(method: string, path: string, body: object, signal?: AbortSignal): Promise<T> {
  const headers = { "Content-Type": "application/json", ...personHeader() };
  return parse<T>(await ask(urlOf(path, {}), { method, headers, body: JSON.stringify(body), signal }));
}

export async function remove(path: string): Promise<void> {
  await ask(urlOf(path, {}), { method: "DELETE", headers: personHeader() });
}

/** An answer that is read as it comes. */
export async function open(
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { body } = await ask(urlOf(path, {}), { headers, signal });
  if (!body) throw new ApiError(0, "The server did not answer.");
  return body;
}

async function parse<T>(answer: Response): Promise<T> {
  try {
    return (await answer.json()) as T;
  } catch {
    throw new ApiError(answer.status, "The answer was no JSON.");
  }
}

async function ask(url: string, request: RequestInit): Promise<Response> {
  const key = currentKey();
  const headers = { ...request.headers, ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  let answer: Response;
  try {
    answer = await fetch(url, { ...request, headers });
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new ApiError(0, "The server did not answer.");
  }
  if (answer.ok) return answer;
  if (answer.status === 401) requireKey();
  throw await failureOf(answer);
}

export function urlOf(path: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== "") query.append(name, String(one));
    }
  }
  const text = query.toString();
  return `${path.startsWith("/") ? path : `/api/v1/${path}`}${text ? `?${text}` : ""}`;
}

/** A path of names, which hold slashes and colons of their own. */
export function pathOf(...names: string[]): string {
  return names.map(encodeURIComponent).join("/");
}

async function failureOf(answer: Response): Promise<ApiError> {
  const body = (await answer.json().catch(() => ({}))) as Partial<ErrorShape>;
  return new ApiError(answer.status, body.message ?? answer.statusText, body.near ?? []);
}
