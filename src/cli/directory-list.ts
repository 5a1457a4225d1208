import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Command } from 'commander'
import { blockDomain, removeFromCrawlList, unblockDomain } from '../operator/directory/change-crawl-list.ts'
import { describeHolder } from '../operator/directory/describe-leases.ts'
import { explainDirectoryListing } from '../operator/directory/explain-listing.ts'
import {
  crawlListPages,
  type DirectoryExclusionRow,
  type DirectoryPublisherRow,
  exclusionPages,
  exportLines,
  leaseOf,
} from '../operator/directory/read-directory.ts'
import { readDirectoryStats } from '../operator/directory/show-crawl-list.ts'
import { addAct } from './act-command.ts'
import { operate } from './operate.ts'
import { printPages } from './output.ts'
import { type StoreOptions, withAnswerOptions, withStoreOptions } from './store-options.ts'

interface Flags extends StoreOptions {
  readonly json?: boolean
  readonly excluded?: boolean
  readonly out?: string
}

/** `directory list|remove|block|unblock|export|stats|why`: what the operator of a directory does with its crawl list. */
export function addListCommands(directory: Command): void {
  withAnswerOptions(directory.command('list').description('the crawl list, or the names that are not on it'))
    .option('--excluded', 'names that were dropped, removed or blocked, and why')
    .action(listAction)
  for (const act of [removeFromCrawlList, blockDomain, unblockDomain, readDirectoryStats, explainDirectoryListing])
    addAct(directory, act)
  withStoreOptions(directory.command('export').description('every authorisation in force, one JSON object a line'))
    .option('--out <file>', 'file to write, compressed when its name ends in .gz (default: standard output)')
    .action(exportAction)
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
          cells: (row: DirectoryPublisherRow) => publisherCells(row, operator.clock()),
        }),
  )
}

/** A row of `directory list`: the crawler only while its lease runs. */
export function publisherCells(
  row: Pick<
    DirectoryPublisherRow,
    | 'publisher_domain'
    | 'serves'
    | 'route_method'
    | 'route_manager'
    | 'failures'
    | 'next_attempt_at'
    | 'lease_owner'
    | 'lease_until'
  >,
  now: Date,
): readonly string[] {
  const held = leaseOf(row, now)
  const lease = held === null ? '' : `${describeHolder(held.owner)} until ${held.until}`
  const { route_method: route, route_manager: manager } = row
  return [row.publisher_domain, row.serves, route ?? 'none', manager ?? '', String(row.failures), row.next_attempt_at, lease]
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
