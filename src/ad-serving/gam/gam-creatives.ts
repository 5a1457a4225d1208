import type { ObservedAssociation, ObservedCreative } from '../../domain/ad-serving/observed-order.ts'
import { readTrafficName } from '../../domain/ad-serving/trafficking.ts'
import type { GamClient, Message } from './client.ts'
import { nameOf, textOf } from './messages.ts'

/** What lines show of our creatives, found by the names that people gave them. */
export interface ShownCreatives {
  readonly creatives: readonly ObservedCreative[]
  /** By resource name of the line. */
  readonly byLine: ReadonlyMap<string, readonly ObservedAssociation[]>
}

/** Names in one filter: a URL has some thousand characters. */
const BATCH = 20

/** Reads which of our creatives are associated with line items, whether these serve or are paused. Creatives are read-only in the API: people traffic them, under a name that we gave. */
export async function shownCreatives(client: GamClient, lines: readonly Message[]): Promise<ShownCreatives> {
  const pairs = await Promise.all(
    lines.map(async (line) => {
      const all = await client.list(`${nameOf(line)}/creatives`, 'lineItemCreativeAssociations')
      const active = all.filter((each) => textOf(each, 'status') !== 'INACTIVE')
      return [nameOf(line), active.flatMap((each) => textOf(each, 'creative') ?? [])] as const
    }),
  )
  const known = await ourCreatives(client, [...new Set(pairs.flatMap(([, names]) => names))])
  const byLine = pairs.map(([line, names]) => {
    const ids = new Set(names.flatMap((name) => known.get(name)?.externalId ?? []))
    return [line, [...ids].map((creativeExternalId) => ({ creativeExternalId }))] as const
  })
  return { creatives: [...known.values()], byLine: new Map(byLine) }
}

async function ourCreatives(client: GamClient, names: readonly string[]): Promise<ReadonlyMap<string, ObservedCreative>> {
  const batches = Array.from({ length: Math.ceil(names.length / BATCH) }, (_, at) => names.slice(at * BATCH, (at + 1) * BATCH))
  const found = await Promise.all(
    batches.map((batch) => {
      const filter = batch.map((name) => `name = "${name}"`).join(' OR ')
      return client.list(`${client.network}/creatives`, 'creatives', { filter })
    }),
  )
  return new Map(
    found.flat().flatMap((creative) => {
      const ours = readTrafficName(textOf(creative, 'displayName') ?? '')
      return ours ? [[nameOf(creative), { id: nameOf(creative), ...ours }] as const] : []
    }),
  )
}
