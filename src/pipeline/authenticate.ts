import { AdcpError } from '../errors.ts'
import { findPublicTenant, findTenant } from '../store/principals.ts'
import type { State, Step } from './state.ts'

/**
 * Establishes principal and tenant from the transport alone. No credentials are fine for public and limited tasks, whose
 * tenant is the one of the path or the deployment's default; a bad credential never is, whatever the task.
 */
export const authenticate: Step = async (state, next) => {
  const { call, deps, now } = state
  rejectDuplicates(call.credentials.rawHeaders, state)
  for (const verifier of deps.verifiers) {
    const verdict = await verifier.verify(call.credentials, now)
    if (verdict.kind === 'refused') throw refused(state, verdict.reason, verdict.challenge)
    if (verdict.kind === 'verified') {
      const { principal, tenant } = verdict
      const log = state.log.child({ tenant: tenant.tenantId, principal: principal.principalId })
      return next({ ...state, log, principal, tenant })
    }
  }
  if (call.credentials.authorization !== undefined) throw refused(state, 'unrecognised scheme', challengeOf(state, true))
  if (state.task?.access === 'authenticated') {
    throw new AdcpError('AUTH_REQUIRED', `${state.task.name} needs credentials: send Authorization: Bearer on the transport`, {
      http: { status: 401, headers: { 'WWW-Authenticate': challengeOf(state, false) } },
    })
  }
  const tenant =
    call.publicTenant === undefined
      ? await findPublicTenant(deps.store.read)
      : await findTenant(deps.store.read, call.publicTenant)
  if (!tenant) throw new AdcpError('REFERENCE_NOT_FOUND', 'no publisher is served at this address', { http: { status: 404 } })
  return next({ ...state, tenant })
}

/** Node keeps only one of repeated Authorization headers; two of them are an attempt to be read differently. */
function rejectDuplicates(rawHeaders: readonly string[], state: State): void {
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'authorization') seen++
  if (seen > 1) throw refused(state, 'duplicate header', challengeOf(state, true))
}

function refused(state: State, reason: string, challenge: string): AdcpError {
  return new AdcpError('AUTH_INVALID', 'the credentials are not valid here', {
    http: { status: 401, headers: { 'WWW-Authenticate': challenge } },
    cause: `${state.call.transport}: ${reason}`,
  })
}

function challengeOf(state: State, presented: boolean): string {
  return `Bearer realm="${state.deps.services.wiring.agentUrl}"${presented ? ', error="invalid_token"' : ''}`
}
