import { Command, Option } from 'commander'
import { type ApprovalRule, type ApprovalWhen, DEFAULT_EXPIRY_HOURS, ruleOf } from '../domain/approval/policy.ts'
import type { TenantSettings } from '../domain/identity/principal.ts'
import { microsToAmount, priceToMicros } from '../domain/money.ts'
import { AdcpError } from '../protocol/errors.ts'
import { findTenant, saveTenantSettings } from '../store/identity/principals.ts'
import { CARRY_OUT } from '../tasks/approvals/kinds.ts'
import { asOperator } from './as-operator.ts'
import { print } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface PolicyOptions extends StoreOptions {
  readonly tenant?: string
  readonly task?: string
  readonly when?: ApprovalWhen
  readonly above?: string
  readonly products?: string
  readonly expiresHours?: string
  readonly json?: boolean
}

/** Tasks whose approval is a status of what they made: creatives are `pending_review`, accounts are `pending_approval`. */
const BY_STATUS = ['sync_creatives', 'sync_accounts']
const MOST_HOURS = 24 * 90

/** `sales-agent approvals policy show|set`: when work of buyers waits for a person. */
export function approvalPolicyCommand(): Command {
  const policy = new Command('policy').description('when work of buyers waits for your approval')
  withStoreOptions(policy.command('show').description('show the policy of a publisher'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: PolicyOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const shown = describe((await findTenant(store.read, tenantId))?.settings ?? {})
        print(options.json, { tenant: tenantId, ...shown }, textOf(shown))
      }),
    )
  withStoreOptions(policy.command('set').description('change the policy of a publisher'))
    .option('--tenant <id>')
    .addOption(new Option('--task <name>', 'the task that it is about').choices([...Object.keys(CARRY_OUT), ...BY_STATUS]))
    .addOption(
      new Option('--when <when>', 'always; by the rules of this policy and the catalogue; or never').choices([
        'always',
        'rules',
        'never',
      ]),
    )
    .option('--above <amount>', 'budgets above this wait, in any currency; or none')
    .option('--products <list>', 'these products wait, comma-separated; or none')
    .option('--expires-hours <hours>', `what nobody decided on ends after so long (default ${DEFAULT_EXPIRY_HOURS})`)
    .option('--json')
    .action((options: PolicyOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const shown = await asOperator(store, { task: 'approvals.policy', tenant: tenantId }).transaction(async (tx) => {
          const changed = changedSettings((await findTenant(tx, tenantId))?.settings ?? {}, options)
          await saveTenantSettings(tx, tenantId, changed)
          return describe(changed)
        })
        print(options.json, { tenant: tenantId, ...shown }, textOf(shown))
      }),
    )
  return policy
}

function changedSettings(settings: TenantSettings, options: PolicyOptions): TenantSettings {
  const { task, when, above, products, expiresHours } = options
  const expiry = expiresHours === undefined ? {} : { expiresAfterHours: hoursOf(expiresHours) }
  const approvals = { ...settings.approvals, ...expiry }
  if (task === undefined) {
    if (when ?? above ?? products)
      throw new AdcpError('INVALID_REQUEST', '--when, --above and --products need --task', { field: 'task' })
    return { ...settings, approvals }
  }
  if (BY_STATUS.includes(task) && (above ?? products) !== undefined)
    throw new AdcpError('INVALID_REQUEST', `${task} has neither budgets nor products`, { field: 'task' })
  const rule = changedRule(approvals.tasks?.[task] ?? { when: 'rules' }, options)
  const next = { ...settings, approvals: { ...approvals, tasks: { ...approvals.tasks, [task]: rule } } }
  // The review of creatives has a switch of its own: it is the same one.
  return task === 'sync_creatives' ? { ...next, creativeReview: rule.when === 'always' ? 'manual' : 'automatic' } : next
}

function changedRule({ aboveMicros, products, ...rule }: ApprovalRule, options: PolicyOptions): ApprovalRule {
  const limit = options.above === undefined ? aboveMicros : limitOf(options.above)
  const list = options.products === undefined ? products : productsOf(options.products)
  return {
    ...rule,
    ...(options.when && { when: options.when }),
    ...(limit !== undefined && { aboveMicros: limit }),
    ...(list && { products: list }),
  }
}

function limitOf(text: string): number | undefined {
  if (text === 'none') return undefined
  const amount = text.trim() === '' ? Number.NaN : Number(text)
  if (!(amount >= 0)) throw new AdcpError('INVALID_REQUEST', `"${text}" is neither an amount nor "none"`, { field: 'above' })
  return priceToMicros(amount, 'above')
}

function productsOf(text: string): readonly string[] | undefined {
  const ids = text.split(',').flatMap((id) => id.trim() || [])
  return text === 'none' || ids.length === 0 ? undefined : ids
}

function hoursOf(text: string): number {
  const hours = Number(text)
  if (!Number.isFinite(hours) || hours <= 0 || hours > MOST_HOURS)
    throw new AdcpError('INVALID_REQUEST', `--expires-hours must be more than 0 and at most ${MOST_HOURS}`, {
      field: 'expires-hours',
    })
  return hours
}

function describe(settings: TenantSettings) {
  const tasks = [...Object.keys(CARRY_OUT), ...BY_STATUS].map((task) => {
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

function textOf({ tasks, expires_hours: hours }: ReturnType<typeof describe>): string[] {
  const lines = Object.entries(tasks).map(([task, { when, above, products }]) => {
    const limits = [above == null ? '' : `above ${above}`, products?.length ? `products ${products.join(', ')}` : '']
    return `${task}: ${when} ${limits.filter(Boolean).join('; ')}`.trimEnd()
  })
  return [...lines, `what nobody decided on ends after ${hours} h`]
}
