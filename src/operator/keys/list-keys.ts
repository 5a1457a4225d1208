import { type KeyRow, listKeys as listStoredKeys } from '../../store/identity/api-keys.ts'
import { missingBuyer } from '../../store/identity/missing-buyer.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { defineAct } from '../act.ts'
import { NAMED_BUYER, namedBuyer, OF_BUYER } from '../named-buyer.ts'
import { READERS } from '../roles.ts'
import { about, list, listOf, moment, type Of, object, orNull, pageOf, string, word } from '../shape.ts'

const shownKey = object({
  key_id: string,
  ...NAMED_BUYER,
  token: about('its prefix and its last four characters', string),
  scopes: listOf(string),
  status: word('active', 'revoked', 'expired'),
  created_at: moment,
  last_used_at: orNull(moment),
  expires_at: orNull(moment),
})

/** The keys of a publisher's buyers, or of one of them: by prefix and last four characters. Throws REFERENCE_NOT_FOUND for an unknown buyer. */
export const listKeys = defineAct({
  name: 'keys.list',
  route: 'GET /keys',
  id: 'listKeys',
  roles: READERS,
  summary: 'Keys of buyers by prefix and last four characters.',
  fields: { buyer: OF_BUYER },
  answer: pageOf(shownKey),
  command: {
    columns: [
      ['KEY', (key) => key.key_id],
      ['BUYER', ({ buyer }) => buyer],
      ['TOKEN', ({ token }) => token],
      ['SCOPES', ({ scopes }) => scopes.join(',')],
      ['STATUS', ({ status }) => status],
      ['LAST USED', (key) => key.last_used_at ?? 'never'],
      ['EXPIRES', (key) => key.expires_at ?? 'never'],
    ],
  },
  async run({ store, tenantId, clock }, { buyer }) {
    const now = clock()
    if (buyer !== undefined && !(await findPrincipal(store.read, tenantId, buyer))) throw missingBuyer(tenantId, buyer)
    return list((await listStoredKeys(store.read, tenantId, buyer)).map((row) => describeKey(row, now)))
  },
})

function describeKey(row: KeyRow, now: Date): Of<typeof shownKey> {
  return {
    key_id: row.key_id,
    ...namedBuyer(row.principal_id),
    token: `${row.prefix}…${row.last_four}`,
    scopes: JSON.parse(row.scopes),
    status: statusOf(row, now),
    created_at: row.created_at,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  }
}

function statusOf({ revoked_at, expires_at }: KeyRow, now: Date): 'revoked' | 'expired' | 'active' {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at <= now.toISOString() ? 'expired' : 'active'
}
