import type { Association, OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedAssociation, ObservedCreative } from '../../domain/ad-serving/observed-order.ts'
import type { LineRef } from '../../domain/ad-serving/step.ts'
import { sameValue } from '../../domain/same-value.ts'
import { MissingThere } from '../missing-there.ts'
import { associationsOf, bringAssociations, isShown, shareOf, type Target } from './associations.ts'
import type { Message } from './client.ts'
import { sizeIn } from './creative-fields.ts'
import { requireOrder } from './find-order.ts'
import type { ShowingOrder, ShownCreatives } from './gam-creatives.ts'
import { GamOutage } from './gam-error.ts'
import { type GamLine, linesOfOrder, ourLines } from './gam-lines.ts'
import type { GamParts } from './gam-parts.ts'
import { idOf, nameOf, textOf } from './messages.ts'
import { comparableCreative, creativesById } from './read-creatives.ts'
import type { CreativeMemo, Remembered } from './remembered.ts'
import { rotationOf } from './rotation.ts'
import { type SoapParameters, textsIn } from './soap-elements.ts'

/** What the network has of the creatives that we wrote of each order, with Google's review, and what its lines show. A creative that is none of ours, or of an earlier content, has its resource name. */
export async function writtenCreatives(parts: GamParts, orders: readonly ShowingOrder[]): Promise<readonly ShownCreatives[]> {
  const all = await Promise.all(
    orders.map(async ({ key, lines }) => ({ lines, known: [...(await parts.memory.creatives(key))] })),
  )
  const [there, associations] = await Promise.all([
    creativesById(
      parts,
      all.flatMap(({ known }) => writtenOf(known).map(([, { name }]) => idOf(name ?? ''))),
    ),
    associationsOf(
      parts,
      all.flatMap(({ lines }) => lines.map(({ message }) => idOf(nameOf(message)))),
    ),
  ])
  return all.map(({ lines, known }) => shownOf(parts, lines, known, { there, associations }))
}

type KnownCreatives = readonly (readonly [externalId: string, creative: Remembered<CreativeMemo>])[]

function writtenOf(known: KnownCreatives): KnownCreatives {
  return known.filter(([, { name, written }]) => name !== undefined && written !== undefined)
}

function shownOf(
  parts: Pick<GamParts, 'client'>,
  lines: readonly GamLine[],
  known: KnownCreatives,
  {
    there,
    associations,
  }: Record<'there', ReadonlyMap<string, Message>> & Record<'associations', ReadonlyMap<string, readonly Message[]>>,
): ShownCreatives {
  const creatives = known.flatMap(([externalId, { name, version, written, refused }]): ObservedCreative[] => {
    if (refused !== undefined)
      return [{ id: name ?? '', externalId, contentVersion: version, review: { state: 'rejected', reason: refused } }]
    const found = name === undefined ? undefined : there.get(idOf(name))
    if (!found || name === undefined) return []
    const isOurs = sameValue(written, comparableCreative(found))
    return [{ id: name, externalId, contentVersion: isOurs ? version : `${version} (changed there)`, ...reviewOf(found) }]
  })
  const idsOf = new Map(writtenOf(known).map(([externalId, { name }]) => [idOf(name ?? ''), externalId]))
  const byLine = lines.map(({ message, memo }) => {
    const own = associations.get(idOf(nameOf(message))) ?? []
    const shown = own.filter(isShown).map((each) => observed(parts, each, idsOf, memo.shows ?? {}))
    return [nameOf(message), shown] as const
  })
  return { creatives, byLine: new Map(byLine) }
}

function observed(
  { client }: Pick<GamParts, 'client'>,
  association: Message,
  idsOf: ReadonlyMap<string, string>,
  shows: NonNullable<GamLine['memo']['shows']>,
): ObservedAssociation {
  const id = textOf(association, 'creativeId') ?? ''
  const creativeExternalId = idsOf.get(id) ?? `${client.network}/creatives/${id}`
  const own = Object.hasOwn(shows, creativeExternalId) ? shows[creativeExternalId] : undefined
  const share = shareOf(association)
  if (!own) return { creativeExternalId }
  return { creativeExternalId, placementIds: own.placementIds, weight: own.share === share ? own.weight : share }
}

