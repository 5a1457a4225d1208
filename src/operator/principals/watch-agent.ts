import { AdcpError } from '../../protocol/errors.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

interface Agent {
  readonly tenantId: string
  readonly principalId: string
}

/** The name of a buyer. Throws REFERENCE_NOT_FOUND. */
export async function requireBuyer({ store }: OperatorContext, { tenantId, principalId }: Agent): Promise<string> {
  const found = await findPrincipal(store.read, tenantId, principalId)
  if (found) return found.name
  throw new AdcpError('REFERENCE_NOT_FOUND', `there is no buyer ${principalId}`)
}

/** Notes in the audit log that a person reads the calls of a buyer. Throws REFERENCE_NOT_FOUND. */
export async function watchAgent(context: OperatorContext, agent: Agent): Promise<void> {
  await requireBuyer(context, agent)
  const store = auditedStore(context, { task: 'calls.watch', tenant: agent.tenantId, subject: agent.principalId })
  await store.transaction(async () => undefined)
}
