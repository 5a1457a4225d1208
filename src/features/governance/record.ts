import type { Db } from '../../store/database.ts'
import { insertPresentedToken, insertSpendApproval, useToken } from '../../store/governance/spend-approvals.ts'
import { unavailable } from './ask-agent.ts'
import type { Governed, GovernedCall, SpendCommitment, TokenUse } from './governance.ts'
import { refusedToken, SKEW_SECONDS } from './presented-token.ts'

/** Keeps what was agreed together with the commitment itself: both are committed or neither is. See {@link Governance.record}. */
export async function recordGoverned(
  tx: Db,
  { principal, account, now }: Omit<GovernedCall, 'db'>,
  { resourceId, tool, phase }: SpendCommitment,
  { planId, approvals, presented }: Governed,
): Promise<void> {
  if (presented) {
    await insertPresentedToken(tx, principal, { resourceId, tool, token: presented.token }, now)
    if (presented.use) await use(tx, presented.use, now)
  }
  if (planId === undefined) return
  for (const approval of approvals) {
    if (Date.parse(approval.expiresAt) <= now.getTime()) throw unavailable('the approval has lapsed')
    if (approval.use) await use(tx, approval.use, now)
    const { agentUrl, checkId, expiresAt, token, conditions, findings, nextCheck } = approval
    const accountId = account?.accountId ?? ''
    await insertSpendApproval(
      tx,
      principal,
      { resourceId, agentUrl, checkId, accountId, planId, tool, phase, expiresAt, token, conditions, findings, nextCheck },
      now,
    )
  }
}

async function use(tx: Db, token: TokenUse, now: Date): Promise<void> {
  const isFirst = await useToken(tx, token, token.exp + SKEW_SECONDS, now.getTime() / 1000)
  if (!isFirst) throw refusedToken('governance_token_replayed: used at the same time')
}
