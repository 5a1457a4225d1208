import { AdcpError } from '../errors.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Store } from '../store/database.ts'
import { addOauthRecord, countOauthRecords } from '../store/oauth-records.ts'
import { checkRegistration } from './registration.ts'

/** Clients that may be registered: far more than there are assistants, far fewer than would fill a disk. */
const MAX_CLIENTS = 10_000

/**
 * Registers a client (RFC 7591 §3) and gives the answer to it. One that is registered already gets the same answer again.
 * Throws INVALID_REQUEST for metadata that is refused, RATE_LIMITED when there are too many clients.
 */
export async function registerClient(store: Store, box: SecretBox, body: unknown, now: Date): Promise<object> {
  const { clientId, metadata } = checkRegistration(body)
  // `native`, because a web client of the library may have no redirect on loopback.
  const isWeb = metadata.redirect_uris.every((uri) => uri.startsWith('https:'))
  const client = {
    ...metadata,
    client_id: clientId,
    response_types: ['code'],
    application_type: isWeb ? 'web' : 'native',
  }
  if ((await countOauthRecords(store.read, 'Client')) >= MAX_CLIENTS) {
    throw new AdcpError('RATE_LIMITED', 'too many clients are registered here; try again tomorrow', {
      retryAfter: 3600,
      http: { status: 429, headers: { 'Retry-After': '3600' } },
    })
  }
  const document = box.seal(JSON.stringify(client), 'Client')
  await store.transaction((tx) => addOauthRecord(tx, { kind: 'Client', id: clientId, document }, now))
  return { ...client, client_id_issued_at: Math.floor(now.getTime() / 1000) }
}
