import { fanOutClaims } from '../../domain/directory/claim.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import {
  type AuthorizationOptions,
  authorizationOf,
  mapConcurrently,
  type PublisherAuthorization,
  requireAgent,
} from './client.ts'
import { Discoverer } from './discover.ts'
import { type ListOptions, listAgentPublishers } from './list-client.ts'

/** One publisher of which the directory and the publishers themselves say different things, or could not be asked. */
export interface Divergence {
  readonly publisherDomain: string
  readonly discoveryMethod: string
  /** Who answered: the publisher, the manager's file when the publisher has none, or nobody, so that what the source says is unknown. */
  readonly askedOf: 'publisher' | 'manager' | 'nobody'
  readonly directoryPropertyIds: readonly string[]
  readonly federatedPropertyIds: readonly string[]
  /** In the directory only. */
  readonly missingInFederated: readonly string[]
  /** At the source only. */
  readonly missingInDirectory: readonly string[]
  /** Why no answer came, why the source grants nothing, or why the directory holds the row back. */
  readonly reason: string | undefined
}

export interface DivergenceReport {
  readonly agentUrl: string
  /** Publishers compared: those that the directory or their source lists for the agent. */
  readonly checked: number
  /** Of these, publishers that the directory lists by a manager's file alone, or of which that file alone speaks now: equal, diverging, revoked or not to be asked. */
  readonly listedByManagerAlone: number
  /** Of those, publishers without a file of their own whose rows the manager's file confirms: asked itself, the publisher names nobody. */
  readonly confirmedByManagerAlone: number
  readonly divergences: readonly Divergence[]
}

export interface DivergenceOptions extends AuthorizationOptions {
  /** How the directory is asked. */
  readonly list?: Omit<ListOptions, 'include' | 'status'>
  /** Stop after this many publishers. Default: all. */
  readonly sampleSize?: number
}

/** What a directory says of one publisher, as far as it is compared. */
export interface ComparedRow {
  readonly publisher_domain: string
  readonly discovery_method: string
  readonly manager_domain: string | null
  readonly property_ids?: readonly string[]
  /** Address of the file that the row comes from, where it is known. */
  readonly fileUrl?: string
  /** Why the directory shows no authorisation, where it knows one that it holds back. */
  readonly heldBack?: string | undefined
  /** The directory does not know which agents the publisher authorises: it counts when its source names the agent. */
  readonly isOfAnyAgent?: boolean
}

/**
 * Compares a directory with the publishers' own files: asks it for property ids (of revoked publishers too, which it holds back), fetches
 * every source again, and reports publishers whose sets of ids differ (sets, not counts). Source: AdCP publisher directory page.
 */
export async function detectDivergence(
  agentUrl: string,
  directoryUrl: string,
  options: DivergenceOptions,
): Promise<DivergenceReport> {
  return compareWithSources(agentUrl, rowsOf(agentUrl, directoryUrl, options), options)
}

async function* rowsOf(agentUrl: string, directoryUrl: string, { list }: DivergenceOptions): AsyncGenerator<ComparedRow> {
  const query = { ...list, include: ['properties'] as const, status: ['authorized', 'revoked'] as const }
  for await (const page of listAgentPublishers(directoryUrl, agentUrl, query)) {
    for (const row of page.publishers) {
      yield { ...row, ...(row.status === 'revoked' && { heldBack: 'the directory shows the publisher as revoked' }) }
    }
  }
}

/**
 * Compares rows with their sources. A managed publisher is compared with the file that its row comes from: the address given with the row,
 * the manager's own, or the one that other publishers of the manager point at, which may be anywhere (on a content delivery network, say).
 */
