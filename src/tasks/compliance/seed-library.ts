import { fixtureOf, invalidParam, type Params, requiredText } from '../../domain/compliance/params.ts'
import { seededCreative } from '../../domain/compliance/seeded-creative.ts'
import { seededAssignments, seededMediaBuy, seededStatus } from '../../domain/compliance/seeded-media-buy.ts'
import { knownFormat } from '../../domain/creative/resolve-format.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { takenIds } from '../../store/account/sandbox.ts'
import { replaceAssignments } from '../../store/creative/change-assignments.ts'
import { findCreatives, insertCreative } from '../../store/creative/creatives.ts'
import { findMediaBuys, insertMediaBuy } from '../../store/media-buy/media-buys.ts'
import { formatScopeOf } from '../creative/format-scope.ts'
import { replaceCreative } from '../creative/upsert-creatives.ts'
import { bringMediaBuyTo } from './force-status.ts'
import { type Scenario, seeded } from './scenario.ts'

/** `seed_creative`: a library creative that every account of this agent has. */
export const seedCreative: Scenario = async (params, context) => {
  const { tx, principal, services, now } = context
  const creativeId = requiredText(params, 'creative_id')
  const existing = (await findCreatives(tx, principal, '', [creativeId])).get(creativeId)
  const scope = await formatScopeOf(context)
  const creative = seededCreative(creativeId, fixtureOf(params), {
    agentUrl: services.wiring.agentUrl,
    existing,
    formatOf: (formatId) => knownFormat(formatId, scope),
    now,
  })
  if (existing) await replaceCreative(context, existing, creative)
  else await insertCreative(tx, principal, creative)
  return seeded('creative', creativeId)
}

/** `seed_media_buy`: a media buy of this agent. One that is there already is brought into the status of the fixture. */
export const seedMediaBuy: Scenario = async (params, context) => {
  const { tx, principal } = context
  const mediaBuyId = requiredText(params, 'media_buy_id')
  const fixture = fixtureOf(params)
  const [existing] = await findMediaBuys(tx, principal, [mediaBuyId])
  const status = seededStatus(fixture)
  if (existing && status !== undefined) await bringMediaBuyTo(context, existing, status, undefined)
  if (!existing) await insertSeededMediaBuy(mediaBuyId, fixture, '', context)
  return seeded('media buy', mediaBuyId)
}

/** Adds the media buy of a fixture. Throws INVALID_REQUEST when its id, or one of its packages', is in use. */
export async function insertSeededMediaBuy(
  mediaBuyId: string,
  fixture: Params,
  accountId: string,
  { tx, principal, now }: InTransaction<AuthenticatedContext>,
): Promise<void> {
  const actor = principal.agentUrl ?? principal.name
  const buy = seededMediaBuy(mediaBuyId, fixture, { accountId, actor, now })
  const packageIds = buy.packages.map((pkg) => pkg.packageId)
  const [taken] = await takenIds(tx, principal, mediaBuyId, packageIds)
  if (taken !== undefined) throw invalidParam('media_buy_id', `or a package id (${taken}) is in use; choose others`)
  await insertMediaBuy(tx, principal, buy)
  for (const [packageId, assignments] of seededAssignments(mediaBuyId, fixture))
    if (assignments.length > 0) await replaceAssignments(tx, principal, packageId, assignments, now)
}
