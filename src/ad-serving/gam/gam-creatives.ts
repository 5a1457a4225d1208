import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedAssociation, ObservedCreative } from '../../domain/ad-serving/observed-order.ts'
import { readTrafficName } from '../../domain/ad-serving/trafficking.ts'
import { associationsOf, isShown } from './associations.ts'
import type { GamClient } from './client.ts'
import type { GamLine } from './gam-lines.ts'
import type { GamParts } from './gam-parts.ts'
import { idOf, inBatches, nameOf, textOf } from './messages.ts'
import { creativesById } from './read-creatives.ts'

/** What lines show of our creatives. */
export interface ShownCreatives {
  readonly creatives: readonly ObservedCreative[]
  /** By resource name of the line. */
  readonly byLine: ReadonlyMap<string, readonly ObservedAssociation[]>
}

/** Lines of an order, of which it is to be read what they show. */
export interface ShowingOrder {
  readonly key: OrderKey
  readonly lines: readonly GamLine[]
}

/** Names in one filter: a URL has some thousand characters. */
const BATCH = 20

/**
 * Reads which of our creatives the lines of each order show, whether these serve or are paused. Creatives are read-only in the REST API: people traffic them, under a name that
 * we gave, by which they are found.
 */
export async function shownCreatives(
  { client }: Pick<GamParts, 'client'>,
  orders: readonly ShowingOrder[],
): Promise<readonly ShownCreatives[]> {
  const lines = orders.flatMap((order) => order.lines)
  const pairs = await Promise.all(
    lines.map(async ({ message }) => {
      const all = await client.list(`${nameOf(message)}/creatives`, 'lineItemCreativeAssociations')
      const active = all.filter(isShown)
      return [nameOf(message), active.flatMap((each) => textOf(each, 'creative') ?? [])] as const
    }),
  )
  const byLine = new Map(pairs)
  const known = await ourCreatives(client, [...new Set(pairs.flatMap(([, names]) => names))])
  return orders.map((order) => namedCreatives(order, byLine, known))
}

/** The same by the SOAP API, which gives those of all lines at once. */
export async function soapShownCreatives(
  parts: Pick<GamParts, 'client' | 'soap'>,
  orders: readonly ShowingOrder[],
): Promise<readonly ShownCreatives[]> {
  const lines = orders.flatMap((order) => order.lines.map(({ message }) => nameOf(message)))
  const associations = await associationsOf(parts, lines.map(idOf))
  const idsOf = (line: string) =>
    (associations.get(idOf(line)) ?? []).filter(isShown).flatMap((each) => textOf(each, 'creativeId') ?? [])
  const nameOfId = (id: string) => `${parts.client.network}/creatives/${id}`
  const byLine = new Map(lines.map((line) => [line, idsOf(line).map(nameOfId)] as const))
  const there = await creativesById(parts, [...new Set(lines.flatMap(idsOf))])
  const known = new Map([...there].flatMap(([id, creative]) => ours(nameOfId(id), textOf(creative, 'name'))))
  return orders.map((order) => namedCreatives(order, byLine, known))
}

function namedCreatives(
  { lines }: ShowingOrder,
  byLine: ReadonlyMap<string, readonly string[]>,
  known: ReadonlyMap<string, ObservedCreative>,
): ShownCreatives {
  const own = lines.map(({ message }) => nameOf(message))
  const creatives = new Set(own.flatMap((line) => (byLine.get(line) ?? []).flatMap((name) => known.get(name) ?? [])))
  const shown = own.map((line) => {
    const ids = new Set((byLine.get(line) ?? []).flatMap((name) => known.get(name)?.externalId ?? []))
    return [line, [...ids].map((creativeExternalId) => ({ creativeExternalId }))] as const
  })
  return { creatives: [...creatives], byLine: new Map(shown) }
}

async function ourCreatives(client: GamClient, names: readonly string[]): Promise<ReadonlyMap<string, ObservedCreative>> {
  const found = await Promise.all(
    inBatches(names, BATCH).map((batch) => {
      const filter = batch.map((name) => `name = "${name}"`).join(' OR ')
      return client.list(`${client.network}/creatives`, 'creatives', { filter })
    }),
  )
  return new Map(found.flat().flatMap((creative) => ours(nameOf(creative), textOf(creative, 'displayName'))))
}

/** A creative with its resource name, where the name that people see is one that we gave. */
function ours(id: string, name: string | undefined): readonly (readonly [string, ObservedCreative])[] {
  const own = readTrafficName(name ?? '')
  return own ? [[id, { id, ...own }]] : []
}
