import { type ApprovalRule, type ApprovalWhen, DEFAULT_EXPIRY_HOURS, ruleOf } from '../../domain/approval/policy.ts'
import type { TenantSettings } from '../../domain/identity/principal.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findTenant, saveTenantSettings } from '../../store/identity/tenants.ts'
import { CARRY_OUT } from '../../tasks/approvals/kinds.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Tasks whose approval is a status of what they made: creatives are `pending_review`, accounts are `pending_approval`. */
const BY_STATUS = ['sync_creatives', 'sync_accounts']

/** Tasks that an approval policy has rules for. */
export const APPROVABLE_TASKS: readonly string[] = [...Object.keys(CARRY_OUT), ...BY_STATUS]

export { DEFAULT_EXPIRY_HOURS }

/** The longest that a decision may take, in hours: 90 days. */
const MOST_HOURS = 24 * 90

/** A change of the policy; what is absent stays as it is. */
export interface PolicyChange {
  /** The task that `when`, `aboveMicros` and `products` are about. */
  readonly task?: string
  readonly when?: ApprovalWhen
  /** Budgets above this many micros, in any currency, need approval; null: no such limit. */
  readonly aboveMicros?: number | null
  /** Ids of products that need approval; null: none. */
  readonly products?: readonly string[] | null
  readonly expiresAfterHours?: number
}

/** The policy of a publisher as it is printed. */
export type ShownPolicy = ReturnType<typeof describePolicy>

/** When work of buyers needs the approval of a publisher. */
export async function showApprovalPolicy({ store }: OperatorContext, tenantId: string): Promise<ShownPolicy> {
  return describePolicy((await findTenant(store.read, tenantId))?.settings ?? {})
}

/** Changes the approval policy of a publisher. Throws INVALID_REQUEST for a rule without a task, or that does not fit its task. */
export async function setApprovalPolicy(context: OperatorContext, tenantId: string, change: PolicyChange): Promise<ShownPolicy> {
  return auditedStore(context, { task: 'approvals.policy', tenant: tenantId }).transaction(async (tx) => {
    const changed = changedSettings((await findTenant(tx, tenantId))?.settings ?? {}, change)
    await saveTenantSettings(tx, tenantId, changed)
    return describePolicy(changed)
  })
}

/** Settings with a changed policy. Throws INVALID_REQUEST as {@link setApprovalPolicy} does. */
export function changedSettings(settings: TenantSettings, change: PolicyChange): TenantSettings {
  const { task, when, aboveMicros, products, expiresAfterHours } = change
  if (expiresAfterHours !== undefined) requireHours(expiresAfterHours)
  const approvals = { ...settings.approvals, ...(expiresAfterHours !== undefined && { expiresAfterHours }) }
  const hasRule = when !== undefined || aboveMicros !== undefined || products !== undefined
  if (task === undefined) {
    if (hasRule) throw new AdcpError('INVALID_REQUEST', '--when, --above and --products need --task', { field: 'task' })
    return { ...settings, approvals }
  }
  if (BY_STATUS.includes(task) && (aboveMicros !== undefined || products !== undefined))
    throw new AdcpError('INVALID_REQUEST', `${task} has neither budgets nor products`, { field: 'task' })
  const rule = changedRule(approvals.tasks?.[task] ?? { when: 'rules' }, change)
  const next = { ...settings, approvals: { ...approvals, tasks: { ...approvals.tasks, [task]: rule } } }
  // The review of creatives has a setting of its own, which is the same one.
  return task === 'sync_creatives' ? { ...next, creativeReview: rule.when === 'always' ? 'manual' : 'automatic' } : next
}

function requireHours(hours: number): void {
  if (hours > 0 && hours <= MOST_HOURS) return
  throw new AdcpError('INVALID_REQUEST', `--expires-hours must be more than 0 and at most ${MOST_HOURS}`, {
    field: 'expires-hours',
  })
}

function changedRule({ aboveMicros, products, ...rule }: ApprovalRule, change: PolicyChange): ApprovalRule {
  const limit = change.aboveMicros === undefined ? aboveMicros : (change.aboveMicros ?? undefined)
  const list = change.products === undefined ? products : (change.products ?? undefined)
  return {
    ...rule,
    ...(change.when && { when: change.when }),
    ...(limit !== undefined && { aboveMicros: limit }),
    ...(list && { products: list }),
  }
}

function describePolicy(settings: TenantSettings) {
  const tasks = APPROVABLE_TASKS.map((task) => {
    const { when, aboveMicros, products } = ruleOf(settings, task)
    const hasMoney = !BY_STATUS.includes(task)
    const always = task === 'sync_creatives' && settings.creativeReview === 'manual'
    return [
      task,
      {
        when: always ? ('always' as const) : when,
        ...(hasMoney && { above: aboveMicros === undefined ? null : microsToAmount(aboveMicros), products: products ?? [] }),
      },
    ] as const
  })
  return { tasks: Object.fromEntries(tasks), expires_hours: settings.approvals?.expiresAfterHours ?? DEFAULT_EXPIRY_HOURS }
}
