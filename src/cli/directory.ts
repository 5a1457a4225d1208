import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { addToCrawlList, joinCrawlList, joinDirectory } from '../operator/directory/change-crawl-list.ts'
import { crawlPublishers } from '../operator/directory/crawl-publishers.ts'
import { crawlPublisher, showCrawledPublisher } from '../operator/directory/crawled-publisher.ts'
import { describeElsewhere, describeHolder } from '../operator/directory/describe-leases.ts'
import { showOwnDirectory } from '../operator/directory/directory-of-publisher.ts'
import { listFeedSubscribers, subscribeToFeed, unsubscribeFromFeed } from '../operator/directory/feed-subscribers.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { createLog } from '../platform/log.ts'
import { addAct } from './act-command.ts'
import { crawlProgress } from './crawl-progress.ts'
import { addListCommands } from './directory-list.ts'
import { divergenceAction, lookupAction } from './directory-lookup.ts'
import { addMirrorCommands } from './directory-mirrors.ts'
import { operate } from './operate.ts'
import { print } from './output.ts'
import { type StoreOptions, withAnswerOptions } from './store-options.ts'
import { wholeNumber } from './whole-number.ts'

interface JsonOption {
  readonly json?: boolean
}

interface CrawlFlags extends StoreOptions, JsonOption {
  readonly domain?: string
  readonly all?: boolean
  readonly watch?: boolean
  readonly acceptPointer?: boolean
  /** False after `--no-wait`. */
  readonly wait?: boolean
  readonly concurrency?: number
}

/** `sales-agent directory add|own|import|list|remove|block|unblock|status|crawl|lookup|divergence|why|export|stats|subscribe|unsubscribe|subscribers|mirror`. */
export function directoryCommand(): Command {
  const directory = new Command('directory')
  for (const act of [addToCrawlList, showCrawledPublisher, showOwnDirectory]) addAct(directory, act)
  withAnswerOptions(
    directory.command('import <file>').description('put the domains of a file (one a line, # comments) on the crawl list'),
  ).action((file: string, options: StoreOptions & JsonOption) => addAction(domainsOfFile(file), options))
  withAnswerOptions(directory.command('crawl').description('refresh the publishers that are due'))
    .option('--domain <domain>', 'refresh this publisher now')
    .option('--all', 'refresh every publisher now')
    .option('--watch', 'keep going when nothing is due')
    .option('--no-wait', 'do not wait for publishers that another crawler holds; exit code 1 names them')
    .option('--accept-pointer', crawlPublisher.fields.accept_pointer.about)
    .addOption(new Option('--concurrency <n>', 'publishers refreshed at once').argParser(wholeNumber(1)))
    .action(crawlAction)
  withAnswerOptions(directory.command('lookup <agent_url>').description('the publishers that authorise an agent'))
    .option('--directory <url>', 'ask this directory (default: the local store)')
    .option('--since <time>', 'verified at or after this time (ISO 8601)')
    .option('--status <status...>', 'authorized, revoked')
    .option('--include <what...>', 'properties, file_form')
    .action(lookupAction)
  withAnswerOptions(directory.command('divergence <agent_url>').description('compare a directory with the publishers’ own files'))
    .option('--directory <url>', 'directory to check (default: the local store, with the rows that it holds back)')
    .addOption(new Option('--sample <n>', 'stop after this many publishers').argParser(wholeNumber(1)))
    .action(divergenceAction)
  addAct(directory, joinDirectory)
  addListCommands(directory)
  for (const act of [subscribeToFeed, unsubscribeFromFeed, listFeedSubscribers]) addAct(directory, act)
  addMirrorCommands(directory)
  return directory
}

async function addAction(domains: readonly string[], options: StoreOptions & JsonOption): Promise<void> {
  const result = await operate(options, (operator) => joinCrawlList(operator, domains), true)
  print(options.json, result, [`${result.added} added, ${result.known} known already; "directory crawl" fetches them`])
}

async function crawlAction(options: CrawlFlags): Promise<void> {
  await operate(options, (operator) => runCrawl(operator, options))
}

async function runCrawl(operator: OperatorContext, { domain, all, watch, acceptPointer, ...options }: CrawlFlags): Promise<void> {
  const log = createLog(operator.config.log.level)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  const progress = crawlProgress(process.stderr, () => performance.now())
  const totals = await crawlPublishers(operator, {
    domain,
    all,
    concurrency: options.concurrency,
    signal: stop.signal,
    onProgress: progress.show,
    onWait: progress.wait,
    waitForLeases: options.wait !== false,
    watch: watch === true,
    acceptPointer: acceptPointer === true,
    log,
  })
  progress.end()
  if (totals.remaining.length > 0) process.exitCode = 1
  print(options.json, totals, [
    `${totals.done} refreshed: ${totals.failed} failed, ${totals.absent} have no file`,
    ...describeElsewhere(totals.elsewhere),
    ...totals.remaining.map(
      ({ domain, owner, until }) =>
        `${domain}: due, not refreshed${owner === null ? '' : `; ${describeHolder(owner)} has it until ${until}`}`,
    ),
  ])
}

/** Domains of a text file: one a line, blank lines and `#` comments left out. */
export function domainsOfFile(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .map((line) => (line.split('#', 1)[0] ?? '').trim())
    .filter((line) => line !== '')
}
