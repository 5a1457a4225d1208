import { isActive, type ProviderRegistration, signedEndpoint } from '../../domain/trusted-match/provider-registration.ts'
import { describeMatched } from '../../domain/trusted-match/why-unmatched.ts'
import { type Finding, ofPublisher, ok, warning } from '../../features/doctor/finding.ts'
import { createProviderClient, isForDevelopment } from '../../platform/net/provider-client.ts'
import { listTenants } from '../../store/identity/tenants.ts'
import { readPackageSupply } from '../../store/trusted-match/active-packages.ts'
import { listMatchProviders } from '../../store/trusted-match/match-providers.ts'
import type { OperatorContext } from '../operator-context.ts'

/** `not_judged`: it has no such address, which providers need not have, or was asked too often; `not_asked`: it is draining or inactive. */
export const PROVIDER_HEALTH = ['ready', 'not_ready', 'not_judged', 'not_asked'] as const

/** Whether a provider is ready, as its `GET /health` says (Trusted Match router architecture, "Provider health"). */
export interface MatchProviderHealth {
  readonly provider_id: string
  readonly health: (typeof PROVIDER_HEALTH)[number]
  /** Why it is not ready, or not judged. */
  readonly reason?: string
}

/** How long a provider may take to say that it is ready. */
const HEALTH_MS = 5_000
const CHECK = 'match provider'
/** What people are told of a provider at an address of this machine. */
export const DEVELOPMENT_ONLY = 'only routers with development: true in their file take an address of this machine'

/** Asks every active provider of a publisher whether it is ready, all at once; takes five seconds at most. */
export async function showMatchHealth(context: OperatorContext, tenantId: string): Promise<readonly MatchProviderHealth[]> {
  const providers = await listMatchProviders(context.store.read, tenantId)
  return Promise.all(providers.map(({ registration }) => healthOf(context, registration)))
}

/** The health of one provider. It never rejects. */
export async function healthOf(context: OperatorContext, registration: ProviderRegistration): Promise<MatchProviderHealth> {
  const { provider_id } = registration
  if (!isActive(registration)) return { provider_id, health: 'not_asked' }
  try {
    const status = await statusOf(context, registration)
    if (status === 200) return { provider_id, health: 'ready' }
    if (status === 404 || status === 405) return { provider_id, health: 'not_judged' }
    // The router judges it as little (docs/trusted-match.md).
    if (status === 429) return { provider_id, health: 'not_judged', reason: 'it was asked too often; ask again in a while' }
    return { provider_id, health: 'not_ready', reason: `status ${status}` }
  } catch (error) {
    return { provider_id, health: 'not_ready', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** The status of a provider's `GET /health`. Rejects with FetchFailure when it cannot be reached. */
export async function statusOf({ config }: OperatorContext, { endpoint }: ProviderRegistration): Promise<number> {
  const client = createProviderClient({
    endpoint: signedEndpoint(endpoint),
    maxBytes: 4096,
    ...(config.mode === 'development' && { development: {} }),
  })
  try {
    return await client.status('/health', AbortSignal.timeout(HEALTH_MS))
  } finally {
    await client.close()
  }
}

/** What an examination of the agent says of the providers of its publishers. It never rejects for what it finds. */
export async function examineMatchProviders(context: OperatorContext): Promise<readonly Finding[]> {
  const tenants = await listTenants(context.store.read)
  const found = await Promise.all(
    tenants.map(async ({ tenantId }) => {
      const providers = await listMatchProviders(context.store.read, tenantId)
      const asked = await Promise.all(
        providers.map(async ({ registration, fault }) =>
          withAddress(findingOf(await healthOf(context, registration), fault), registration),
        ),
      )
      const isMatching = providers.some(({ registration }) => isActive(registration))
      const findings = isMatching ? [...asked, await examinePackages(context, tenantId)] : asked
      return findings.map((finding) => ofPublisher(tenantId, finding))
    }),
  )
  return found.flat()
}

/** Which packages of a publisher its providers match, and why the others are not. */
async function examinePackages({ store, clock }: OperatorContext, tenantId: string): Promise<Finding> {
  const supply = await readPackageSupply(store.read, tenantId, clock())
  const text = describeMatched(supply)
  if (supply.matched > 0) return ok(CHECK, text)
  const advice =
    'packages of production buyers are matched ("buyers add"), while their order is in flight and an approved creative can be shown'
  return warning(CHECK, text, advice)
}

/** Adds that routers in production leave an active provider out, which the agent's own question to it does not show. */
function withAddress(finding: Finding, registration: ProviderRegistration): Finding {
  if (!isActive(registration) || !isForDevelopment(registration.endpoint)) return finding
  return { ...finding, text: `${finding.text} (${DEVELOPMENT_ONLY}, others leave it out)` }
}

/** `fault`: why its last sync of packages failed, which a provider that is ready does not say. */
function findingOf({ provider_id: id, health, reason }: MatchProviderHealth, fault: string | null | undefined): Finding {
  if (fault && health !== 'not_asked')
    return warning(
      CHECK,
      `${id} did not take its packages: ${fault}${health === 'not_ready' ? `; it is not ready either: ${reason}` : ''}`,
      `it matches what it took before; "trusted-match providers set ${id} --sync-url" and "rotate ${id} --sync-key" change where and with what it is synced`,
    )
  if (health === 'not_ready')
    return warning(
      CHECK,
      `${id} is not ready: ${reason}`,
      `its packages are not matched; "trusted-match providers check ${id}" asks again, "set ${id} --status draining" leaves it out`,
    )
  if (health === 'ready') return ok(CHECK, `${id} is ready`)
  if (health === 'not_judged')
    return ok(CHECK, `${id} ${reason === undefined ? 'has no GET /health' : `is not judged: ${reason}`}`)
  return ok(
    CHECK,
    `${id} is not asked: it is draining or inactive${fault ? `; it did not take its packages at last: ${fault}` : ''}`,
  )
}
