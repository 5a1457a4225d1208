import { exportBrands, importBrands, listBrands } from '../../operator/brands/import-brands.ts'
import { flag, oneOf, required, text, texts } from '../../operator/fields.ts'
import { decideEscalation, revokeApproval } from '../../operator/governance/decide-escalation.ts'
import { readCondition } from '../../operator/governance/read-condition.ts'
import { listEscalations, showEscalation, verifyPlanLog } from '../../operator/governance/show-escalations.ts'
import { DOCUMENT_IMPORT, importFile } from '../../operator/imports/import-fields.ts'
import { approveRights, rejectRights, revokeRights } from '../../operator/rights/decide-rights.ts'
import { listGrants, listPendingRights } from '../../operator/rights/list-rights.ts'
import { READERS, SELLERS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type AdminOperation, operation } from '../operation.ts'

const REASON = required(text('the reason that the buyer reads'))

export const governanceOperations: readonly AdminOperation[] = [
  operation('GET /governance', 'listEscalations', {
    roles: READERS,
    summary: 'Spending under campaign plans that needs a person’s decision.',
    fields: { decided: flag('also what was decided') },
    run: async (context, { tenantId, values: { decided = false } }) =>
      list(await listEscalations(context, { tenantId, decided })),
  }),
  operation('GET /governance/{check}', 'showEscalation', {
    roles: READERS,
    summary: 'One of them with its findings and the log of its plan.',
    fields: {},
    run: (context, { tenantId, params }) => showEscalation(context, tenantId, params.check),
  }),
  operation('GET /governance/{check}/verify', 'verifyPlanLog', {
    roles: READERS,
    summary: 'Recomputes the hash chain of the plan that a check belongs to.',
    fields: {},
    run: (context, { tenantId, params }) => verifyPlanLog(context, tenantId, params.check),
  }),
  operation('POST /governance/{check}/decide', 'decideEscalation', {
    roles: SELLERS,
    summary: 'Lets the agent go ahead with exactly this or on conditions, or refuses it.',
    fields: {
      resolution: required(oneOf(['approved', 'rejected'], 'the decision')),
      reason: REASON,
      conditions: texts('of an approval: "field=value: reason" or "field: reason"'),
    },
    run(context, { tenantId, params, values: { conditions = [], ...values } }) {
      const decision = { tenantId, checkId: params.check, by: context.actor.credential, ...values }
      return decideEscalation(context, { ...decision, conditions: conditions.map(readCondition) })
    },
  }),
  operation('POST /governance/{check}/revoke', 'revokeGovernanceApproval', {
    roles: SELLERS,
    summary: 'Takes the token of an approved check back.',
    fields: { reason: REASON },
    run: async (context, { tenantId, params, values: { reason } }) => ({
      check_id: params.check,
      jti: await revokeApproval(context, { tenantId, checkId: params.check, by: context.actor.credential, reason }),
    }),
  }),
]

export const rightsOperations: readonly AdminOperation[] = [
  operation('GET /rights', 'listGrants', {
    roles: READERS,
    summary: 'Grants of rights, newest first; at most 500.',
    fields: {},
    run: async (context, { tenantId }) => list(await listGrants(context, tenantId)),
  }),
  operation('GET /rights/pending', 'showPendingRights', {
    roles: READERS,
    summary: 'Creatives and changes of grants that need the rights holder’s decision.',
    fields: {},
    run: (context, { tenantId }) => listPendingRights(context, tenantId),
  }),
  operation('POST /rights/{right}/approve', 'approveRights', {
    roles: SELLERS,
    summary: 'Approves a creative (rcs_…) or the change of a grant (rgt_…).',
    fields: { conditions: texts('what the approval of a creative depends on') },
    run: (context, { tenantId, params, values: { conditions = [] } }) =>
      approveRights(context, { tenantId, id: params.right, conditions }),
  }),
  operation('POST /rights/{right}/reject', 'rejectRights', {
    roles: SELLERS,
    summary: 'Declines a creative or the change of a grant.',
    fields: { reason: REASON, suggestions: texts('what would be approved') },
    run: (context, { tenantId, params, values: { reason, suggestions = [] } }) =>
      rejectRights(context, { tenantId, id: params.right, reason, suggestions }),
  }),
  operation('POST /rights/{right}/revoke', 'revokeRights', {
    roles: SELLERS,
    summary: 'Takes a grant back from a time on; the buyer learns it at its webhook.',
    fields: { reason: REASON, from: text('ISO 8601; default: now') },
    async run(context, { tenantId, params, values }) {
      const { grant, effectiveAt } = await revokeRights(context, { tenantId, id: params.right, ...values })
      return { ...grant, effective_at: effectiveAt.toISOString() }
    },
  }),
  operation('GET /brands', 'showBrands', {
    roles: READERS,
    summary: 'Brands, rights in them and offerings.',
    fields: {},
    run: (context, { tenantId }) => listBrands(context, tenantId),
  }),
  operation('GET /brands/export', 'exportBrands', {
    roles: READERS,
    summary: 'Brands, rights and offerings as a document that can be imported.',
    fields: {},
    async run(context, { tenantId }) {
      const document = await exportBrands(context, tenantId)
      if (document) return document
      throw new AdcpError('REFERENCE_NOT_FOUND', `${tenantId} has no brands`)
    },
  }),
  operation('POST /brands/import', 'importBrands', {
    roles: SELLERS,
    summary: 'Replaces the brands by those of a file, and lists the changes.',
    fields: DOCUMENT_IMPORT,
    run: (context, { tenantId, values }) =>
      importBrands(context, { tenantId, file: importFile('brands', values), dryRun: values.dry_run ?? false }),
  }),
]
