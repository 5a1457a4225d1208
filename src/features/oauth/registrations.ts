import { AdcpError } from '../../protocol/errors.ts'
import type { SecretBox } from '../../security/secrets/secret-box.ts'
import type { Db, Store } from '../../store/database.ts'
import {
  addOauthRecord,
  countOauthRecords,
  evictClient,
  findOauthRecord,
  renewClient,
} from '../../store/identity/oauth-records.ts'
import { registeredClient } from './registration.ts'

/** Clients that may be registered: far more than there are assistants, far fewer than would fill a disk. */
const MAX_CLIENTS = 10_000

export interface RegistrationSteps {
  /** Asked before a client that is new: the people of a hosted assistant all come from its address, with one client. */
  readonly admit?: () => Promise<void>
  /** Writes a client that is new down in the audit log. */
  readonly note?: (tx: Db, clientId: string) => Promise<void>
}

/**
 * Registers a client (RFC 7591 §3) and gives the answer to it. One that is registered already gets the same answer again.
 * Throws INVALID_REQUEST for metadata that is refused, RATE_LIMITED when there are too many clients.
 */
export async function registerClient(
  store: Store,
  box: SecretBox,
  body: unknown,
  now: Date,
  { admit, note }: RegistrationSteps = {},
): Promise<object> {
  const { clientId, client } = registeredClient(body)
  const document = box.seal(JSON.stringify(client), 'Client')
  if (!(await findOauthRecord(store.read, 'Client', clientId, now))) await admit?.()
  await store.transaction(async (tx) => {
    if (await findOauthRecord(tx, 'Client', clientId, now)) return renewClient(tx, clientId, now)
    // A caller who registers clients by the thousand blocks others for the time of a login, not for a day.
    if ((await countOauthRecords(tx, 'Client')) >= MAX_CLIENTS && !(await evictClient(tx, now))) throw tooManyClients()
    await addOauthRecord(tx, { kind: 'Client', id: clientId, document }, now)
    await note?.(tx, clientId)
  })
  return { ...client, client_id_issued_at: Math.floor(now.getTime() / 1000) }
}

function tooManyClients(): AdcpError {
  return new AdcpError('RATE_LIMITED', 'too many clients are registered here; try again in a quarter of an hour', {
    retryAfter: 900,
    http: { status: 429, headers: { 'Retry-After': '900' } },
  })
}
