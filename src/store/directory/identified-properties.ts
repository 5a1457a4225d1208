import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { hotQuery, type NamedValue } from '../hot-query.ts'
import { bytesOf, partsOfSize } from '../page-size.ts'
import type { DirectoryIdentifierRow } from './rows.ts'

/** A property with an identifier, and an agent that lookups show as authorised to sell it by the same file. */
export interface IdentifiedProperty {
  readonly publisher_domain: string
  readonly property_id: string
  readonly agent_url: string
  readonly discovery_method: string
}

/**
 * Properties with an identifier and who may sell them, in the order of publishers and agents: `limit` of them at most, from as many claims, and from as many
 * declarations of one file, so that none hides those of others. No product of both is made: one file may declare a thousand properties with one identifier, and grant each to a thousand agents.
 */
export async function findByIdentifier(
  db: Db,
  { type, value, limit }: { readonly type: string; readonly value: string; readonly limit: number },
): Promise<readonly IdentifiedProperty[]> {
  const found: IdentifiedProperty[] = []
  let left = limit
  let asked = 0
  for await (const { ids, ...place } of placesWith(db, { type, value, limit })) {
    if (left === 0 || found.length >= limit) break
    asked += 1
    if (asked % PLACES_A_TURN === 0) await yieldToEventLoop()
    for await (const claims of claimPages(db, place, left)) {
      left -= claims.length
      for (const { property_ids, ...claim } of claims) {
        const granted = new Set<string>(JSON.parse(property_ids))
        for (const property_id of ids) if (granted.has(property_id)) found.push({ ...claim, property_id })
        if (found.length >= limit) break
      }
      if (found.length >= limit) break
    }
  }
  return found.sort(byPublisherAndAgent).slice(0, limit)
}

/** Places that are asked for their claims before others are served. */
const PLACES_A_TURN = 16
/** Parts of the declarations of an identifier that are looked at: one has those of most. */
const MOST_PARTS = 5

/** Where an identifier is declared, of each file `limit` declarations at most. */
async function* placesWith(
  db: Db,
  { limit, ...identifier }: { readonly type: string; readonly value: string; readonly limit: number },
) {
  let after: string | undefined = ''
  for (let part = 0; part < MOST_PARTS && after !== undefined; part += 1) {
    const { rows }: { readonly rows: readonly Declaration[] } = await declarations(db, { ...identifier, after, limit })
    yield* placesOf(rows)
    after = rows.length < limit ? undefined : rows.at(-1)?.document_id
  }
}

const declarations = hotQuery(['type', 'value', 'after', 'limit'], (db, value) =>
  db
    .selectFrom('directory_identifiers')
    .select(['document_id', 'publisher_domain', 'property_id'])
    .where('identifier_type', '=', value('type'))
    .where('identifier_value', '=', value('value'))
    .where('document_id', '>', value('after'))
    .orderBy('document_id')
    .orderBy('publisher_domain')
    .orderBy('property_id')
    .limit(value.of<number>('limit')),
)

/** Where an identifier is declared: a file, and the publisher that it names, or none. */
interface Place {
  readonly documentId: string
  readonly publisher: string
}

type Declaration = Pick<DirectoryIdentifierRow, 'document_id' | 'publisher_domain' | 'property_id'>

function placesOf(rows: readonly Declaration[]): readonly (Place & { readonly ids: readonly string[] })[] {
  const places: (Place & { readonly ids: string[] })[] = []
  for (const { document_id: documentId, publisher_domain: publisher, property_id } of rows) {
    const last = places.at(-1)
    if (last?.documentId === documentId && last.publisher === publisher) last.ids.push(property_id)
    else places.push({ documentId, publisher, ids: [property_id] })
  }
  return places
}

/** Claims of a place in pages that are bounded by their size, `most` in all. */
async function* claimPages(db: Db, place: Place, most: number) {
  // A file that leaves the publisher of a property to its place declares it for every publisher of the file.
  const { sizes, rows } = place.publisher === '' ? ofFile : ofPublisher
  let offset = 0
  for (const part of partsOfSize((await sizes(db, { ...place, limit: most, offset: 0 })).rows, ({ bytes }) => Number(bytes))) {
    if (offset > 0) await yieldToEventLoop()
    yield (await rows(db, { ...place, limit: part.length, offset })).rows
    offset += part.length
  }
}

type Names = 'documentId' | 'publisher' | 'limit' | 'offset'

const ofFile = pagesOf((db, value) =>
  shownClaims(db, value).orderBy('c.agent_id').orderBy('c.publisher_domain').orderBy('c.route'),
)
const ofPublisher = pagesOf((db, value) =>
  shownClaims(db, value).where('c.publisher_domain', '=', value('publisher')).orderBy('c.agent_id').orderBy('c.route'),
)

function shownClaims(db: Db, value: NamedValue<Names>) {
  return db
    .selectFrom('directory_claims as c')
    .where('c.document_id', '=', value('documentId'))
    .where('c.shown', '=', 'authorized')
}

function pagesOf(claims: (db: Db, value: NamedValue<Names>) => ReturnType<typeof shownClaims>) {
  const names = ['documentId', 'publisher', 'limit', 'offset'] as const
  return {
    sizes: hotQuery<Names, { readonly bytes: number | string }>(names, (db, value) =>
      claims(db, value).select(bytesOf('c.property_ids').as('bytes')).limit(value.of<number>('limit')),
    ),
    rows: hotQuery<Names, Omit<IdentifiedProperty, 'property_id'> & { readonly property_ids: string }>(names, (db, value) =>
      claims(db, value)
        .innerJoin('directory_agents as a', 'a.agent_id', 'c.agent_id')
        .select(['c.publisher_domain', 'a.agent_url', 'c.discovery_method', 'c.property_ids'])
        .limit(value.of<number>('limit'))
        .offset(value.of<number>('offset')),
    ),
  }
}

/** The order of publishers, of one those of agents; no part has a character before the space. */
function byPublisherAndAgent(a: IdentifiedProperty, b: IdentifiedProperty): number {
  return orderOf(a) < orderOf(b) ? -1 : 1
}

function orderOf({ publisher_domain, agent_url, property_id }: IdentifiedProperty): string {
  return `${publisher_domain} ${agent_url} ${property_id}`
}
