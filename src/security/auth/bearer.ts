import type { Store } from '../../store/database.ts'
import { hasExpired, type KnownKey, lookupKey, touchKey } from '../../store/identity/api-keys.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { hashToken } from './opaque-key.ts'
import type { Verdict, Verifier } from './verifier.ts'

/** Last use is a hint for the operator: a minute's precision costs one write a minute and key. */
const TOUCH_EVERY_MS = 60_000

/** Keys in use at the same time; each is read once while the data version stays the same. */
const MAX_KEYS = 2_000

/** RFC 6750 §2.1: `Authorization: Bearer <b64token>`, the scheme without regard to case. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/** Verifies opaque keys of this deployment. Any other Bearer value is refused. */
export function bearerVerifier(store: Store, challenge: string): Verifier {
  const known = versionedCache<KnownKey>(store, MAX_KEYS)
  return {
    name: 'bearer',
    async verify(credentials, now): Promise<Verdict> {
      const header = credentials.authorization
      if (header === undefined || !/^bearer\b/i.test(header)) return { kind: 'absent' }
      const token = BEARER.exec(header)?.[1]
      if (token === undefined) return { kind: 'refused', reason: 'malformed', challenge }
      const keyHash = hashToken(token)
      let reason = 'expired'
      const found = await known(keyHash, async () => {
        const key = await lookupKey(store.read, keyHash, now)
        if (!('reason' in key)) return key
        reason = key.reason
        return undefined
      })
      if (!found || hasExpired(found.principal.keyExpiresAt, now)) return { kind: 'refused', reason, challenge }
      if (found.lastUsedAt === null || now.getTime() - Date.parse(found.lastUsedAt) > TOUCH_EVERY_MS) {
        // A hint must not delay or fail the call that it is about.
        void store
          .transaction((tx) => touchKey(tx, found.principal.credentialId, now), { isolation: 'statement' })
          .catch(() => {})
      }
      return { kind: 'verified', principal: found.principal, tenant: found.tenant }
    },
  }
}
