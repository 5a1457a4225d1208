import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { listCreatives } from '../operator/creatives/list-creatives.ts'
import { previewLink } from '../operator/creatives/preview-link.ts'
import {
  CREATIVE_STATUSES,
  type CreativeStatus,
  decideCreative,
  defaultReason,
  PURGE_REASONS,
  purgeCreative,
  setCreativeReview,
} from '../operator/creatives/review-creatives.ts'
import { uploadCreativeFile } from '../operator/creatives/upload-file.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { creativeRulesCommand } from './creative-rules.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table, withMore } from './output.ts'
import { readCount } from './read-count.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly principal?: string
  readonly account?: string
  readonly status?: CreativeStatus
  readonly reason?: string
  readonly json?: boolean
}

/** `sales-agent creatives list|approve|reject|purge|preview-link|upload|rules|review`: what buyers uploaded and a person has to look at. */
export function creativesCommand(): Command {
  const creatives = new Command('creatives')
  withStoreOptions(creatives.command('list').description('show creatives, those that wait longest first'))
    .option('--tenant <id>')
    .addOption(new Option('--status <status>', 'creatives in this state').choices(CREATIVE_STATUSES).default('pending_review'))
    .option('--limit <n>', '1 to 200; default 50')
    .option('--cursor <cursor>', 'next_cursor of the page before')
    .option('--json')
    .action((options: ListOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { status = 'pending_review', cursor, limit } = options
        const found = await listCreatives(operator, {
          tenantId,
          status,
          cursor,
          limit: limit === undefined ? undefined : readCount(limit, 'limit'),
        })
        const cells = found.creatives.map((row) => [row.creative_id, row.principal, row.account, row.format, row.reason ?? ''])
        const lines = withMore(table(['CREATIVE', 'BUYER', 'ACCOUNT', 'FORMAT', 'WHY'], cells), found.next_cursor)
        printList(options.json, found.creatives, lines, found.next_cursor)
      }),
    )
  creatives.addCommand(decision('approve', 'approved', 'let a creative run'))
  creatives.addCommand(decision('reject', 'rejected', 'refuse a creative; it stops serving'))
  creatives.addCommand(purgeCommand())
  creatives.addCommand(previewLinkCommand())
  creatives.addCommand(uploadCommand())
  creatives.addCommand(creativeRulesCommand())
  withStoreOptions(creatives.command('review').description('who reviews new creatives'))
    .addArgument(new Argument('<mode>', 'automatic: the rules of this server; manual: you').choices(['automatic', 'manual']))
    .option('--tenant <id>')
    .option('--json')
    .action((mode: 'automatic' | 'manual', options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        await setCreativeReview(operator, tenantId, mode)
        print(options.json, { tenant: tenantId, creative_review: mode }, [`creatives of ${tenantId}: ${mode} review`])
      }),
    )
  return creatives
}

interface ListOptions extends Options {
  readonly limit?: string
  readonly cursor?: string
}

interface PurgeOptions extends Options {
  readonly hard?: boolean
  readonly reasonCode?: (typeof PURGE_REASONS)[number]
}

function purgeCommand(): Command {
  return withStoreOptions(
    new Command('purge').argument('<creative>').description('destroy a creative; a record stays for 30 days'),
  )
    .option('--tenant <id>')
    .requiredOption('--principal <id>', 'the agent that uploaded it')
    .option('--account <id>', 'when the agent has creatives of this id in several accounts')
    .option('--hard', 'leave no record; for legal erasure and the like')
    .addOption(new Option('--reason-code <code>', 'why, for subscribers of the account').choices(PURGE_REASONS))
    .option('--reason <text>', 'the same in words, without personal data')
    .option('--json')
    .action((creativeId: string, options: PurgeOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { principal: principalId = '', account: accountId, reason: detail } = options
        const kind = options.hard ? ('hard' as const) : ('soft' as const)
        const purge = { kind, reason: options.reasonCode ?? defaultReason(kind), detail }
        await purgeCreative(operator, { tenantId, principalId, accountId, creativeId, purge })
        print(options.json, { creative_id: creativeId, purged: kind }, [`creative ${creativeId} is destroyed`])
      }),
    )
}

interface PreviewOptions extends Options {
  readonly page?: string
  readonly place?: string
  readonly days?: number
}

function previewLinkCommand(): Command {
  const description = 'make a link that shows a creative on your page before it is approved'
  return withStoreOptions(new Command('preview-link').argument('<creative>').description(description))
    .option('--tenant <id>')
    .requiredOption('--principal <id>', 'the agent that uploaded it')
    .option('--account <id>', 'when the agent has creatives of this id in several accounts')
    .option('--page <url>', 'a page with your tags; default in development: the demo page')
    .option('--place <id>', 'the one place that shows it; default: every place that it fits')
    .addOption(new Option('--days <n>', 'how long the link is good').argParser(Number).default(7))
    .option('--json')
    .action((creativeId: string, options: PreviewOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { principal: principalId = '', account: accountId, page, place, days } = options
        const link = await previewLink(operator, { tenantId, principalId, accountId, creativeId, page, place, days })
        print(options.json, link, [
          link.url,
          `valid until ${link.expires_at}; anyone with the link sees the creative, and no events are counted`,
        ])
      }),
    )
}

function uploadCommand(): Command {
  return withStoreOptions(
    new Command('upload').argument('<file>').description('host an image, a video or an HTML5 archive for your own orders'),
  )
    .option('--tenant <id>')
    .option('--json')
    .action((path: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const file = await uploadCreativeFile(operator, tenantId, basename(path), await readFile(path))
        print(options.json, file, [file.url, ...addressNote(operator)])
      }),
    )
}

/** Without an address in the settings, the one of the server is as its options say when it is started. */
function addressNote({ config: { publicUrl, ads } }: OperatorContext): readonly string[] {
  if (publicUrl !== undefined || ads.publicUrl !== undefined) return []
  return [
    'it is at the address where the server listens: another one with serve --host or --port, or with publicUrl in the settings',
  ]
}

function decision(name: string, status: 'approved' | 'rejected', description: string): Command {
  return withStoreOptions(new Command(name).argument('<creative>').description(description))
    .option('--tenant <id>')
    .requiredOption('--principal <id>', 'the agent that uploaded it')
    .option('--account <id>', 'when the agent has creatives of this id in several accounts')
    .option('--reason <text>', 'the reason that the buyer reads')
    .option('--json')
    .action((creativeId: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const { principal: principalId = '', account: accountId, reason } = options
        const decided = await decideCreative(operator, { tenantId, principalId, accountId, creativeId, status, reason })
        print(options.json, { creative_id: creativeId, status: decided }, [`creative ${creativeId} is ${decided}`])
      }),
    )
}
