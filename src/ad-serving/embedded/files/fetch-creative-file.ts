import { FetchFailure, type FetchFailureCode, type FetchPolicy, publicReason } from '../../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../../protocol/errors.ts'

/**
 * Failures that the same address meets again: its creative is refused. Every other one may be over by the next attempt; a reserved address is treated as one of
 * those, since a clear refusal would show what is in the network of this server.
 */
const FINAL: ReadonlySet<FetchFailureCode> = new Set([
  'invalid_url',
  'not_https',
  'redirect_refused',
  'too_many_redirects',
  'too_large',
])
/** HTTP statuses that a server leaves again (RFC 9110, 15.5.9; RFC 6585, 4). */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429])

/** Ends before a call to an ad server is given up (20 s). CDNs redirect to addresses that they signed, on other hosts. */
const POLICY: Omit<FetchPolicy, 'maxBytes'> = {
  redirects: 'any',
  maxRedirects: 3,
  connectMs: 5_000,
  readMs: 10_000,
  totalMs: 15_000,
  contentTypes: undefined,
}

/** A file that cannot be fetched for now. The message is for its buyer. */
export class FileUnavailable extends Error {
  /** Whether its server did not answer in time. */
  get isLate(): boolean {
    return this.cause instanceof FetchFailure && (this.cause.code === 'timeout' || this.cause.code === 'aborted')
  }
}

/** Fetches a file of a creative. */
export type FetchCreativeFile = (url: string, maxBytes: number, signal?: AbortSignal) => Promise<Buffer>

/**
 * Fetches files of creatives from the addresses that buyers gave: https only, no reserved addresses, at most three redirects, 15 seconds and `maxBytes`. Throws
 * CREATIVE_REJECTED, naming the address, for one that does not lead to a file; any other error is an outage, and the fetch is repeated later.
 */
export function creativeFileFetcher(safeFetch: SafeFetch): FetchCreativeFile {
  return async (url, maxBytes, signal) => {
    const request = { policy: { ...POLICY, maxBytes }, accept: '*/*', ...(signal && { signal }) }
    const answer = await safeFetch(url, request).catch((error: unknown) => {
      const why = publicReason(error, 'it cannot be fetched')
      if (error instanceof FetchFailure && FINAL.has(error.code)) throw refused(url, why, maxBytes, error)
      throw new FileUnavailable(`the file ${url} of a creative could not be fetched: ${why}`, { cause: error })
    })
    const { status, body } = answer
    if (status === 200) return body
    if (status >= 500 || TRANSIENT_STATUSES.has(status))
      throw new FileUnavailable(`the file ${url} of a creative could not be fetched: its server answered ${status}`)
    throw refused(url, `its server answered ${status}`, maxBytes)
  }
}

function refused(url: string, why: string, maxBytes: number, cause?: unknown): AdcpError {
  return new AdcpError(
    'CREATIVE_REJECTED',
    `the file ${url} cannot be hosted: ${why}; send a public https address of a file of at most ${maxBytes} bytes`,
    cause === undefined ? {} : { cause },
  )
}
