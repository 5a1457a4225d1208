import type { Proposal } from '../../domain/product/proposal.ts'
import { proposalNotFound } from '../../domain/product/proposal-not-found.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { Issue } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { findProposal } from '../../store/product/proposals.ts'
import { openProposalIds, proposalNamed } from './open-proposal.ts'

const TOTAL = /^\/total_budget(?:\/(amount|currency))?$/

/** The examples of messages, which know no proposal. */
const EXAMPLE = / such as \{[^}]*\}/
const CURRENCY = / such as "[A-Z]{3}"/

/**
 * What the total of an order of a proposal may be, where it is missing or has no form: an amount that the proposal takes, in its currency. Of a proposal that is not known, that it is not. Undefined without a
 * proposal.
 */
export async function totalCandidate(
  issue: Issue,
  request: object,
  context: AuthenticatedContext,
): Promise<string | Issue | undefined> {
  const { proposal_id: id, total_budget: sent, packages }: Readonly<Record<string, unknown>> = { ...request }
  const [isOfTotal, member] = TOTAL.exec(issue.pointer) ?? []
  const isMissing = issue.pointer === '' && sent === undefined && packages === undefined
  if (typeof id !== 'string' || (isOfTotal === undefined && !isMissing)) return undefined
  const { services, db, tenant, principal } = context
  const snapshot = await services.products.get(db, tenant, principal)
  const stored = await findProposal(db, principal, id)
  const proposal = stored?.proposal ?? (await proposalNamed(id, context, snapshot))
  if (!proposal) {
    const open = await openProposalIds(context, { plans: snapshot.plans, offered: snapshot.byId })
    return issue.keyword === 'type' ? proposalNotFound(id, 'proposal_id', open).message : undefined
  }
  const guidance = proposal.total_budget_guidance
  if (!guidance) return undefined
  if (member === 'currency')
    return { ...issue, message: `${issue.message.replace(CURRENCY, '')}; this proposal is in ${guidance.currency}` }
  const amount = amountFor(guidance, isObject(sent) ? sent.amount : sent)
  if (amount === undefined) return undefined
  if (member === 'amount') return issue.keyword === 'required' ? `this proposal takes ${amount}` : undefined
  const example = JSON.stringify({ amount, currency: guidance.currency }).replaceAll(':', ': ').replace(',', ', ')
  if (isMissing) return `send total_budget ${example} beside proposal_id`
  return { ...issue, message: issue.message.replace(EXAMPLE, ` such as ${example}`) }
}

/** What was sent, where the proposal takes it, else what it is planned for. */
function amountFor(guidance: NonNullable<Proposal['total_budget_guidance']>, sent: unknown): number | undefined {
  const { min = 0, max = Number.POSITIVE_INFINITY, recommended = guidance.min } = guidance
  const amount = Number(typeof sent === 'string' || typeof sent === 'number' ? sent : Number.NaN)
  return amount >= min && amount <= max && amount > 0 ? amount : recommended
}
