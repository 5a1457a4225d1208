import { parseLookup } from '../domain/directory/lookup-query.ts'
import { compareWithSources, detectDivergence } from '../features/directory/divergence.ts'
import type { PublisherEntry } from '../features/directory/envelope.ts'
import { indexedRows } from '../features/directory/indexed-rows.ts'
import { type ListOptions, listAgentPublishers } from '../features/directory/list-client.ts'
import { DirectoryError } from '../features/directory/list-page.ts'
import { readEnvelope } from '../features/directory/lookup.ts'
import { directoryFetch } from '../features/directory/service.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Store } from '../store/database.ts'
import { createDirectoryReader } from '../store/directory/directory-lookup.ts'
import { EXIT_NO, EXIT_UNKNOWN } from './exit-codes.ts'
import { operate } from './operate.ts'
import { print, printPages, table } from './output.ts'
import { configOf, type StoreOptions } from './store-options.ts'

export interface LookupFlags extends StoreOptions {
  readonly json?: boolean
  readonly directory?: string
  readonly since?: string
  readonly status?: string[]
  readonly include?: string[]
}

export interface DivergenceFlags extends StoreOptions {
  readonly json?: boolean
  readonly directory?: string
  readonly sample?: number
}

/** `directory lookup`: the local store, or the directory that `--directory` names. Rows are written as they are read. */
export async function lookupAction(agentUrl: string, options: LookupFlags): Promise<void> {
  const { directory } = options
  const form = { headings: HEADINGS, cells: cellsOf }
  if (directory !== undefined) {
    await reported(() => printPages(options.json, remotePages(agentUrl, directory, options), form))
    return
  }
  await operate(options, ({ store }) => printPages(options.json, localPages(store, agentUrl, options), form)).catch(withAdvice)
}

/** What is wrong with an agent that nothing names, the files tell. */
function withAdvice(error: unknown): never {
  if (!(error instanceof AdcpError && error.code === 'REFERENCE_NOT_FOUND')) throw error
  const advice = '"sales-agent directory why AGENT_URL DOMAIN" says what was read of a publisher'
  throw new AdcpError(error.code, `${error.message}; ${advice}`, { field: 'agent_url', cause: error })
}

const HEADINGS = ['publisher', 'method', 'manager', 'properties', 'status', 'verified']

function cellsOf(row: PublisherEntry): readonly string[] {
  return [
    row.publisher_domain,
    `${row.discovery_method}${row.file_form === 'short' ? ' (short form)' : ''}`,
    row.manager_domain ?? '',
    `${row.properties_authorized}/${row.properties_total}`,
    row.status,
    row.last_verified_at,
  ]
}

async function* localPages(store: Store, agentUrl: string, options: LookupFlags): AsyncGenerator<readonly PublisherEntry[]> {
  const reader = createDirectoryReader(store.read)
  const { since, status, json } = options
  // The table tells by itself; JSON holds what was asked for.
  const include = json ? options.include : [...new Set([...(options.include ?? []), 'file_form'])]
  let cursor: string | undefined
  do {
    const now = new Date()
    const query = parseLookup({ agentUrl, since, status, include, cursor, limit: 1000 }, now)
    const envelope = await readEnvelope(reader, query, now)
    yield envelope.publishers
    cursor = envelope.next_cursor ?? undefined
  } while (cursor !== undefined)
}

async function* remotePages(
  agentUrl: string,
  directoryUrl: string,
  options: LookupFlags,
): AsyncGenerator<readonly PublisherEntry[]> {
  const query = parseLookup({ agentUrl, since: options.since, status: options.status, include: options.include }, new Date())
  const list: ListOptions = {
    limit: 1000,
    status: query.statuses,
    ...(query.since !== undefined && { since: new Date(query.since) }),
    include: [...(query.withPropertyIds ? ['properties' as const] : []), ...(query.withFileForm ? ['file_form' as const] : [])],
  }
  for await (const page of listAgentPublishers(directoryUrl, agentUrl, list)) yield page.publishers
}

/** `directory divergence`: exit code 1 when a publisher and the directory disagree, 2 when they do not and some source could not be asked. */
export async function divergenceAction(agentUrl: string, options: DivergenceFlags): Promise<void> {
  const { directory } = options
  const settings = {
    fetch: directoryFetch(configOf(options)),
    ...(options.sample !== undefined && { sampleSize: options.sample }),
  }
  const report =
    directory === undefined
      ? await operate(options, ({ store }) =>
          compareWithSources(agentUrl, indexedRows(store.read, agentUrl, new Date()), settings),
        )
      : await reported(() => detectDivergence(agentUrl, directory, settings))
  const unknown = report.divergences.filter(({ askedOf }) => askedOf === 'nobody').length
  const diverging = report.divergences.length - unknown
  const { listedByManagerAlone: managed, confirmedByManagerAlone: confirmed } = report
  print(options.json, report, [
    `${report.checked} publishers checked, ${diverging} diverge${unknown === 0 ? '' : `, ${unknown} could not be asked`}`,
    ...(managed === 0
      ? []
      : [
          `${managed} of them ${managed === 1 ? 'is' : 'are'} listed by a manager's file alone, which confirms ${confirmed}: asked itself ("verify"), such a publisher names nobody.`,
        ]),
    ...table(
      ['publisher', 'asked', 'only in directory', 'only at source', 'reason'],
      report.divergences.map((each) => [
        each.publisherDomain,
        each.askedOf,
        each.missingInFederated.join(' '),
        each.missingInDirectory.join(' '),
        each.reason ?? '',
      ]),
    ),
    ...(directory === undefined
      ? []
      : [
          'What that directory holds back after a revocation is not in its answers, and not compared; ask it on its own machine, without --directory.',
        ]),
  ])
  if (diverging > 0) process.exitCode = EXIT_NO
  else if (unknown > 0) process.exitCode = EXIT_UNKNOWN
}

/** A directory that refuses or does not answer, as an error of this program. */
async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error
    const code = error.code === 'agent_not_found' ? 'REFERENCE_NOT_FOUND' : 'SERVICE_UNAVAILABLE'
    const message = error.code === 'unreachable' ? error.message : `the directory says ${error.code}: ${error.message}`
    throw new AdcpError(code, message, { cause: error })
  }
}
