import type { Side } from '../party.ts'
import type { Mismatch } from './mismatch.ts'
import { type Obligation, shortHash } from './obligation.ts'
import type { ReceiptIssue } from './reconciliation.ts'

/** AdCP 3.2, core/reporting-status-issue.json, as far as this agent has issues. */
export interface StatusIssue {
  readonly issue_id: string
  readonly code: 'REPORT_OVERDUE' | 'CONSUMER_STATUS_MISMATCH' | ReceiptIssue['code']
  readonly severity: Mismatch['severity']
  readonly opened_at: string
  readonly responsible_party: Side
  readonly recommended_action: 'wait_for_retry' | 'contact_buyer' | 'contact_seller'
  readonly message: string
  readonly reporting_obligation_id: string
  readonly reporting_revision_id?: string
  readonly reporting_status_id?: string
  readonly [member: string]: unknown
}

/** A report that is late. */
export function overdueIssue(obligation: Obligation, severity: StatusIssue['severity']): StatusIssue {
  const { obligationId, period, expectedAt } = obligation
  return {
    issue_id: `reporting-issue.${shortHash(['overdue', obligationId])}`,
    code: 'REPORT_OVERDUE',
    severity,
    opened_at: expectedAt,
    responsible_party: 'seller',
    recommended_action: severity === 'delayed' ? 'wait_for_retry' : 'contact_seller',
    message: `the report from ${period.start} was due at ${expectedAt}`,
    ...about(obligation),
  }
}

/** A statement of the buyer that contradicts what was published. `isTakenUp`: the publisher's people look after it. */
export function mismatchIssue(obligation: Obligation, mismatch: Mismatch, isTakenUp: boolean): StatusIssue {
  const { issueId, severity, openedAt, party, statement, message } = mismatch
  return {
    issue_id: issueId,
    code: 'CONSUMER_STATUS_MISMATCH',
    severity,
    opened_at: openedAt,
    responsible_party: party,
    recommended_action: severity === 'delayed' ? 'wait_for_retry' : `contact_${party}`,
    message,
    reporting_status_id: statement.reporting_status_id,
    ...stateOf(isTakenUp),
    ...about(obligation),
  }
}

/** What the buyer has not accepted. */
export function receiptIssue(obligation: Obligation, issue: ReceiptIssue, isTakenUp: boolean): StatusIssue {
  const { issueId, code, openedAt, party, message, revisionId } = issue
  return {
    ...{ issue_id: issueId, code, severity: 'action_required', opened_at: openedAt, responsible_party: party },
    recommended_action: `contact_${party}`,
    ...{ message, reporting_revision_id: revisionId },
    ...stateOf(isTakenUp),
    ...about(obligation),
  }
}

function stateOf(isTakenUp: boolean): { readonly issue_state?: 'acknowledged' } {
  return isTakenUp ? { issue_state: 'acknowledged' } : {}
}

function about({ obligationId, configId, version, feedPurpose, period, expectedAt }: Obligation) {
  return {
    reporting_obligation_id: obligationId,
    ...{ delivery_config_id: configId, delivery_config_version: version, feed_purpose: feedPurpose },
    ...{ period_start: period.start, period_end: period.end, expected_at: expectedAt },
  }
}
