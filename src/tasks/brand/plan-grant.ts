import { randomUUID } from 'node:crypto'
import type { AcquireRightsRequest } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import type { RightsOffering } from '../../domain/brand/brands-file.ts'
import { type Cleared, clearAcquisition } from '../../domain/rights/acquire.ts'
import type { BuyerFacts } from '../../domain/rights/clearance.ts'
import { committedMicros } from '../../domain/rights/commitment.ts'
import { dayOf, type GrantAgreement } from '../../domain/rights/grant.ts'
import type { GrantAttestation } from '../../features/brands/grant-attestations.ts'
import type { Governed } from '../../features/governance/governance.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { instead } from '../../protocol/nearest-name.ts'
import { listAccounts } from '../../store/account/accounts.ts'
import type { Db } from '../../store/database.ts'
import { standingAgreements } from '../../store/rights/rights-grants.ts'
import { type Held, heldByPolicy } from '../approvals/hold.ts'
import { buyerFacts } from './buyer-facts.ts'
import { acquisitionCommitment, projectionFault } from './governed-grant.ts'

/** What is known of an acquisition before it is made. */
export interface PlannedGrant {
  readonly grantId: string
  readonly offering: RightsOffering
  readonly buyer: BuyerFacts
  readonly account: Account | undefined
  readonly cleared: Cleared
  /** Set when a person at the rights holder has to approve first. */
  readonly held: Held | undefined
  /** What those who govern the money said; undefined for what is refused anyway. */
  readonly governed: Governed | undefined
  /** GOVERNANCE_DENIED, when those who govern the money refused. */
  readonly denied: AdcpError | undefined
  readonly attestation: GrantAttestation
}

/** The right of an id. Throws REFERENCE_NOT_FOUND with those that are near. */
export async function rightOnOffer(
  id: string,
  { tenant, services }: Pick<AuthenticatedContext, 'tenant' | 'services'>,
): Promise<RightsOffering> {
  const { rightsById } = await services.brands.load(tenant.tenantId)
  const offering = rightsById.get(id)
  if (offering) return offering
  const hint = instead(id, () => [...rightsById.keys()], 'get_rights finds them')
  throw new AdcpError('REFERENCE_NOT_FOUND', `there is no such right${hint}`, {
    field: 'rights_id',
    suggestion: 'find it with get_rights',
  })
}

/** Checks an acquisition against the grants in force. Throws what makes no sense in the request. */
export async function planGrant(request: AcquireRightsRequest, context: AuthenticatedContext): Promise<PlannedGrant> {
  const { db, tenant, services } = context
  const offering = await rightOnOffer(request.rights_id, context)
  const account = await payingAccount(context)
  const buyer = await buyerFacts(context, request.buyer)
  const cleared = await clear(db, request, { offering, buyer }, context)
  const held = cleared.kind === 'cleared' ? await heldOf(request, context, offering, cleared.agreement) : undefined
  const grantId = held?.answers ? reservedId(held.answers.document) : `rgt_${randomUUID()}`
  const answer =
    cleared.kind === 'cleared'
      ? await unlessDenied(
          services.governance.check({ ...context, account }, acquisitionCommitment(request, grantId, cleared.agreement)),
          cleared.agreement,
        )
      : undefined
  const denied = answer instanceof AdcpError ? answer : undefined
  const governed = answer instanceof AdcpError ? undefined : answer
  const attestation = await services.attestations.of(tenant.tenantId, offering.brand_id)
  return { grantId, offering, buyer, account, cleared, held, governed, denied, attestation }
}

/** The answer of those who govern the money, or their denial. Throws INVALID_REQUEST for a CPM that the plan has no money for. */
function unlessDenied(checked: Promise<Governed>, agreement: GrantAgreement): Promise<Governed | AdcpError> {
  return checked.catch((error: unknown) => {
    if (!(error instanceof AdcpError) || error.code !== 'GOVERNANCE_DENIED') throw error
    const fault = projectionFault(error, agreement)
    if (fault) throw fault
    return error
  })
}

/** Clears again in the transaction: others may have been faster. */
export async function clear(
  db: Db,
  request: AcquireRightsRequest,
  { offering, buyer }: Pick<PlannedGrant, 'offering' | 'buyer'>,
  { principal, now }: AuthenticatedContext,
): Promise<Cleared> {
  const others = await standingAgreements(db, principal, { today: dayOf(now), rightsId: offering.rights_id })
  return clearAcquisition(request, { offering, buyer, others, governed: 'governance_context' in request, now })
}

function heldOf(
  request: AcquireRightsRequest,
  context: AuthenticatedContext,
  { rights_id, clearance }: RightsOffering,
  agreement: GrantAgreement,
): Promise<Held | undefined> {
  const manual = clearance?.approval === 'manual' ? [rights_id] : []
  return heldByPolicy(context, { task: 'acquire_rights', policy: 'acquire_rights' }, request, {
    totalMicros: committedMicros(agreement),
    currency: agreement.price.currency,
    productIds: [rights_id],
    manualProductIds: manual,
  })
}

function reservedId(document: string): string {
  const { grantId }: { grantId: string } = JSON.parse(document)
  return grantId
}

/** Who pays: the named account, else the only one. With `conformance` a sandbox agent needs none. */
async function payingAccount({ db, principal, account }: AuthenticatedContext): Promise<Account | undefined> {
  if (account) return account
  const own = await listAccounts(db, principal, { status: 'active' }, { after: undefined, limit: 2 })
  const [only, another] = own.accounts
  if ((only && !another) || principal.conformance) return another ? undefined : only
  if (another) throw new AdcpError('ACCOUNT_AMBIGUOUS', 'you have several accounts: name the one that pays', { field: 'account' })
  throw new AdcpError('ACCOUNT_NOT_FOUND', 'you have no account that could pay for the right', {
    field: 'account',
    suggestion: 'declare one with sync_accounts',
  })
}
