import { FetchFailure, type FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { type FetchDocument, UntrustedAddress } from '../signing/remote-keys.ts'

/** AdCP key discovery: no redirects, 5 s to connect, 10 s in all. */
const POLICY: Omit<FetchPolicy, 'maxBytes'> = {
  redirects: 'none',
  maxRedirects: 0,
  connectMs: 5_000,
  readMs: 10_000,
  totalMs: 10_000,
  contentTypes: undefined,
}

/** What the outbound policy refuses whatever the other side answers. */
const UNTRUSTED = new Set(['invalid_url', 'not_https', 'reserved_address', 'redirect_refused', 'too_large'])

/** Fetches key sets, brand.json and revocation lists under the outbound policy. */
export function keyDocuments(safeFetch: SafeFetch): FetchDocument {
  return async (url, { maxBytes }) => {
    try {
      return await safeFetch(url, { policy: { ...POLICY, maxBytes } })
    } catch (error) {
      if (error instanceof FetchFailure && UNTRUSTED.has(error.code)) throw new UntrustedAddress(error.code, { cause: error })
      throw error
    }
  }
}
