import type { GetProductsResponse } from '@adcp/sdk/types'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Ending, Negotiated } from '../../domain/proposal/negotiated.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'

type Proposal = NonNullable<GetProductsResponse['proposals']>[number]

/** A proposal as it was last shown to one agent. */
export interface StoredProposal {
  readonly proposal: Proposal
  readonly accountId: string | undefined
  readonly revision: number
  /** The terms that it stands for; undefined where they follow at the order. */
  readonly negotiated: Negotiated | undefined
  /** Undefined: it is open, until it expires. */
  readonly ending: Ending | undefined
}

/** A proposal of the agent's own; another agent's is indistinguishable from none. Expired ones are found too. */
export async function findProposal(db: Db, owner: PrincipalRef, proposalId: string): Promise<StoredProposal | undefined> {
  const { tenantId, principalId } = owner
  const [row] = (await proposalNamed(db, { tenantId, principalId, proposalId })).rows
  return (
    row && {
      proposal: JSON.parse(row.document),
      accountId: row.account_id ?? undefined,
      revision: row.revision,
      negotiated: row.negotiated === null ? undefined : JSON.parse(row.negotiated),
      ending: row.ending === null ? undefined : JSON.parse(row.ending),
    }
  )
}

const proposalNamed = hotQuery(['tenantId', 'principalId', 'proposalId'], (db, value) =>
  db
    .selectFrom('proposals')
    .selectAll()
    .where('tenant_id', '=', value('tenantId'))
    .where('principal_id', '=', value('principalId'))
    .where('proposal_id', '=', value('proposalId')),
)

/**
 * Keeps a proposal as shown, open; `expectedRevision` is 0 for a new one. Throws CONFLICT when it changed, or ended, since it was read.
 * `proposal.expires_at` must be set.
 */
export async function saveProposal(
  tx: Db,
  owner: PrincipalRef,
  proposal: Proposal & { readonly expires_at: string },
  options: { readonly accountId: string | undefined; readonly expectedRevision: number },
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const values = {
    account_id: options.accountId ?? null,
    status: proposal.proposal_status ?? 'committed',
    document: JSON.stringify(proposal),
    expires_at: proposal.expires_at,
    ending: null,
    revision: options.expectedRevision + 1,
    updated_at: at,
  }
  const key = { tenant_id: owner.tenantId, principal_id: owner.principalId, proposal_id: proposal.proposal_id }
  const saved = await tx
    .insertInto('proposals')
    .values({ ...key, ...values, created_at: at })
    .onConflict((c) =>
      c
        .columns(['tenant_id', 'principal_id', 'proposal_id'])
        .doUpdateSet(values)
        .where('proposals.revision', '=', options.expectedRevision),
    )
    .executeTakeFirst()
  if (saved.numInsertedOrUpdatedRows === 0n) {
    throw new AdcpError('CONFLICT', `proposal ${proposal.proposal_id} was changed by another request; read it again`, {
      field: 'refine',
    })
  }
}

/** Keeps a draft under its own id, as `saveProposal`; one that is kept already stays as it is, for an id never gets other terms. One that was bought is a draft again. */
export async function keepDraft(
  tx: Db,
  owner: PrincipalRef,
  draft: Proposal & { readonly expires_at: string },
  accountId: string | undefined,
  now: Date,
): Promise<void> {
  const stored = await findProposal(tx, owner, draft.proposal_id)
  if (stored && (stored.negotiated || stored.ending?.outcome !== 'accepted')) return
  await saveProposal(tx, owner, draft, { accountId, expectedRevision: stored?.revision ?? 0 }, now)
}

/** Keeps a snapshot of negotiated terms under an id that nothing has yet. */
export async function insertSnapshot(
  tx: Db,
  owner: PrincipalRef,
  { proposal, negotiated }: { readonly proposal: Proposal & { readonly expires_at: string }; readonly negotiated: Negotiated },
  accountId: string | undefined,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  await tx
    .insertInto('proposals')
    .values({
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      proposal_id: proposal.proposal_id,
      account_id: accountId ?? null,
      status: proposal.proposal_status ?? 'draft',
      document: JSON.stringify(proposal),
      negotiated: JSON.stringify(negotiated),
      expires_at: proposal.expires_at,
      revision: 1,
      created_at: at,
      updated_at: at,
    })
    .execute()
}

/** Ids among which one that was meant is looked for. */
const NEWEST = 50

/** Ids of the agent's proposals that have neither ended nor expired, newest first. */
export async function newestProposalIds(db: Db, owner: PrincipalRef, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('proposals')
    .select('proposal_id')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('ending', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .orderBy('updated_at', 'desc')
    .orderBy('proposal_id')
    .limit(NEWEST)
    .execute()
  return rows.map(({ proposal_id }) => proposal_id)
}

/** Ends a proposal, once and for good: false when it is not there or has ended already. */
export async function endProposal(tx: Db, owner: PrincipalRef, proposalId: string, ending: Ending): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('proposals')
    .set((row) => ({ ending: JSON.stringify(ending), revision: row('revision', '+', 1), updated_at: ending.at }))
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('proposal_id', '=', proposalId)
    .where('ending', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Moves the deadline of a proposal to a moment that is over. Its terms stay. */
export async function lapseProposal(tx: Db, owner: PrincipalRef, { proposal }: StoredProposal, at: Date): Promise<void> {
  const expires_at = at.toISOString()
  await tx
    .updateTable('proposals')
    .set({ document: JSON.stringify({ ...proposal, expires_at }), expires_at })
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('proposal_id', '=', proposal.proposal_id)
    .execute()
}

/** Deletes proposals that expired before a moment; a page at a time is the caller's affair. */
export async function sweepProposals(tx: Db, before: Date): Promise<void> {
  await tx.deleteFrom('proposals').where('expires_at', '<', before.toISOString()).execute()
}
