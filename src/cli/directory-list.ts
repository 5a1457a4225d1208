import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Command } from 'commander'
import { takeOffCrawlList, unblockDomain } from '../operator/directory/change-crawl-list.ts'
import { describeAuthorization } from '../operator/directory/describe-authorization.ts'
import { describeHolder } from '../operator/directory/describe-leases.ts'
import {
  crawlListPages,
  type DirectoryExclusionRow,
  type DirectoryPublisherRow,
  exclusionPages,
  explainListing,
  exportLines,
  readStats,
} from '../operator/directory/read-directory.ts'
import { snakeMembers } from '../operator/snake-members.ts'
import { operate } from './operate.ts'
import { print, printPages } from './output.ts'
import { type StoreOptions, withStoreOptions } from './store-options.ts'

interface Flags extends StoreOptions {
  readonly json?: boolean
  readonly excluded?: boolean
  readonly reason?: string
  readonly out?: string
  readonly offline?: boolean
}

/** `directory list|remove|block|unblock|export|stats|why`: what the operator of a directory does with its crawl list. */
export function addListCommands(directory: Command): void {
  withStoreOptions(directory.command('list').description('the crawl list, or the names that are not on it'))
    .option('--excluded', 'names that were dropped, removed or blocked, and why')
    .option('--json')
    .action(listAction)
  withStoreOptions(directory.command('remove <domain>').description('take a publisher off the crawl list, with its rows'))
    .option('--reason <text>', 'why', 'removed by an operator')
    .option('--json')
    .action((domain: string, options: Flags) => takeOffAction('removed', domain, options))
  withStoreOptions(directory.command('block <domain>').description('keep a domain out of the crawl list and out of every answer'))
    .option('--reason <text>', 'why', 'blocked by an operator')
    .option('--json')
    .action((domain: string, options: Flags) => takeOffAction('blocked', domain, options))
  withStoreOptions(directory.command('unblock <domain>').description('let a blocked domain be added and mentioned again'))
    .option('--json')
    .action(unblockAction)
  withStoreOptions(directory.command('export').description('every authorisation in force, one JSON object a line'))
    .option('--out <file>', 'file to write, compressed when its name ends in .gz (default: standard output)')
    .action(exportAction)
  withStoreOptions(directory.command('stats').description('how much the directory holds')).option('--json').action(statsAction)
  withStoreOptions(
    directory
      .command('why <agent_url> <domain>')
      .description('why the directory lists an agent for a publisher, or does not; exit code 1 when it does not'),
  )
    .option('--offline', 'ask the index only, not the publisher')
    .option('--json')
    .action(whyAction)
}

async function listAction(options: Flags): Promise<void> {
  await operate(options, (operator) =>
    options.excluded
      ? printPages(options.json, exclusionPages(operator), {
          headings: ['domain', 'kind', 'since', 'reason'],
          cells: (row: DirectoryExclusionRow) => [row.publisher_domain, row.kind, row.excluded_at, row.reason],
        })
      : printPages(options.json, crawlListPages(operator), {
          headings: ['domain', 'serves', 'route', 'manager', 'failures', 'next visit', 'crawler'],
          cells: publisherCells,
        }),
  )
}

function publisherCells(row: DirectoryPublisherRow): readonly string[] {
  const lease = row.lease_owner === null ? '' : `${describeHolder(row.lease_owner)} until ${row.lease_until}`
  const { route_method: route, route_manager: manager } = row
  return [row.publisher_domain, row.serves, route ?? 'none', manager ?? '', String(row.failures), row.next_attempt_at, lease]
}

async function takeOffAction(kind: 'removed' | 'blocked', domain: string, options: Flags): Promise<void> {
  const reason = options.reason ?? ''
  const name = await operate(options, (operator) => takeOffCrawlList(operator, domain, { kind, reason }))
  print(options.json, { domain: name, kind, reason }, [`${name} is ${kind}; the directory has no rows about it`])
}

async function unblockAction(domain: string, options: Flags): Promise<void> {
  const name = await operate(options, (operator) => unblockDomain(operator, domain))
  print(options.json, { domain: name }, [`${name} may be added again: directory add ${name}`])
}

async function exportAction(options: Flags): Promise<void> {
  await operate(options, async (operator) => {
    const lines = Readable.from(exportLines(operator))
    const { out } = options
    if (out === undefined) await pipeline(lines, process.stdout, { end: false })
    else if (out.endsWith('.gz')) await pipeline(lines, createGzip(), createWriteStream(out, { mode: 0o644 }))
    else await pipeline(lines, createWriteStream(out, { mode: 0o644 }))
  })
}

async function statsAction(options: Flags): Promise<void> {
  const stats = await operate(options, readStats)
  const named = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, rows]) => `${rows} ${name}`)
      .join(', ') || 'none'
  print(options.json, stats, [
    `crawl list: ${named(stats.publishers)}; ${stats.due} due, ${stats.leased} being refreshed, ${stats.mentioned} merely mentioned`,
    `not on it: ${named(stats.excluded)}`,
    `index: ${stats.authorized} authorised and ${stats.revoked} revoked rows of ${stats.agents} agents, from ${stats.files} files`,
  ])
}

async function whyAction(agentUrl: string, domain: string, options: Flags): Promise<void> {
  const asked = { agentUrl, domain, offline: options.offline === true }
  const result = await operate(options, (operator) => explainListing(operator, asked))
  const { agent, domain: name, source, claims, not_listed_because } = result
  if (not_listed_because.length > 0) process.exitCode = 1
  print(
    options.json,
    { agent_url: agent, domain: name, claims, not_listed_because, source: source ? snakeMembers(source) : null },
    [
      not_listed_because.length === 0 ? `${name} is listed for ${agent}` : `${name} is not listed for ${agent}`,
      ...not_listed_because.map((reason) => `- ${reason}`),
      ...claims.map(
        ({
          shown,
          status,
          discovery_method: method,
          file_url: file,
          file_form: form,
          properties_authorized: some,
          properties_total: all,
          last_verified_at: at,
        }) =>
          `${shown ? '+' : ' '} ${file} (${method}${form === 'short' ? ', short form' : ''}): ${status}, ${some} of ${all} properties, verified ${at}`,
      ),
      ...(source ? [`the publisher itself says ${describeAuthorization(source, agent)}`] : []),
    ],
  )
}
