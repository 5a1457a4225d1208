import { AdcpError } from '../../protocol/errors.ts'
import { endKey, type KeyRow, listKeys, setSuccessor } from '../../store/identity/api-keys.ts'
import { defineAct } from '../act.ts'
import { publisherCalendar } from '../flight.ts'
import { momentOrSpan, readExpiry, readMoment } from '../moment.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { EXPIRES, issuedKey, issuedLines, issueKey, newKeyIn, watchedKey } from './issue-key.ts'
import { KEY, KEY_OF } from './revoke-key.ts'

/**
 * Makes the successor of a key, with its scopes; the old one works until the overlap ends. The successor lives as long as its predecessor was made to live,
 * unless `expires` says otherwise. A key is rotated once: the life of one
 * that was rotated is the overlap. Throws REFERENCE_NOT_FOUND, INVALID_STATE for a revoked key and one that was rotated, INVALID_REQUEST.
 */
export const rotateKey = defineAct({
  name: 'keys.rotate',
  route: 'POST /keys/{key}/rotate',
  id: 'rotateKey',
  roles: ADMINISTRATORS,
  summary: 'Makes the successor of a key; the old one works until the overlap ends.',
  fields: { key: KEY, buyer: KEY_OF, overlap: momentOrSpan('how long both work, e.g. 12h (default: 24h)'), expires: EXPIRES },
  answer: issuedKey,
  command: { text: issuedLines },
  watch: watchedKey,
  async run(context, { key: keyId, buyer, overlap = '24h', expires }) {
    const { store, tenantId, clock, noteChanges } = context
    const { calendar } = await publisherCalendar(context, tenantId)
    return store.transaction(async (tx) => {
      const now = clock()
      const old = (await listKeys(tx, tenantId)).find(
        (row) => row.key_id === keyId && (buyer ?? row.principal_id) === row.principal_id,
      )
      if (!old) throw new AdcpError('REFERENCE_NOT_FOUND', `no key ${keyId} in ${tenantId}`, { field: 'key' })
      if (old.revoked_at !== null) throw new AdcpError('INVALID_STATE', `key ${keyId} is revoked`, { field: 'key' })
      if (old.successor !== null) {
        const message = `key ${keyId} was rotated before: its successor is ${old.successor}; rotate that one, or make another with keys create`
        throw new AdcpError('INVALID_STATE', message, { field: 'key' })
      }
      await endKey(tx, tenantId, keyId, { expiresAt: endOfOverlap(old, overlap, now) })
      const scopes: readonly string[] = JSON.parse(old.scopes)
      const expiresAt = expires === undefined ? renewedExpiry(old, now) : readExpiry(expires, now, calendar)
      const issued = await issueKey(tx, { tenantId, buyer: old.principal_id, scopes, expiresAt }, now)
      await setSuccessor(tx, tenantId, keyId, issued.key_id)
      noteChanges(newKeyIn(issued))
      return issued
    })
  },
})

/** Rotation may shorten the life of a key, never lengthen it: an old key that expires sooner than the overlap still does. */
function endOfOverlap(old: KeyRow, overlap: string, now: Date): Date {
  const end = readMoment(overlap, now, 'overlap')
  return old.expires_at !== null && old.expires_at < end.toISOString() ? new Date(old.expires_at) : end
}

/** As long as the old key was made to live; undefined: without end. */
function renewedExpiry(old: KeyRow, now: Date): Date | undefined {
  if (old.expires_at === null) return undefined
  return new Date(now.getTime() + Date.parse(old.expires_at) - Date.parse(old.created_at))
}
