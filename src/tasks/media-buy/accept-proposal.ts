import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { packageNotes, partsNote, withNotes } from '../../domain/media-buy/order-notes.ts'
import { partsNotCarried } from '../../domain/product/missed-cap.ts'
import { proposalNotFound } from '../../domain/product/proposal-not-found.ts'
import type { Snapshot } from '../../domain/proposal/negotiated.ts'
import { type Acceptance, endedError, requireAcceptable } from '../../domain/proposal/require-open.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { renamedError } from '../../protocol/renamed-error.ts'
import { findProposal, newestProposalIds } from '../../store/product/proposals.ts'
import { answerPlaced } from './answer-placed.ts'
import { orderIsolation, type PreparedOrder } from './order-isolation.ts'
import { commitOrder, type Placing, prepareOrder, undoOrder } from './place-order.ts'
import type { PlacedOrder } from './placed-order.ts'
import { summarizeCommitted } from './summaries.ts'

/** Members of an acceptance that the order has under the same name. */
type OrderMembers = Pick<
  PlacedOrder,
  'idempotency_key' | 'account' | 'push_notification_config' | 'reporting_webhook' | 'context' | 'ext'
>

/** What a buyer accepts (AdCP 3.2 media-buy/accept-proposal-request.json). */
interface Request extends OrderMembers, Acceptance {
  readonly proposal_id: string
  readonly name?: string
  readonly purchase_order_ref?: string
  readonly governance_context?: string
}

/** The order of an acceptance as `prepare` found it, what that found out, and sentences on what asks of the proposal wanted and it lacks. */
type Prepared = PreparedOrder & { readonly order: PlacedOrder; readonly unmet: readonly string[] }

export const acceptProposal = defineTask<Request>()({
  name: 'accept_proposal',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  account: 'required',
  summary:
    'Buy a committed proposal on exactly its terms: proposal_id, and the terms_digest that you agreed to as proposal_terms_digest.',
  summarize: summarizeCommitted,
  spends: true,
  async prepare(request, context): Promise<Prepared> {
    const { proposal, negotiated } = await acceptableOf(request, context)
    const { proposal_id: proposalId, name } = proposal
    const { parentId, terms, digest } = negotiated
    const order = orderOf(request, { proposal, negotiated })
    const complete = (buy: MediaBuy): MediaBuy => ({
      ...buy,
      proposalId,
      accepted: { proposalId, ...(parentId !== undefined && { parentId }), name, acceptedAt: buy.createdAt, terms, digest },
    })
    const placing: Placing = { task: 'accept_proposal', agreed: negotiated, complete }
    try {
      return { ...(await prepareOrder(order, context, placing)), order, unmet: partsNote(partsNotCarried(proposal)) }
    } catch (error) {
      // What is wrong with an order of these terms is wrong with the proposal.
      throw error instanceof AdcpError ? renamedError(error, { packages: 'proposal_id' }) : error
    }
  },
  undo: (_request, context, prepared) => undoOrder(context, prepared),
  isolation: (_request, prepared: Prepared) => orderIsolation(prepared.order, prepared),
  async handle(request, context, { order, unmet, ...prepared }) {
    const { submitted, notes: said } = await commitOrder(order, context, prepared, { task: 'accept_proposal' })
    if (submitted) return withNotes<typeof submitted & { ext?: object }>(submitted, said)
    const { buy, products } = prepared
    const notes = packageNotes(order.packages, buy.packages, products, 'accepted_proposal.commercial_terms.purchases', 'bidding')
    return answerPlaced(context, prepared, request.idempotency_key, { notes: [...notes, ...unmet, ...said] })
  },
})

/** The proposal that a request accepts. Throws what keeps it from that. */
async function acceptableOf(request: Request, { db, principal, account, now }: AuthenticatedContext): Promise<Snapshot> {
  const field = 'proposal_id'
  const stored = await findProposal(db, principal, request.proposal_id)
  if (stored?.ending) throw endedError(field, stored.ending)
  if (!stored) {
    throw proposalNotFound(request.proposal_id, field, await newestProposalIds(db, principal, now), {
      suggestion: 'request_proposals makes proposals; finalize one with refine_proposals and accept what comes out',
    })
  }
  const { proposal, negotiated } = stored
  if (!negotiated || proposal.expires_at === undefined) {
    throw new AdcpError('PROPOSAL_NOT_COMMITTED', `${field}: a proposal of get_products has no terms to accept`, {
      field,
      suggestion: 'buy it with create_media_buy (proposal_id and total_budget), or revise it with refine_proposals first',
    })
  }
  const snapshot = { proposal: { ...proposal, expires_at: proposal.expires_at }, negotiated }
  requireAcceptable(snapshot, request, now)
  const brand = account?.document.brand?.domain
  const agreed = negotiated.terms.brand.domain
  if (brand === undefined || brand === agreed) return snapshot
  throw new AdcpError('INVALID_REQUEST', `account is for ${brand}, the terms of the proposal are for ${agreed}`, {
    field: 'account',
  })
}

/** The order that an acceptance comes to. */
function orderOf(request: Request, { proposal, negotiated }: Snapshot): PlacedOrder {
  const { idempotency_key, account, io_acceptance, push_notification_config, reporting_webhook, context, ext } = request
  const { name = proposal.name, purchase_order_ref: po, governance_context: governance, daily_budget_cap: cap } = request
  const labels = {
    ...(MEDIA_BUY_NAME.test(name) && { name }),
    ...(governance !== undefined && { governance_context: governance }),
  }
  return {
    ...negotiated.order,
    packages: [...negotiated.order.packages],
    idempotency_key,
    account,
    ...labels,
    ...(po !== undefined && { po_number: po }),
    ...(cap !== undefined && { daily_budget_cap: cap }),
    ...(io_acceptance && { io_acceptance }),
    ...(push_notification_config && { push_notification_config }),
    ...(reporting_webhook && { reporting_webhook }),
    ...(context && { context }),
    ...(ext && { ext }),
  }
}

/** A name that a media buy may have (AdCP 3.2 create_media_buy, `name`); that of a proposal may be longer. */
const MEDIA_BUY_NAME = /^(?=[\s\S]*\S)[\s\S]{1,255}$/
