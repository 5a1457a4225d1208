import type { Principal, Tenant } from './principal.ts'

/** An active principal and its tenant. */
export interface Identity {
  readonly principal: Principal
  readonly tenant: Tenant
}
