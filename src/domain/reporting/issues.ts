import type { Mismatch } from './mismatch.ts'
import { type Obligation, shortHash } from './obligation.ts'

/** AdCP 3.2, core/reporting-status-issue.json, as far as this agent has issues. */
export interface StatusIssue {
  readonly issue_id: string
  readonly code: 'REPORT_OVERDUE' | 'CONSUMER_STATUS_MISMATCH'
  readonly severity: 'delayed' | 'action_required'
  readonly opened_at: string
  readonly responsible_party: 'buyer' | 'seller'
  readonly recommended_action: 'wait_for_retry' | 'contact_buyer' | 'contact_seller'
  readonly message: string
  readonly reporting_obligation_id: string
  readonly reporting_status_id?: string
  readonly [member: string]: unknown
}

/** What is wrong with an obligation at its health (AdCP 3.2, core/reporting-status-issue.json); without anything wrong, nothing. */
export function issuesOf(
  obligation: Obligation,
  health: string,
  mismatch: Mismatch | undefined,
  isAcknowledged = false,
): readonly StatusIssue[] {
  if (health !== 'delayed' && health !== 'action_required') return []
  const { obligationId, configId, version, feedPurpose, period, expectedAt } = obligation
  const about = {
    reporting_obligation_id: obligationId,
    ...{ delivery_config_id: configId, delivery_config_version: version, feed_purpose: feedPurpose },
    ...{ period_start: period.start, period_end: period.end, expected_at: expectedAt },
  }
  const state = isAcknowledged && { issue_state: 'acknowledged' as const }
  if (mismatch) return [{ ...presentMismatch(mismatch), ...state, ...about }]
  return [
    {
      issue_id: `reporting-issue.${shortHash(['overdue', obligationId])}`,
      code: 'REPORT_OVERDUE' as const,
      severity: health,
      opened_at: expectedAt,
      responsible_party: 'seller' as const,
      recommended_action: health === 'delayed' ? ('wait_for_retry' as const) : ('contact_seller' as const),
      message: `the report of ${period.start.slice(0, 10)} was due at ${expectedAt}`,
      ...about,
    },
  ]
}

function presentMismatch({ issueId, severity, openedAt, party, statement, message }: Mismatch) {
  return {
    issue_id: issueId,
    code: 'CONSUMER_STATUS_MISMATCH' as const,
    severity,
    opened_at: openedAt,
    responsible_party: party,
    recommended_action: severity === 'delayed' ? ('wait_for_retry' as const) : (`contact_${party}` as const),
    message,
    reporting_status_id: statement.reporting_status_id,
  }
}
