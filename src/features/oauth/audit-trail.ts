import { randomUUID } from 'node:crypto'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Store } from '../../store/database.ts'
import { findOauthRecord } from '../../store/identity/oauth-records.ts'
import { findUserIdentity } from '../../store/identity/user-principals.ts'
import type { AuditFacts, AuditNotes } from '../audit/audit.ts'

export interface AuditTrailParts {
  readonly store: Store
  readonly audit: AuditNotes
  readonly clock: () => Date
}

interface Happened {
  readonly task: string
  readonly outcome: string
}

/**
 * Writes down what the authorization server granted, issued, ended and refused: before it answers, so that no token reaches anybody
 * that the log does not have.
 */
export function auditProvider(provider: Provider, parts: AuditTrailParts): void {
  const happened = new WeakMap<object, Happened[]>()
  const note = (task: string) => (ctx: KoaContextWithOIDC, reason?: unknown) => {
    const outcome = typeof reason === 'object' && reason !== null && 'error' in reason ? String(reason.error) : 'ok'
    happened.get(ctx.req)?.push({ task: `oauth.${task}`, outcome })
  }
  provider.on('authorization.success', (ctx) => note('authorize')(ctx))
  provider.on('authorization.error', note('authorize'))
  provider.on('grant.success', (ctx) => note('token')(ctx))
  provider.on('grant.error', note('token'))
  provider.on('grant.revoked', (ctx) => note('revoke')(ctx))
  provider.on('revocation.error', note('revoke'))
  provider.use(async (ctx, next) => {
    const list: Happened[] = []
    happened.set(ctx.req, list)
    await next()
    for (const { task, outcome } of list) {
      const facts = { ...oauthFacts(task, parts.clock()), ...(await whoOf(ctx.oidc, parts.store, parts.clock())) }
      if (outcome === 'ok') await parts.store.transaction((tx) => parts.audit.change(tx, facts))
      else parts.audit.ended({ ...facts, outcome })
    }
  })
}

/** What every act of the authorization server is known by. */
export function oauthFacts(task: string, at: Date): AuditFacts {
  return { requestId: randomUUID(), transport: 'http', task, at }
}

type OidcContext = KoaContextWithOIDC['oidc']

/** Only values that the library has verified: a client id or a name alone proves nothing. */
async function whoOf({ client, session, entities }: OidcContext, store: Store, now: Date) {
  const { AuthorizationCode: code, RefreshToken: refresh } = entities
  const username = code?.accountId ?? refresh?.accountId ?? session?.accountId
  const grantId = code?.grantId ?? refresh?.grantId ?? (client && session?.grantIdFor(client.clientId))
  const grant = grantId === undefined ? undefined : await findOauthRecord(store.read, 'Grant', grantId, now)
  const user = username === undefined ? undefined : await findUserIdentity(store.read, username, grant?.principalId)
  return {
    ...(client && { subject: client.clientId }),
    ...(user && {
      tenant: user.tenant.tenantId,
      principal: user.principal.principalId,
      credential: `oauth:${username}`,
    }),
  }
}
