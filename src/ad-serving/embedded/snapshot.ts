import { hash } from 'node:crypto'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import {
  CREATIVES_A_QUERY,
  LINES_A_QUERY,
  listEmbeddedLineCreatives,
  readEmbeddedCreatives,
} from '../../store/embedded/creatives.ts'
import { findEmbeddedListMembers, listEmbeddedListDigests } from '../../store/embedded/lists.ts'
import { embeddedVersion, listOpenEmbeddedLines } from '../../store/embedded/orders.ts'
import { listEmbeddedPlacements } from '../../store/embedded/placements.ts'
import { uncounted } from './counted-creative.ts'
import { longestWindowMs } from './frequency.ts'
import type { AssignedCreative, ServableLine } from './line.ts'
import { type ListMembers, listTests, type OnList, onList } from './line-lists.ts'
import { capsAt, type PlacementDocument, type PlaceRules, placeRules } from './placement.ts'
import { inFixedOrder, type ReadyLine, readyLine } from './plan.ts'
import type { AssociationDocument, CreativeDocument, LineDocument } from './stored-documents.ts'

/** Lines and creatives of one publisher in memory, as they were at one version. */
export interface Snapshot {
  readonly version: number
  readonly lines: ReadonlyMap<string, ReadyLine>
  readonly byPlace: ReadonlyMap<string, readonly ReadyLine[]>
  /** Longest window (ms) of the frequency caps of each place that has one: decisions there read what the visitor has had since. */
  readonly capWindows: ReadonlyMap<string, number>
  /** Orders with lines that have a limit by the day. */
  readonly cappedOrders: readonly string[]
  /** Whether a line has labels that keep it apart from others on a page. */
  readonly hasLabels: boolean
  /** What people set for places. */
  readonly rules: ReadonlyMap<string, PlaceRules>
  /** The lists that lines are targeted to, by the digests of what they hold: those of one content are one. */
  readonly contents: Contents
}

type Contents = ReadonlyMap<string, OnList>

/** Reads the lines of a publisher that may still serve, with their creatives. `known`: lists of the snapshot before, which are not read again. */
export async function loadSnapshot(db: Db, tenantId: string, now: Date, known: Contents = new Map()): Promise<Snapshot> {
  // The version first: a change that comes during the read is read again with the next version.
  const version = await embeddedVersion(db, tenantId)
  const rows = await listOpenEmbeddedLines(db, tenantId, now)
  const creatives = new Map<string, CreativeDocument>()
  const assigned = new Map<string, AssignedCreative[]>()
  for (let at = 0; at < rows.length; at += LINES_A_QUERY) {
    const ids = rows.slice(at, at + LINES_A_QUERY).map(({ lineId }) => lineId)
    const associations = await listEmbeddedLineCreatives(db, tenantId, ids)
    await readCreatives(db, tenantId, new Set(associations.map(({ creativeId }) => creativeId)), creatives)
    for (const { lineId, creativeId, document } of associations) {
      const stored = creatives.get(creativeId)
      if (!stored?.terms) continue
      const { terms, externalId } = stored
      const { association }: AssociationDocument = JSON.parse(document)
      const { weight, placementIds } = association
      // A weight of 0 takes a creative out of the rotation (AdCP core/creative-assignment.json).
      if (weight === 0) continue
      const entry = {
        creativeId,
        externalId,
        terms,
        weight: weight ?? EVEN_WEIGHT,
        ...(placementIds && { places: placementIds }),
      }
      assigned.set(lineId, [...(assigned.get(lineId) ?? []), entry])
    }
  }
  const lines = rows.map(({ lineId, document, orderAnchor }): ServableLine => {
    const { terms }: LineDocument = JSON.parse(document)
    const mediaBuyId = terms.packageId === undefined ? undefined : orderAnchor
    const all = assigned.get(lineId) ?? []
    // One that never makes the event that its buyer pays for would be shown for nothing, until it is taken from the line.
    const creatives =
      mediaBuyId === undefined ? all : all.filter((each) => uncounted(terms.pricing.model, each.terms) === undefined)
    const own = { tenantId, lineId, order: orderAnchor, terms, creatives }
    return { ...own, ...(mediaBuyId !== undefined && { mediaBuyId }) }
  })
  const { byKey, contents } = await readLists(db, tenantId, lines, known)
  const listed = lines.map((line) => (line.terms.lists ? { ...line, listTests: listTests(line.terms.lists, byKey) } : line))
  return indexed(version, listed, await readRules(db, tenantId), contents)
}

