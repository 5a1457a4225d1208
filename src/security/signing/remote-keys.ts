import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { SignatureFault } from './challenge.ts'
import { readJwks } from './jwk.ts'
import { type KeySource, type ResolvedKey, resolvedKey } from './keys.ts'

/**
 * Fetches a small JSON document under the deployment's outbound policy. Throws {@link UntrustedAddress} when the policy
 * refuses the address, anything else when the fetch fails.
 */
export type FetchDocument = (url: string, limits: { readonly maxBytes: number }) => Promise<FetchedDocument>

export interface FetchedDocument {
  readonly status: number
  readonly body: Uint8Array
}

/** The outbound policy refuses to talk to this address at all. */
export class UntrustedAddress extends Error {
  override readonly name = 'UntrustedAddress'
}

/** AdCP key discovery: a key set is at most this large. */
const MAX_JWKS_BYTES = 64 * 1024

/** AdCP verifier step 7: an unknown keyid may trigger a refetch, but not more often than this. */
const REFETCH_SPACING_SECONDS = 30

/** A key that was taken out of the set has to stop working within one revocation poll. */
const MAX_AGE_SECONDS = 15 * 60

/** Keys published at a `jwks_uri`. The URI is looked up anew with each fetch, so that a moved key set is followed. */
export function remoteKeys(
  agentUrl: string,
  jwksUri: (nowSeconds: number) => Promise<string>,
  fetchDocument: FetchDocument,
  /** Seconds between two fetches of this key set; never less than AdCP's 30. */
  spacingSeconds: () => number = () => REFETCH_SPACING_SECONDS,
): KeySource {
  let keys: ReadonlyMap<string, ResolvedKey> = new Map()
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  let fetching: Promise<void> | undefined

  async function refresh(nowSeconds: number): Promise<void> {
    triedAt = nowSeconds
    try {
      const jwks = await fetchJwks(await jwksUri(nowSeconds), fetchDocument)
      keys = new Map(jwks.map((jwk) => [jwk.kid, resolvedKey(jwk, agentUrl)]))
      fetchedAt = nowSeconds
      failure = undefined
    } catch (error) {
      failure = error
    }
  }

  const isFresh = (nowSeconds: number) => nowSeconds - fetchedAt < MAX_AGE_SECONDS
  const cached = (keyid: string, nowSeconds: number) => (isFresh(nowSeconds) ? keys.get(keyid) : undefined)
  return {
    cached,
    async find(keyid, nowSeconds) {
      const known = cached(keyid, nowSeconds)
      if (known) return known
      if (!fetching && nowSeconds - triedAt >= Math.max(REFETCH_SPACING_SECONDS, spacingSeconds())) {
        fetching = refresh(nowSeconds).finally(() => {
          fetching = undefined
        })
      }
      await fetching
      if (!isFresh(nowSeconds))
        throw failure ?? new SignatureFault('signature_jwks_unavailable', 'key set has not been fetched yet')
      return keys.get(keyid)
    },
  }
}

async function fetchJwks(url: string, fetchDocument: FetchDocument) {
  const document = await fetchOrFault(url, fetchDocument)
  if (document.status >= 500) throw new SignatureFault('signature_jwks_unavailable', `key set answers ${document.status}`)
  if (document.status !== 200) throw new SignatureFault('signature_key_unknown', `key set answers ${document.status}`)
  const jwks = readJwks(foreignJsonIn(Buffer.from(document.body).toString('utf8')))
  if (!jwks) throw new SignatureFault('signature_key_unknown', 'key set is not a JWKS')
  return jwks
}

async function fetchOrFault(url: string, fetchDocument: FetchDocument): Promise<FetchedDocument> {
  try {
    return await fetchDocument(url, { maxBytes: MAX_JWKS_BYTES })
  } catch (cause) {
    if (cause instanceof UntrustedAddress) {
      throw new SignatureFault('signature_jwks_untrusted', 'outbound policy refuses the key set', { cause })
    }
    throw new SignatureFault('signature_jwks_unavailable', 'key set cannot be fetched', { cause })
  }
}
