import type { CheckGovernanceRequest, CheckGovernanceResponse } from '@adcp/sdk/types'
import { requireAgreement } from '../../domain/governance/verdict.ts'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { openAddress } from '../../security/secrets/sealed-address.ts'
import type { SecretBox } from '../../security/secrets/secret-box.ts'
import type { GovernedAct } from '../../security/signing/governance-token-binding.ts'
import type { RememberedBuyers } from '../../store/account/remembered-buyers.ts'
import { type GovernanceAgent, governanceQueryPlace, governanceSealPlace } from '../../store/governance/governance-agents.ts'
import { listSpendApprovals, type SpendApproval } from '../../store/governance/spend-approvals.ts'
import { brandDomainOf } from '../../store/identity/agent-key-sources.ts'
import { askAgent, unavailable } from './ask-agent.ts'
import { type Deciders, decidersOf, isSimulated, type OwnAuthority } from './deciders.ts'
import type { Governance, GovernanceApproval, Governed, GovernedCall, PresentedToken, SpendCommitment } from './governance.ts'
import type { KeysOfBuyer } from './issuer-keys.ts'
import { claimsIn, tokenIn, useOf, verifyToken } from './presented-token.ts'
import { recordGoverned } from './record.ts'

export interface GovernanceOptions {
  /** Fetches governance agents of production buyers. */
  readonly safeFetch: SafeFetch
  /** Fetches agents of sandbox buyers on this machine; absent where loopback addresses may not be called. */
  readonly loopbackFetch: SafeFetch | undefined
  readonly schemas: Schemas
  /** Opens the credentials of agents. */
  readonly box: SecretBox
  readonly keys: KeysOfBuyer
  readonly own: OwnAuthority
  readonly buyers: Pick<RememberedBuyers, 'mayBeGoverned'>
  readonly agentUrl: string
  readonly sandbox: boolean
  readonly policy?: Partial<FetchPolicy> | undefined
}

/** The facts of one check. */
interface Matter {
  readonly call: GovernedCall
  readonly commitment: SpendCommitment
  readonly deciders: Deciders
  /** Earlier approvals of the same resource, newest first. */
  readonly earlier: readonly SpendApproval[]
  readonly presented: Examined | undefined
  readonly planId: string
}

/** The token of a request and, where it was verified, what it is about. */
interface Examined extends PresentedToken {
  readonly subject?: string
  /** Whether the subject is an opaque name of the action (AdCP 3.2), not the plan. */
  readonly isOpaque?: boolean
}

/** The seller's governance checks: the store, agents over the network, and plans of this server. */
export function createGovernance(options: GovernanceOptions): Governance {
  return {
    check: (call, commitment) => checkCommitment(call, commitment, options),
    record: recordGoverned,
  }
}

async function checkCommitment(call: GovernedCall, commitment: SpendCommitment, options: GovernanceOptions): Promise<Governed> {
  const token = tokenIn(commitment.request)
  // Official stories of 3.0 go on with the token of conditions that they have not met.
  const unread = call.principal.conformance === true && token !== undefined && claimsIn(token)?.status === 'conditions'
  const earlier = commitment.isNew ? [] : await listSpendApprovals(call.db, call.principal.tenantId, commitment.resourceId)
  const named =
    textIn(commitment.request, 'plan_id') ??
    commitment.planId ??
    earlier[0]?.planId ??
    (unread ? undefined : claimedPlan(token, options.own.issuer))
  const deciders = await decidersOf(call, commitment, named, options)
  const presented: Examined | undefined = unread
    ? { token, use: undefined }
    : await examine(token, { call, commitment, deciders, earlier, named }, options)
  const planId = named ?? deciders.ownPlanId ?? (presented?.isOpaque ? undefined : presented?.subject)
  if (!deciders.isGoverned) return { planId, approvals: [], presented }
  if (planId === undefined) {
    throw new AdcpError('INVALID_REQUEST', 'plan_id is required: the account has governance agents', { field: 'plan_id' })
  }
  const approvals = await ask({ call, commitment, deciders, earlier, presented, planId }, options)
  return { planId, approvals, presented }
}

/** The token of the request: verified where a governance agent is known that may have issued it; else stored for auditors (AdCP 3.0: may verify). */
async function examine(
  token: string | undefined,
  {
    call,
    commitment,
    deciders,
    earlier,
    named,
  }: Pick<Matter, 'call' | 'commitment' | 'deciders' | 'earlier'> & { readonly named: string | undefined },
  { own, keys, agentUrl }: GovernanceOptions,
): Promise<Examined | undefined> {
  if (token === undefined) return undefined
  // The thread of what was agreed before authorises nothing anew; the agents are asked again.
  if (earlier.some((approval) => approval.token === token)) return { token, use: undefined }
  const issuer = claimsIn(token)?.iss
  if (!deciders.isGoverned && issuer !== own.issuer) return { token, use: undefined }
  // This server's own tokens bind less: it decides anew by the arguments of the call.
  const isOpaque = issuer !== own.issuer && call.contract?.rules.boundApprovals === true
  const claims = await verifyToken(
    token,
    {
      audience: agentUrl,
      issuers: [...deciders.remote.map(({ url }) => url), own.issuer],
      subject: isOpaque ? undefined : (named ?? deciders.ownPlanId),
      act: { ...actOf(call, commitment, 'approval'), bindsAll: isOpaque },
    },
    call,
    keys(await brandDomainOf(call.db, call.principal)),
  )
  return { token, use: useOf(claims), subject: claims.sub, isOpaque }
}

