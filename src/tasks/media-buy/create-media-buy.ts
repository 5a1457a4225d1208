import { randomUUID } from 'node:crypto'
import type { CreateMediaBuyRequest, CreateMediaBuyResponse } from '@adcp/sdk/types'
import { approvalReason, planMediaBuy } from '../../domain/media-buy/create.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { presentCreated } from '../../domain/media-buy/present.ts'
import { assignmentOf } from '../../domain/media-buy/update.ts'
import type { Product } from '../../domain/product/product.ts'
import { AdcpError } from '../../errors.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { findApprovalHold, useApprovalHold } from '../../store/approval-holds.ts'
import { insertMediaBuy } from '../../store/media-buys.ts'
import { findProposal } from '../../store/proposals.ts'
import { insertTask } from '../../store/tasks.ts'
import { creativeFactsOf, replaceAssignments } from './creative-facts.ts'
import { lineOrders, poolOf, requireAvailability, reserve, withBooking } from './orders.ts'
import { withoutWebhookCredentials } from './stored-request.ts'

/** What `prepare` found out: an order that is booked at the ad server, or one that a person has to approve first. */
type Prepared =
  | { readonly kind: 'booked'; readonly buy: MediaBuy; readonly products: ReadonlyMap<string, Product> }
  | { readonly kind: 'held'; readonly taskId: string; readonly message: string; readonly hold: boolean }

export const createMediaBuy = defineTask<CreateMediaBuyRequest, CreateMediaBuyResponse>()({
  name: 'create_media_buy',
  access: 'authenticated',
  scope: 'media_buys',
  account: 'required',
  summary: 'Buy: packages of products with budgets, or a proposal. Confirmed at once, or submitted where the seller approves.',
  async prepare(request, context): Promise<Prepared> {
    const { buy, products } = await plan(request, context)
    const hold = await findApprovalHold(context.db, context.principal)
    const message = hold?.message ?? approvalReason(buy, products, context.tenant.settings.approvalAboveMicros)
    if (hold || message !== undefined) {
      return {
        kind: 'held',
        taskId: hold?.taskId ?? `task_${randomUUID()}`,
        message: message ?? 'Awaiting approval by the seller',
        hold: hold !== undefined,
      }
    }
    await requireAvailability(context, buy.packages, products)
    const booking = await context.services.adServer.book(context.anchor, buy.mediaBuyId, lineOrders(buy.packages))
    return { kind: 'booked', buy: withBooking(buy, booking), products }
  },
  async undo(_request, { services, anchor }, prepared) {
    if (prepared.kind === 'booked') await services.adServer.cancel(anchor, prepared.buy.orderId)
  },
  async handle(request, context, prepared): Promise<CreateMediaBuyResponse> {
    if (prepared.kind === 'held') return submit(request, context, prepared)
    const { tx, principal, account, now } = context
    const { buy, products } = prepared
    await reserve(tx, poolOf(context), [], buy.packages, products)
    await insertMediaBuy(tx, principal, buy)
    for (const [index, pkg] of (request.packages ?? []).entries()) {
      const packageId = buy.packages[index]?.packageId
      if (packageId !== undefined && pkg.creative_assignments) {
        await replaceAssignments(tx, principal, packageId, pkg.creative_assignments.map(assignmentOf), now)
      }
    }
    return presentCreated(buy, {
      creatives: await creativeFactsOf(tx, principal, [buy]),
      now,
      account: account?.document,
      idempotencyKey: request.idempotency_key,
    })
  },
})

async function plan(
  request: CreateMediaBuyRequest,
  context: AuthenticatedContext,
): Promise<{ buy: MediaBuy; products: ReadonlyMap<string, Product> }> {
  const { db, tenant, principal, account, services, now } = context
  if (!account) throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
  const { byId: products } = await services.catalogue.get(db, tenant, principal)
  const stored = request.proposal_id === undefined ? undefined : await findProposal(db, principal, request.proposal_id)
  const buy = planMediaBuy(request, {
    mediaBuyId: `mb_${randomUUID()}`,
    accountId: account.accountId,
    principalId: principal.principalId,
    actor: principal.agentUrl ?? principal.name,
    products,
    proposal: stored?.proposal,
    now,
  })
  return { buy, products }
}

/** The order waits for a person: its media buy id is issued when the task completes. */
async function submit(
  request: CreateMediaBuyRequest,
  { tx, principal, account, now }: InTransaction<AuthenticatedContext>,
  { taskId, message, hold }: Extract<Prepared, { kind: 'held' }>,
): Promise<CreateMediaBuyResponse> {
  if (hold && !(await useApprovalHold(tx, principal, taskId)))
    throw new AdcpError('CONFLICT', 'another order took the approval; try again')
  await insertTask(
    tx,
    principal,
    {
      taskId,
      accountId: account?.accountId ?? '',
      taskType: 'create_media_buy',
      protocol: 'media-buy',
      status: 'submitted',
      message,
      request: withoutWebhookCredentials(request),
      hasWebhook: request.push_notification_config !== undefined,
    },
    now,
  )
  return { status: 'submitted', task_id: taskId, message }
}