async function readRules(db: Db, tenantId: string): Promise<ReadonlyMap<string, PlaceRules>> {
  const rows = await listEmbeddedPlacements(db, tenantId)
  return new Map(
    rows.map(({ placementId, document }) => {
      const stored: PlacementDocument = JSON.parse(document)
      return [placementId, placeRules(stored)]
    }),
  )
}

/** Reads creatives that are not read yet into `creatives`, some in a turn of the event loop. */
async function readCreatives(
  db: Db,
  tenantId: string,
  ids: ReadonlySet<string>,
  creatives: Map<string, CreativeDocument>,
): Promise<void> {
  const wanted = [...ids].filter((id) => !creatives.has(id))
  for (let at = 0; at < wanted.length; at += CREATIVES_A_QUERY) {
    const some = await readEmbeddedCreatives(db, tenantId, wanted.slice(at, at + CREATIVES_A_QUERY))
    for (const [creativeId, document] of some) creatives.set(creativeId, storedOf(document))
    await yieldToEventLoop()
  }
}

/** The lists that lines are targeted to, each content read and compiled once, in a turn of the event loop of its own. */
async function readLists(
  db: Db,
  tenantId: string,
  lines: readonly ServableLine[],
  known: Contents,
): Promise<{ readonly byKey: ReadonlyMap<string, OnList>; readonly contents: Contents }> {
  const keys = new Set(lines.flatMap(({ terms }) => Object.values(terms.lists ?? {})))
  const byKey = new Map<string, OnList>()
  const contents = new Map<string, OnList>()
  for (const [key, digest] of keys.size > 0 ? await listEmbeddedListDigests(db, tenantId, [...keys]) : []) {
    const same = (of: string | null) => (of === null ? undefined : (contents.get(of) ?? known.get(of)))
    const text = same(digest) ? undefined : await readList(db, tenantId, key)
    // A list stored before there were digests has none yet: it is computed from its members.
    const of = digest ?? (text === undefined ? null : hash('sha256', text))
    const isOn = same(of) ?? (text === undefined ? undefined : compiledList(text))
    if (of === null || !isOn) continue
    byKey.set(key, isOn)
    contents.set(of, isOn)
  }
  return { byKey, contents }
}

async function readList(db: Db, tenantId: string, key: string): Promise<string | undefined> {
  await yieldToEventLoop()
  return findEmbeddedListMembers(db, tenantId, key)
}

function compiledList(text: string): OnList {
  const members: ListMembers = JSON.parse(text)
  return onList(members)
}

/** What every creative without a weight of its own has. */
const EVEN_WEIGHT = 100

/** The part that stays in memory. */
function storedOf(document: string): CreativeDocument {
  const { externalId, contentVersion, terms }: CreativeDocument = JSON.parse(document)
  return { externalId, contentVersion, ...(terms && { terms }) }
}

/** Indexes lines by the places that they serve on; lines without a creative serve nowhere. `rules`: of places, by id. */
export function indexed(
  version: number,
  lines: readonly ServableLine[],
  rules: ReadonlyMap<string, PlaceRules> = new Map(),
  contents: Contents = new Map(),
): Snapshot {
  const ready = new Map(lines.map((line) => [line.lineId, readyLine(line)]))
  const byPlace = new Map<string, ReadyLine[]>()
  const capWindows = new Map<string, number>()
  for (const each of ready.values()) {
    if (each.line.creatives.length === 0) continue
    for (const place of each.line.terms.places) {
      const known = byPlace.get(place)
      if (known) known.push(each)
      else byPlace.set(place, [each])
      const windowMs = longestWindowMs(capsAt(each.line.terms, rules.get(place)))
      if (windowMs > 0) capWindows.set(place, Math.max(windowMs, capWindows.get(place) ?? 0))
    }
  }
  const ordered = new Map([...byPlace].map(([place, own]) => [place, inFixedOrder(own)]))
  const hasLabels = [...ready.values()].some(({ labels }) => labels.length > 0)
  const capped = lines.flatMap(({ terms, order }) => (terms.dailyCap && order !== undefined ? [order] : []))
  return { version, lines: ready, byPlace: ordered, capWindows, cappedOrders: [...new Set(capped)], hasLabels, rules, contents }
}
