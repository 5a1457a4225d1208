import { type ApprovalWhen, DEFAULT_EXPIRY_HOURS, ruleOf, WHENS } from '../../domain/approval/policy.ts'
import type { TenantSettings } from '../../domain/identity/principal.ts'
import { currencyOf } from '../../domain/identity/publisher-settings.ts'
import { microsToAmount } from '../../domain/money.ts'
import { CARRY_OUT } from '../../tasks/approvals/kinds.ts'
import { about, listOf, mapOf, named, number, type Of, object, optional, orNull, string, word } from '../shape.ts'

/** Tasks whose approval is a status of what they made: creatives are `pending_review`, accounts are `pending_approval`. */
export const BY_STATUS = ['sync_creatives', 'sync_accounts']

/** Tasks that an approval policy has rules for. */
export const APPROVABLE_TASKS: readonly string[] = [...Object.keys(CARRY_OUT), ...BY_STATUS]

/** What the rule of a task may say. What this server cannot check in full of a creative always waits for a person: for creatives, `never` would say what is not so. */
export function whensOf(task: string): readonly ApprovalWhen[] {
  return task === 'sync_creatives' ? WHENS.filter((each) => each !== 'never') : WHENS
}

/** When work of buyers needs the approval of a publisher. Money in units of `currency`. */
export const approvalPolicy = named(
  'ApprovalPolicy',
  object({
    tasks: mapOf(
      object({
        when: word(...WHENS),
        above: about('in `currency`', optional(orNull(number))),
        above_in: about('the limits of orders in other currencies', optional(mapOf(number))),
        products: optional(listOf(string)),
      }),
    ),
    currency: about('of `above`: the currency of the publisher', string),
    expires_hours: number,
  }),
)
export type ShownPolicy = Of<typeof approvalPolicy>

/** The policy of a publisher, with the defaults of tasks that it has no rule for. */
export function describePolicy(settings: TenantSettings): ShownPolicy {
  const tasks = APPROVABLE_TASKS.map((task) => {
    const { when, aboveMicros, aboveIn, products } = ruleOf(settings, task)
    const hasMoney = !BY_STATUS.includes(task)
    const always = task === 'sync_creatives' && settings.creativeReview === 'manual'
    return [
      task,
      {
        when: always ? ('always' as const) : whensOf(task).includes(when) ? when : ('rules' as const),
        ...(hasMoney && { above: aboveMicros === undefined ? null : microsToAmount(aboveMicros), products: products ?? [] }),
        ...(aboveIn && { above_in: mapValues(aboveIn, microsToAmount) }),
      },
    ] as const
  })
  return {
    tasks: Object.fromEntries(tasks),
    currency: currencyOf(settings),
    expires_hours: settings.approvals?.expiresAfterHours ?? DEFAULT_EXPIRY_HOURS,
  }
}

function mapValues(
  values: Readonly<Record<string, number>>,
  change: (value: number) => number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

/** What a change of the policy is in the audit log: each rule in words, old and new. */
export function policyChanges(before: ShownPolicy, after: ShownPolicy) {
  const tasks = Object.keys(after.tasks).map((task) => {
    const [old, now] = [before, after].map(({ tasks: rules, currency }) => ruleText(rules[task], currency))
    return [task, [old ?? '', now ?? '']] as const
  })
  return { ...Object.fromEntries(tasks), expires_hours: [before.expires_hours, after.expires_hours] as const }
}

/** The policy on the command line. */
export function policyLines({ tasks, currency, expires_hours: hours }: ShownPolicy): string[] {
  const lines = Object.entries(tasks).map(([task, rule]) => `${task}: ${ruleText(rule, currency)}`)
  return [...lines, `pending approvals expire after ${hours} h`]
}

function ruleText(rule: ShownPolicy['tasks'][string] | undefined, currency: string): string {
  if (!rule) return ''
  const { when, above, above_in: others = {}, products } = rule
  const otherLimits = Object.entries(others).map(([code, amount]) => `, ${amount} ${code}`)
  const limits = [
    above == null ? '' : `above ${above} ${currency}${otherLimits.join('')}; all in other currencies`,
    products?.length ? `products ${products.join(', ')}` : '',
  ]
  return `${when} ${limits.filter(Boolean).join('; ')}`.trimEnd()
}
