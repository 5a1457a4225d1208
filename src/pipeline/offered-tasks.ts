import { claimTypesOf } from '../domain/brand/claims.ts'
import { listedIn } from '../domain/identity/lifecycle.ts'
import type { Principal, Tenant } from '../domain/identity/principal.ts'
import { isOffered, type PublisherOffer } from '../domain/protocol/offer.ts'
import type { Backend } from '../domain/protocol/simulated-backends.ts'
import { canPublishAt } from '../domain/reporting/offering.ts'
import type { Services } from './services.ts'
import { isVisible } from './steps/authorize.ts'
import type { Task } from './task.ts'

type Sources = Pick<Services, 'signals' | 'brands' | 'wiring'>

/** What a publisher has that whole groups of tasks need. */
export async function offerOf({ signals, brands, wiring }: Sources, tenant: Tenant): Promise<PublisherOffer> {
  const [{ byId }, roster] = await Promise.all([signals.load(tenant), brands.load(tenant.tenantId)])
  return {
    signalTypes: new Set([...byId.values()].map(({ document }) => document.signal_type)),
    brands: {
      hasBrands: roster.brands.size > 0,
      rights: roster.rights,
      offerings: roster.offerings,
      claimTypes: claimTypesOf(roster.claims),
    },
    governance: tenant.settings.governanceAgent === true,
    lifecycle: tenant.settings.lifecycle,
    reports: canPublishAt(new URL(wiring.agentUrl).origin),
  }
}

/** The backends of a publisher that the given tasks use. */
export function backendsOf(services: Services, tenantId: string, tasks: ReadonlySet<string>): readonly Backend[] {
  return [
    ...services.adServers.list(tenantId),
    ...(tasks.has('sync_audiences') ? [services.identityGraph.live] : []),
    ...(tasks.has('get_media_buy_artifacts') ? [services.artifacts.live] : []),
    ...(tasks.has('activate_signal') ? [services.signals] : []),
    ...(tasks.has('acquire_rights') ? [services.brands] : []),
    ...(tasks.has('si_initiate_session') ? [services.siHost.live] : []),
  ]
}

/**
 * The tasks that a publisher lists for a caller, whatever the caller's scopes: those that exist for it, that a release which the publisher offers has, and
 * that the publisher has data or a backend for. Without a publisher: those of every publisher.
 */
export async function offeredTasks(
  services: Sources & Pick<Services, 'contracts'>,
  tenant: Tenant | undefined,
  principal: Pick<Principal, 'sandbox'> | undefined,
): Promise<readonly Task[]> {
  const visible = [...services.wiring.tasks.values()].filter((task) => isVisible(task, principal))
  if (!tenant) return visible
  const offer = await offerOf(services, tenant)
  const contracts = services.contracts.only(tenant.settings.releases)
  return visible.filter(({ name }) => isOffered(name, offer) && contracts.having(name).length > 0)
}

/** The offered tasks that assistants and agents are shown: those of the family of buying tools that the publisher lists. */
export async function listedTasks(...[services, tenant, principal]: Parameters<typeof offeredTasks>): Promise<readonly Task[]> {
  return listedIn(tenant?.settings.lifecycle, await offeredTasks(services, tenant, principal))
}
