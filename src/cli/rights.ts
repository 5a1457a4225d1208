import { Command } from 'commander'
import { approveRights, rejectRights, revokeRights } from '../operator/rights/decide-rights.ts'
import { listGrants, listPendingRights } from '../operator/rights/list-rights.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly reason?: string
  readonly condition?: readonly string[]
  readonly suggestion?: readonly string[]
  readonly from?: string
  readonly json?: boolean
}

/** `sales-agent rights list|pending|approve|reject|revoke`: what a rights holder decides. Acquisitions wait under `sales-agent approvals`. */
export function rightsCommand(): Command {
  const rights = new Command('rights')
  withStoreOptions(rights.command('list').description('list grants, newest first'))
    .option('--tenant <id>')
    .option('--json')
    .action(listAction)
  withStoreOptions(rights.command('pending').description('list creatives and changes that wait'))
    .option('--tenant <id>')
    .option('--json')
    .action(pendingAction)
  withStoreOptions(rights.command('approve <id>').description('approve a creative (rcs_…) or the change of a grant (rgt_…)'))
    .option('--tenant <id>')
    .option('--condition <text>', 'what the approval of a creative depends on; may be repeated', collect, [])
    .option('--json')
    .action(approveAction)
  withStoreOptions(rights.command('reject <id>').description('decline a creative (rcs_…) or the change of a grant (rgt_…)'))
    .option('--tenant <id>')
    .option('--reason <text>', 'the reason that the buyer reads', 'not approved by the rights holder')
    .option('--suggestion <text>', 'what would do; may be repeated', collect, [])
    .option('--json')
    .action(rejectAction)
  withStoreOptions(rights.command('revoke <id>').description('take a grant back and tell the buyer at its webhook'))
    .option('--tenant <id>')
    .requiredOption('--reason <text>', 'the reason that the buyer reads')
    .option('--from <time>', 'ISO 8601; default: now')
    .option('--json')
    .action(revokeAction)
  return rights
}

function listAction(options: Options): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const grants = await listGrants(operator, tenantId)
    const rows = grants.map(({ rights_id, right, buyer, status, terms }) => [
      rights_id,
      right,
      buyer,
      status,
      terms.start_date ?? '',
      terms.end_date ?? '',
    ])
    printList(options.json, grants, table(['GRANT', 'RIGHT', 'BUYER', 'STATUS', 'FROM', 'TO'], rows))
  })
}

function pendingAction(options: Options): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { creatives, changes } = await listPendingRights(operator, tenantId)
    const rows = [
      ...creatives.map(({ id, rights_id, creative_url }) => [id, 'creative', rights_id, creative_url]),
      ...changes.map(({ rights_id, pending_terms }) => [rights_id, 'change', rights_id, JSON.stringify(pending_terms) ?? '']),
    ]
    print(options.json, { creatives, changes }, table(['ID', 'WHAT', 'GRANT', 'ABOUT'], rows))
  })
}

function approveAction(id: string, options: Options): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const approved = await approveRights(operator, { tenantId, id, conditions: options.condition ?? [] })
    print(options.json, approved, [`${id} is approved`])
  })
}

function rejectAction(id: string, options: Options): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { reason = '', suggestion: suggestions = [] } = options
    const rejected = await rejectRights(operator, { tenantId, id, reason, suggestions })
    print(options.json, rejected, [`${id} is rejected`])
  })
}

function revokeAction(id: string, options: Options): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { reason = '', from } = options
    const { grant, effectiveAt } = await revokeRights(operator, { tenantId, id, reason, from })
    print(options.json, grant, [`${id} is revoked from ${effectiveAt.toISOString()}; its holder is notified`])
  })
}

function collect(text: string, all: readonly string[]): readonly string[] {
  return [...all, text]
}
