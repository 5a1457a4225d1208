/** The part of autocannon 9 that the benchmark uses; the package brings no types. */
declare module 'autocannon' {
  export interface Request {
    body?: string
    headers?: Readonly<Record<string, string>>
    path?: string
    setupRequest?: (request: Request) => Request
  }

  export interface Options {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    /** Requests a second over all connections. */
    overallRate?: number
    method: 'POST' | 'GET'
    headers: Readonly<Record<string, string>>
    body?: string
    requests?: Request[]
    verifyBody?: (body: string) => boolean
  }

  export interface Result {
    /** Seconds. */
    duration: number
    '2xx': number
    '3xx': number
    non2xx: number
    errors: number
    timeouts: number
    mismatches: number
    /** Milliseconds. */
    latency: { p50: number; p99: number; p99_9: number }
  }

  export default function autocannon(options: Options): Promise<Result>
}
