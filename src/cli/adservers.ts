import { Command } from 'commander'
import { confirmGone } from '../operator/ad-servers/confirm-gone.ts'
import { driftWords } from '../operator/ad-servers/drift-words.ts'
import { forecastOrder } from '../operator/ad-servers/forecast-order.ts'
import { importAdServerSheet } from '../operator/ad-servers/import-ad-server-sheet.ts'
import { type LiveTest, testLive } from '../operator/ad-servers/live-test.ts'
import { type OrderSheetRow, orderSheet, orderSheetCsv } from '../operator/ad-servers/order-sheet.ts'
import { presentAdServer } from '../operator/ad-servers/present-ad-server.ts'
import { listAdServers, listInventory, showDrift, showOrders, testAdServers } from '../operator/ad-servers/show-ad-servers.ts'
import { existingLines, suggestProducts } from '../operator/ad-servers/suggest-products.ts'
import { adoptDrift, importReports, syncOrders } from '../operator/ad-servers/sync-orders.ts'
import { sheetCsv, traffickingSheet } from '../operator/ad-servers/trafficking-sheet.ts'
import { showOrderRecords } from '../operator/orders/order-records.ts'
import { snakeMembers } from '../operator/snake-members.ts'
import { addSettingCommands } from './adserver-settings.ts'
import { operateFor, performHere, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { readCount } from './read-count.ts'
import { readImportFile } from './read-import-file.ts'
import { withStoreOptions } from './store-options.ts'

interface AdServerOptions extends TenantOption {
  readonly json?: boolean
  readonly adServer?: string
  readonly after?: string
  readonly all?: boolean
  readonly waiting?: boolean
  readonly since?: string
  readonly csv?: boolean
  readonly currency?: string
  readonly most?: string
  readonly live?: boolean
  readonly product?: string
  readonly orders?: boolean
}

/** `sales-agent adservers add|set|remove|credentials|list|test|inventory|orders|errors|sync|drift|adopt|gone|sheet|import|report`: the ad servers of a publisher and its orders there. */
export function adserversCommand(): Command {
  const group = new Command('adservers')
  const command = (name: string, description: string) =>
    withStoreOptions(group.command(name).description(description)).option('--tenant <id>').option('--json')
  addSettingCommands(command)
  command('list', 'list the ad servers and whether orders are reconciled with them').action((options: AdServerOptions) =>
    operateFor(options, async (operator, tenantId) => {
      const rows = await listAdServers(operator, tenantId)
      const cells = rows.map((row) => [row.name, row.reconciled ? `drift: ${row.drift}` : 'not reconciled', row.description])
      printList(options.json, rows.map(presentAdServer), table(['NAME', 'RECONCILED', 'WHAT IT IS'], cells))
    }),
  )
  command('test', 'check that the ad servers answer and accept their credentials')
    .option('--live', 'book a small order a month from now, read it back, report and forecast it, and end it')
    .option('--ad-server <name>', 'with --live; default: the only reconciled one')
    .option('--product <id>', 'with --live: what is booked; default: the first product that is given to the ad server')
    .action((options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        if (options.live) return printLiveTest(options, await testLive(operator, tenantId, options))
        const rows = await testAdServers(operator, tenantId)
        const cells = rows.map((row) => [row.name, row.ok ? 'ok' : 'failed', row.reason ?? ''])
        printList(options.json, rows, table(['NAME', 'RESULT', 'REASON'], cells))
        if (rows.some(({ ok }) => !ok)) process.exitCode = 1
      }),
    )
  command('inventory', 'list what an ad server has to sell')
    .option('--ad-server <name>', 'default: the only reconciled one')
    .option('--after <cursor>', 'next page')
    .action((options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const page = await listInventory(operator, tenantId, options)
        const cells = page.units.map((unit) => [unit.id, unit.kind, unit.name, (unit.sizes ?? []).join(' ')])
        printList(options.json, page.units.map(snakeMembers), table(['ID', 'KIND', 'NAME', 'SIZES'], cells), page.next ?? null)
      }),
    )
  command('existing', 'list the lines of an ad server, booked by this agent or not; changes nothing')
    .option('--ad-server <name>', 'default: the only reconciled one')
    .option('--after <cursor>', 'next page')
    .action((options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const page = await existingLines(operator, tenantId, options)
        const cells = page.lines.map((line) => [
          ...[line.id, line.orderName, line.name, line.type, line.isArchived ? 'ARCHIVED' : line.status],
          ...[`${line.rateMicros / 1_000_000} ${line.currency} ${line.costType}`, line.isOurs ? 'ours' : ''],
        ])
        const headings = ['ID', 'ORDER', 'LINE', 'TYPE', 'STATE', 'RATE', '']
        printList(options.json, page.lines.map(snakeMembers), table(headings, cells), page.next ?? null)
      }),
    )
  command('suggest', 'suggest products from the ad units of an ad server and what was sold on them; stores nothing')
    .option('--ad-server <name>', 'default: the only reconciled one')
    .option('--currency <code>', 'of the prices', 'USD')
    .option('--most <n>', 'products at most', '50')
    .action((options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { adServer, currency = 'USD' } = options
        const found = await suggestProducts(operator, tenantId, {
          adServer,
          currency,
          most: readCount(options.most ?? '50', 'most'),
        })
        const cells = Object.entries(found.explanations).map(([id, explanation]) => [id, explanation])
        print(options.json, found, table(['PRODUCT', 'PRICE'], cells))
      }),
    )
  command('orders', 'show what is booked of orders at their ad servers')
    .option('--waiting', 'only those that are not as they should be')
    .action((options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const rows = await showOrders(operator, tenantId, options)
        printList(options.json, rows, ordersTable(rows))
      }),
    )
  command('forecast <media-buy>', 'ask the ad server what the lines of an order will deliver until their end').action(
    (mediaBuyId: string, options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const rows = await forecastOrder(operator, tenantId, mediaBuyId)
        const cells = rows.map((row) => [row.package_id, row.unit, ...[row.goal, row.delivered, row.predicted].map(String)])
        printList(options.json, rows, table(['PACKAGE', 'UNIT', 'GOAL', 'DELIVERED', 'PREDICTED'], cells))
      }),
  )
  command('errors <media-buy>', 'show what video players could not play of an order, by VAST error code').action(
    (mediaBuyId: string, options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { errors: rows } = await performHere(operator, tenantId, showOrderRecords, { order: mediaBuyId })
        const cells = rows.map((row) => [row.code, row.meaning, row.package_id, row.creative_id, String(row.errors)])
        printList(options.json, rows, table(['CODE', 'MEANING', 'PACKAGE', 'CREATIVE', 'ERRORS'], cells))
      }),
  )
  command('sync [media-buy]', 'bring orders to their ad servers now, and look for drift')
    .option('--ad-server <name>', 'only orders at this one (default: every one)')
    .action((mediaBuyId: string | undefined, options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { orders, ...rest } = await syncOrders(operator, { tenantId, adServer: options.adServer, mediaBuyId })
        print(options.json, { items: orders, next_cursor: null, ...rest }, ordersTable(orders))
      }),
    )
  command('drift', 'show changes that were made at the ad servers and not here')
    .option('--all', 'what is settled too')
    .action((options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const rows = await showDrift(operator, tenantId, { all: options.all === true })
        const cells = rows.map((row) => {
          const { field, expected, observed } = driftWords(row)
          return [row.drift_id, row.media_buy_id, row.subject, field, expected, observed, row.state]
        })
        printList(options.json, rows, table(['ID', 'MEDIA BUY', 'WHAT', 'FIELD', 'OURS', 'THERE', 'STATE'], cells))
      }),
    )
  command('adopt <drift>', 'take over a change that was made at the ad server').action(
    (driftId: string, options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const done = await adoptDrift(operator, tenantId, driftId)
        const { field, observed } = driftWords({ ...done, expected: undefined, observed: done.value })
        print(options.json, done, [`${field} of ${done.subject} is ${observed} from now on`])
      }),
  )
  command(
    'gone <drift>',
    'say that what is missing at the ad server is not there any more: what is still wanted is booked anew',
  ).action((driftId: string, options: AdServerOptions) =>
    operateFor(options, async (operator, tenantId) => {
      const done = await confirmGone(operator, tenantId, driftId)
      print(options.json, done, [`${done.subject} of ${done.media_buy_id} is gone; what is still wanted of it is booked anew`])
    }),
  )
  command('sheet [media-buy]', 'list the creatives to traffic by hand where the ad server takes none, and which are live')
    .option('--csv', 'as CSV, for a spreadsheet')
    .option('--orders', 'the lines to enter at an ad server without an API instead')
    .option('--all', 'with --orders: lines that are entered, too')
    .option('--ad-server <name>', 'with --orders; default: the only reconciled one')
    .action((mediaBuyId: string | undefined, options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        if (options.orders) return printOrderSheet(options, await orderSheet(operator, tenantId, { ...options, mediaBuyId }))
        const rows = await traffickingSheet(operator, tenantId, { mediaBuyId })
        const cells = rows.map((row) => [row.media_buy_id, row.package_id, row.name, row.size, row.files.join(' '), row.status])
        const headings = ['MEDIA BUY', 'PACKAGE', 'NAME IT THERE', 'SIZE', 'FILES', 'STATUS']
        printList(options.json, rows, options.csv ? [sheetCsv(rows).trimEnd()] : table(headings, cells))
      }),
    )
  command('import <file>', 'take over what people did at an ad server without an API: a filled-in sheet, or delivery')
    .option('--ad-server <name>', 'default: the only reconciled one')
    .action((path: string, options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { adServer } = options
        const done = await importAdServerSheet(operator, tenantId, { adServer, file: await readImportFile(path) })
        const ledger = done.kind === 'delivery' ? `; ${done.ledger_rows} new or corrected in the ledger` : ''
        print(options.json, done, [`${done.ad_server}: ${done.rows} rows of ${done.kind}${ledger}`])
      }),
    )
  command('report [media-buy]', 'import delivery into the ledger now; an ad server that does not answer holds up no other')
    .option('--since <day>', 'first UTC day, YYYY-MM-DD', '2000-01-01')
    .action((mediaBuyId: string | undefined, options: AdServerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const rows = await importReports(operator, { tenantId, mediaBuyId, since: options.since ?? '2000-01-01' })
        const cells = rows.map((row) => [row.ad_server, String(row.orders), String(row.rows)])
        printList(options.json, rows, table(['AD SERVER', 'ORDERS', 'NEW OR CORRECTED ROWS'], cells))
        const failed = rows.filter(({ reason }) => reason !== null)
        for (const row of failed) console.error(`${row.ad_server} was not imported: ${row.reason}`)
        if (failed.length > 0) process.exitCode = 1
      }),
    )
  return group
}