export async function compareWithSources(
  agentUrl: string,
  rows: AsyncIterable<ComparedRow>,
  options: AuthorizationOptions & { readonly sampleSize?: number },
): Promise<DivergenceReport> {
  const agent = requireAgent(agentUrl)
  const sample: ComparedRow[] = []
  for await (const row of rows) {
    if (sample.length === options.sampleSize) break
    sample.push(row)
  }
  const discoverer = new Discoverer(options.fetch)
  const now = options.now ?? new Date()
  const concurrency = options.concurrency ?? 20
  const own = await mapConcurrently(sample, concurrency, (row) => authorizationOf(discoverer, agent, row.publisher_domain, now))
  const comparison = { agent, discoverer, now, filesOf: filesOfManagers(sample, discoverer) }
  const pairs = sample.flatMap((row, index) => {
    const said = own[index]
    return said ? [{ row, said }] : []
  })
  const compared = await mapConcurrently(pairs, concurrency, ({ row, said }) => compare(comparison, row, said))
  const divergences = compared.flatMap((found) => (found === undefined || found === CONFIRMED ? [] : [found]))
  const isCompared = ({ row }: { readonly row: ComparedRow }, index: number) =>
    row.isOfAnyAgent !== true || typeof compared[index] === 'object'
  const checked = pairs.filter(isCompared).length
  const confirmedByManagerAlone = compared.filter((found) => found === CONFIRMED).length
  const byManager = (found: (typeof compared)[number]) =>
    found !== undefined && (found === CONFIRMED || found.askedOf === 'manager')
  const listedByManagerAlone = pairs.filter(
    (pair, index) =>
      isCompared(pair, index) &&
      // One that itself says what the directory shows is listed by its own word.
      ((pair.row.discovery_method === 'adagents_authoritative' && compared[index] !== undefined) || byManager(compared[index])),
  ).length
  return { agentUrl: agent, checked, listedByManagerAlone, confirmedByManagerAlone, divergences }
}

interface Comparison {
  readonly agent: string
  readonly discoverer: Discoverer
  readonly now: Date
  /** Addresses of files by the host that serves them. */
  readonly filesOf: ReadonlyMap<string, ReadonlySet<string>>
}

function filesOfManagers(rows: readonly ComparedRow[], discoverer: Discoverer): ReadonlyMap<string, ReadonlySet<string>> {
  const files = new Map<string, Set<string>>()
  for (const url of [...discoverer.pointedAt(), ...rows.flatMap(({ fileUrl }) => fileUrl ?? [])]) {
    const host = new URL(url).hostname
    files.set(host, (files.get(host) ?? new Set()).add(url))
  }
  return files
}

/** A manager's file says what the directory shows, of a publisher that has none. */
const CONFIRMED = 'confirmed by the manager alone'

/** Undefined where the publisher's own files say what the directory shows. */
async function compare(
  comparison: Comparison,
  row: ComparedRow,
  own: PublisherAuthorization,
): Promise<Divergence | typeof CONFIRMED | undefined> {
  const listed = row.property_ids ?? []
  const viaManager = own.authorized || own.servesFile ? undefined : await managerIds(comparison, row)
  const found = own.authorized ? own.propertyIds : (viaManager ?? [])
  const askedOf = viaManager ? 'manager' : isAnswer(own, row) ? 'publisher' : 'nobody'
  const [inDirectory, inFederated] = [new Set(listed), new Set(found)]
  const missingInFederated = listed.filter((id) => !inFederated.has(id))
  const missingInDirectory = found.filter((id) => !inDirectory.has(id))
  const isUnknown = askedOf === 'nobody' && row.isOfAnyAgent !== true
  if (missingInFederated.length === 0 && missingInDirectory.length === 0 && !isUnknown)
    return viaManager && listed.length > 0 ? CONFIRMED : undefined
  return {
    publisherDomain: row.publisher_domain,
    discoveryMethod: row.discovery_method,
    askedOf,
    directoryPropertyIds: listed,
    federatedPropertyIds: found,
    missingInFederated,
    missingInDirectory,
    reason: row.heldBack ?? (own.authorized ? undefined : own.reason),
  }
}

/** Whether the publisher's own files settle a row: one that comes from a manager is settled by the manager, unless the publisher speaks for itself. */
function isAnswer(own: PublisherAuthorization, row: ComparedRow): boolean {
  return own.authorized || (own.answered && (own.servesFile || row.manager_domain === null))
}

/** What the manager's files carry for a publisher that has none of its own; undefined when none of them answers. */
async function managerIds(
  { agent, discoverer, now, filesOf }: Comparison,
  row: ComparedRow,
): Promise<readonly string[] | undefined> {
  if (row.manager_domain === null) return undefined
  const addresses = row.fileUrl === undefined ? (filesOf.get(row.manager_domain) ?? []) : [row.fileUrl]
  const known = await Promise.all([...addresses].map((url) => discoverer.inlineFile(url)))
  const files = [...known, row.fileUrl === undefined ? await discoverer.managerFile(row.manager_domain) : undefined]
  let answered: readonly string[] | undefined
  for (const file of files) {
    if (!file) continue
    const only = { agent, publisher: row.publisher_domain }
    const [claim] = await inTurns(fanOutClaims(file.index, new URL(file.url).hostname, now.getTime(), only))
    if (claim) return claim.propertyIds
    answered = []
  }
  return answered
}
