import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { deleteByGrant, deleteOauthRecord, listOauthRecords } from '../../store/identity/oauth-records.ts'
import { changedMembers } from '../changed-members.ts'
import { required } from '../fields.ts'
import { namedBuyer } from '../named-buyer.ts'
import type { OperatorContext } from '../operator-context.ts'
import { about, orNull, string } from '../shape.ts'
import { idText } from '../text-form.ts'

/** The field that names a grant. */
export const GRANT = required(idText('id of the grant'))

/** Members that name the buyer of a grant. */
export const GRANT_BUYER = {
  buyer: about('Buyer that it acts as; null: the one that the user belongs to.', orNull(string)),
  principal: about('the earlier name of buyer', orNull(string)),
}

interface Grant {
  readonly jti: string
  readonly accountId: string
  readonly clientId: string
  readonly resources?: Readonly<Record<string, string>>
}

interface Client {
  readonly client_id: string
  readonly client_name?: string
  readonly redirect_uris: readonly string[]
}

/** The registered clients, e.g. assistants. */
export async function storedClients({ store, services, clock }: OperatorContext) {
  const box = await services.oauthBox()
  const records = await listOauthRecords(store.read, 'Client', clock())
  return records.map(({ document, createdAt, usedAt }) => {
    const { client_id, client_name, redirect_uris }: Client = JSON.parse(box.open(document, 'Client'))
    return { client_id, client_name: client_name ?? '', redirect_uris, registered_at: createdAt, used_at: usedAt || null }
  })
}

/** Which user lets which client act, and for what. */
export async function storedGrants({ store, services, clock }: OperatorContext) {
  const box = await services.oauthBox()
  const records = await listOauthRecords(store.read, 'Grant', clock())
  return records.map(({ document, createdAt, principalId }) => {
    const { jti, accountId, clientId, resources = {} }: Grant = JSON.parse(box.open(document, 'Grant'))
    const who = { grant: jti, user: accountId, ...namedBuyer(principalId ?? null) }
    return { ...who, client_id: clientId, resources, granted_at: createdAt }
  })
}

/** A grant that ends, for the audit log. */
export function goneGrant({
  user,
  buyer,
  client_id,
}: Pick<Awaited<ReturnType<typeof storedGrants>>[number], 'user' | 'buyer' | 'client_id'>) {
  return changedMembers({ user, buyer, client_id }, {})
}

/** Ends a grant: its tokens stop working at once. Throws REFERENCE_NOT_FOUND. */
export async function endGrant(tx: Db, grant: string): Promise<void> {
  await deleteByGrant(tx, grant)
  if (await deleteOauthRecord(tx, 'Grant', grant)) return
  throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such grant', { field: 'grant' })
}
