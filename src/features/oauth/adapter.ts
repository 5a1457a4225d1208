import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider'
import type { SecretBox } from '../../security/secrets/secret-box.ts'
import type { Store } from '../../store/database.ts'
import {
  consumeOauthRecord,
  deleteByGrant,
  deleteOauthRecord,
  findOauthRecord,
  findOauthRecordByUid,
  type StoredOauthRecord,
  saveOauthRecord,
} from '../../store/identity/oauth-records.ts'

/**
 * Stores the records of the authorization server encrypted: the stored rows grant no access.
 * Kinds are those of the library (`Client`, `Grant`, `AuthorizationCode`, `RefreshToken`, `Session`, `Interaction` …).
 */
export function createAdapter(store: Store, box: SecretBox, clock: () => Date): AdapterFactory {
  return (kind) => {
    const read = (record: StoredOauthRecord | undefined): AdapterPayload | undefined => {
      if (!record) return undefined
      const payload: AdapterPayload = JSON.parse(box.open(record.document, kind))
      return record.consumedAt === null ? payload : { ...payload, consumed: Date.parse(record.consumedAt) / 1000 }
    }
    const adapter: Adapter = {
      async upsert(id, payload, expiresIn) {
        const now = clock()
        const record = {
          kind,
          id,
          document: box.seal(JSON.stringify(payload), kind),
          uid: payload.uid,
          grantId: payload.grantId,
          expiresAt: expiresIn === undefined ? undefined : new Date(now.getTime() + expiresIn * 1000),
        }
        await store.transaction((tx) => saveOauthRecord(tx, record, now))
      },
      find: async (id) => read(await findOauthRecord(store.read, kind, id, clock())),
      findByUid: async (uid) => read(await findOauthRecordByUid(store.read, kind, uid, clock())),
      // Codes for devices without a keyboard are not offered.
      findByUserCode: async () => undefined,
      async consume(id) {
        // Two exchanges of one code at the same moment both saw it unused.
        if (!(await store.transaction((tx) => consumeOauthRecord(tx, kind, id, clock())))) {
          throw new errors.InvalidGrant('it was used before')
        }
      },
      async destroy(id) {
        await store.transaction((tx) => deleteOauthRecord(tx, kind, id))
      },
      async revokeByGrantId(grantId) {
        await store.transaction((tx) => deleteByGrant(tx, grantId))
      },
    }
    return adapter
  }
}
