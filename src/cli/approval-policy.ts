import { Command, Option } from 'commander'
import { readLimit } from '../operator/amount.ts'
import {
  APPROVABLE_TASKS,
  DEFAULT_EXPIRY_HOURS,
  type PolicyChange,
  type ShownPolicy,
  setApprovalPolicy,
  showApprovalPolicy,
} from '../operator/approvals/approval-policy.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface PolicyOptions extends TenantOption {
  readonly task?: string
  readonly when?: NonNullable<PolicyChange['when']>
  readonly above?: string
  readonly products?: string
  readonly expiresHours?: string
  readonly json?: boolean
}

/** `sales-agent approvals policy show|set`: when work of buyers needs approval. */
export function approvalPolicyCommand(): Command {
  const policy = new Command('policy').description('when work of buyers waits for your approval')
  withStoreOptions(policy.command('show').description('show the policy of a publisher'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: PolicyOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const shown = await showApprovalPolicy(operator, tenantId)
        print(options.json, { tenant: tenantId, ...shown }, textOf(shown))
      }),
    )
  withStoreOptions(policy.command('set').description('change the policy of a publisher'))
    .option('--tenant <id>')
    .addOption(new Option('--task <name>', 'the task that it is about').choices(APPROVABLE_TASKS))
    .addOption(
      new Option('--when <when>', 'always; by the rules of this policy and of the products; or never').choices([
        'always',
        'rules',
        'never',
      ]),
    )
    .option('--above <amount>', 'budgets above this wait, in any currency; or none')
    .option('--products <list>', 'these products wait, comma-separated; or none')
    .option('--expires-hours <hours>', `a pending approval expires after so long (default ${DEFAULT_EXPIRY_HOURS})`)
    .option('--json')
    .action((options: PolicyOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const shown = await setApprovalPolicy(operator, tenantId, changeOf(options))
        print(options.json, { tenant: tenantId, ...shown }, textOf(shown))
      }),
    )
  return policy
}

function changeOf({ task, when, above, products, expiresHours }: PolicyOptions): PolicyChange {
  return {
    ...(task !== undefined && { task }),
    ...(when !== undefined && { when }),
    ...(above !== undefined && { aboveMicros: readLimit(above, 'above', 'none') }),
    ...(products !== undefined && { products: productsOf(products) }),
    ...(expiresHours !== undefined && { expiresAfterHours: Number(expiresHours) }),
  }
}

function productsOf(text: string): readonly string[] | null {
  const ids = text.split(',').flatMap((id) => id.trim() || [])
  return text === 'none' || ids.length === 0 ? null : ids
}

function textOf({ tasks, expires_hours: hours }: ShownPolicy): string[] {
  const lines = Object.entries(tasks).map(([task, { when, above, products }]) => {
    const limits = [above == null ? '' : `above ${above}`, products?.length ? `products ${products.join(', ')}` : '']
    return `${task}: ${when} ${limits.filter(Boolean).join('; ')}`.trimEnd()
  })
  return [...lines, `pending approvals expire after ${hours} h`]
}
