import { randomUUID } from 'node:crypto'
import type { ReportPlanOutcomeRequest, ReportPlanOutcomeResponse } from '@adcp/sdk/types'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import { afterOutcome, type Outcome, reviewOutcome } from '../../domain/governance/outcome.ts'
import { type Plan, toMicros, totalCommitted } from '../../domain/governance/plan.ts'
import { requirePeriod } from '../../domain/governance/require-period.ts'
import { microsToAmount } from '../../domain/money.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findAction, findNewestAction, listCommitments, saveAction } from '../../store/governance/governance-actions.ts'
import { appendToLog, findEntry } from '../../store/governance/governance-log.ts'
import { getPlan } from '../../store/governance/governance-plans.ts'
import { newAction } from './find-action.ts'
import { findContext } from './governance-context.ts'
import { presentFinding } from './present-finding.ts'
import { readAction } from './read-action.ts'

export const reportPlanOutcome = defineTask<ReportPlanOutcomeRequest, ReportPlanOutcomeResponse>()({
  name: 'report_plan_outcome',
  mutating: true,
  access: 'authenticated',
  scope: 'governance',
  summary: 'Report what became of an approved action: completed commits its budget, failed frees it, delivery is logged.',
  async handle(request, context) {
    const { tx, principal, now, services } = context
    const plan = await getPlan(tx, principal, request.plan_id)
    const record = await actionOf(request, context, plan)
    const commitments = await listCommitments(tx, principal, [plan.planId])
    const others = commitments.filter(({ actionId }) => actionId !== record.actionId)
    const outcome = readOutcome(request, record)
    const remarks = reviewOutcome(plan, record, others, outcome)
    const after = afterOutcome(
      { ...record, governanceContext: record.governanceContext || request.governance_context },
      outcome,
      request.seller_response?.seller_reference,
    )
    await saveAction(tx, principal.tenantId, after, now)
    const outcomeId = `out_${randomUUID()}`
    const status = remarks.length > 0 ? 'findings' : 'accepted'
    const settles = outcome.kind !== 'delivery'
    await appendToLog(tx, principal, plan.planId, [
      {
        entryId: outcomeId,
        kind: 'outcome',
        actionId: record.actionId,
        document: {
          at: now.toISOString(),
          actor: principal.agentUrl ?? principal.name,
          caller: principal.agentUrl ?? services.wiring.agentUrl,
          outcome: outcome.kind,
          outcomeStatus: status,
          purchaseType: record.purchaseType,
          governanceContext: request.governance_context,
          planHash: plan.planHash,
          remarks,
          ...(settles && { committedMicros: after.committedMicros }),
          ...(after.sellerReference !== undefined && { sellerReference: after.sellerReference }),
          ...(request.error && { reason: [request.error.code, request.error.message].filter(Boolean).join(': ') }),
        },
      },
    ])
    const committed = totalCommitted(others) + after.committedMicros
    return {
      outcome_id: outcomeId,
      status,
      ...(settles && { committed_budget: microsToAmount(after.committedMicros) }),
      ...(remarks.length > 0 && { findings: remarks.map(presentOutcomeFinding) }),
      ...(settles && {
        plan_summary: {
          total_committed: microsToAmount(committed),
          budget_remaining: microsToAmount(toMicros(plan.document.budget.total) - committed),
        },
      }),
    }
  },
})

/**
 * The action that an outcome is of: by its check, else by its token, else by the opaque value that it was reported under before. One that
 * nobody asked about is put on record too: the money is spent.
 */
async function actionOf(
  { check_id, governance_context, purchase_type = 'media_buy', seller_response }: ReportPlanOutcomeRequest,
  { tx, principal, now, services }: InTransaction<AuthenticatedContext>,
  plan: Plan,
): Promise<ActionRecord> {
  const entry =
    check_id === undefined
      ? (await findContext(tx, principal.tenantId, governance_context))?.entry
      : await findEntry(tx, principal.tenantId, check_id)
  const isOwn = entry?.principalId === principal.principalId && entry.planId === plan.planId && entry.kind === 'check'
  if (check_id !== undefined && !isOwn)
    throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such check under this plan', { field: 'check_id' })
  const reference = seller_response?.seller_reference
  const found = isOwn
    ? await findAction(tx, principal, plan.planId, entry.actionId)
    : await findNewestAction(tx, principal, plan.planId, {
        purchaseType: purchase_type,
        governanceContext: governance_context,
      })
  const isOther = found?.sellerReference !== undefined && reference !== undefined && found.sellerReference !== reference
  if (found && !isOther) return found
  const caller = principal.agentUrl ?? services.wiring.agentUrl
  return {
    ...newAction(
      plan,
      { purchaseType: purchase_type, caller, seller: found?.seller ?? services.wiring.agentUrl, actionKey: '' },
      now,
    ),
  }
}

function readOutcome(
  { outcome, seller_response: seller, delivery, plan_id }: ReportPlanOutcomeRequest,
  record: ActionRecord,
): Outcome {
  const budgets = (seller?.packages ?? [])
    .map((pkg) => numberIn(pkg, 'budget') ?? numberIn(pkg, 'committed_budget'))
    .filter((each) => each !== undefined)
  const committed = seller?.committed_budget ?? (budgets.length > 0 ? budgets.reduce((sum, each) => sum + each, 0) : undefined)
  const planned = seller?.planned_delivery
  const path = 'seller_response.planned_delivery'
  requirePeriod(planned?.start_time, planned?.end_time, [`${path}.start_time`, `${path}.end_time`])
  const period = delivery?.reporting_period
  requirePeriod(period?.start, period?.end, ['delivery.reporting_period.start', 'delivery.reporting_period.end'])
  return {
    kind: outcome,
    committedMicros: committed === undefined ? undefined : toMicros(committed),
    spendMicros: delivery?.spend === undefined ? undefined : toMicros(delivery.spend),
    planned:
      planned &&
      readAction({ plan_id, caller: record.caller, planned_delivery: planned }, { products: new Map(), seller: record.seller }),
  }
}

function numberIn(fields: object, name: string): number | undefined {
  const value = Object.entries(fields).find(([key]) => key === name)?.[1]
  return typeof value === 'number' ? value : undefined
}

/** Findings of outcomes name no policy (AdCP report-plan-outcome-response.json). */
function presentOutcomeFinding(remark: Parameters<typeof presentFinding>[0]) {
  const { category_id, severity, explanation, details } = presentFinding(remark)
  return { category_id, severity, explanation, ...(details && { details }) }
}
