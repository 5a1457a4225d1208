import type { Act } from '../act.ts'
import { setApprovalPolicy, showApprovalPolicy, tryApprovalPolicy } from './approval-policy.ts'
import { approve, ask, reject } from './decide-approval.ts'
import { decideSeveral } from './decide-several.ts'
import { listApprovals, showApproval } from './list-approvals.ts'
import { listDecisions } from './list-decisions.ts'
import { listOpenDecisions } from './open-decisions.ts'

/** Decisions of the publisher, and when they are needed. */
export const approvalActs: readonly Act[] = [
  listApprovals,
  listOpenDecisions,
  showApproval,
  listDecisions,
  approve,
  reject,
  ask,
  decideSeveral,
  showApprovalPolicy,
  setApprovalPolicy,
  tryApprovalPolicy,
]
