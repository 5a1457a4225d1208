import { createHash } from 'node:crypto'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import type { CallAnswer, OutboundCall } from '../../platform/net/outbound-call.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { GamOutage } from './gam-error.ts'

/** A file of a creative, which is given to the network. */
export interface CreativeFile {
  readonly bytes: Buffer
  /** Last part of its address. */
  readonly name: string
}

/** Largest file that is fetched: an HTML5 archive may have 10 MB there, and is a third longer in the call. */
const MOST_BYTES = 10_000_000
const TOTAL_MS = 10_000
const MOST_NAME = 100

/**
 * Fetches a file of a creative from the address that the buyer gave. `digest`: of SHA-256, in hexadecimal. Throws AdcpError, a refusal, for an address that leads to no file
 * or to another one, and {@link GamOutage} when it cannot be reached now.
 */
export async function fetchCreativeFile(
  { call }: { readonly call: OutboundCall },
  url: string,
  digest?: string,
): Promise<CreativeFile> {
  const answer = await call(url, { method: 'GET', maxBytes: MOST_BYTES, signal: AbortSignal.timeout(TOTAL_MS) }).catch(
    (error: unknown) => {
      if (error instanceof FetchFailure && error.code === 'too_large') throw refused(url, `it is larger than ${MOST_BYTES} bytes`)
      throw new GamOutage(
        `the file ${url} of a creative cannot be fetched: ${error instanceof Error ? error.message : String(error)}`,
        'none',
        undefined,
        error,
      )
    },
  )
  requireFile(url, answer, digest)
  const last = decodeURIComponent(new URL(url).pathname.split('/').at(-1) || 'file')
  return { bytes: answer.body, name: last.slice(-MOST_NAME) }
}

function requireFile(url: string, { status, body }: CallAnswer, digest: string | undefined): void {
  if (status >= 500 || status === 429) throw new GamOutage(`the server of ${url} answers ${status}`, 'none')
  if (status !== 200) throw refused(url, `its server answers ${status}`)
  if (digest !== undefined && createHash('sha256').update(body).digest('hex') !== digest.toLowerCase())
    throw refused(url, 'it is not the file whose digest the buyer gave')
}

function refused(url: string, why: string): AdcpError {
  return new AdcpError(
    'CREATIVE_REJECTED',
    `the file ${url} cannot be put into the ad server: ${why}; send the address of the file itself`,
  )
}
