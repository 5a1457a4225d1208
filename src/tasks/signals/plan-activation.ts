import { hash } from 'node:crypto'
import type { ActivateSignalRequest, Destination } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { byDestination, type Deployment, isRunning, withStanding } from '../../domain/signal/deployment.ts'
import { destinationKey, requireDestinations } from '../../domain/signal/destination.ts'
import { activationDelivery } from '../../domain/signal/planned-delivery.ts'
import { pricesFor, requirePrice } from '../../domain/signal/prices.ts'
import type { Signal, SignalPrice } from '../../domain/signal/signal.ts'
import type { SpendCommitment } from '../../features/governance/governance.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listGovernanceAgents } from '../../store/governance/governance-agents.ts'
import { type DeploymentOwner, findDeployments } from '../../store/signal/signal-deployments.ts'
import { deploymentOwner, orderOf, type PlannedActivation, payingAccount, signalOnOffer } from './activation-order.ts'

type PlanContext = AuthenticatedContext & { readonly anchor: string }

/**
 * Brings a signal on its way to the destinations that do not have it yet; for the others the price is agreed anew. Throws what keeps the
 * activation from being made; then nothing was begun.
 */
export async function planActivation(request: ActivateSignalRequest, context: PlanContext): Promise<PlannedActivation> {
  const { services, tenant, principal, db } = context
  const signal = signalOnOffer(await services.signals.load(tenant), request.signal_agent_segment_id, principal.principalId)
  const destinations = requireDestinations(signal, request.destinations)
  const account = await payingAccount(context)
  const prices = pricesFor(signal, account)
  const price = request.pricing_option_id === undefined ? undefined : requirePrice(prices, request.pricing_option_id)
  const owner = deploymentOwner(context, account)
  const existing = byDestination(await findDeployments(db, owner, [signal.segmentId]))
  const pricingOptionId = price?.pricing_option_id ?? ''
  const running: Deployment[] = []
  const fresh: Deployment[] = []
  for (const destination of destinations) {
    const known = existing.get(destinationKey(destination))
    if (known && isRunning(known)) running.push({ ...known, pricingOptionId })
    else fresh.push(newDeployment({ signal, destination, pricingOptionId, deploymentId: known?.deploymentId }, context))
  }
  const commitment = commitmentOf(request, { signal, prices: price ? [price] : prices, running, fresh, existing }, context)
  const governed = commitment && (await services.governance.check({ ...context, account }, commitment))
  await requireCheckedBefore(request, account, context)
  // Whoever governs the money says so first; an activation without a price is none.
  if (!price) requirePrice(prices, undefined)
  const begun = await begin(fresh, { signal, owner, destinations }, context)
  const all = byDestination([...running, ...begun])
  return {
    owner,
    deployments: destinations.flatMap((destination) => all.get(destinationKey(destination)) ?? []),
    begun: fresh.map((deployment) => orderOf(deployment, signal, owner)),
    agreed: commitment && governed && { commitment, governed, account },
  }
}

/**
 * An account with a governance agent activates nothing without the `governance_context` of a check (activate_signal page, "Governance"). Its denial is
 * GOVERNANCE_DENIED, and PERMISSION_DENIED from 3.1 on.
 */
async function requireCheckedBefore(
  request: ActivateSignalRequest,
  account: Account | undefined,
  { db, tenant, principal }: PlanContext,
): Promise<void> {
  // Official stories activate on an account that another one left governed.
  if (!account || principal.conformance || typeof Reflect.get(request, 'governance_context') === 'string') return
  const [agent] = await listGovernanceAgents(db, tenant.tenantId, account.accountId)
  if (!agent) return
  throw new AdcpError('GOVERNANCE_DENIED', 'governance_context is required: the account has a governance agent', {
    field: 'governance_context',
    details: { agent_url: agent.url },
    suggestion: 'call check_governance for this activation first, and send the governance_context of its answer',
  })
}

/** What the activation commits to beside what is committed already: new deployments, or another price for running ones. */
function commitmentOf(
  request: ActivateSignalRequest,
  change: {
    readonly signal: Signal
    readonly prices: readonly SignalPrice[]
    readonly running: readonly Deployment[]
    readonly fresh: readonly Deployment[]
    readonly existing: ReadonlyMap<string, Deployment>
  },
  { services }: PlanContext,
): SpendCommitment | undefined {
  const { signal, prices, running, fresh, existing } = change
  const [repriced] = running.filter(
    ({ destination, pricingOptionId }) => existing.get(destinationKey(destination))?.pricingOptionId !== pricingOptionId,
  )
  const [subject] = [...fresh, ...(repriced ? [repriced] : [])]
  if (!subject) return undefined
  return {
    tool: 'activate_signal',
    phase: fresh.length > 0 ? 'purchase' : 'modification',
    purchaseType: 'signal_activation',
    request,
    plannedDelivery: activationDelivery(signal, prices, services.wiring.agentUrl),
    ...(fresh.length === 0 && { summary: 'another price for a signal that is live already' }),
    resourceId: subject.deploymentId,
  }
}

function newDeployment(
  order: {
    readonly signal: Signal
    readonly destination: Destination
    readonly pricingOptionId: string
    readonly deploymentId: string | undefined
  },
  { anchor, now }: PlanContext,
): Deployment {
  const { signal, destination, pricingOptionId } = order
  return {
    // Follows from the call's anchor, so that a repeated call orders nothing twice.
    deploymentId: order.deploymentId ?? `dep_${hash('sha256', `${anchor} ${destinationKey(destination)}`, 'hex').slice(0, 32)}`,
    segmentId: signal.segmentId,
    destination,
    pricingOptionId,
    status: 'pending',
    activationKey: undefined,
    taskId: undefined,
    requestedAt: now.toISOString(),
    readyAt: now.toISOString(),
    deployedAt: undefined,
  }
}

/** All or nothing (AdCP activate-signal-response): when one destination refuses, the others are withdrawn. */
async function begin(
  fresh: readonly Deployment[],
  place: { readonly signal: Signal; readonly owner: DeploymentOwner; readonly destinations: readonly Destination[] },
  { services, now }: PlanContext,
): Promise<Deployment[]> {
  if (fresh.length === 0) return []
  const orders = fresh.map((deployment) => orderOf(deployment, place.signal, place.owner))
  const standings = await services.signals.activate(orders, now)
  const moved = fresh.flatMap((deployment, index) => {
    const standing = standings[index]
    return standing ? [withStanding(deployment, standing, now)] : []
  })
  const refused = moved.find(({ status }) => status === 'failed')
  if (!refused && moved.length === fresh.length) return moved
  await services.signals.deactivate(orders, now)
  throw new AdcpError('SERVICE_UNAVAILABLE', 'a destination did not take the signal; nothing was activated', {
    ...(refused && { field: `destinations[${place.destinations.indexOf(refused.destination)}]` }),
    retryAfter: 60,
  })
}