/** Policies that a creative breaks, as Google found them; it does not serve until they are gone. */
function reviewOf(creative: Message): Pick<ObservedCreative, 'review'> {
  const labels = textsIn(creative, 'policyLabels')
  return labels.length === 0 ? {} : { review: { state: 'rejected', reason: `Google found ${labels.join(', ')}` } }
}

/**
 * Puts these creatives on a line and takes the others off; those that begin are there before others end. What the network does not show on it is remembered as refused: the
 * line goes on with the others.
 */
export async function associateGamCreatives(
  parts: GamParts,
  key: OrderKey,
  { externalId }: LineRef,
  wanted: readonly Association[],
): Promise<void> {
  const order = await requireOrder(parts, key)
  const line = (await ourLines(parts, key, order, await linesOfOrder(parts.client, order.name))).get(externalId)
  if (!line) throw new MissingThere(`line ${externalId} is not at Google Ad Manager`, externalId)
  const creatives = await parts.memory.creatives(key)
  const refuse = async (creativeExternalId: string, refused: string) => {
    const own = creatives.get(creativeExternalId)
    if (own) await parts.memory.saveCreative(key, creativeExternalId, { ...own, refused })
  }
  for (const { placementIds, creativeExternalId } of wanted)
    if (placementIds !== null) await refuse(creativeExternalId, SOME_PLACEMENTS)
  const taken = wanted.filter(
    ({ placementIds, creativeExternalId }) => placementIds === null && creatives.get(creativeExternalId)?.refused === undefined,
  )
  const shares = rotationOf(taken)
  const targets = taken.map(({ creativeExternalId, weight }, at): Target => {
    const id = creatives.get(creativeExternalId)?.name
    if (id === undefined) throw new GamOutage(`creative ${creativeExternalId} is not at Google Ad Manager yet`, 'none')
    return { creativeExternalId, creativeId: idOf(id), weight, share: shares[at] ?? 0 }
  })
  const lineItemId = idOf(nameOf(line.message))
  const there = (await associationsOf(parts, [lineItemId])).get(lineItemId) ?? []
  await rememberShown(parts, key, externalId, line, targets)
  await bringAssociations(
    parts,
    { lineItemId, sizes: playerSizes(parts, line) },
    { targets, there, refuse: (target, { reason }) => refuse(target.creativeExternalId, reason) },
  )
}

const SOME_PLACEMENTS = 'it is for some placements of the product; lines in Google Ad Manager show each creative in all of them'

/** What is being written is ours, also when the answer is lost; a line whose creatives have shares rotates by them. */
async function rememberShown(
  { client, memory }: GamParts,
  key: OrderKey,
  externalId: string,
  line: GamLine,
  targets: readonly Target[],
): Promise<void> {
  const shows = Object.fromEntries(
    targets.map(({ creativeExternalId, weight, share }) => [creativeExternalId, { weight, share, placementIds: null }]),
  )
  const name = nameOf(line.message)
  const rotation = targets.some(({ weight }) => weight !== null) ? 'WEIGHTED' : 'EVENLY'
  const { written } = line.memo
  await memory.saveLine(key, externalId, { ...line.memo, shows, written: { ...written, creativeRotationType: rotation }, name })
  if (textOf(line.message, 'creativeRotationType') === rotation) return
  const requests = [{ lineItem: { name, creativeRotationType: rotation }, updateMask: 'creativeRotationType' }]
  await client.post(`${client.network}/lineItems:batchUpdate`, { requests }, 'repeatable')
}

/** A video fills the player of its line, whatever its own size; other creatives have theirs. */
function playerSizes({ options }: GamParts, { memo }: GamLine): readonly SoapParameters[] {
  const product = options.products[memo.settings.productId]
  return product?.video ? product.sizes.map((size) => ({ ...sizeIn(size), isAspectRatio: false })) : []
}
