import { Command } from 'commander'
import { brokenAt } from '../domain/governance/audit-chain.ts'
import type { Escalation } from '../domain/governance/escalation.ts'
import type { Condition } from '../domain/governance/remark.ts'
import { microsToAmount } from '../domain/money.ts'
import { AdcpError } from '../protocol/errors.ts'
import { findEscalated, listEscalated } from '../store/governance/governance-actions.ts'
import { findEntry, readLog } from '../store/governance/governance-log.ts'
import { decideEscalation } from '../tasks/governance/decide-escalation.ts'
import { presentCondition, presentFinding } from '../tasks/governance/present-finding.ts'
import { revokeToken } from '../tasks/governance/revoke-token.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly all?: boolean
  readonly by?: string
  readonly reason?: string
  readonly condition?: readonly string[]
  readonly json?: boolean
}

/** `sales-agent governance list|show|approve|reject|conditions|revoke|verify`: actions under campaign plans that wait for a person. */
export function governanceCommand(): Command {
  const governance = new Command('governance').description('actions under campaign plans that wait for a person')
  subcommand(governance, 'list', 'show what waits for a decision')
    .option('--all', 'also what was decided')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const waiting = (await listEscalated(store.read, tenantId, options.all === true)).flatMap(
          ({ escalation }) => escalation ?? [],
        )
        const shown = waiting.map(present)
        const rows = shown.map((each) => [each.check_id, each.plan_id, each.caller, each.amount ?? '', each.state, each.reason])
        print(options.json, shown, table(['CHECK', 'PLAN', 'AGENT', 'AMOUNT', 'STATE', 'WHY'], rows))
      }),
    )
  subcommand(governance, 'show <check>', 'show one of them with its findings and the log of its plan').action(
    (check: string, options: Options) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const action = await findEscalated(store.read, tenantId, check)
        const entry = await findEntry(store.read, tenantId, check)
        if (!action?.escalation || !entry)
          throw new AdcpError('REFERENCE_NOT_FOUND', `no check ${check} is pending a decision by a person`, { field: 'check' })
        const log = (await readLog(store.read, entry, entry.planId)).filter(({ actionId }) => actionId === action.actionId)
        const shown = {
          ...present(action.escalation),
          findings: (entry.document.remarks ?? []).map((remark) => presentFinding(remark)),
          log: log.map(({ seq, kind, document: { at, actor, reason } }) => ({ seq, event: kind, at, actor, reason })),
        }
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
  deciding(governance, 'reject <check>', 'say no; the agent is told why').action((check: string, options: Options) =>
    decided(check, options, 'rejected', []),
  )
  deciding(governance, 'conditions <check>', 'say yes on conditions')
    .requiredOption('--condition <field[=value]: reason>', 'a field, the value it must have, and why; again for more', collect)
    .action((check: string, options: Options) =>
      decided(check, options, 'approved', (options.condition ?? []).map(readCondition)),
    )
  subcommand(governance, 'verify <check>', 'recompute the hash chain of the plan that a check belongs to').action(
    (check: string, options: Options) =>
      withStore(options, async (store) => {
        const entry = await findEntry(store.read, await chooseTenant(store, options.tenant), check)
        if (!entry) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no entry ${check}`, { field: 'check' })
        const log = await readLog(store.read, entry, entry.planId)
        const broken = brokenAt(log)
        if (broken !== undefined) process.exitCode = 1
        const result = {
          plan_id: entry.planId,
          entries: log.length,
          intact: broken === undefined,
          broken_at: broken,
          head: log.at(-1)?.hash,
        }
        print(options.json, result, [
          broken === undefined ? `${log.length} entries, the chain holds` : `the chain is broken at entry ${broken}`,
        ])
      }),
  )
  deciding(
    governance,
    'revoke <check>',
    'take back the token of an approved check; sellers learn it within a quarter of an hour',
  ).action((check: string, options: Options) =>
    withStore(options, async (store) => {
      const by = { actor: options.by ?? '', reason: options.reason ?? '', at: new Date() }
      const tenantId = await chooseTenant(store, options.tenant)
      const operator = asOperator(store, { task: 'governance.revoke', tenant: tenantId, subject: check })
      const jti = await revokeToken(operator, tenantId, check, by)
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
  return withStore(options, async (store) => {
    const tenantId = await chooseTenant(store, options.tenant)
    const review = {
      resolution,
      conditions,
      decidedBy: options.by ?? '',
      reason: options.reason ?? '',
      decidedAt: new Date().toISOString(),
    }
    const shown = present(
      await decideEscalation(
        asOperator(store, { task: `governance.${resolution}`, tenant: tenantId, subject: check }),
        tenantId,
        check,
        review,
      ),
    )
    print(options.json, shown, [`${check} is ${shown.state} by ${review.decidedBy}`])
  })
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** `reporting_webhook.reporting_frequency=daily: weekly figures` or, in words only, `packages: no increase`. Throws INVALID_REQUEST. */
export function readCondition(text: string): Condition {
  const [, field, value, reason] = /^([A-Za-z0-9_.[\]]+)(?:=(.*?))?:\s+(\S.*)$/.exec(text) ?? []
  if (field === undefined || reason === undefined)
    throw new AdcpError('INVALID_REQUEST', 'a condition is written "field=value: reason" or "field: reason"', {
      field: 'condition',
    })
  return { field, ...(value !== undefined && { requiredValue: jsonOrText(value) }), reason }
}

/** JSON where it is JSON, so that 25000 is a number; else the text itself. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function present({ checkId, planId, caller, tool, amountMicros, currency, why, review, createdAt }: Escalation) {
  return {
    check_id: checkId,
    plan_id: planId,
    caller,
    ...(tool !== undefined && { tool }),
    ...(amountMicros !== undefined && { amount: `${microsToAmount(amountMicros)} ${currency}` }),
    state: review?.resolution ?? 'pending',
    reason: why,
    created_at: createdAt,
    ...(review && {
      decided_by: review.decidedBy,
      decided_at: review.decidedAt,
      note: review.reason,
      conditions: review.conditions.map(presentCondition),
    }),
  }
}
