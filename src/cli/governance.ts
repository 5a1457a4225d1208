import { Command } from 'commander'
import { type Condition, decideEscalation, revokeApproval } from '../operator/governance/decide-escalation.ts'
import { readCondition } from '../operator/governance/read-condition.ts'
import { listEscalations, showEscalation, verifyPlanLog } from '../operator/governance/show-escalations.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly all?: boolean
  readonly by?: string
  readonly reason?: string
  readonly condition?: readonly string[]
  readonly json?: boolean
}

/** `sales-agent governance list|show|approve|reject|conditions|revoke|verify`: actions under campaign plans that wait for a person. */
export function governanceCommand(): Command {
  const governance = new Command('governance')
  subcommand(governance, 'list', 'show actions that wait for a decision')
    .option('--all', 'also what was decided')
    .action((options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const shown = await listEscalations(operator, { tenantId, decided: options.all === true })
        const rows = shown.map((each) => [each.check_id, each.plan_id, each.caller, each.amount ?? '', each.state, each.reason])
        printList(options.json, shown, table(['CHECK', 'PLAN', 'AGENT', 'AMOUNT', 'STATE', 'WHY'], rows))
      }),
    )
  subcommand(governance, 'show <check>', 'show one of them with its findings and the log of its plan').action(
    (check: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const shown = await showEscalation(operator, tenantId, check)
        print(options.json, shown, [
          `${shown.check_id}  ${shown.plan_id}  ${shown.caller}  ${shown.amount ?? ''}  ${shown.state}`,
          ...shown.findings.map((finding) => `  ${finding.severity}  ${finding.explanation}`),
          ...table(
            ['SEQ', 'EVENT', 'AT', 'WHO', 'WHY'],
            shown.log.map((each) => [String(each.seq), each.event, each.at, each.actor, each.reason ?? '']),
          ),
        ])
      }),
  )
  deciding(governance, 'approve <check>', 'let the agent go ahead with exactly this').action((check: string, options: Options) =>
    decided(check, options, 'approved', []),
  )
  deciding(governance, 'reject <check>', 'say no; the agent reads the reason').action((check: string, options: Options) =>
    decided(check, options, 'rejected', []),
  )
  deciding(governance, 'conditions <check>', 'say yes on conditions')
    .requiredOption('--condition <field[=value]: reason>', 'a field, the value it must have, and why; again for more', collect)
    .action((check: string, options: Options) =>
      decided(check, options, 'approved', (options.condition ?? []).map(readCondition)),
    )
  subcommand(governance, 'verify <check>', 'recompute the hash chain of the plan that a check belongs to').action(
    (check: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const result = await verifyPlanLog(operator, tenantId, check)
        if (!result.intact) process.exitCode = 1
        print(options.json, result, [
          result.intact ? `${result.entries} entries, the chain holds` : `the chain is broken at entry ${result.broken_at}`,
        ])
      }),
  )
  deciding(
    governance,
    'revoke <check>',
    'take back the token of an approved check; sellers learn it within a quarter of an hour',
  ).action((check: string, options: Options) =>
    operateFor(options, async (operator, tenantId) => {
      const { by = '', reason = '' } = options
      const jti = await revokeApproval(operator, { tenantId, checkId: check, by, reason })
      print(options.json, { check_id: check, jti, revoked: true }, [`the token of ${check} is taken back`])
    }),
  )
  return governance
}

function subcommand(parent: Command, usage: string, description: string): Command {
  return withStoreOptions(parent.command(usage).description(description)).option('--tenant <id>').option('--json')
}

function deciding(parent: Command, usage: string, description: string): Command {
  return subcommand(parent, usage, description)
    .requiredOption('--by <who>', 'who decides; goes into the log')
    .option('--reason <text>', 'why; goes into the log', '')
}

function decided(
  check: string,
  options: Options,
  resolution: 'approved' | 'rejected',
  conditions: readonly Condition[],
): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { by = '', reason = '' } = options
    const shown = await decideEscalation(operator, { tenantId, checkId: check, resolution, conditions, by, reason })
    print(options.json, shown, [`${check} is ${shown.state} by ${by}`])
  })
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
