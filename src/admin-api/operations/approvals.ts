import { readLimit } from '../../operator/amount.ts'
import {
  APPROVABLE_TASKS,
  type PolicyChange,
  setApprovalPolicy,
  showApprovalPolicy,
} from '../../operator/approvals/approval-policy.ts'
import { approve, ask, reject } from '../../operator/approvals/decide-approval.ts'
import { listApprovals, showApproval } from '../../operator/approvals/list-approvals.ts'
import { presentEntry, presentTask } from '../../operator/approvals/present-approval.ts'
import { tryApprovalPolicy } from '../../operator/approvals/try-approval-policy.ts'
import { count, oneOf, required, text, texts, type Values } from '../../operator/fields.ts'
import { ADMINISTRATORS, READERS, SELLERS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { snakeMembers } from '../../operator/snake-members.ts'
import { type AdminOperation, operation } from '../operation.ts'

const POLICY = {
  task: oneOf(APPROVABLE_TASKS, 'the task that when, above and products are about'),
  when: oneOf(['always', 'rules', 'never'], 'rules: by this policy and by the products'),
  above: text('budgets above this need approval, in any currency; none: no such limit'),
  products: texts('ids of products that need approval; an empty list: none'),
  expires_hours: count('hours until a pending approval expires'),
}

export const approvalOperations: readonly AdminOperation[] = [
  operation('GET /approvals', 'listApprovals', {
    roles: READERS,
    summary: 'Orders, changes, creatives and accounts that need a decision, oldest first.',
    fields: {},
    run: async (context, { tenantId }) => list((await listApprovals(context, tenantId)).map(presentEntry)),
  }),
  operation('GET /approvals/policy', 'showApprovalPolicy', {
    roles: READERS,
    summary: 'When work of buyers needs approval.',
    fields: {},
    run: (context, { tenantId }) => showApprovalPolicy(context, tenantId),
  }),
  operation('PATCH /approvals/policy', 'setApprovalPolicy', {
    roles: ADMINISTRATORS,
    summary: 'Changes when work of buyers needs approval.',
    fields: POLICY,
    run: (context, { tenantId, values }) => setApprovalPolicy(context, tenantId, policyOf(values)),
  }),
  operation('POST /approvals/policy/try', 'tryApprovalPolicy', {
    roles: READERS,
    summary: 'Which orders of the last 30 days a changed policy would have held; changes nothing.',
    fields: POLICY,
    run: async (context, { tenantId, values }) => snakeMembers(await tryApprovalPolicy(context, tenantId, policyOf(values))),
  }),
  operation('GET /approvals/{approval}', 'showApproval', {
    roles: READERS,
    summary: 'A submitted task with all it is about.',
    fields: {},
    run: async (context, { tenantId, params }) => presentTask(await showApproval(context, tenantId, params.approval)),
  }),
  operation('POST /approvals/{approval}/approve', 'approve', {
    roles: SELLERS,
    summary: 'Approves, and carries out: an order is booked in its ad server.',
    fields: { conditions: texts('conditions for the buyer') },
    run: (context, { tenantId, params, values: { conditions = [] } }) =>
      approve(context, { tenantId, id: params.approval, conditions }),
  }),
  operation('POST /approvals/{approval}/reject', 'reject', {
    roles: SELLERS,
    summary: 'Rejects; the buyer gets the reason.',
    fields: { reason: required(text('the reason that the buyer reads')) },
    run: (context, { tenantId, params, values: { reason } }) => reject(context, { tenantId, id: params.approval, reason }),
  }),
  operation('POST /approvals/{approval}/ask', 'ask', {
    roles: SELLERS,
    summary:
      'Asks the buyer for something first: a task waits for the answer, an account stays pending, a creative is sent back.',
    fields: { question: required(text('what the buyer has to do')) },
    run: (context, { tenantId, params, values: { question } }) => ask(context, { tenantId, id: params.approval, question }),
  }),
]

function policyOf({ task, when, above, products, expires_hours: hours }: Values<typeof POLICY>): PolicyChange {
  return {
    ...(task !== undefined && { task }),
    ...(when !== undefined && { when }),
    ...(above !== undefined && { aboveMicros: readLimit(above, 'above', 'none') }),
    ...(products && { products: products.length === 0 ? null : products }),
    ...(hours !== undefined && { expiresAfterHours: hours }),
  }
}
