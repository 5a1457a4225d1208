import { endsRefusedAt } from '../../domain/ad-serving/refused-order.ts'
import { microsToAmount } from '../../domain/money.ts'
import type { RightsGrant } from '../../domain/rights/grant.ts'
import { listRefusedOrders } from '../../store/ad-serving/ad-server-orders.ts'
import { listEscalated } from '../../store/governance/governance-actions.ts'
import { findPrincipals } from '../../store/identity/principals.ts'
import { listSubmissionsInReview } from '../../store/rights/rights-creatives.ts'
import { findGrant, listGrantsWithChanges } from '../../store/rights/rights-grants.ts'
import type { OperatorContext } from '../operator-context.ts'
import { buyerStatements } from '../reports/buyer-statements.ts'

/** An open decision on rights or on spending. `what` names it with the publisher's own words alone: no text of a buyer, which may hold names of people. */
export interface NamedDecision {
  readonly key: string
  /** Id of what it is about. */
  readonly subject: string
  readonly what: string
  /** Of its page in the console below that of the publisher; absent: the inbox. */
  readonly page?: string
}

/** What was said of a report longer ago was told before. */
const STATEMENT_DAYS = 35
const SUBJECTS = { report: 'report', files: 'billing report', correction: 'correction of the billing report' } as const
/** More than one message lists. */
const MOST_FOUND = 500

/** Names of buyers as the publisher entered them, by id. */
export async function buyerNames(
  { store }: OperatorContext,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await findPrincipals(store.read, tenantId, [...new Set(ids)])
  return new Map(rows.map(({ principal_id: id, name }) => [id, name]))
}

/** Open decisions that are no entries of the approval queue: creatives and changes under granted rights, spending beyond a plan, and reports that buyers contradict. */
export async function otherDecisions(context: OperatorContext, tenantId: string): Promise<readonly NamedDecision[]> {
  const db = context.store.read
  const [submissions, changes, { actions }, refused, statements] = await Promise.all([
    listSubmissionsInReview(db, tenantId, MOST_FOUND),
    listGrantsWithChanges(db, tenantId, MOST_FOUND),
    listEscalated(db, tenantId, { decided: false, limit: MOST_FOUND }),
    listRefusedOrders(db, tenantId, MOST_FOUND),
    buyerStatements(context, tenantId, STATEMENT_DAYS),
  ])
  const grants = await grantsOf(
    context,
    tenantId,
    submissions.map(({ grantId }) => grantId),
  )
  const escalations = actions.flatMap(({ escalation }) => escalation ?? [])
  const contradicted = statements.filter(({ state }) => state === 'open').slice(0, MOST_FOUND)
  const owners = [
    ...[...grants.values(), ...changes, ...escalations, ...refused].map(({ principalId }) => principalId),
    ...contradicted.map(({ owner }) => owner.principalId),
  ]
  const names = await buyerNames(context, tenantId, owners)
  const right = (grant: RightsGrant | undefined) =>
    grant ? `the right "${grant.agreement.offering.name}" of ${names.get(grant.principalId) ?? grant.principalId}` : 'a right'
  return [
    ...submissions.map(({ submissionId: id, grantId }) => {
      return { key: id, subject: id, what: `A creative under ${right(grants.get(grantId))}` }
    }),
    ...changes.map((grant) => {
      return { key: `change:${grant.grantId}`, subject: grant.grantId, what: `A change of ${right(grant)}` }
    }),
    ...escalations.map(({ checkId: id, principalId: buyer, amountMicros, currency }) => {
      const amount = amountMicros === undefined ? '' : ` (${microsToAmount(amountMicros)} ${currency})`
      return { key: id, subject: id, what: `Spending of ${names.get(buyer) ?? buyer} beyond a plan${amount}` }
    }),
    ...contradicted.map(({ about, owner: { principalId: buyer }, period, issue }) => ({
      ...{ key: issue?.issueId ?? '', subject: issue?.issueId ?? '', page: 'reports/statements' },
      what: `The ${SUBJECTS[about]} of ${period.start.slice(0, 10)} that ${names.get(buyer) ?? buyer} ${about === 'report' ? 'contradicts' : 'rejects'}`,
    })),
    ...refused.map((order) => refusedDecision(order, names.get(order.principalId) ?? order.principalId)),
  ]
}

/** An order that an ad server refuses: it is tried again or canceled by a person, or ends by itself. The ad server's words are on its page. */
function refusedDecision(order: Awaited<ReturnType<typeof listRefusedOrders>>[number], buyer: string): NamedDecision {
  const { mediaBuyId, adServer, refusedSince } = order
  const end = endsRefusedAt(order)
  const until =
    end === undefined ? 'it serves as before' : `it is rejected at ${end.slice(0, 16).replace('T', ' ')} UTC unless it is mended`
  return {
    key: `refused:${mediaBuyId}:${adServer}:${refusedSince}`,
    subject: mediaBuyId,
    what: `An order of ${buyer} that the ad server ${adServer} refuses (${until}; try it again or cancel it)`,
    page: `orders/${encodeURIComponent(mediaBuyId)}`,
  }
}

async function grantsOf(
  { store }: OperatorContext,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RightsGrant>> {
  const grants = new Map<string, RightsGrant>()
  for (const id of new Set(ids)) {
    const grant = await findGrant(store.read, tenantId, id)
    if (grant) grants.set(id, grant)
  }
  return grants
}
