import type { DesiredCreative, OrderKey } from '../../domain/ad-serving/desired-order.ts'
import { trafficName } from '../../domain/ad-serving/trafficking.ts'
import { sameValue } from '../../domain/same-value.ts'
import { MissingThere } from '../missing-there.ts'
import { refusalOf } from '../refusal.ts'
import { associateGamCreatives } from './associate-creatives.ts'
import type { Message } from './client.ts'
import { creativeFields } from './creative-fields.ts'
import { type GamOrder, requireOrder } from './find-order.ts'
import type { GamProduct } from './gam-options.ts'
import type { GamParts } from './gam-parts.ts'
import { idOf, textOf } from './messages.ts'
import { comparableCreative, creativesById, findCreatives } from './read-creatives.ts'
import type { CreativeMemo, Remembered } from './remembered.ts'
import { statement } from './soap-elements.ts'

/**
 * Writes a creative of an order. What the network does not take is remembered with its reason, which the buyer gets as that of a review: the order goes on without it.
 * Throws what is no matter of the creative.
 */
export async function putGamCreative(parts: GamParts, key: OrderKey, creative: DesiredCreative): Promise<void> {
  const { externalId, contentVersion: version } = creative
  try {
    await writeCreative(parts, key, creative)
  } catch (error) {
    const refusal = error instanceof MissingThere ? undefined : refusalOf(error)
    if (refusal?.of !== 'order') throw error
    await parts.memory.saveCreative(key, externalId, { name: undefined, version, refused: refusal.reason })
  }
}

/**
 * Another content is another creative there, since its type and size never change; what people changed of it is written again. A creation
 * whose answer was lost is found by its name, which carries the version of the content, and its advertiser.
 */
async function writeCreative(parts: GamParts, key: OrderKey, creative: DesiredCreative): Promise<void> {
  const { memory, soap } = parts
  const order = await requireOrder(parts, key)
  const { externalId, contentVersion: version } = creative
  const own = (await memory.creatives(key)).get(externalId)
  const before = own?.version === version ? own : undefined
  const there = await existing(parts, order, creative, before)
  const of = { creative, advertiserId: advertiserOf(order), products: productsOf(parts, order) }
  if (there && before && sameValue(before.written, comparableCreative(there)))
    return memory.saveCreative(key, externalId, { ...before, name: nameOf(parts, there) })
  // Known before it is made: an answer that is lost leaves something to look for.
  if (!there) await memory.saveCreative(key, externalId, { name: undefined, version })
  const id = there && textOf(there, 'id')
  const creatives = await creativeFields(parts, { ...of, ...(id !== undefined && { id }) })
  const [made] = there
    ? await soap.call('CreativeService', 'updateCreatives', { creatives }, 'repeatable')
    : await soap.call('CreativeService', 'createCreatives', { creatives }, 'creation')
  if (!made) return
  const written: Remembered<CreativeMemo> = { name: nameOf(parts, made), version, written: comparableCreative(made) }
  await memory.saveCreative(key, externalId, written)
  if (!there && own?.name !== undefined) await showInstead(parts, key, order, externalId)
}

/** A new content is on the lines that showed the one before. */
async function showInstead(parts: GamParts, key: OrderKey, { lines }: GamOrder, externalId: string): Promise<void> {
  for (const [lineExternalId, { shows = {} }] of lines) {
    if (!Object.hasOwn(shows, externalId)) continue
    const associations = Object.entries(shows).map(([creativeExternalId, { weight, placementIds }]) => ({
      ...{ creativeExternalId, weight, placementIds },
    }))
    await associateGamCreatives(parts, key, { externalId: lineExternalId }, associations)
  }
}

async function existing(
  parts: GamParts,
  order: GamOrder,
  creative: DesiredCreative,
  before: Remembered<CreativeMemo> | undefined,
): Promise<Message | undefined> {
  if (!before) return undefined
  const id = before.name === undefined ? undefined : idOf(before.name)
  if (id !== undefined) return (await creativesById(parts, [id])).get(id)
  const query = statement('WHERE advertiserId = :advertiser AND name = :name ORDER BY id LIMIT 1', {
    ...{ advertiser: advertiserOf(order), name: trafficName(creative) },
  })
  return (await findCreatives(parts.soap, query))[0]
}

function nameOf({ client }: Pick<GamParts, 'client'>, creative: Message): string {
  return `${client.network}/creatives/${textOf(creative, 'id') ?? ''}`
}

function advertiserOf({ message }: GamOrder): string {
  return idOf(textOf(message, 'advertiser') ?? '')
}

/** The products that an order has lines of; every one that is set up while it has none. */
function productsOf({ options }: Pick<GamParts, 'options'>, { lines }: GamOrder): readonly GamProduct[] {
  const ids = [...lines.values()].map(({ settings }) => settings.productId)
  return ids.length > 0 ? ids.flatMap((id) => options.products[id] ?? []) : Object.values(options.products)
}
