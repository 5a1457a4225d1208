import { answerChecker } from './admin-answers.ts'

interface CallOptions {
  /** Default: the key of the client; undefined: none. */
  readonly key?: string | undefined
  readonly body?: unknown
  readonly type?: string
  /** Idempotency-Key. */
  readonly once?: string
}

interface AdminAnswer {
  readonly status: number
  readonly type: string | null
  readonly replayed: boolean
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, which tests look into
  readonly data: any
}

/** Calls one path below /admin/v1. */
export type AdminCall = (method: string, path: string, options?: CallOptions) => Promise<AdminAnswer>

/** A client of the admin API of the server whose MCP address is `url`. Throws when an answer is not as the description of the API has it. */
export function adminClient(url: string, ownKey: string): AdminCall {
  const { origin } = new URL(url)
  const check = answerChecker()
  return async (method, path, options = {}) => {
    const { body, type = 'application/json', once } = options
    const key = 'key' in options ? options.key : ownKey
    const response = await fetch(`${origin}/admin/v1${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': type }),
        ...(once !== undefined && { 'idempotency-key': once }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const { headers, status } = response
    const replayed = headers.get('idempotency-replayed') === 'true'
    const data: unknown = JSON.parse(await response.text())
    check(method, path, { status, data })
    return { status, type: headers.get('content-type'), replayed, data }
  }
}
