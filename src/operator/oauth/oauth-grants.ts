import { AdcpError } from '../../protocol/errors.ts'
import { deleteByGrant, deleteOauthRecord, listOauthRecords } from '../../store/identity/oauth-records.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

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
export async function listClients({ store, services, clock }: OperatorContext) {
  const box = await services.oauthBox()
  const records = await listOauthRecords(store.read, 'Client', clock())
  return records.map(({ document, createdAt, usedAt }) => {
    const { client_id, client_name, redirect_uris }: Client = JSON.parse(box.open(document, 'Client'))
    return { client_id, client_name: client_name ?? '', redirect_uris, registered_at: createdAt, used_at: usedAt || null }
  })
}

/** Which user lets which client act, and for what. */
export async function listGrants(context: OperatorContext) {
  const grants = await storedGrants(context)
  return grants.map(({ jti, accountId, clientId, resources = {}, createdAt, principalId }) => ({
    grant: jti,
    user: accountId,
    principal: principalId ?? null,
    client_id: clientId,
    resources,
    granted_at: createdAt,
  }))
}

/** Ends a grant: its tokens stop working at once. `tenant`: in whose audit log it is. Throws REFERENCE_NOT_FOUND. */
export async function revokeGrant(context: OperatorContext, grantId: string, tenant?: string): Promise<void> {
  const act = { task: 'oauth.revoke', subject: grantId, ...(tenant !== undefined && { tenant }) }
  const found = await auditedStore(context, act).transaction(async (tx) => {
    await deleteByGrant(tx, grantId)
    return deleteOauthRecord(tx, 'Grant', grantId)
  })
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such grant', { field: 'grant' })
}

/** Removes a client and ends every grant to it. Gives the number of those. Throws REFERENCE_NOT_FOUND. */
export async function removeClient(context: OperatorContext, clientId: string): Promise<number> {
  const grants = (await storedGrants(context)).filter((grant) => grant.clientId === clientId)
  const found = await auditedStore(context, { task: 'oauth.remove-client', subject: clientId }).transaction(async (tx) => {
    for (const { jti } of grants) {
      await deleteByGrant(tx, jti)
      await deleteOauthRecord(tx, 'Grant', jti)
    }
    return deleteOauthRecord(tx, 'Client', clientId)
  })
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such client', { field: 'client' })
  return grants.length
}

async function storedGrants({ store, services, clock }: OperatorContext) {
  const box = await services.oauthBox()
  const records = await listOauthRecords(store.read, 'Grant', clock())
  return records.map(({ document, createdAt, principalId }) => {
    const grant: Grant = JSON.parse(box.open(document, 'Grant'))
    return { ...grant, createdAt, principalId }
  })
}