async function ask(matter: Matter, options: GovernanceOptions): Promise<readonly GovernanceApproval[]> {
  const { call, commitment, deciders, presented, planId } = matter
  const asked = [
    ...deciders.remote.map((agent) => ({ agentUrl: agent.url, answer: () => askRemote(agent, matter, options) })),
    ...(deciders.ownPlanId === undefined
      ? []
      : [{ agentUrl: options.agentUrl, answer: () => options.own.check(call, ownRequest(matter, options)) }]),
  ]
  const settled = await Promise.allSettled(asked.map(({ answer }) => answer()))
  const answers = settled.flatMap((result, index) =>
    result.status === 'fulfilled' ? [{ agentUrl: asked[index]?.agentUrl ?? '', answer: result.value }] : [],
  )
  // A refusal is a refusal, whether or not the others can be reached.
  requireAgreement(answers, { delivery: commitment.plannedDelivery, request: commitment.request })
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  const keys = options.keys(await brandDomainOf(call.db, call.principal))
  return Promise.all(
    answers.map(async ({ agentUrl, answer }) => {
      const { governance_context: token } = answer
      const claims =
        token === undefined || agentUrl === options.agentUrl
          ? undefined
          : await verifyToken(
              token,
              {
                audience: options.agentUrl,
                issuers: [agentUrl],
                subject: presented?.isOpaque && presented.use?.iss === agentUrl ? presented.subject : planId,
                act: actOf(call, commitment, answer.status === 'approved' ? 'approval' : 'handle'),
              },
              call,
              keys,
            )
      return { ...approvalOf(agentUrl, answer, call.now), use: claims && useOf(claims) }
    }),
  )
}

function approvalOf(agentUrl: string, answer: CheckGovernanceResponse, now: Date): Omit<GovernanceApproval, 'use'> {
  const { check_id: checkId, expires_at: expiresAt, conditions = [], findings = [], governance_context: token } = answer
  if (expiresAt === undefined || Date.parse(expiresAt) <= now.getTime()) throw unavailable('the approval has lapsed')
  return { agentUrl, checkId, expiresAt, conditions, findings, token, nextCheck: answer.next_check }
}

function askRemote(agent: GovernanceAgent, matter: Matter, options: GovernanceOptions): Promise<CheckGovernanceResponse> {
  const { call } = matter
  const safeFetch = isSimulated(call) ? options.loopbackFetch : options.safeFetch
  const { tenantId, accountId } = call.account ?? {}
  if (!safeFetch || tenantId === undefined || accountId === undefined)
    return Promise.reject(unavailable('no way out to this agent'))
  const credentials = options.box.open(agent.credentials, governanceSealPlace(tenantId, accountId, agent.url))
  const url = openAddress(
    options.box,
    { url: agent.url, query: agent.query },
    governanceQueryPlace(tenantId, accountId, agent.url),
  )
  return askAgent(safeFetch, { url, credentials }, requestFor(agent.url, matter, options), options)
}

/** A committed check: what the seller will deliver (AdCP check-governance-request.json). Each agent gets its own token back, no one else's. */
function requestFor(
  agentUrl: string,
  { commitment, earlier, presented, planId }: Matter,
  options: GovernanceOptions,
): CheckGovernanceRequest {
  const { phase, purchaseType, plannedDelivery, summary, invoiceRecipient } = commitment
  const issuer = agentUrl === options.agentUrl ? options.own.issuer : agentUrl
  const fromBuyer = presented && claimsIn(presented.token)?.iss === issuer ? presented.token : undefined
  const token = fromBuyer ?? earlier.find((approval) => approval.agentUrl === agentUrl && approval.token !== undefined)?.token
  return {
    plan_id: planId,
    caller: options.agentUrl,
    phase,
    purchase_type: purchaseType,
    planned_delivery: plannedDelivery,
    ...(token !== undefined && { governance_context: token }),
    ...(summary !== undefined && { modification_summary: summary.slice(0, 1000) }),
    ...(invoiceRecipient && { invoice_recipient: invoiceRecipient }),
  }
}

/** In this process the arguments are at hand too, so that policies on products can be examined. */
function ownRequest(matter: Matter, options: GovernanceOptions): CheckGovernanceRequest {
  const { tool, request, resourceId } = matter.commitment
  const { governance_context: _token, context: _context, ...payload } = Object.fromEntries(Object.entries(request))
  const planned = requestFor(options.agentUrl, matter, options)
  const bound = matter.commitment.purchaseType === 'media_buy' ? { media_buy_id: resourceId } : {}
  return { ...planned, tool, payload: { ...payload, ...bound, target_seller: options.agentUrl } }
}

function actOf({ principal, received }: GovernedCall, commitment: SpendCommitment, needs: GovernedAct['needs']): GovernedAct {
  const { tool, phase, resourceId, plannedDelivery, request } = commitment
  const { total_budget: amount, currency } = plannedDelivery
  const asked: unknown = received?.arguments
  return {
    tool: received?.tool ?? tool,
    needs,
    phase,
    resourceId,
    commitment: { amount, currency },
    request: typeof asked === 'object' && asked !== null ? asked : request,
    caller: principal.agentUrl,
    bindsAll: false,
  }
}

/** The plan that a token of this server's own is about; whether it is one is verified before anything is decided by it. */
function claimedPlan(token: string | undefined, ownIssuer: string): string | undefined {
  const claims = token === undefined ? undefined : claimsIn(token)
  return claims?.iss === ownIssuer ? claims.sub : undefined
}

function textIn(request: object, name: string): string | undefined {
  const value: unknown = Reflect.get(request, name)
  return typeof value === 'string' ? value : undefined
}
