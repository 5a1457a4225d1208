import type { CheckGovernanceRequest, CheckGovernanceResponse } from '@adcp/sdk/types'
import { inSandbox } from '../../domain/protocol/by-caller.ts'
import { classifyHost } from '../../platform/net/reserved-address.ts'
import type { RememberedBuyers } from '../../store/account/remembered-buyers.ts'
import { type GovernanceAgent, hasGovernanceAgents, listGovernanceAgents } from '../../store/governance/governance-agents.ts'
import type { GovernedCall, PlannedDelivery, SpendCommitment } from './governance.ts'

/** This server as a governance agent: it keeps plans that buyers have synced here. */
export interface OwnAuthority {
  /** `iss` of the tokens that it signs. */
  readonly issuer: string
  /** The plan of the buyer's that governs a purchase: the one with this id, or without an id the newest for the brand and the time. */
  planFor(
    call: GovernedCall,
    wanted: {
      readonly planId: string | undefined
      readonly brandDomain: string | undefined
      readonly plannedDelivery: PlannedDelivery
    },
  ): Promise<string | undefined>
  check(call: GovernedCall, request: CheckGovernanceRequest): Promise<CheckGovernanceResponse>
}

/** Who decides on a commitment. */
export interface Deciders {
  readonly remote: readonly GovernanceAgent[]
  /** The plan stored here that governs it. */
  readonly ownPlanId: string | undefined
  /** Whether anybody decides: then a plan has to be known. */
  readonly isGoverned: boolean
}

export interface DecidersOptions {
  readonly own: OwnAuthority
  readonly buyers: Pick<RememberedBuyers, 'mayBeGoverned'>
  readonly agentUrl: string
  /** Whether this is a sandbox server: only then may the agents of a sandbox buyer be on this machine. */
  readonly sandbox: boolean
}

/**
 * The governance agents of the account, and this server where it is one of them or keeps the plan. A sandbox has no effect outside: there the
 * plans stored here decide in place of every agent that is not on this machine, and a purchase without a plan is not governed.
 */
export async function decidersOf(
  call: GovernedCall,
  commitment: Pick<SpendCommitment, 'brandDomain' | 'plannedDelivery'>,
  planId: string | undefined,
  { own, buyers, agentUrl, sandbox }: DecidersOptions,
): Promise<Deciders> {
  const { principal, account } = call
  // Most buyers have no governance agent: one read shows it.
  if (!(await buyers.mayBeGoverned(principal, account?.accountId))) return { remote: [], ownPlanId: undefined, isGoverned: false }
  const registered = account ? await listGovernanceAgents(call.db, account.tenantId, account.accountId) : []
  const others = registered.filter(({ url }) => !isOwn(url, agentUrl))
  const remote = isSimulated(call) ? others.filter(({ url }) => sandbox && principal.sandbox && isLoopback(url)) : others
  const brandDomain = commitment.brandDomain ?? account?.document.brand?.domain
  const isRegistered = others.length < registered.length
  // Stories leave plans behind that hardly allow anything, and register on one account what they buy on another.
  const isMeant = !principal.conformance || planId !== undefined || (await hasGovernanceAgents(call.db, principal))
  const found = isMeant
    ? await own.planFor(call, { planId, brandDomain, plannedDelivery: commitment.plannedDelivery })
    : undefined
  const ownPlanId = found ?? (isRegistered ? planId : undefined)
  const needsPlan = isRegistered && !isSimulated(call)
  return { remote, ownPlanId, isGoverned: remote.length > 0 || needsPlan || ownPlanId !== undefined }
}

/** The protocol only takes https addresses: a development server without TLS is named by its own with the scheme that it would have. */
function isOwn(url: string, agentUrl: string): boolean {
  return url === agentUrl || (isLoopback(agentUrl) && url === agentUrl.replace(/^http:/, 'https:'))
}

/** Whether nothing real is bought. */
export function isSimulated({ principal, account }: Pick<GovernedCall, 'principal' | 'account'>): boolean {
  return inSandbox({ principal, account })
}

function isLoopback(url: string): boolean {
  return classifyHost(new URL(url).hostname) === 'loopback'
}
