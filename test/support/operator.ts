import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { singleAdServer } from '../../src/ad-serving/ad-servers.ts'
import { composeApprovals } from '../../src/compose/approval-services.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { loadLastingKeys } from '../../src/features/secrets/lasting-keys.ts'
import type { ActContext, Runnable } from '../../src/operator/act.ts'
import { makePublisherAdminKey } from '../../src/operator/admin-keys/admin-keys.ts'
import type { FieldSet, Values } from '../../src/operator/fields.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { perform, UNLOGGED } from '../../src/operator/perform.ts'
import { changeTenant, type TenantChange } from '../../src/operator/tenants/set-tenant.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import type { TestAgent } from './start-agent.ts'

/** Carries an act out as an administrator of a publisher. */
export async function performAs<F extends FieldSet, A extends object>(
  operator: OperatorContext,
  tenantId: string,
  act: Runnable<F, A>,
  members: Readonly<Record<string, unknown>>,
): Promise<A> {
  const caller = { actor: operator.actor, tenantId, role: 'administrator', deployment: true } as const
  return (await perform(operator, caller, act, members)).answer
}

type NewAdminKey = Values<typeof makePublisherAdminKey.fields>

/** A key of the admin API for a publisher, as an administrator of the deployment makes it. */
export function createAdminKey(
  operator: OperatorContext,
  { tenantId, ...values }: Omit<NewAdminKey, 'publisher'> & { readonly tenantId: string },
) {
  return performAs(operator, tenantId, makePublisherAdminKey, { publisher: tenantId, ...values })
}

/** Changes a publisher or its policy; nothing of it is in the audit log. */
export function setTenant(operator: OperatorContext, tenantId: string, change: TenantChange) {
  return changeTenant(acting(operator, tenantId), tenantId, change)
}

/** What an act gets, for functions that acts call: nothing of it is in the audit log. */
export function acting(operator: OperatorContext, tenantId: string): ActContext {
  const caller = { actor: operator.actor, tenantId, role: 'administrator', deployment: true } as const
  return { ...operator, tenantId, caller, ...UNLOGGED }
}

/** Entries of the audit log of a publisher, newest first, and of a chain already. */
export function listAuditEntries({ store }: OperatorContext, tenantId: string, filter: Parameters<typeof listAudit>[2]) {
  return listAudit(store.read, tenantId, filter)
}

const contracts = loadContracts([BASE_SOURCE])

/** The person at the command line beside a running agent, at the agent's time; `adServer`: the agent's, where the configuration names none. */
export function operatorBeside({ server, config }: TestAgent, clock: () => Date, adServer?: AdServer): OperatorContext {
  const operator = { ...operatorOn(server.store, config, contracts), clock }
  if (!adServer) return operator
  const adServers = singleAdServer(adServer)
  const approvals: OperatorContext['services']['approvals'] = async (store) => {
    const lastingKeys = await loadLastingKeys(store.read, operator.services.secrets().held)
    return composeApprovals({ store, config, contracts, secret: 'of a test', lastingKeys, clock, adServers })
  }
  return { ...operator, services: { ...operator.services, adServers: async () => adServers, approvals } }
}
