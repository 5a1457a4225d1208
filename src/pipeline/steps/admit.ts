import { AdcpError } from '../../protocol/errors.ts'
import { pathAt } from '../../security/auth/addressed-publisher.ts'
import { bearerChallenge, realmAt } from '../../security/auth/challenge.ts'
import { claimsSignature, demandSignature } from '../../security/auth/signing-policy.ts'
import { changesState } from '../mutating.ts'
import type { State, Step } from '../state.ts'

/**
 * Lets a call in: the signing policy for the task, then the credentials, then the task's tier. What fails here is HTTP 401. The
 * policy comes first because an unsigned call that had to be signed is answered so whatever else came with it (AdCP request-signing
 * vector 027 sends an unknown Bearer key along). A bad credential is refused on public tasks too: no caller is downgraded.
 */
export const admit: Step = async (state, next) => {
  const { call, task, principal, tenant, refusal } = state
  if (!claimsSignature(call.credentials.rawHeaders)) demandSigned(state)
  if (refusal) throw refusal
  if (!principal && task?.access === 'authenticated') {
    throw new AdcpError('AUTH_REQUIRED', `${task.name} needs credentials: send Authorization: Bearer on the transport`, {
      http: {
        status: 401,
        headers: { 'WWW-Authenticate': bearerChallenge(realmAt(state.deps.services.wiring, call.credentials.target)) },
      },
    })
  }
  if (!tenant) throw new AdcpError('REFERENCE_NOT_FOUND', 'no publisher is served at this address', { http: { status: 404 } })
  if (principal && call.publicTenant !== undefined && call.publicTenant !== tenant.tenantId)
    throw elsewhere(state, tenant.tenantId)
  return next(state)
}

/** Credentials decide the publisher: at the address of another one they would be served as if the address were right. */
function elsewhere({ call, deps }: State, tenantId: string): AdcpError {
  const { origin } = new URL(deps.services.wiring.agentUrl)
  const own = origin + pathAt(call.credentials.target, tenantId)
  const message = `no publisher that these credentials are of is served at this address; theirs is ${own}`
  return new AdcpError('REFERENCE_NOT_FOUND', message, { http: { status: 404 } })
}

function demandSigned({ call, deps, task, tenant, principal }: State): void {
  const { sandbox, signing, agentUrl } = deps.services.wiring
  demandSignature(
    {
      task: task?.name ?? call.tool,
      isMutating: changesState(task, call.arguments),
      arguments: call.arguments,
      agentUrl,
      principal,
      isSandbox: sandbox && principal?.sandbox === true,
    },
    tenant?.settings.signingProfile ?? signing.profile,
    signing,
  )
}
