import { defineAct } from '../act.ts'
import { publisherCalendar } from '../flight.ts'
import { readExpiry } from '../moment.ts'
import { BUYER } from '../named-buyer.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { readScopes, SCOPES } from '../scopes.ts'
import { EXPIRES, issuedKey, issuedLines, issueKey, newKeyIn } from './issue-key.ts'

/** Makes a key for a buyer; the token is in the answer and nowhere else. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST. */
export const createKey = defineAct({
  name: 'keys.create',
  route: 'POST /keys',
  id: 'createKey',
  roles: ADMINISTRATORS,
  summary: 'Makes a key for a buyer; the token is in this answer and nowhere else.',
  fields: { buyer: BUYER, scopes: SCOPES, expires: EXPIRES },
  subject: 'buyer',
  answer: issuedKey,
  command: { args: [], text: issuedLines },
  async run(context, { buyer, scopes, expires }) {
    const { store, tenantId, noteChanges } = context
    const allowed = await readScopes(scopes)
    const now = context.clock()
    const { calendar } = await publisherCalendar(context, tenantId)
    const expiresAt = expires === undefined ? undefined : readExpiry(expires, now, calendar)
    return store.transaction(async (tx) => {
      const issued = await issueKey(tx, { tenantId, buyer, scopes: allowed, expiresAt }, now)
      noteChanges(newKeyIn(issued))
      return issued
    })
  },
})
