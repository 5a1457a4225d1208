import { type ApprovalRule, type ApprovalWhen, DEFAULT_EXPIRY_HOURS, WHENS } from '../../domain/approval/policy.ts'
import type { TenantSettings } from '../../domain/identity/principal.ts'
import { isCurrency, priceToMicros } from '../../domain/money.ts'
import { readNumber, twoReadings } from '../../platform/decode/read-number.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import type { Db } from '../../store/database.ts'
import { findTenant, saveTenantSettings } from '../../store/identity/tenants.ts'
import { listProductIds } from '../../store/product/product-list.ts'
import { defineAct } from '../act.ts'
import { amountOr } from '../amount.ts'
import { between, count, ids, oneOf, type Values } from '../fields.ts'
import { missingProduct } from '../missing-product.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { about, boolean, integer, listOf, named, number, object, string } from '../shape.ts'
import {
  APPROVABLE_TASKS,
  approvalPolicy,
  BY_STATUS,
  describePolicy,
  policyChanges,
  policyLines,
  whensOf,
} from './shown-policy.ts'
import { ordersHeldBy } from './try-approval-policy.ts'

// Several acts in one file: they list, change and remove the same thing.

/** The longest that a decision may take, in hours: 90 days. */
const MOST_HOURS = 24 * 90

/** A change of the policy; members that are absent stay unchanged. */
interface PolicyChange {
  /** The task that `when`, `aboveMicros` and `products` are about. */
  readonly task?: string
  readonly when?: ApprovalWhen
  /** Budgets above this many micros of the publisher's currency need approval; null: no such limit. */
  readonly aboveMicros?: number | null
  /** The same for other currencies; null: none. */
  readonly aboveIn?: Readonly<Record<string, number>> | null
  /** Ids of products that need approval; null: none. */
  readonly products?: readonly string[] | null
  readonly expiresAfterHours?: number
}

const POLICY = {
  task: oneOf(APPROVABLE_TASKS, 'the task that when, above and products are about'),
  when: oneOf(WHENS, 'always; by the rules of this policy and of the products; or never'),
  above: amountOr('none', 'budgets above this need approval, in the currency of the publisher; or none'),
  above_in: ids(
    'the same limit for orders in other currencies, such as SEK=115000; orders in a currency without a limit need approval; an empty list, or none alone: no others',
  ),
  products: ids('ids of products that need approval; an empty list, or none alone: no such rule'),
  expires_hours: between(1, MOST_HOURS, count(`a pending approval expires after so many hours; default ${DEFAULT_EXPIRY_HOURS}`)),
}

/** When work of buyers needs the approval of a publisher. */
export const showApprovalPolicy = defineAct({
  name: 'approvals.show-policy',
  route: 'GET /approvals/policy',
  id: 'showApprovalPolicy',
  roles: READERS,
  summary: 'The policy that says which calls of buyers need approval.',
  fields: {},
  answer: approvalPolicy,
  command: { words: 'approvals policy show', text: policyLines },
  run: async ({ store, tenantId }) => describePolicy((await findTenant(store.read, tenantId))?.settings ?? {}),
})

/** Changes the approval policy of a publisher. Throws INVALID_REQUEST for a rule without a task, or that does not fit its task. */
export const setApprovalPolicy = defineAct({
  name: 'approvals.policy',
  route: 'PATCH /approvals/policy',
  id: 'setApprovalPolicy',
  roles: ADMINISTRATORS,
  summary: 'Changes the policy that says which calls of buyers need approval.',
  fields: POLICY,
  answer: approvalPolicy,
  command: { words: 'approvals policy set', text: policyLines },
  run: ({ store, tenantId, noteAllChanges }, values) =>
    store.transaction(async (tx) => {
      const before = (await findTenant(tx, tenantId))?.settings ?? {}
      const changed = changedSettings(before, changeOf(values))
      await requireProducts(tx, tenantId, values)
      await saveTenantSettings(tx, tenantId, changed)
      const shown = describePolicy(changed)
      noteAllChanges(policyChanges(describePolicy(before), shown))
      return shown
    }),
})

const policyTrial = object({
  examined: about('orders of the last 30 days that were examined', integer),
  held: listOf(
    named('HeldOrder', object({ media_buy_id: string, buyer: string, budget: number, currency: string, reason: string })),
  ),
  is_complete: about('all orders of these days were examined, not only the newest of them', boolean),
})

/**
 * Which orders of the last 30 days a changed rule for `create_media_buy` would have held for approval; changes nothing. Throws INVALID_REQUEST for a rule that
 * does not fit.
 */
