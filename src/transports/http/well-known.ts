import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { readsOnly, respondTagged } from './respond.ts'
import type { Route } from './server.ts'

/** Receivers may keep the key set for this long: a key is published at least as long before it signs, and after. */
const MAX_AGE_SECONDS = 300

/** `GET /.well-known/jwks.json`: the public keys of this deployment (RFC 7517). */
export function jwksRoute(keys: KeyProvider): Route {
  return async (request, response) => {
    if (!readsOnly(request, response)) return
    const body = JSON.stringify({ keys: await keys.published() })
    const headers = { 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` }
    respondTagged(request, response, { type: 'application/jwk-set+json', body, headers })
  }
}
