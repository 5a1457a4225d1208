import { addPrincipal as addStoredPrincipal } from '../../store/identity/principals.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readScopes } from '../scopes.ts'
import { presentPrincipal, type ShownPrincipal } from './list-principals.ts'
import { requirePrincipalId } from './principal-id.ts'

export interface NewPrincipal {
  readonly tenantId: string
  readonly principalId: string
  /** Default: the id. */
  readonly name?: string | undefined
  /** The agent's own address. */
  readonly agentUrl?: string | undefined
  /** Comma-separated; default: all. */
  readonly scopes?: string | undefined
  /** Acts on simulated money only. */
  readonly sandbox: boolean
  /** May change nothing unsigned. */
  readonly signingRequired: boolean
}

/** Adds a buyer agent to a publisher. Throws INVALID_REQUEST when the id is taken or has other characters, or a scope is unknown. */
export async function addPrincipal(context: OperatorContext, principal: NewPrincipal): Promise<ShownPrincipal> {
  const { tenantId, principalId, name = principalId, agentUrl, scopes, ...flags } = principal
  requirePrincipalId(principalId)
  const allowed = await readScopes(scopes)
  const store = auditedStore(context, { task: 'principals.add', tenant: tenantId, subject: principalId })
  const row = await store.transaction((tx) =>
    addStoredPrincipal(tx, { tenantId, principalId, name, agentUrl, scopes: allowed, ...flags }, context.clock()),
  )
  return presentPrincipal(row)
}
