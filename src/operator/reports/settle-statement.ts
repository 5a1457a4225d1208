import type { Charge } from '../../domain/media-buy/charge.ts'
import { settlementOf } from '../../domain/reporting/adjustment.ts'
import { CASE_STATES } from '../../domain/reporting/mismatch.ts'
import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCharge } from '../../store/billing/charges.ts'
import type { Db } from '../../store/database.ts'
import { addRecords, RecordedElsewhere } from '../../store/reporting/add-records.ts'
import { findCase, listCases, saveCase } from '../../store/reporting/cases.ts'
import { listRecords, newestRecord } from '../../store/reporting/records.ts'
import { defineAct } from '../act.ts'
import { atMost, oneOf, required, text } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { EDITORS } from '../roles.ts'
import { idText } from '../text-form.ts'
import type { BuyerStatement } from './buyer-statement.ts'
import { buyerStatements } from './buyer-statements.ts'
import { presentStatement, statementShape } from './report-statements.ts'

/**
 * Takes up what a buyer contradicts or rejects, corrects the final report by a charge or credit, or leaves it at that with the buyer's agreement, which is
 * final (AdCP 3.2, core/reporting-status-issue.json, `consumer_mismatch_lifecycle`). Throws REFERENCE_NOT_FOUND, INVALID_STATE for what is decided finally or
 * has no final report, INVALID_REQUEST for a waiver without the buyer or a correction without its charge.
 */
export const settleStatement = defineAct({
  name: 'reports.settle',
  route: 'POST /reports/statements/{issue}/settle',
  id: 'settleReportStatement',
  roles: EDITORS,
  summary:
    'Settles a report that a buyer contradicts or rejects: it is acknowledged, corrected, or waived where the buyer agrees.',
  fields: {
    issue: required(idText('id of the issue; reports statements names it')),
    settle_as: required(
      oneOf(
        CASE_STATES,
        'adjusted: the buyer gets a correction of the final report by the amount of charge, which it accepts or rejects; waived: closed without a correction, where the buyer agrees; the issue disappears for the buyer',
      ),
    ),
    agreed_with: atMost(255, text('who at the buyer agreed; needed to waive it')),
    finding: atMost(500, text('what was found out or done, for the publisher alone')),
    charge: idText('id of the charge or credit of an order of the report that makes up for it; needed to adjust it'),
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
    if (outcome === 'adjusted' && charge === undefined) {
      const message = 'charge is needed to adjust a report: it is corrected by the amount of a charge or credit'
      throw new AdcpError('INVALID_REQUEST', message, { field: 'charge' })
    }
    const of = (await buyerStatements(context, tenantId, RETENTION_DAYS)).find((each) => each.issue?.issueId === issue)
    if (!of) {
      const message = `there is no open issue ${issue}; reports statements names them`
      throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'issue' })
    }
    if (outcome === 'waived' && of.about !== 'report') {
      const message = 'what a buyer rejects cannot be waived: it ends with a receipt of the buyer that accepts it'
      throw new AdcpError('INVALID_STATE', message, { field: 'settle_as' })
    }
    const made = charge === undefined ? undefined : await chargeOf(context, tenantId, charge, of)
    const decision = {
      ...{ tenant_id: tenantId, issue_id: issue, principal_id: of.owner.principalId, account_id: of.owner.accountId },
      ...{ state: outcome, agreed_with: agreedWith ?? null, note: note ?? null, charge_id: charge ?? null },
      ...{ decided_by: actor.credential, decided_at: clock().toISOString() },
    }
    await store.transaction(async (tx) => {
      if (outcome === 'adjusted' && made) await adjust(tx, of, { issue, charge: made, now: clock() })
      if (await saveCase(tx, decision)) return
      throw new AdcpError('INVALID_STATE', 'the issue is waived or adjusted, which is final', { field: 'issue' })
    })
    return presentStatement({ ...of, decision, state: outcome })
  },
})

/** The charge or credit of an order of a report. Throws REFERENCE_NOT_FOUND for any other, INVALID_STATE for one that counts no more. */
async function chargeOf(
  { store }: Pick<OperatorContext, 'store'>,
  tenantId: string,
  chargeId: string,
  { orderIds }: BuyerStatement,
): Promise<Charge> {
  const made = await findCharge(store.read, tenantId, chargeId)
  if (!made || !orderIds.includes(made.orderId)) {
    const message = `${chargeId} is no charge or credit of an order of that report: ${orderIds.join(', ')}`
    throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'charge' })
  }
  if (made.state === 'taken_back')
    throw new AdcpError('INVALID_STATE', `${chargeId} was taken back and counts for nothing`, { field: 'charge' })
  return made
}

/** Publishes the correction of a final report by a charge. Throws INVALID_STATE where there is no final report, or the charge has corrected another. */
async function adjust(
  tx: Db,
  { owner, sliceId }: BuyerStatement,
  { issue, charge, now }: { readonly issue: string; readonly charge: Charge; readonly now: Date },
): Promise<void> {
  const cases = [...(await listCases(tx, owner.tenantId)).values()]
  const other = cases.find((each) => each.state === 'adjusted' && each.charge_id === charge.chargeId)
  if (other && other.issue_id !== issue) {
    const message = `${charge.chargeId} has settled ${other.issue_id}; enter a charge or credit for each issue`
    throw new AdcpError('INVALID_STATE', message, { field: 'charge' })
  }
  const after = await newestRecord(tx, owner)
  const records = await listRecords(tx, owner, { slices: sliceId === undefined ? [] : [sliceId] })
  const official = records.find((each) => each.kind === 'revision' && each.revision.finality === 'official')
  if (official?.kind !== 'revision') {
    const message = 'the report is not final yet: what is counted until then is in the final one; acknowledge the issue'
    throw new AdcpError('INVALID_STATE', message, { field: 'settle_as' })
  }
  const { micros, currency } = charge
  const adjustment = settlementOf(official.revision, { of: issue, micros, currency, now })
  await addRecords(tx, owner, [{ kind: 'adjustment', sliceId: official.sliceId, adjustment }], { after, now }).catch(askAgain)
}

function askAgain(error: unknown): never {
  if (!(error instanceof RecordedElsewhere)) throw error
  const message = 'reports of this account were recorded at the same moment, or the issue is adjusted already; look again'
  throw new AdcpError('CONFLICT', message, { cause: error })
}
