import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { grantStatus, presentTerms, type RightsGrant } from '../domain/rights/grant.ts'
import type { SubmittedCreative } from '../domain/rights/review-creative.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Store } from '../store/database.ts'
import { listSubmissionsInReview } from '../store/rights/rights-creatives.ts'
import { listGrants } from '../store/rights/rights-grants.ts'
import { decideRightsChange, decideRightsCreative, revokeRights } from '../tasks/brand/decide-rights.ts'
import { asOperator } from './as-operator.ts'
import { brandsOf } from './brand-store.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly reason?: string
  readonly condition?: readonly string[]
  readonly suggestion?: readonly string[]
  readonly from?: string
  readonly json?: boolean
}

/** More than a person looks at in one sitting. */
const MAX_LISTED = 500

/** `sales-agent rights list|pending|approve|reject|revoke`: what a rights holder decides. Acquisitions wait under `sales-agent approvals`. */
export function rightsCommand(): Command {
  const rights = new Command('rights').description('grants of rights, and what of them waits for the rights holder')
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
    .action((id: string, options: Options) => decideAction(id, options, true))
  withStoreOptions(rights.command('reject <id>').description('decline a creative (rcs_…) or the change of a grant (rgt_…)'))
    .option('--tenant <id>')
    .option('--reason <text>', 'what the buyer is told', 'not approved by the rights holder')
    .option('--suggestion <text>', 'what would do; may be repeated', collect, [])
    .option('--json')
    .action((id: string, options: Options) => decideAction(id, options, false))
  withStoreOptions(rights.command('revoke <id>').description('take a grant back and tell the buyer at its webhook'))
    .option('--tenant <id>')
    .requiredOption('--reason <text>', 'what the buyer is told')
    .option('--from <time>', 'ISO 8601; default: now')
    .option('--json')
    .action(revokeAction)
  return rights
}

function listAction(options: Options): Promise<void> {
  return withStore(options, async (store) => {
    const grants = await listGrants(store.read, await chooseTenant(store, options.tenant), MAX_LISTED)
    const shown = grants.map((grant) => presentGrant(grant, new Date()))
    print(
      options.json,
      { grants: shown },
      table(
        ['GRANT', 'RIGHT', 'BUYER', 'STATUS', 'FROM', 'TO'],
        shown.map(({ rights_id, right, buyer, status, terms }) => [
          rights_id,
          right,
          buyer,
          status,
          terms.start_date ?? '',
          terms.end_date ?? '',
        ]),
      ),
    )
  })
}

function pendingAction(options: Options): Promise<void> {
  return withStore(options, async (store) => {
    const tenantId = await chooseTenant(store, options.tenant)
    const creatives = await listSubmissionsInReview(store.read, tenantId, MAX_LISTED)
    const changes = (await listGrants(store.read, tenantId, MAX_LISTED)).filter(({ pending }) => pending !== undefined)
    print(
      options.json,
      { creatives: creatives.map(presentCreative), changes: changes.map((grant) => presentGrant(grant, new Date())) },
      table(
        ['ID', 'WHAT', 'GRANT', 'ABOUT'],
        [
          ...creatives.map(({ submissionId, grantId, url }) => [submissionId, 'creative', grantId, url]),
          ...changes.map(({ grantId, pending }) => [
            grantId,
            'change',
            grantId,
            pending ? JSON.stringify(presentTerms(pending)) : '',
          ]),
        ],
      ),
    )
  })
}

function decideAction(id: string, options: Options, approve: boolean): Promise<void> {
  return withStore(options, async (store, config) => {
    const tenantId = await chooseTenant(store, options.tenant)
    const act = { task: `rights.${approve ? 'approve' : 'reject'}`, tenant: tenantId, subject: id }
    const shown = await decide(asOperator(store, act), config, tenantId, { id, approve, options })
    print(options.json, shown, [`${id} is ${approve ? 'approved' : 'rejected'}`])
  })
}

async function decide(
  store: Store,
  config: Config,
  tenantId: string,
  { id, approve, options }: { readonly id: string; readonly approve: boolean; readonly options: Options },
): Promise<object> {
  const now = new Date()
  if (id.startsWith('rgt_'))
    return presentGrant(await decideRightsChange({ store, brands: brandsOf(store, config) }, tenantId, id, approve, now), now)
  const decision = approve
    ? { approve, conditions: options.condition ?? [] }
    : { approve, reason: options.reason ?? '', suggestions: options.suggestion ?? [] }
  return presentCreative(await decideRightsCreative(store, tenantId, id, decision, now))
}

function revokeAction(id: string, options: Options): Promise<void> {
  return withStore(options, async (store) => {
    const now = new Date()
    const effectiveAt = options.from === undefined ? now : new Date(options.from)
    if (Number.isNaN(effectiveAt.getTime()))
      throw new AdcpError('INVALID_REQUEST', '--from is no ISO 8601 time', { field: 'from' })
    const tenantId = await chooseTenant(store, options.tenant)
    const grant = await revokeRights(
      asOperator(store, { task: 'rights.revoke', tenant: tenantId, subject: id }),
      tenantId,
      id,
      { reason: options.reason ?? '', effectiveAt },
      now,
    )
    print(options.json, presentGrant(grant, now), [`${id} is revoked from ${effectiveAt.toISOString()}; its holder is told`])
  })
}

function presentGrant(grant: RightsGrant, now: Date) {
  const { grantId, agreement, principalId, pending, revokedAt } = grant
  return {
    rights_id: grantId,
    right: agreement.offering.rights_id,
    brand_id: agreement.offering.brand_id,
    principal: principalId,
    buyer: agreement.buyerDomain,
    status: grantStatus(grant, now),
    terms: presentTerms(agreement),
    ...(pending && { pending_terms: presentTerms(pending) }),
    ...(revokedAt !== undefined && { revoked_at: revokedAt }),
  }
}

function presentCreative({ submissionId, grantId, creativeId, url, description, status, submittedAt }: SubmittedCreative) {
  return {
    id: submissionId,
    rights_id: grantId,
    ...(creativeId !== undefined && { creative_id: creativeId }),
    creative_url: url,
    ...(description !== undefined && { description }),
    status,
    submitted_at: submittedAt,
  }
}

function collect(text: string, all: readonly string[]): readonly string[] {
  return [...all, text]
}