function printLiveTest({ json }: AdServerOptions, done: LiveTest): void {
  const cells = done.checks.map(({ check, ok, ms, detail }) => [check, ok ? 'ok' : 'failed', `${ms} ms`, detail])
  print(json, done, table(['CHECK', 'RESULT', 'TOOK', 'DETAIL'], cells))
  if (!done.ok) process.exitCode = 1
}

function printOrderSheet({ json, csv }: AdServerOptions, rows: readonly OrderSheetRow[]): void {
  const cells = rows.map((row) => [
    ...[row.media_buy_id, row.package_id, row.to_do, row.units.join('; '), row.starts_at.slice(0, 10), row.ends_at.slice(0, 10)],
    `${row.budget} ${row.currency}`,
  ])
  const headings = ['MEDIA BUY', 'PACKAGE', 'TO DO', 'WHERE', 'FROM', 'TO', 'BUDGET']
  printList(json, rows, csv ? [orderSheetCsv(rows).trimEnd()] : table(headings, cells))
}

function ordersTable(rows: Awaited<ReturnType<typeof showOrders>>): readonly string[] {
  const cells = rows.map((row) => [row.media_buy_id, row.ad_server, row.in_step ? 'in step' : 'waiting', row.reason ?? ''])
  return table(['MEDIA BUY', 'AD SERVER', 'STATE', 'REASON'], cells)
}