export const tryApprovalPolicy = defineAct({
  name: 'approvals.try-policy',
  route: 'POST /approvals/policy/try',
  id: 'tryApprovalPolicy',
  roles: READERS,
  summary: 'Which orders of the last 30 days a changed policy would have held; changes nothing.',
  changes: false,
  fields: POLICY,
  answer: policyTrial,
  command: { words: 'approvals policy try' },
  async run(context, values) {
    const settings = (await findTenant(context.store.read, context.tenantId))?.settings ?? {}
    await requireProducts(context.store.read, context.tenantId, values)
    return ordersHeldBy(context, context.tenantId, changedSettings(settings, changeOf(values)))
  },
})

function changeOf({ task, when, above, above_in: others, products, expires_hours: hours }: Values<typeof POLICY>): PolicyChange {
  return {
    ...(task !== undefined && { task }),
    ...(when !== undefined && { when }),
    ...(above !== undefined && { aboveMicros: above === 'none' ? null : priceToMicros(above, 'above') }),
    ...(others && { aboveIn: isNone(others) ? null : limitsOf(others) }),
    ...(products && { products: isNone(products) ? null : products }),
    ...(hours !== undefined && { expiresAfterHours: hours }),
  }
}

/** Throws REFERENCE_NOT_FOUND for a product that the publisher does not have: a rule for it would hold nothing. */
async function requireProducts(db: Db, tenantId: string, { products = [] }: Values<typeof POLICY>): Promise<void> {
  if (products.length === 0 || isNone(products)) return
  const known = new Set(await listProductIds(db, tenantId))
  const unknown = products.find((id) => !known.has(id))
  if (unknown !== undefined) throw await missingProduct(db, tenantId, unknown, 'products')
}

function isNone(list: readonly string[]): boolean {
  return list.length === 0 || (list.length === 1 && list[0] === 'none')
}

/** Limits as they are written: `SEK=115000`. Throws INVALID_REQUEST for anything else, and for a currency that is named twice. */
function limitsOf(pairs: readonly string[]): Readonly<Record<string, number>> {
  const limits: Record<string, number> = {}
  for (const pair of pairs) {
    const [, currency = '', text = ''] = /^([A-Z]{3})=(.{1,30})$/.exec(pair) ?? []
    const amount = readNumber(text, { whole: false })
    if (amount === 'ambiguous') throw refusedLimit(twoReadings(text))
    if (!isCurrency(currency) || amount === undefined)
      throw refusedLimit(`must be currencies with amounts, such as SEK=115000, not ${quoted(pair)}`)
    if (Object.hasOwn(limits, currency)) throw refusedLimit(`names ${currency} twice`)
    limits[currency] = priceToMicros(amount, 'above_in')
  }
  return limits
}

function refusedLimit(why: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `above_in ${why}`, { field: 'above_in' })
}

/** Settings with a changed policy. Throws INVALID_REQUEST as {@link setApprovalPolicy} does. */
function changedSettings(settings: TenantSettings, change: PolicyChange): TenantSettings {
  const { task, when, aboveMicros, aboveIn, products, expiresAfterHours } = change
  const approvals = { ...settings.approvals, ...(expiresAfterHours !== undefined && { expiresAfterHours }) }
  const hasMoney = aboveMicros !== undefined || aboveIn !== undefined || products !== undefined
  const hasRule = when !== undefined || hasMoney
  if (task === undefined) {
    if (hasRule)
      throw new AdcpError('INVALID_REQUEST', 'when, above, above_in and products need the task that they are about', {
        field: 'task',
      })
    return { ...settings, approvals }
  }
  if (BY_STATUS.includes(task) && hasMoney)
    throw new AdcpError('INVALID_REQUEST', `${task} has neither budgets nor products`, { field: 'task' })
  if (when !== undefined && !whensOf(task).includes(when)) {
    const message = `when of ${task} must be one of ${whensOf(task).join(', ')}: a creative that cannot be checked in full always waits for a person`
    throw new AdcpError('INVALID_REQUEST', message, { field: 'when' })
  }
  const rule = changedRule(approvals.tasks?.[task] ?? { when: 'rules' }, change)
  const next = { ...settings, approvals: { ...approvals, tasks: { ...approvals.tasks, [task]: rule } } }
  // The review of creatives has a setting of its own, which is the same one.
  return task === 'sync_creatives' ? { ...next, creativeReview: rule.when === 'always' ? 'manual' : 'automatic' } : next
}

function changedRule({ aboveMicros, aboveIn, products, ...rule }: ApprovalRule, change: PolicyChange): ApprovalRule {
  const limit = change.aboveMicros === undefined ? aboveMicros : (change.aboveMicros ?? undefined)
  const others = change.aboveIn === undefined ? aboveIn : (change.aboveIn ?? undefined)
  const list = change.products === undefined ? products : (change.products ?? undefined)
  return {
    ...rule,
    ...(change.when && { when: change.when }),
    ...(limit !== undefined && { aboveMicros: limit }),
    ...(others && { aboveIn: others }),
    ...(list && { products: list }),
  }
}
