import { parseJson } from '../../platform/decode/parse-json.ts'
import { WELL_KNOWN_POLICY } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import type { MatchKey } from '../../security/signing/trusted-match-signature.ts'

/** Keys of a document are a few hundred bytes each. */
const POLICY = { ...WELL_KNOWN_POLICY, redirects: 'none', maxRedirects: 0, maxBytes: 256 * 1024, totalMs: 5_000 } as const

interface KnownKey {
  readonly kid: string
  readonly x: string
  readonly revoked_at?: string
}

/** Reads the keys of routers: those that are configured, and those that routers publish. Rejects when a document cannot be read. */
export function routerKeyLoader(
  routers: readonly { readonly keys?: readonly KnownKey[]; readonly keysUrl?: string }[],
  fetch: SafeFetch,
  schemas: Schemas,
): () => Promise<readonly MatchKey[]> {
  const validate = schemas.validator('own:trusted-match-keys.json')
  const configured = routers.flatMap(({ keys = [] }) => keys.map((key): MatchKey => ({ kty: 'OKP', crv: 'Ed25519', ...key })))
  const urls = routers.flatMap(({ keysUrl }) => (keysUrl === undefined ? [] : [keysUrl]))
  const published = async (url: string): Promise<readonly MatchKey[]> => {
    const { status, body } = await fetch(url, { policy: POLICY })
    if (status !== 200) throw new Error(`${url} answered with status ${status}`)
    const value = parseJson(body)
    const keys: readonly unknown[] = isObject(value) && Array.isArray(value.keys) ? value.keys : []
    // Keys of other kinds are for others.
    return keys.filter((key): key is MatchKey => validate(key).length === 0)
  }
  return async () => [...configured, ...(await Promise.all(urls.map(published))).flat()]
}
