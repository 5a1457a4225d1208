import autocannon, { type Request } from 'autocannon'

/** Requests that a burst sends: the same one again and again, or a new body each time. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | (() => string)
  /** Headers that depend on the body: a signature, made anew for each request. */
  readonly sign?: (body: string) => Readonly<Record<string, string>>
  /** Whether a reply is the success that this row is about. */
  readonly succeeded: (reply: string) => boolean
}

/** One burst. Latencies in milliseconds; `failures` counts every reply that was not a success, and every lost one. */
export interface Burst {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly requests: number
  readonly failures: number
}

/** Keeps `connections` requests in flight for `seconds`, or sends at a rate. */
export async function burst(
  { url, headers, body, sign, succeeded }: Target,
  connections: number,
  seconds: number,
  /** Requests a second at most; default as many as the server answers. */
  rate?: number,
): Promise<Burst> {
  const bodies =
    typeof body === 'string' ? { body } : { requests: [{ setupRequest: (request: Request) => messageOf(request, body(), sign) }] }
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    ...(rate !== undefined && { overallRate: rate }),
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    ...bodies,
    verifyBody: succeeded,
  })
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    p999Ms: result.latency.p99_9,
    requests: result['2xx'] + result.non2xx,
    failures: result.non2xx + result.errors + result.timeouts + result.mismatches,
  }
}

function messageOf(request: Request, body: string, sign: Target['sign']): Request {
  return { ...request, body, ...(sign && { headers: { ...request.headers, ...sign(body) } }) }
}
