import { randomUUID } from 'node:crypto'
import type { CheckGovernanceRequest } from '@adcp/sdk/types'
import type { GovernedAction } from '../../domain/governance/action.ts'
import { actionKey } from '../../domain/governance/action-key.ts'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import type { Plan } from '../../domain/governance/plan.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { findNewestAction, type WantedAction } from '../../store/governance/governance-actions.ts'

/** The action that a check continues: its token's, else the one with the same question, else a new one. Delivery without a token is about the last approved purchase. */
export async function actionOfCheck(
  db: Db,
  owner: PrincipalRef,
  request: CheckGovernanceRequest,
  byToken: ActionRecord | undefined,
  { plan, action, now }: { plan: Plan; action: GovernedAction; now: Date },
): Promise<ActionRecord> {
  const key = actionKey(request.caller, request.tool ?? '', action.purchaseType, request.payload)
  const buysAnew = action.checkType === 'intent' && action.phase === 'purchase'
  if (byToken && !(buysAnew && isDone(byToken))) return byToken
  // A purchase that is described in full is a question of its own, also when the seller of this same process asks it.
  const isDescribed = action.checkType === 'intent' || (action.phase === 'purchase' && request.payload !== undefined)
  const { purchaseType } = action
  const find = (wanted: Omit<WantedAction, 'purchaseType'>) =>
    findNewestAction(db, owner, plan.planId, { purchaseType, ...wanted })
  const found = isDescribed ? await find({ openKey: key }) : ((await find({ approved: true })) ?? (await find({})))
  return found ?? newAction(plan, { purchaseType, caller: action.caller, seller: action.seller, actionKey: key }, now)
}

/** Bought already: who asks for the same thing again wants it once more, with money of its own. */
function isDone(record: ActionRecord): boolean {
  return record.committedMicros > 0 || record.sellerReference !== undefined
}

/** An action at its beginning. */
export function newAction(
  plan: Plan,
  asked: Pick<ActionRecord, 'purchaseType' | 'caller' | 'seller' | 'actionKey'>,
  now: Date,
): ActionRecord {
  return {
    ...asked,
    planId: plan.planId,
    principalId: plan.principalId,
    actionId: `act_${randomUUID()}`,
    status: 'active',
    committedMicros: 0,
    channels: [],
    sellerReference: undefined,
    governanceContext: '',
    approved: undefined,
    escalation: undefined,
    counterproposals: 0,
    checkCount: 0,
    nextCheckAt: undefined,
    createdAt: now.toISOString(),
  }
}

/** Characters of the address of a seller: a token that names it has 4,096 (AdCP check-governance-response.json, `governance_context`). */
const MAX_SELLER = 2_000

/** The seller that an intent is for: that of the action that its token belongs to (`linked`), else named in its payload, else the plan's only one, else this one. One that executes names itself. Throws INVALID_REQUEST. */
export function sellerOf(...about: Parameters<typeof namedSeller>): string {
  const seller = namedSeller(...about)
  if (seller.length <= MAX_SELLER) return seller
  throw new AdcpError(
    'INVALID_REQUEST',
    `the address of the seller has ${seller.length} characters; at most ${MAX_SELLER} are accepted`,
    {
      field: 'payload.target_seller',
    },
  )
}

function namedSeller(
  ownUrl: string,
  principalId: string,
  request: CheckGovernanceRequest,
  plan: Plan,
  linked: ActionRecord | undefined,
): string {
  if (linked) return linked.seller
  if (plan.principalId !== principalId) return request.caller
  const target = request.payload !== undefined && 'target_seller' in request.payload ? request.payload.target_seller : undefined
  if (typeof target === 'string') return target
  const [only, another] = plan.document.approved_sellers ?? []
  return only !== undefined && another === undefined ? only : ownUrl
}
