import { revokeAgentKey } from '../../store/identity/agent-key-sources.ts'
import { endKey } from '../../store/identity/api-keys.ts'
import { defineAct } from '../act.ts'
import { exact, required } from '../fields.ts'
import { buyerId } from '../named-buyer.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { moment, object, string } from '../shape.ts'
import { idText } from '../text-form.ts'
import { watchedKey } from './issue-key.ts'

// Several acts in one file: the same act for a publisher, for the deployment, or for one buyer.

/** The field that names a key. */
export const KEY = required(idText('id of the key'))

/** Whose the key has to be: who looks at a buyer ends no key of another. */
export const KEY_OF = buyerId('refuse unless it is a key of this buyer')

/** Ends the key that a buyer signs with, by its `kid`: no signature by it counts again. */
export const revokeSigningKey = defineAct({
  name: 'keys.revoke-signing',
  route: 'POST /deployment/signing-keys/{kid}/revoke',
  id: 'revokeSigningKey',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Revokes a key that a buyer signs with: no signature by it is accepted again.',
  fields: { kid: required(exact(idText('its kid'))) },
  answer: object({ kid: string, revoked_at: moment }),
  run: ({ store, clock, noteAllChanges }, { kid }) =>
    store.transaction(async (tx) => {
      const { revokedAt, wasRevoked } = await revokeAgentKey(tx, kid, clock())
      noteAllChanges(wasRevoked ? {} : { revoked_at: [null, revokedAt] })
      return { kid, revoked_at: revokedAt }
    }),
})

/** Ends a key now. Throws REFERENCE_NOT_FOUND. */
export const revokeKey = defineAct({
  name: 'keys.revoke',
  route: 'POST /keys/{key}/revoke',
  id: 'revokeKey',
  roles: ADMINISTRATORS,
  summary: 'Ends a key now.',
  fields: { key: KEY, buyer: KEY_OF },
  answer: object({ key_id: string, revoked_at: moment }),
  command: {
    help: 'end a key now; with --signing the key that a buyer signs with',
    text: ({ key_id: id }) => [`key ${id} is revoked`],
    instead: {
      flag: 'signing',
      about: 'the key is the kid of a buyer’s signing key: no signature by it counts again',
      act: revokeSigningKey,
      values: ({ key }) => ({ kid: key }),
    },
  },
  watch: watchedKey,
  async run({ store, tenantId, clock }, { key, buyer }) {
    const now = clock()
    const revokedAt = await store.transaction((tx) => endKey(tx, tenantId, key, { revokedAt: now }, buyer))
    return { key_id: key, revoked_at: revokedAt ?? now.toISOString() }
  },
})
