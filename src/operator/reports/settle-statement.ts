import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCharge } from '../../store/billing/charges.ts'
import { findCase, saveCase } from '../../store/reporting/cases.ts'
import { defineAct } from '../act.ts'
import { atMost, oneOf, required, text } from '../fields.ts'
import { ACCOUNT_DECIDERS } from '../roles.ts'
import { buyerStatements } from './buyer-statements.ts'
import { presentStatement, statementShape } from './report-statements.ts'

/**
 * Takes up what a buyer contradicts, or leaves it at that with the buyer's agreement, which is final (AdCP 3.2, core/reporting-status-issue.json,
 * `consumer_mismatch_lifecycle`). What is owed for it is a charge or credit of billing. Throws REFERENCE_NOT_FOUND, INVALID_STATE for what is waived, INVALID_REQUEST for a waiver without the buyer.
 */
export const settleStatement = defineAct({
  name: 'reports.settle',
  route: 'POST /reports/statements/{issue}/settle',
  id: 'settleReportStatement',
  roles: ACCOUNT_DECIDERS,
  summary: 'Takes up a report that a buyer contradicts, or leaves it at that where the buyer agrees.',
  fields: {
    issue: required(text('id of the issue; reports statements names it')),
    settle_as: required(
      oneOf(['acknowledged', 'waived'], 'waived: both sides leave it at that, and the buyer sees the issue no more'),
    ),
    agreed_with: atMost(255, text('who at the buyer agreed; needed to waive it')),
    finding: atMost(500, text('what was found out or done, for the publisher alone')),
    charge: text('id of the charge or credit of an order of the report that makes up for it'),
  },
  answer: statementShape,
  command: { args: ['issue', 'settle_as'], text: ({ issue, state }) => [`${issue} is ${state}`] },
  async watch(tx, { tenantId }, { issue }) {
    const known = await findCase(tx, tenantId, issue)
    return known && { state: known.state, charge: known.charge_id }
  },
  async run(context, { issue, settle_as: outcome, agreed_with: agreedWith, finding: note, charge }) {
    const { store, tenantId, clock, actor } = context
    if (outcome === 'waived' && agreedWith === undefined) {
      const message = 'agreed_with is needed to waive an issue: nobody waives it without the buyer'
      throw new AdcpError('INVALID_REQUEST', message, { field: 'agreed_with' })
    }
    const of = (await buyerStatements(context, tenantId, RETENTION_DAYS)).find(({ mismatch }) => mismatch?.issueId === issue)
    if (!of) {
      const message = `there is no open issue ${issue}; reports statements names them`
      throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'issue' })
    }
    if (charge !== undefined) {
      const made = await findCharge(store.read, tenantId, charge)
      if (!made || !of.orderIds.includes(made.orderId)) {
        const message = `${charge} is no charge or credit of an order of that report: ${of.orderIds.join(', ')}`
        throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'charge' })
      }
    }
    const decision = {
      ...{ tenant_id: tenantId, issue_id: issue, principal_id: of.owner.principalId, account_id: of.owner.accountId },
      ...{ state: outcome, agreed_with: agreedWith ?? null, note: note ?? null, charge_id: charge ?? null },
      ...{ decided_by: actor.credential, decided_at: clock().toISOString() },
    }
    const saved = await store.transaction((tx) => saveCase(tx, decision))
    if (!saved) throw new AdcpError('INVALID_STATE', 'the issue is waived, which is final', { field: 'issue' })
    return presentStatement({ ...of, decision, state: outcome })
  },
})
