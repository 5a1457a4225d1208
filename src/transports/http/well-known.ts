import { createHash } from 'node:crypto'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { matchesEntityTag } from './entity-tag.ts'
import type { Route } from './server.ts'

/** Receivers may keep the key set for this long: a key is published at least as long before it signs, and after. */
const MAX_AGE_SECONDS = 300

/** `GET /.well-known/jwks.json`: the public keys of this deployment (RFC 7517). */
export function jwksRoute(keys: KeyProvider): Route {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end()
      return
    }
    const body = JSON.stringify({ keys: await keys.published() })
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    const headers = { ETag: etag, 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` }
    if (matchesEntityTag(request.headers['if-none-match'], etag)) {
      response.writeHead(304, headers).end()
      return
    }
    response.writeHead(200, { ...headers, 'Content-Type': 'application/jwk-set+json' })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}
